import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

/** The newest restart of each worker, 0 for none (L13). Primary key of `worker_restart`, backwards. */
export async function findRestarts(
  client: ClientBase,
  workers: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ worker: string; position: string }>({
    name: 'find_restarts',
    text: `SELECT encode(wanted.worker_hash, 'hex') AS worker,
      coalesce((
        SELECT position FROM ledger.worker_restart
        WHERE worker_hash = wanted.worker_hash
        ORDER BY position DESC LIMIT 1
      ), 0) AS position
    FROM unnest($1::bytea[]) AS wanted (worker_hash)`,
    values: [bytesOfAll(workers)],
  })
  return new Map(rows.map((row) => [row.worker, positionOf(row.position)]))
}
