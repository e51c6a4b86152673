/** What one look at some tasks leaves behind: list rows, participants, evidence; their queue entries go. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { SettledTask } from '../../app/ports.ts'
import { noKey, streamKey, taskKey, workerKey } from './keys.ts'

/** Call it in a transaction. A task that was looked at later already is left alone. */
export async function saveSettled(client: pg.ClientBase, settled: readonly SettledTask[]): Promise<void> {
  // In one order everywhere, so that two processes that settle the same tasks do not deadlock.
  const ordered = settled
    .map((task) => ({ task, key: streamKey(task.row.correlationId) }))
    .toSorted((left, right) => Buffer.compare(left.key, right.key))
  for (const { task, key } of ordered) {
    const before = await saveRow(client, key, task)
    if (before === 'newer') continue
    await saveParticipants(client, key, task)
    const digest = evidenceDigestOf(task)
    if (before !== undefined && digest.equals(before)) continue
    await saveEvidence(client, key, task)
    await client.query('UPDATE task_list SET evidence_digest = $2 WHERE stream_key = $1', [key, digest])
  }
  await client.query(
    `DELETE FROM rechecks USING unnest($1::bytea[], $2::bigint[]) AS done (stream_key, position)
      WHERE rechecks.stream_key = done.stream_key AND rechecks.position <= done.position`,
    [ordered.map(({ key }) => key), ordered.map(({ task }) => task.settledPosition)],
  )
}

/** The digest of the evidence that is stored; `undefined`: none is; `newer`: nothing was written. */
async function saveRow(client: pg.ClientBase, key: Buffer, task: SettledTask): Promise<Buffer | 'newer' | undefined> {
  const { row } = task
  const { rows: before } = await client.query<{ evidence_digest: Buffer }>(
    'SELECT evidence_digest FROM task_list WHERE stream_key = $1 FOR UPDATE',
    [key],
  )
  const { rowCount } = await client.query(
    `INSERT INTO task_list (stream_key, correlation_id, first_position, state, last_observed, is_terminal, verdict,
                            updated_position, settled_position, due_at_ms, awaits_candidate, latest_ms, is_incomplete,
                            evidence_digest)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, '\\x')
     ON CONFLICT (stream_key) DO UPDATE
       SET state = excluded.state, last_observed = excluded.last_observed, is_terminal = excluded.is_terminal,
           verdict = excluded.verdict, updated_position = excluded.updated_position,
           settled_position = excluded.settled_position, due_at_ms = excluded.due_at_ms,
           awaits_candidate = excluded.awaits_candidate, latest_ms = excluded.latest_ms,
           is_incomplete = excluded.is_incomplete
     WHERE task_list.settled_position <= excluded.settled_position`,
    [
      key,
      row.correlationId,
      row.firstPosition,
      row.state,
      row.lastObserved ?? null,
      row.isTerminal,
      row.verdict === undefined ? null : JSON.stringify(row.verdict),
      row.updatedPosition,
      task.settledPosition,
      task.dueAtMs ?? null,
      task.awaitsCandidate,
      task.latestMs,
      task.isIncomplete,
    ],
  )
  return rowCount === 0 ? 'newer' : before[0]?.evidence_digest
}

async function saveParticipants(client: pg.ClientBase, key: Buffer, { participants }: SettledTask): Promise<void> {
  const rows = participants.map(({ workerId, taskId, isOpen, awaitsAnswer }) => ({
    worker: workerKey(workerId),
    task: taskId === undefined ? noKey : taskKey(taskId),
    isOpen,
    awaitsAnswer,
  }))
  await client.query(
    `WITH wanted AS (SELECT * FROM unnest($2::bytea[], $3::bytea[], $4::boolean[], $5::boolean[])
                       AS row (worker_key, task_key, is_open, awaits_answer)),
          gone AS (DELETE FROM task_participants AS participant WHERE stream_key = $1
                     AND NOT EXISTS (SELECT FROM wanted WHERE (wanted.worker_key, wanted.task_key) = (participant.worker_key, participant.task_key)))
     INSERT INTO task_participants (stream_key, worker_key, task_key, is_open, awaits_answer)
     SELECT $1, worker_key, task_key, is_open, awaits_answer FROM wanted
     ON CONFLICT (worker_key, stream_key, task_key) DO UPDATE
       SET is_open = excluded.is_open, awaits_answer = excluded.awaits_answer
     WHERE (task_participants.is_open, task_participants.awaits_answer) <> (excluded.is_open, excluded.awaits_answer)`,
    [
      key,
      rows.map(({ worker }) => worker),
      rows.map(({ task }) => task),
      rows.map(({ isOpen }) => isOpen),
      rows.map(({ awaitsAnswer }) => awaitsAnswer),
    ],
  )
}

const evidenceDigestOf = ({ evidence }: SettledTask): Buffer =>
  createHash('sha256').update(JSON.stringify(evidence)).digest().subarray(0, 16)

async function saveEvidence(client: pg.ClientBase, key: Buffer, { evidence }: SettledTask): Promise<void> {
  await client.query('DELETE FROM worker_evidence WHERE stream_key = $1', [key])
  await client.query(
    `INSERT INTO worker_evidence (stream_key, n, worker_key, kind, key_hash, first_position, at_ms, evidence)
     SELECT $1, * FROM unnest($2::integer[], $3::bytea[], $4::text[], $5::bytea[], $6::bigint[], $7::bigint[], $8::json[])`,
    [
      key,
      evidence.map((_entry, n) => n),
      evidence.map(({ workerId }) => workerKey(workerId)),
      evidence.map(({ kind }) => kind),
      evidence.map((entry) => taskKey(entry.key)),
      evidence.map(({ positions }) => positions[0] ?? 0),
      evidence.map(({ atMs }) => atMs),
      evidence.map((entry) => JSON.stringify(entry)),
    ],
  )
}
