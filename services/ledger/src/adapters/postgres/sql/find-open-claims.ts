import type { OpenClaim } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

interface Row {
  readonly claim: string
  readonly worker_id: string
  readonly task_id: string
  readonly position: string
  readonly witness_ms: string
  readonly is_answer: boolean
}

/** Tasks whose place a dispatch decides, oldest first (K1, K2, K3). Primary key of `open_claim`. */
export async function findOpenClaims(
  client: ClientBase,
  claims: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly OpenClaim[]>> {
  const { rows } = await client.query<Row>({
    name: 'find_open_claims',
    text: `SELECT encode(claim_hash, 'hex') AS claim, worker_id, task_id, position, witness_ms, is_answer
    FROM ledger.open_claim WHERE claim_hash = ANY ($1::bytea[])
    ORDER BY position, task_hash`,
    values: [bytesOfAll(claims)],
  })
  const found = new Map<string, OpenClaim[]>(Array.from(claims, (claim) => [claim, []]))
  for (const row of rows) {
    found.get(row.claim)?.push({
      workerId: row.worker_id,
      taskId: row.task_id,
      position: positionOf(row.position),
      witnessMs: Number(row.witness_ms),
      isAnswer: row.is_answer,
    })
  }
  return found
}
