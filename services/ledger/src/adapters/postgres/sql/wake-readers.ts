import type { ClientBase, Pool } from 'pg'

/** Channel on which readers hear of a new head; only ever a hint (L8). */
export const headChannel = 'a2a_ledger_head'

/** Tells listeners the newest position. Never inside an append: NOTIFY serialises commits. */
export async function wakeReaders(client: ClientBase | Pool, head: number): Promise<void> {
  await client.query('SELECT pg_notify($1, $2)', [headChannel, String(head)])
}
