import type { ClientBase } from 'pg'
import { bytesOfHex } from '../hex.ts'
import { positionOf } from '../position.ts'

/**
 * The newest dispatch of each correlation ID to each worker, 0 for none (K1, K2). Keys are both
 * hashes, one after the other. Primary key of `dispatch`, backwards.
 */
export async function findDispatchedTo(
  client: ClientBase,
  pairs: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const keys = [...pairs]
  const { rows } = await client.query<{ pair: string; position: string }>({
    name: 'find_dispatched_to',
    text: `SELECT encode(wanted.correlation_hash || wanted.worker_hash, 'hex') AS pair,
      coalesce((
        SELECT position FROM ledger.dispatch
        WHERE correlation_hash = wanted.correlation_hash AND worker_hash = wanted.worker_hash
        ORDER BY position DESC LIMIT 1
      ), 0) AS position
    FROM unnest($1::bytea[], $2::bytea[]) AS wanted (correlation_hash, worker_hash)`,
    values: [keys.map((key) => bytesOfHex(key.slice(0, 32))), keys.map((key) => bytesOfHex(key.slice(32)))],
  })
  return new Map(rows.map((row) => [row.pair, positionOf(row.position)]))
}
