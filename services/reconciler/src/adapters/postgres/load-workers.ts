/** What a worker's view is derived from. */
import type { WorkerEvidence } from '@a2a-ledger/domain'
import type pg from 'pg'
import type { Snapshot, WorkerRecord } from '../../app/ports.ts'
import { loadWorkerFacts, readMoment } from './load-tasks.ts'
import { workerKey } from './keys.ts'

interface WorkerRow {
  readonly worker_key: Buffer
  readonly worker_id: string
  readonly first_position: number
  readonly enrolled_position: number | null
  readonly enrolment_id: string | null
}

const columns = 'worker_key, worker_id, first_position, enrolled_position, enrolment_id'

export async function loadWorker(client: pg.ClientBase, workerId: string): Promise<Snapshot<WorkerRecord | undefined>> {
  const moment = await readMoment(client)
  const { rows } = await client.query<WorkerRow>(`SELECT ${columns} FROM workers WHERE worker_key = $1`, [workerKey(workerId)])
  const [content] = await recordsOf(client, rows)
  return { ...moment, content }
}

export async function loadWorkerPage(
  client: pg.ClientBase,
  after: number,
  limit: number,
): Promise<Snapshot<readonly WorkerRecord[]>> {
  const moment = await readMoment(client)
  const { rows } = await client.query<WorkerRow>(
    `SELECT ${columns} FROM workers WHERE first_position > $1 ORDER BY first_position LIMIT $2`,
    [after, limit],
  )
  return { ...moment, content: await recordsOf(client, rows) }
}

/** Of each kind of proof of a condition the newest this many: a view shows fewer. */
const proofsMax = 50
/** Coverage, how pushes arrive, and drift from one task to the next, are told over this many of a worker's tasks, the newest ones. */
const tasksMax = 1_000

/**
 * A worker's view shows each state and media type once, by its first sight, and a condition by some
 * of its proofs; a worker can have more tasks than could be read.
 */
async function recordsOf(client: pg.ClientBase, rows: readonly WorkerRow[]): Promise<readonly WorkerRecord[]> {
  if (rows.length === 0) return []
  const keys = rows.map(({ worker_key }) => worker_key)
  const facts = await loadWorkerFacts(client, keys)
  const { rows: evidence } = await client.query<{ evidence: WorkerEvidence }>(
    `SELECT evidence FROM (
       SELECT worker_key, evidence, first_position,
              row_number() OVER (PARTITION BY worker_key, kind, key_hash ORDER BY first_position) AS rank, 1 AS most
         FROM worker_evidence WHERE worker_key = ANY($1::bytea[]) AND kind IN ('state', 'media-type', 'skill-state', 'skill-media-type')
       UNION ALL
       SELECT worker_key, evidence, first_position,
              row_number() OVER (PARTITION BY worker_key, key_hash ORDER BY at_ms, first_position), 1
         FROM worker_evidence WHERE worker_key = ANY($1::bytea[]) AND kind = 'drift'
       UNION ALL
       SELECT worker_key, evidence, first_position,
              row_number() OVER (PARTITION BY worker_key, kind, key_hash ORDER BY at_ms DESC, first_position DESC), $2
         FROM worker_evidence WHERE worker_key = ANY($1::bytea[]) AND kind = 'condition'
       UNION ALL
       SELECT keys.worker_key, newest.evidence, newest.first_position, 1, 1
         FROM unnest($1::bytea[]) AS keys (worker_key) CROSS JOIN unnest(ARRAY['coverage', 'emission', 'push']) AS told (kind)
        CROSS JOIN LATERAL (SELECT evidence, first_position FROM worker_evidence AS known
                             WHERE known.worker_key = keys.worker_key AND known.kind = told.kind
                             ORDER BY at_ms DESC, first_position DESC LIMIT $3) AS newest) AS ranked
      WHERE rank <= most ORDER BY first_position`,
    [keys, proofsMax, tasksMax],
  )
  const told = Map.groupBy(evidence.map((entry) => entry.evidence), ({ workerId }) => workerId)
  return rows.map((row) => ({
    workerId: row.worker_id,
    firstPosition: row.first_position,
    facts: facts.get(row.worker_key.toString('hex')) ?? [],
    evidence: told.get(row.worker_id) ?? [],
    enrolment:
      row.enrolled_position === null || row.enrolment_id === null
        ? undefined
        : { position: row.enrolled_position, eventId: row.enrolment_id },
  }))
}
