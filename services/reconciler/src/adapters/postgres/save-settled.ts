/** What one look at some tasks leaves behind: list rows, participants, evidence; their queue entries go. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { SettledTask } from '../../app/ports.ts'
import { unqueue } from './queue.ts'
import { evidenceKey, noKey, streamKey, taskKey, workerKey } from './keys.ts'

interface Keyed {
  readonly key: Buffer
  readonly task: SettledTask
  /** Of the evidence: unchanged, it is not written again. */
  readonly digest: Buffer
}

/** Call it in a transaction. A task that was looked at later already is left alone. */
export async function saveSettled(client: pg.ClientBase, settled: readonly SettledTask[]): Promise<void> {
  // In one order everywhere, so that two processes that settle the same tasks do not deadlock.
  const ordered = settled
    .map((task): Keyed => ({ key: streamKey(task.row.correlationId), task, digest: evidenceDigestOf(task) }))
    .toSorted((left, right) => Buffer.compare(left.key, right.key))
  const before = await lockRows(client, ordered)
  const saved = await saveRows(client, ordered)
  await saveParticipants(client, saved)
  await saveEvidence(
    client,
    saved.filter(({ key, digest }) => before.get(key.toString('hex'))?.equals(digest) !== true),
  )
  await queueReachable(client, saved)
  await unqueue(
    client,
    ordered.map(({ key }) => key),
    ordered.map(({ task }) => task.settledPosition),
  )
}

/** Tasks of the same mesh may wait for one of these workers (V6). */
async function queueReachable(client: pg.ClientBase, tasks: readonly Keyed[]): Promise<void> {
  const rows = tasks.flatMap(({ task }) => task.reachableAgain.map((workerId) => ({ workerId, task })))
  if (rows.length === 0) return
  await client.query(
    `INSERT INTO worker_rechecks (worker_key, reason, position, since_ms)
     SELECT DISTINCT ON (worker_key) * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bigint[])
       AS row (worker_key, reason, position, since_ms)
     ON CONFLICT (worker_key, reason) DO NOTHING`,
    [
      rows.map(({ workerId }) => workerKey(workerId)),
      rows.map(() => 'changed'),
      rows.map(({ task }) => task.settledPosition),
      rows.map(({ task }) => task.latestMs),
    ],
  )
}

const evidenceDigestOf = ({ evidence }: SettledTask): Buffer =>
  createHash('sha256').update(JSON.stringify(evidence)).digest().subarray(0, 16)

/** The digest of the evidence that is stored, by stream key in hex. */
async function lockRows(client: pg.ClientBase, tasks: readonly Keyed[]): Promise<ReadonlyMap<string, Buffer>> {
  const { rows } = await client.query<{ stream_key: Buffer; evidence_digest: Buffer }>(
    'SELECT stream_key, evidence_digest FROM task_list WHERE stream_key = ANY($1::bytea[]) ORDER BY stream_key FOR UPDATE',
    [tasks.map(({ key }) => key)],
  )
  return new Map(rows.map(({ stream_key, evidence_digest }) => [stream_key.toString('hex'), evidence_digest]))
}

/** The tasks whose row is as of now; the others were looked at later already. */
async function saveRows(client: pg.ClientBase, tasks: readonly Keyed[]): Promise<readonly Keyed[]> {
  const column = (value: (task: SettledTask) => unknown): unknown[] => tasks.map(({ task }) => value(task) ?? null)
  const { rows } = await client.query<{ stream_key: Buffer }>(
    `INSERT INTO task_list (stream_key, evidence_digest, correlation_id, first_position, state, last_observed, is_terminal,
                            verdict, updated_position, settled_position, due_at_ms, awaits_candidate, latest_ms, is_incomplete,
                            open_intent_count, open_intent_since_ms, waiting_since_ms)
     SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::boolean[],
                          $8::json[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[], $13::bigint[], $14::boolean[],
                          $15::integer[], $16::bigint[], $17::bigint[])
     ON CONFLICT (stream_key) DO UPDATE
       SET evidence_digest = excluded.evidence_digest, first_position = excluded.first_position, state = excluded.state, last_observed = excluded.last_observed,
           is_terminal = excluded.is_terminal, verdict = excluded.verdict, updated_position = excluded.updated_position,
           settled_position = excluded.settled_position, due_at_ms = excluded.due_at_ms,
           awaits_candidate = excluded.awaits_candidate, latest_ms = excluded.latest_ms, is_incomplete = excluded.is_incomplete,
           open_intent_count = excluded.open_intent_count, open_intent_since_ms = excluded.open_intent_since_ms,
           waiting_since_ms = excluded.waiting_since_ms
     WHERE task_list.settled_position <= excluded.settled_position
     RETURNING stream_key`,
    [
      tasks.map(({ key }) => key),
      tasks.map(({ digest }) => digest),
      column(({ row }) => row.correlationId),
      column(({ row }) => row.firstPosition),
      column(({ row }) => row.state),
      column(({ row }) => row.lastObserved),
      column(({ row }) => row.isTerminal),
      column(({ row }) => row.verdict && JSON.stringify(row.verdict)),
      column(({ row }) => row.updatedPosition),
      column(({ settledPosition }) => settledPosition),
      column(({ dueAtMs }) => dueAtMs),
      column(({ awaitsCandidate }) => awaitsCandidate),
      column(({ latestMs }) => latestMs),
      column(({ isIncomplete }) => isIncomplete),
      column(({ openIntentCount }) => openIntentCount),
      column(({ openIntentSinceMs }) => openIntentSinceMs),
      column(({ waitingSinceMs }) => waitingSinceMs),
    ],
  )
  const written = new Set(rows.map(({ stream_key }) => stream_key.toString('hex')))
  return tasks.filter(({ key }) => written.has(key.toString('hex')))
}

async function saveParticipants(client: pg.ClientBase, tasks: readonly Keyed[]): Promise<void> {
  const rows = tasks.flatMap(({ key, task }) =>
    task.participants.map(({ workerId, taskId, isOpen, awaitsAnswer }) => ({
      key,
      worker: workerKey(workerId),
      task: taskId === undefined ? noKey : taskKey(taskId),
      isOpen,
      awaitsAnswer,
    })),
  )
  await client.query(
    `WITH wanted AS (SELECT * FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::boolean[], $6::boolean[])
                       AS row (stream_key, worker_key, task_key, is_open, awaits_answer)),
          gone AS (DELETE FROM task_participants AS participant WHERE stream_key = ANY($1::bytea[])
                     AND NOT EXISTS (SELECT FROM wanted
                                      WHERE (wanted.worker_key, wanted.stream_key, wanted.task_key)
                                          = (participant.worker_key, participant.stream_key, participant.task_key)))
     INSERT INTO task_participants (stream_key, worker_key, task_key, is_open, awaits_answer)
     SELECT stream_key, worker_key, task_key, is_open, awaits_answer FROM wanted
     ON CONFLICT (worker_key, stream_key, task_key) DO UPDATE
       SET is_open = excluded.is_open, awaits_answer = excluded.awaits_answer
     WHERE (task_participants.is_open, task_participants.awaits_answer) <> (excluded.is_open, excluded.awaits_answer)`,
    [
      tasks.map(({ key }) => key),
      rows.map(({ key }) => key),
      rows.map(({ worker }) => worker),
      rows.map(({ task }) => task),
      rows.map(({ isOpen }) => isOpen),
      rows.map(({ awaitsAnswer }) => awaitsAnswer),
    ],
  )
}

async function saveEvidence(client: pg.ClientBase, tasks: readonly Keyed[]): Promise<void> {
  if (tasks.length === 0) return
  await client.query('DELETE FROM worker_evidence WHERE stream_key = ANY($1::bytea[])', [tasks.map(({ key }) => key)])
  const rows = tasks.flatMap(({ key, task }) => task.evidence.map((entry, n) => ({ key, n, entry })))
  await client.query(
    `INSERT INTO worker_evidence (stream_key, n, worker_key, kind, key_hash, first_position, at_ms, evidence)
     SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bytea[], $4::text[], $5::bytea[], $6::bigint[], $7::bigint[], $8::json[])`,
    [
      rows.map(({ key }) => key),
      rows.map(({ n }) => n),
      rows.map(({ entry }) => workerKey(entry.workerId)),
      rows.map(({ entry }) => entry.kind),
      rows.map(({ entry }) => evidenceKey(entry.key)),
      rows.map(({ entry }) => entry.positions[0] ?? 0),
      rows.map(({ entry }) => entry.atMs),
      rows.map(({ entry }) => JSON.stringify(entry)),
    ],
  )
}
