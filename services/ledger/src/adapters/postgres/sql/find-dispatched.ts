import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** Whether anything was dispatched under each correlation ID (K1). Primary key of `dispatch`. */
export async function findDispatched(
  client: ClientBase,
  correlations: ReadonlySet<string>,
): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await client.query<{ correlation: string; is_dispatched: boolean }>({
    name: 'find_dispatched',
    text: `SELECT encode(wanted.correlation_hash, 'hex') AS correlation,
      EXISTS (SELECT FROM ledger.dispatch WHERE correlation_hash = wanted.correlation_hash) AS is_dispatched
    FROM unnest($1::bytea[]) AS wanted (correlation_hash)`,
    values: [bytesOfAll(correlations)],
  })
  return new Map(rows.map((row) => [row.correlation, row.is_dispatched]))
}
