import type { OpenClaim } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** Tasks that wait for a dispatch, oldest first (K1, K6). Primary key of `open_claim`. */
export async function findOpenClaims(
  client: ClientBase,
  claims: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly OpenClaim[]>> {
  const { rows } = await client.query<{ claim: string; worker_id: string; task_id: string }>({
    name: 'find_open_claims',
    text: `SELECT encode(claim_hash, 'hex') AS claim, worker_id, task_id
    FROM ledger.open_claim WHERE claim_hash = ANY ($1::bytea[])
    ORDER BY position, task_hash`,
    values: [bytesOfAll(claims)],
  })
  const found = new Map<string, OpenClaim[]>(Array.from(claims, (claim) => [claim, []]))
  for (const row of rows) found.get(row.claim)?.push({ workerId: row.worker_id, taskId: row.task_id })
  return found
}
