import { LedgerError } from '@a2a-ledger/domain'
import type { Applied } from './applied.ts'
import { reach } from './catch-up.ts'
import type { FactStore, TaskFilter, TaskListRow, Timer } from './ports.ts'

export interface ListPorts {
  readonly store: FactStore
  readonly applied: Applied
  readonly timer: Timer
}

export interface TaskPage {
  readonly tasks: readonly (Omit<TaskListRow, 'firstPosition' | 'isTerminal'> & { readonly terminal: boolean })[]
  readonly next: number | null
}

/** How long a caller waits who does not say. */
const waitMsDefault = 5_000
const pollMs = 20

/**
 * Tasks in the order of their first event; a page stays the same while the tasks in it change.
 *
 * Rows are as of the last look at each task; `atLeast` waits until every task was looked at that an
 * event up to there concerns. Errors: throws `not_caught_up`.
 */
export async function listTasks(
  { store, applied, timer }: ListPorts,
  filter: TaskFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
  { atLeast, timeoutMs = waitMsDefault }: { readonly atLeast: number | undefined; readonly timeoutMs: number | undefined },
): Promise<TaskPage> {
  if (atLeast !== undefined) {
    const deadlineMs = timer.elapsedMs() + timeoutMs
    await reach(applied, atLeast, timeoutMs)
    while ((await store.queue()).settledPosition < atLeast) {
      if (timer.elapsedMs() >= deadlineMs) {
        throw new LedgerError('not_caught_up', `The list was not renewed up to position ${atLeast} within ${timeoutMs} ms. Ask again.`)
      }
      await timer.after(pollMs)
    }
  }
  const rows = await store.listTasks(filter, after, limit + 1)
  const page = rows.slice(0, limit)
  return {
    tasks: page.map(({ firstPosition: _order, isTerminal, ...row }) => ({ ...row, terminal: isTerminal })),
    next: rows.length > limit ? (page.at(-1)?.firstPosition ?? null) : null,
  }
}
