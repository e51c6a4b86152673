/** The fact store on PostgreSQL: one schema, in the search path of its pool. */
import type pg from 'pg'
import type { FactStore, RecordedQuestion } from '../../app/ports.ts'
import { attemptKey, contentKeyHash, eventKey, streamKey, workerKey } from './keys.ts'
import { appliedPosition, identityOf } from './feed-places.ts'
import { findKin } from './kin.ts'
import { listLinks, loadLink } from './links.ts'
import { listTasks } from './lists.ts'
import { findStorms, loadMesh, loadMeshLoad } from './load-mesh.ts'
import { takePermit } from './mesh-permits.ts'
import { loadTasks, loadCandidates } from './load-tasks.ts'
import { loadWorker, loadWorkerPage } from './load-workers.ts'
import { transaction, withStoreErrors } from './pool.ts'
import { listObservedWorkers, listOpenTasks, listSilentSends } from './observed-workers.ts'
import { listDueProbes, listOpenProbes, loadProbe } from './probes.ts'
import { dropTasks, heldActs, nextDue, queueState, setAside, spreadWorkerRecheck, takeWork } from './queue.ts'
import { leaveOutRuns } from './runs.ts'
import { saveSettled } from './save-settled.ts'
import { answeredContents, listSuggestions, saveMarks, savePairs, suggestionsFor } from './suggestions.ts'

/** Workers that could take one piece of work over, at most. */
const trustedMax = 1_000
/** Workers that a verdict can name beside them. */
const othersMax = 100

export function createPostgresFactStore(pool: pg.Pool): FactStore {
  const read = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    transaction(pool, 'repeatable read read only', work)
  const write = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    transaction(pool, 'read committed', work)

  return {
    progress: () =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ applied: number; ledger_id: string | null; epoch: number | null }>(
          `SELECT (${appliedPosition}) AS applied, ledger_id, epoch FROM meta`,
        )
        const row = rows[0]
        return { appliedPosition: row?.applied ?? 0, ledger: row && identityOf(row) }
      }),
    queue: () => withStoreErrors(() => queueState(pool)),
    heldActs: () => withStoreErrors(() => heldActs(pool)),
    takePermit: (mesh, intentId, perMinute) => write((client) => takePermit(client, mesh, intentId, perMinute)),

    tasks: (correlationIds) => read((client) => loadTasks(client, correlationIds)),
    wholeTasks: (correlationIds) => read((client) => loadTasks(client, correlationIds, { inside: true })),
    tasksAmongOthers: (correlationIds) => read((client) => loadTasks(client, correlationIds, { others: true })),
    compact: (compaction) => write((client) => leaveOutRuns(client, compaction)),
    streamOf: (workerId, taskId) =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ correlation_id: string }>(
          `SELECT coalesce(links.real_id, streams.correlation_id) AS correlation_id
             FROM attempt_streams JOIN streams USING (stream_key)
             LEFT JOIN links ON links.synthetic_key = stream_key AND links.is_linked
            WHERE attempt_key = $1 ORDER BY attempt_streams.last_position DESC LIMIT 1`,
          [attemptKey(workerId, taskId)],
        )
        return rows[0]?.correlation_id
      }),
    kinOf: (correlationId, marks, taskIds, limit) => read((client) => findKin(client, correlationId, marks, taskIds, limit)),
    question: (eventId) =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<QuestionRow>('SELECT * FROM questions WHERE event_key = $1', [eventKey(eventId)])
        return rows[0] && questionOf(eventId, rows[0])
      }),
    taskOfDecision: (decisionId) =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ correlation_id: string }>(
          `SELECT coalesce(links.real_id, streams.correlation_id) AS correlation_id
             FROM decisions JOIN streams USING (stream_key)
             LEFT JOIN links ON links.synthetic_key = stream_key AND links.is_linked
            WHERE decision_key = $1`,
          [eventKey(decisionId)],
        )
        return rows[0]?.correlation_id
      }),
    positionsOf: (correlationId, after, limit) =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ position: number }>(
          `WITH own AS (SELECT $1::bytea || ARRAY(SELECT synthetic_key FROM links WHERE real_key = $1 AND is_linked) AS keys)
           SELECT DISTINCT position FROM (
             SELECT position FROM facts, own WHERE stream_key = ANY(keys) AND position > $2
             UNION ALL
             SELECT position FROM inside_facts, own WHERE stream_key = ANY(keys) AND position > $2) AS found
            ORDER BY position LIMIT $3`,
          [streamKey(correlationId), after, limit],
        )
        return rows.map(({ position }) => position)
      }),
    candidates: (mesh, workerIds) =>
      read(async (client) => {
        const { rows } = await client.query<{ worker_id: string }>(
          `SELECT worker_id FROM workers WHERE worker_key = ANY($2::bytea[])
           UNION
           (SELECT worker_id FROM workers WHERE mesh = $1 AND can_take_over ORDER BY enrolled_position IS NULL, first_position LIMIT $3)
           UNION
           (SELECT worker_id FROM workers WHERE mesh = $1 AND NOT can_take_over ORDER BY enrolled_position IS NULL, first_position LIMIT $4)`,
          [mesh, workerIds.map(workerKey), trustedMax, othersMax],
        )
        const { rows: counted } = await client.query<{ beyond: number }>(
          `SELECT (SELECT count(*) FROM workers WHERE mesh = $1) - (SELECT count(*) FROM workers WHERE mesh = $1 AND worker_key = ANY($2::bytea[])) AS beyond`,
          [mesh, rows.map(({ worker_id }) => workerKey(worker_id))],
        )
        return { workers: await loadCandidates(client, rows.map(({ worker_id }) => worker_id)), beyondCount: counted[0]?.beyond ?? 0 }
      }),

    takeWork: (limit, withDue, share) => withStoreErrors(() => takeWork(pool, limit, withDue, share)),
    nextDueMs: (share) => withStoreErrors(() => nextDue(pool, share)),
    spreadWorkerRechecks: (limit) => write((client) => spreadWorkerRecheck(client, limit)),
    saveMarks: async (marks) => {
      if (marks.size > 0) await write((client) => saveMarks(client, marks))
    },
    suggest: async (correlationIds) => {
      if (correlationIds.length > 0) await write((client) => savePairs(client, correlationIds))
    },
    answeredContents: (answers) => withStoreErrors(() => answeredContents(pool, answers)),
    suggestionsFor: (correlationId, limit) => withStoreErrors(() => suggestionsFor(pool, correlationId, limit)),
    listSuggestions: (after, limit) => withStoreErrors(() => listSuggestions(pool, after, limit)),
    saveSettled: async (settled) => {
      if (settled.length > 0) await write((client) => saveSettled(client, settled))
    },
    setAside: async (correlationIds, settledPosition) => {
      if (correlationIds.length > 0) await write((client) => setAside(client, correlationIds.map(streamKey), settledPosition))
    },
    dropTasks: async (correlationIds, settledPosition) => {
      if (correlationIds.length > 0) await write((client) => dropTasks(client, correlationIds.map(streamKey), settledPosition))
    },

    listTasks: (filter, after, limit) => withStoreErrors(() => listTasks(pool, filter, after, limit)),
    worker: (workerId) => read((client) => loadWorker(client, workerId)),
    listWorkers: (after, limit) => read((client) => loadWorkerPage(client, after, limit)),

    link: (from) => withStoreErrors(() => loadLink(pool, from)),
    listLinks: (after, limit) => withStoreErrors(() => listLinks(pool, after, limit)),

    probe: (workerId, probeId) => withStoreErrors(() => loadProbe(pool, workerId, probeId)),
    openProbes: (limit) => withStoreErrors(() => listOpenProbes(pool, limit)),
    dueProbes: (limit) => withStoreErrors(() => listDueProbes(pool, limit)),

    observedWorkers: (limit) => withStoreErrors(() => listObservedWorkers(pool, limit)),
    openTasks: (workerId, sinceMs, limit) => withStoreErrors(() => listOpenTasks(pool, workerId, sinceMs, limit)),
    silentSends: (workerId, sinceMs, limit) => withStoreErrors(() => listSilentSends(pool, workerId, sinceMs, limit)),

    mesh: (mesh) => withStoreErrors(() => loadMesh(pool, mesh)),
    meshLoad: (mesh) => withStoreErrors(() => loadMeshLoad(pool, mesh)),
    storms: (lostCountMin) => withStoreErrors(() => findStorms(pool, lostCountMin)),
    secretHeaders: (workerId) =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ headers: Readonly<Record<string, string>> }>('SELECT headers FROM worker_secrets WHERE worker_key = $1', [
          workerKey(workerId),
        ])
        return rows[0]?.headers ?? {}
      }),
    keepSecretHeaders: (workerId, position, headers) =>
      withStoreErrors(async () => {
        await pool.query(
          `INSERT INTO worker_secrets (worker_key, position, headers) VALUES ($1, $2, $3)
           ON CONFLICT (worker_key) DO UPDATE SET position = excluded.position, headers = excluded.headers
            WHERE worker_secrets.position <= excluded.position`,
          [workerKey(workerId), position, JSON.stringify(headers)],
        )
      }),

    knownContents: (keys) =>
      withStoreErrors(async () => {
        const hashes = keys.map(contentKeyHash)
        const { rows } = await pool.query<{ content_key: Buffer; bytes: number; digest: string }>(
          'SELECT content_key, bytes, digest FROM artifact_digests WHERE content_key = ANY($1::bytea[])',
          [hashes],
        )
        const found = new Map(rows.map(({ content_key, bytes, digest }) => [content_key.toString('hex'), { bytes, digest }]))
        return new Map(
          keys.flatMap((key, index) => {
            const content = found.get(hashes[index]?.toString('hex') ?? '')
            return content === undefined ? [] : [[key, content] as const]
          }),
        )
      }),
    rememberContent: (key, { bytes, digest }) =>
      withStoreErrors(async () => {
        await pool.query(
          'INSERT INTO artifact_digests (content_key, bytes, digest) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [contentKeyHash(key), bytes, digest],
        )
      }),
  }
}

interface QuestionRow {
  readonly body_digest: string
  readonly position: number
  readonly correlation_id: string
  readonly worker_id: string | null
  readonly task_id: string | null
}

const questionOf = (eventId: string, row: QuestionRow): RecordedQuestion => ({
  eventId,
  bodyDigest: row.body_digest,
  position: row.position,
  correlationId: row.correlation_id,
  workerId: row.worker_id ?? undefined,
  taskId: row.task_id ?? undefined,
})
