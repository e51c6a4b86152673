import type { Pool } from 'pg'
import { bytesOfHex } from '../hex.ts'

/** One more delivery of a push that is recorded already. Primary key of `push_repeats`. */
export async function countPushRepeat(pool: Pool, { workerHash, workerId }: { readonly workerHash: string; readonly workerId: string }): Promise<void> {
  await pool.query({
    name: 'count_push_repeat',
    text: `INSERT INTO ledger.push_repeats AS known (worker_hash, worker_id, repeats) VALUES ($1, $2, 1)
    ON CONFLICT (worker_hash) DO UPDATE SET repeats = known.repeats + 1, last_at = clock_timestamp()`,
    values: [bytesOfHex(workerHash), workerId],
  })
}
