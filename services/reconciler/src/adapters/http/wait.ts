import type { Applied } from '../../app/applied.ts'
import { reach } from '../../app/catch-up.ts'

/** What `atLeast` asks for, when it is asked for (contract §4). */
export async function waitFor(
  applied: Applied,
  { atLeast, timeoutMs }: { readonly atLeast?: number | undefined; readonly timeoutMs?: number | undefined },
): Promise<void> {
  if (atLeast !== undefined) await reach(applied, atLeast, timeoutMs)
}
