import type { ClientBase } from 'pg'
import { positionOf } from '../position.ts'

/** Partitions exist up to `upto`; answers the first position without one (L3). */
export async function makePartitions(client: ClientBase, upto: number): Promise<number> {
  const { rows } = await client.query<{ made: string }>('SELECT ledger.make_partitions($1) AS made', [upto])
  return positionOf(rows[0]?.made ?? 0)
}
