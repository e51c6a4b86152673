import type { ClientBase } from 'pg'

/** Notes as which events quarantined inputs were recorded after all; twice is once. */
export async function insertReplays(
  client: ClientBase,
  replays: readonly { readonly id: string; readonly position: number }[],
): Promise<void> {
  await client.query(
    `INSERT INTO ledger.quarantine_replay (id, position)
    SELECT DISTINCT id, position FROM unnest($1::text[], $2::bigint[]) AS replay (id, position)
    ON CONFLICT DO NOTHING`,
    [replays.map(({ id }) => id), replays.map(({ position }) => position)],
  )
}
