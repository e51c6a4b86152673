import type { ClientBase } from 'pg'
import { bytesOfHex } from '../hex.ts'

/**
 * Whether a dispatch of each correlation ID to each worker named each task (K2). Keys are the three
 * hashes, one after the other. Index `dispatch_named_task`.
 */
export async function findDispatchNamed(
  client: ClientBase,
  triples: ReadonlySet<string>,
): Promise<ReadonlyMap<string, boolean>> {
  const keys = [...triples]
  const column = (at: number): Buffer[] => keys.map((key) => bytesOfHex(key.slice(at * 32, at * 32 + 32)))
  const { rows } = await client.query<{ triple: string; is_named: boolean }>({
    name: 'find_dispatch_named',
    text: `SELECT encode(wanted.correlation_hash || wanted.worker_hash || wanted.task_hash, 'hex') AS triple,
      EXISTS (
        SELECT FROM ledger.dispatch
        WHERE correlation_hash = wanted.correlation_hash
          AND worker_hash = wanted.worker_hash
          AND named_task_hash = wanted.task_hash
      ) AS is_named
    FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS wanted (correlation_hash, worker_hash, task_hash)`,
    values: [column(0), column(1), column(2)],
  })
  return new Map(rows.map((row) => [row.triple, row.is_named]))
}
