/** What the ledger counted of pushes that were delivered again, from `ledger.push_repeats_v1` (P7). */
import type pg from 'pg'
import type { PushRepeats } from '../../app/ports.ts'
import { withStoreErrors } from './pool.ts'

/** `pool`: on the database of the ledger. One row a worker, so all of them are looked through. */
export const createPushRepeats = (pool: pg.Pool): PushRepeats => ({
  of: (workerIds) =>
    withStoreErrors(async () => {
      const { rows } = await pool.query<{ worker_id: string; repeats: number }>(
        'SELECT worker_id, repeats FROM ledger.push_repeats_v1 WHERE worker_id = ANY($1::text[])',
        [workerIds],
      )
      return new Map(rows.map(({ worker_id, repeats }) => [worker_id, repeats]))
    }),
})
