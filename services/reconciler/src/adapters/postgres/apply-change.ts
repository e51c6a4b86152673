/**
 * What a run of events changes, for the transaction that moves their places in the feed (P5, P6).
 *
 * Partitions are applied side by side and out of order of each other. What more than one of them
 * writes keeps the least or the greatest; its rows are locked table by table in the order below, and
 * in the order of their keys within a table, so that no two of them wait in a circle.
 */
import {
  compareMoments,
  movedFact,
  type AnsweredFact,
  type ListedFact,
  type MeshPolicy,
  type MoveFact,
  type TaskFact,
  type WorkerFact,
} from '@a2a-ledger/domain'
import type pg from 'pg'
import type { FeedChange } from '../../app/ports.ts'
import { keepCards } from './keep-cards.ts'
import { attemptKey, eventKey, meshKey, routeKey, streamKey, workerKey } from './keys.ts'
import { insertKinMarks } from './kin.ts'
import { noteObservation } from './observed-workers.ts'
import { insertProbeMoments, noteProbeSchedule } from './probes.ts'
import { bringRunsBack } from './runs.ts'
import { insertExchanges } from './suggestions.ts'

/** Everything that `change` says. */
export async function writeChange(client: pg.ClientBase, change: FeedChange): Promise<void> {
  await lockLinkedStreams(client, change)
  const late = await insertStreams(client, change)
  await insertFacts(client, change)
  await bringRunsBack(client, late)
  await insertAttemptStreams(client, change)
  await insertKinMarks(client, change)
  await insertWorkers(client, change)
  await insertWorkerFacts(client, change.workerFacts.filter(({ kind }) => kind !== 'answered' && kind !== 'listed' && kind !== 'card' && kind !== 'probe-step'))
  await keepCards(client, change.workerFacts.filter((fact) => fact.kind === 'card'))
  await keepAnswers(client, change.workerFacts.filter((fact) => fact.kind === 'answered'))
  await keepListings(client, change.workerFacts.filter((fact) => fact.kind === 'listed'))
  await insertProbeMoments(client, change.workerFacts.filter((fact) => fact.kind === 'probe-step'))
  await insertExchanges(client, change.exchanges)
  for (const link of change.links) {
    const streams = [streamKey(link.from), streamKey(link.to)]
    await bringRunsBack(client, streams)
    await changeLink(client, link)
  }
  for (const move of change.moves) await moveFacts(client, move)
  for (const enrolment of change.enrolments) await noteEnrolment(client, enrolment)
  for (const decision of change.meshes) await noteMesh(client, decision)
  for (const question of change.questions) await noteQuestion(client, question)
  await noteDecisions(client, change.decisions)
  await noteMeshActs(client, change.meshActs)
  await queue(client, change)
}

/** A task whose streams become one is not gone through for runs meanwhile, whoever has the other stream. */
async function lockLinkedStreams(client: pg.ClientBase, { links, moves, entries }: FeedChange): Promise<void> {
  if (links.length === 0 && moves.length === 0) return
  const ids = [...[...links, ...moves].flatMap(({ from, to }) => [from, to]), ...entries.map(({ correlationId }) => correlationId)]
  await client.query('SELECT FROM streams WHERE stream_key = ANY($1::bytea[]) ORDER BY stream_key FOR UPDATE', [ids.map(streamKey)])
}

/** Answers the streams in which a fact came that may fall inside a run (F1). */
async function insertStreams(client: pg.ClientBase, { entries }: FeedChange): Promise<readonly Buffer[]> {
  const streams = new Map<string, { first: number; last: number; earliestMs: number }>()
  for (const { correlationId, position, facts } of entries) {
    const known = streams.get(correlationId)
    streams.set(correlationId, {
      first: known?.first ?? position,
      last: position,
      earliestMs: Math.min(known?.earliestMs ?? Infinity, ...facts.map(({ atMs }) => atMs)),
    })
  }
  if (streams.size === 0) return []
  const ordered = [...streams].toSorted(byKey(([id]) => streamKey(id)))
  const ids = ordered.map(([id]) => id)
  const ranges = ordered.map(([, range]) => range)
  const { rows } = await client.query<{ stream_key: Buffer; correlation_id: string; compacted_until_ms: number | null }>(
    `INSERT INTO streams (stream_key, correlation_id, first_position, last_position)
     SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bigint[])
     ON CONFLICT (stream_key) DO UPDATE SET last_position = excluded.last_position
     RETURNING stream_key, correlation_id, compacted_until_ms`,
    [ids.map(streamKey), ids, ranges.map(({ first }) => first), ranges.map(({ last }) => last)],
  )
  return rows
    .filter(({ correlation_id, compacted_until_ms }) => (streams.get(correlation_id)?.earliestMs ?? Infinity) < (compacted_until_ms ?? -Infinity))
    .map(({ stream_key }) => stream_key)
}

async function insertFacts(client: pg.ClientBase, { entries }: FeedChange): Promise<void> {
  interface FactRow {
    readonly key: Buffer
    readonly position: number
    readonly n: number
    readonly fact: string | null
  }
  const rows = entries.flatMap(({ correlationId, position, facts }): FactRow[] =>
    facts.length === 0
      ? [{ key: streamKey(correlationId), position, n: 0, fact: null }]
      : facts.map((fact, n) => ({ key: streamKey(correlationId), position, n, fact: JSON.stringify(fact) })),
  )
  if (rows.length === 0) return
  await client.query(
    `INSERT INTO facts (stream_key, position, n, fact)
     SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::integer[], $4::json[])`,
    [rows.map(({ key }) => key), rows.map(({ position }) => position), rows.map(({ n }) => n), rows.map(({ fact }) => fact)],
  )
}

async function insertAttemptStreams(client: pg.ClientBase, { entries }: FeedChange): Promise<void> {
  const seen = new Map<string, { attempt: Buffer; stream: Buffer; position: number }>()
  for (const { correlationId, position, facts } of entries) {
    for (const { workerId, taskId } of facts) {
      if (workerId === undefined || taskId === undefined) continue
      const id = JSON.stringify([workerId, taskId, correlationId])
      seen.set(id, { attempt: attemptKey(workerId, taskId), stream: streamKey(correlationId), position })
    }
  }
  if (seen.size === 0) return
  const rows = [...seen.values()]
  await client.query(
    `INSERT INTO attempt_streams (attempt_key, stream_key, last_position)
     SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[])
     ON CONFLICT (attempt_key, stream_key) DO UPDATE SET last_position = excluded.last_position`,
    [rows.map(({ attempt }) => attempt), rows.map(({ stream }) => stream), rows.map(({ position }) => position)],
  )
}

/** Every worker that is named is known, and locked until the end of the transaction. */
async function insertWorkers(client: pg.ClientBase, { workers }: FeedChange): Promise<void> {
  if (workers.size === 0) return
  const ordered = [...workers].toSorted(byKey(([id]) => workerKey(id)))
  await client.query(
    `INSERT INTO workers (worker_key, worker_id, first_position)
     SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[])
     ON CONFLICT (worker_key) DO UPDATE SET first_position = excluded.first_position
      WHERE workers.first_position > excluded.first_position`,
    [ordered.map(([id]) => workerKey(id)), ordered.map(([id]) => id), ordered.map(([, position]) => position)],
  )
}

async function insertWorkerFacts(client: pg.ClientBase, facts: readonly WorkerFact[]): Promise<void> {
  if (facts.length === 0) return
  await client.query(
    `INSERT INTO worker_facts (worker_key, position, n, fact)
     SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::integer[], $4::json[])`,
    [
      facts.map(({ workerId }) => workerKey(workerId)),
      facts.map(({ position }) => position),
      facts.map((fact, index) => facts.slice(0, index).filter(({ position }) => position === fact.position).length),
      facts.map((fact) => JSON.stringify(fact)),
    ],
  )
}

/**
 * F7 asks for an answer about *another* task: of each worker and route the newest answers about two
 * tasks are enough, whatever the task that asks. Their workers are locked: nobody else changes them.
 */
async function keepAnswers(client: pg.ClientBase, facts: readonly AnsweredFact[]): Promise<void> {
  if (facts.length === 0) return
  const routes = new Map<string, { worker: Buffer; route: Buffer; known: AnsweredFact[]; answers: AnsweredFact[] }>()
  for (const fact of facts) {
    const worker = workerKey(fact.workerId)
    const route = routeKey(fact.binding, fact.scope)
    const id = Buffer.concat([worker, route]).toString('hex')
    const entry = routes.get(id)
    if (entry === undefined) routes.set(id, { worker, route, known: [], answers: [fact] })
    else entry.answers.push(fact)
  }
  const { rows: stored } = await client.query<{ worker_key: Buffer; route_key: Buffer; fact: AnsweredFact }>(
    'SELECT worker_key, route_key, fact FROM worker_answers WHERE worker_key = ANY($1::bytea[]) ORDER BY rank',
    [[...routes.values()].map(({ worker }) => worker)],
  )
  for (const { worker_key, route_key, fact } of stored) {
    routes.get(Buffer.concat([worker_key, route_key]).toString('hex'))?.known.push(fact)
  }
  const rows = [...routes.values()].flatMap(({ worker, route, known, answers }) =>
    newestOfTwoTasks([...known, ...answers]).flatMap((fact, index) =>
      known[index]?.position === fact.position ? [] : [{ worker, route, rank: index + 1, fact }],
    ),
  )
  await client.query(
    `INSERT INTO worker_answers (worker_key, route_key, rank, fact)
     SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::smallint[], $4::json[])
     ON CONFLICT (worker_key, route_key, rank) DO UPDATE SET fact = excluded.fact`,
    [
      rows.map(({ worker }) => worker),
      rows.map(({ route }) => route),
      rows.map(({ rank }) => rank),
      rows.map(({ fact }) => JSON.stringify(fact)),
    ],
  )
}

function newestOfTwoTasks(answers: readonly AnsweredFact[]): readonly AnsweredFact[] {
  const byAge = answers.toSorted((left, right) => right.atMs - left.atMs || right.position - left.position)
  const [newest] = byAge
  const other = byAge.find(({ taskId }) => taskId !== newest?.taskId)
  return [newest, other].filter((fact) => fact !== undefined)
}

/** L13: of each task the newest listing that named it, by witness time; it is life of that task. */
async function keepListings(client: pg.ClientBase, facts: readonly ListedFact[]): Promise<void> {
  const newest = new Map<string, ListedFact>()
  for (const fact of facts) {
    const id = JSON.stringify([fact.workerId, fact.taskId])
    const known = newest.get(id)
    if (known === undefined || compareMoments(fact, known) > 0) newest.set(id, fact)
  }
  if (newest.size === 0) return
  const ordered = [...newest.values()].toSorted(byKey(({ workerId, taskId }) => attemptKey(workerId, taskId)))
  await client.query(
    `INSERT INTO worker_listings (attempt_key, at_ms, position, fact)
     SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::json[])
     ON CONFLICT (attempt_key) DO UPDATE SET at_ms = excluded.at_ms, position = excluded.position, fact = excluded.fact
      WHERE (worker_listings.at_ms, worker_listings.position) < (excluded.at_ms, excluded.position)`,
    [
      ordered.map(({ workerId, taskId }) => attemptKey(workerId, taskId)),
      ordered.map(({ atMs }) => atMs),
      ordered.map(({ position }) => position),
      ordered.map((fact) => JSON.stringify(fact)),
    ],
  )
}

/**
 * The ledger links a stream to one task at a time (K6), so the newest word stands. The partitions of two
 * tasks that a stream was linked to one after the other may be applied the other way round.
 */
async function changeLink(client: pg.ClientBase, { from, to, position, isLinked, by, because }: FeedChange['links'][number]): Promise<void> {
  await client.query(
    `INSERT INTO links (synthetic_key, synthetic_id, real_key, real_id, position, is_linked, by_whom, because)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (synthetic_key) DO UPDATE
       SET real_key = excluded.real_key, real_id = excluded.real_id, position = excluded.position,
           is_linked = excluded.is_linked, by_whom = excluded.by_whom, because = excluded.because
     WHERE links.position < excluded.position`,
    [streamKey(from), from, streamKey(to), to, position, isLinked, by ?? null, because ?? null],
  )
}

/**
 * Facts that go to another stream (K1, K2, K3, K6). The move is recorded in the stream that they leave,
 * so all of them are there already, whatever else is applied first.
 */
async function moveFacts(client: pg.ClientBase, move: MoveFact): Promise<void> {
  const [from, to] = [streamKey(move.from), streamKey(move.to)]
  await bringRunsBack(client, [from, to])
  const { rows } = await client.query<{ position: number; n: number; fact: TaskFact }>(
    'SELECT position, n, fact FROM facts WHERE stream_key = $1 AND position >= $2 AND position < $3 AND fact IS NOT NULL ORDER BY position, n',
    [from, move.since, move.position],
  )
  const gone = rows.flatMap(({ fact, ...at }) => {
    const moved = movedFact(fact, move)
    return moved === undefined ? [] : [{ ...at, moved }]
  })
  const positions = gone.map(({ position }) => position)
  const [first, last] = [positions[0], positions.at(-1)]
  if (first === undefined || last === undefined) return
  await client.query(
    `UPDATE facts SET stream_key = $2, fact = gone.fact
       FROM unnest($3::bigint[], $4::integer[], $5::json[]) AS gone (position, n, fact)
      WHERE facts.stream_key = $1 AND facts.position = gone.position AND facts.n = gone.n`,
    [from, to, positions, gone.map(({ n }) => n), gone.map(({ moved }) => JSON.stringify(moved))],
  )
  await client.query(
    `INSERT INTO streams (stream_key, correlation_id, first_position, last_position) VALUES ($1, $2, $3, $4)
     ON CONFLICT (stream_key) DO UPDATE
       SET first_position = least(streams.first_position, excluded.first_position),
           last_position = greatest(streams.last_position, excluded.last_position)`,
    [to, move.to, first, last],
  )
  await client.query(
    'UPDATE streams SET first_position = (SELECT min(position) FROM facts WHERE stream_key = $1) WHERE stream_key = $1',
    [from],
  )
  await insertKinMarks(client, {
    entries: gone.map(({ position, moved }) => ({ correlationId: move.to, position, facts: [moved] })),
  })
  await moveAttempt(client, move, last)
}

/** In which streams the server task was seen, once what was moved is elsewhere. */
async function moveAttempt(client: pg.ClientBase, { from, to, workerId, taskId }: MoveFact, last: number): Promise<void> {
  const attempt = attemptKey(workerId, taskId)
  await client.query(
    `INSERT INTO attempt_streams (attempt_key, stream_key, last_position) VALUES ($1, $2, $3)
     ON CONFLICT (attempt_key, stream_key) DO UPDATE SET last_position = greatest(attempt_streams.last_position, excluded.last_position)`,
    [attempt, streamKey(to), last],
  )
  const { rows } = await client.query<{ last_position: number | null }>(
    "SELECT max(position) AS last_position FROM facts WHERE stream_key = $1 AND fact ->> 'workerId' = $2 AND fact ->> 'taskId' = $3 AND fact ->> 'kind' <> 'moved'",
    [streamKey(from), workerId, taskId],
  )
  await client.query(
    rows[0]?.last_position == null
      ? 'DELETE FROM attempt_streams WHERE attempt_key = $1 AND stream_key = $2 AND $3::bigint IS NULL'
      : 'UPDATE attempt_streams SET last_position = $3 WHERE attempt_key = $1 AND stream_key = $2',
    [attempt, streamKey(from), rows[0]?.last_position ?? null],
  )
}

async function noteEnrolment(client: pg.ClientBase, enrolment: FeedChange['enrolments'][number]): Promise<void> {
  await client.query(
    `UPDATE workers SET mesh = coalesce($2, mesh), is_trusted = coalesce($5, is_trusted), enrolled_position = $3, enrolment_id = $4
      WHERE worker_key = $1`,
    [
      workerKey(enrolment.workerId),
      enrolment.mesh ?? null,
      enrolment.position,
      enrolment.eventId,
      enrolment.trust === undefined ? null : enrolment.trust === 'card',
    ],
  )
  if (enrolment.probe !== undefined) await noteProbeSchedule(client, enrolment.workerId, enrolment.probe)
  if (enrolment.isObserved !== undefined) await noteObservation(client, enrolment.workerId, enrolment.isObserved)
}

/** All meshes are decided in one stream, so their decisions come in order. */
async function noteMesh(client: pg.ClientBase, { mesh, policy, position, eventId }: FeedChange['meshes'][number]): Promise<void> {
  const { rows } = await client.query<{ policy: MeshPolicy }>('SELECT policy FROM meshes WHERE mesh_key = $1 FOR UPDATE', [meshKey(mesh)])
  await client.query(
    `INSERT INTO meshes (mesh_key, mesh, policy, position, event_id) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (mesh_key) DO UPDATE SET policy = excluded.policy, position = excluded.position, event_id = excluded.event_id`,
    [meshKey(mesh), mesh, JSON.stringify({ ...rows[0]?.policy, ...policy }), position, eventId],
  )
}

async function noteQuestion(client: pg.ClientBase, question: FeedChange['questions'][number]): Promise<void> {
  await client.query(
    `INSERT INTO questions (event_key, body_digest, position, correlation_id, worker_id, task_id)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [
      eventKey(question.eventId),
      question.bodyDigest,
      question.position,
      question.correlationId,
      question.workerId ?? null,
      question.taskId ?? null,
    ],
  )
}

/** Each is in one stream for good, so only its partition writes it. */
async function noteDecisions(client: pg.ClientBase, decisions: FeedChange['decisions']): Promise<void> {
  if (decisions.length === 0) return
  await client.query(
    `INSERT INTO decisions (decision_key, stream_key) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT DO NOTHING`,
    [decisions.map(({ decisionId }) => eventKey(decisionId)), decisions.map(({ correlationId }) => streamKey(correlationId))],
  )
}

/** What is older than a minute counts for nothing; it goes when something newer comes. */
async function noteMeshActs(client: pg.ClientBase, acts: FeedChange['meshActs']): Promise<void> {
  if (acts.length === 0) return
  await client.query("DELETE FROM mesh_acts WHERE recorded_ms < extract(epoch FROM clock_timestamp()) * 1000 - 3600000")
  await client.query(
    `INSERT INTO mesh_acts (mesh_key, recorded_ms, position, mesh, act)
     SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`,
    [
      acts.map(({ mesh }) => meshKey(mesh)),
      acts.map(({ recordedAtMs }) => recordedAtMs),
      acts.map(({ position }) => position),
      acts.map(({ mesh }) => mesh),
      acts.map(({ act }) => act),
    ],
  )
}

async function queue(client: pg.ClientBase, { rechecks, workerRechecks }: FeedChange): Promise<void> {
  if (workerRechecks.length > 0) {
    const ordered = workerRechecks.toSorted(byKey(({ workerId, reason }) => Buffer.concat([workerKey(workerId), Buffer.from(reason)])))
    await client.query(
      `INSERT INTO worker_rechecks (worker_key, reason, position, since_ms)
       SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bigint[])
       ON CONFLICT (worker_key, reason) DO UPDATE
         SET position = greatest(worker_rechecks.position, excluded.position), since_ms = least(worker_rechecks.since_ms, excluded.since_ms), after_key = '\\x'`,
      [
        ordered.map(({ workerId }) => workerKey(workerId)),
        ordered.map(({ reason }) => reason),
        ordered.map(({ position }) => position),
        ordered.map(({ sinceMs }) => sinceMs),
      ],
    )
  }
  if (rechecks.size > 0) {
    await client.query(
      `INSERT INTO rechecks (stream_key, position, since_position)
       SELECT streams.stream_key, queued.position, queued.since_position
         FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) AS queued (stream_key, position, since_position)
         JOIN streams USING (stream_key) ORDER BY stream_key
       ON CONFLICT (stream_key) DO UPDATE
         SET position = greatest(rechecks.position, excluded.position),
             since_position = least(rechecks.since_position, excluded.since_position)`,
      [
        [...rechecks.keys()].map(streamKey),
        [...rechecks.values()].map(({ last }) => last),
        [...rechecks.values()].map(({ first }) => first),
      ],
    )
  }
}

const byKey =
  <Item>(keyOf: (item: Item) => Buffer) =>
  (left: Item, right: Item): number =>
    Buffer.compare(keyOf(left), keyOf(right))
