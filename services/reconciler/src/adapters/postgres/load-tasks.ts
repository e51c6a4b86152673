/** Everything the fold needs to know of some tasks, as of one moment. */
import {
  addCoverage,
  isEmptied,
  noCoverage,
  type AnsweredFact,
  type ListedFact,
  type TaskFact,
  type WorkerEvidence,
  type WorkerFact,
  type WorkerKnowledge,
} from '@a2a-ledger/domain'
import type pg from 'pg'
import type { Snapshot, TaskLookup } from '../../app/ports.ts'
import { readApplied } from './feed-places.ts'
import { attemptKey, evidenceKey, streamKey, workerKey } from './keys.ts'

/** What is loaded beside the facts outside of runs and the facts of the workers. */
export interface LoadedBeside {
  /** The facts inside of runs (F1). */
  readonly inside?: boolean
  /** What other tasks say of the workers. */
  readonly others?: boolean
}

/** Call it in a repeatable-read transaction: its statements must see the same. */
export async function loadTasks(
  client: pg.ClientBase,
  correlationIds: readonly string[],
  { inside = false, others = false }: LoadedBeside = {},
): Promise<Snapshot<ReadonlyMap<string, TaskLookup>>> {
  const { appliedPosition, asOfMs } = await readMoment(client)
  const content = new Map<string, TaskLookup>(correlationIds.map((id) => [id, { outcome: 'unknown' }]))
  if (correlationIds.length === 0) return { appliedPosition, asOfMs, content }
  const { rows: streams } = await client.query<{
    correlation_id: string
    first_position: number
    last_position: number
    compacted_count: number
    merged_into: string | null
    keys: Buffer[]
  }>(
    `SELECT correlation_id, first_position, compacted_count, links.real_id AS merged_into,
            greatest(last_position, (SELECT max(linked.last_position) FROM links AS alias
                                       JOIN streams AS linked ON linked.stream_key = alias.synthetic_key
                                      WHERE alias.real_key = streams.stream_key AND alias.is_linked)) AS last_position,
            streams.stream_key || ARRAY(SELECT synthetic_key FROM links AS alias
                                         WHERE alias.real_key = streams.stream_key AND alias.is_linked) AS keys
       FROM streams LEFT JOIN links ON links.synthetic_key = streams.stream_key AND links.is_linked
      WHERE streams.stream_key = ANY($1::bytea[])`,
    [correlationIds.map(streamKey)],
  )
  const ownerOf = new Map<string, string>()
  for (const stream of streams) {
    if (stream.merged_into !== null) content.set(stream.correlation_id, { outcome: 'merged', into: stream.merged_into })
    else for (const key of stream.keys) ownerOf.set(key.toString('hex'), stream.correlation_id)
  }
  const factsOf = await loadFacts(client, ownerOf, inside)
  const allFacts = [...factsOf.values()].flat()
  const workerIds = workersIn(allFacts)
  const workers = new Map((await loadCandidates(client, workerIds)).map((worker) => [worker.workerId, worker]))
  const evidence = others ? await loadEvidence(client, workerIds) : undefined
  const listings = await loadListings(client, allFacts)
  for (const stream of streams) {
    if (stream.merged_into !== null) continue
    const correlationId = stream.correlation_id
    const facts = factsOf.get(correlationId) ?? []
    if (isEmptied(facts)) continue
    const own = workersIn(facts).flatMap((workerId): [string, WorkerKnowledge][] => {
      const worker = workers.get(workerId)
      if (worker === undefined) return []
      const said = evidence && saidByOthers(evidence.get(workerId) ?? [], correlationId)
      return [[workerId, { ...worker, ...said, facts: [...worker.facts, ...(listings.get(workerId) ?? [])] }]]
    })
    content.set(correlationId, {
      outcome: 'found',
      record: {
        correlationId,
        firstPosition: stream.first_position,
        lastPosition: stream.last_position,
        facts,
        compactedCount: stream.compacted_count,
        workers: new Map(own),
      },
    })
  }
  return { appliedPosition, asOfMs, content }
}

export async function readMoment(client: pg.ClientBase): Promise<{ appliedPosition: number; asOfMs: number }> {
  const appliedPosition = await readApplied(client)
  const { rows } = await client.query<{ now_ms: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms',
  )
  return { appliedPosition, asOfMs: rows[0]?.now_ms ?? 0 }
}

async function loadFacts(
  client: pg.ClientBase,
  ownerOf: ReadonlyMap<string, string>,
  withInside: boolean,
): Promise<ReadonlyMap<string, readonly TaskFact[]>> {
  const { rows } = await client.query<{ stream_key: Buffer; fact: TaskFact }>(
    `SELECT stream_key, fact FROM (
       SELECT stream_key, position, n, fact FROM facts WHERE stream_key = ANY($1::bytea[]) AND fact IS NOT NULL
       ${withInside ? 'UNION ALL SELECT stream_key, position, n, fact FROM inside_facts WHERE stream_key = ANY($1::bytea[])' : ''}
     ) AS wanted ORDER BY position, n`,
    [[...ownerOf.keys()].map((key) => Buffer.from(key, 'hex'))],
  )
  const facts = new Map<string, TaskFact[]>()
  for (const { stream_key, fact } of rows) {
    const owner = ownerOf.get(stream_key.toString('hex')) ?? ''
    const list = facts.get(owner)
    if (list === undefined) facts.set(owner, [fact])
    else list.push(fact)
  }
  return facts
}

const workersIn = (facts: readonly TaskFact[]): readonly string[] => [
  ...new Set(facts.flatMap(({ workerId }) => (workerId === undefined ? [] : [workerId]))),
]

/** By worker: of the server tasks that these facts name, the newest listing that named each (L13). */
async function loadListings(client: pg.ClientBase, facts: readonly TaskFact[]): Promise<ReadonlyMap<string, readonly ListedFact[]>> {
  const keys = new Map(
    facts.flatMap(({ workerId, taskId }): [string, Buffer][] =>
      workerId === undefined || taskId === undefined ? [] : [[JSON.stringify([workerId, taskId]), attemptKey(workerId, taskId)]],
    ),
  )
  if (keys.size === 0) return new Map()
  const { rows } = await client.query<{ fact: ListedFact }>('SELECT fact FROM worker_listings WHERE attempt_key = ANY($1::bytea[]) ORDER BY position', [
    [...keys.values()],
  ])
  return Map.groupBy(rows.map(({ fact }) => fact), ({ workerId }) => workerId)
}

/** Evidence of other tasks: for losses at the same time, drift and coverage the newest ones are enough. */
const othersMax = 200

/** By worker: the newest evidence of all its tasks that an explanation of one of them may rest on. */
async function loadEvidence(client: pg.ClientBase, workerIds: readonly string[]): Promise<ReadonlyMap<string, readonly WorkerEvidence[]>> {
  const { rows } = await client.query<{ evidence: WorkerEvidence }>(
    `SELECT newest.evidence
       FROM unnest($1::bytea[]) AS worker_key CROSS JOIN unnest(ARRAY['loss', 'emission', 'coverage']) AS kind
      CROSS JOIN LATERAL (SELECT evidence FROM worker_evidence AS known
                           WHERE known.worker_key = worker_key.worker_key AND known.kind = kind.kind
                           ORDER BY at_ms DESC, first_position DESC LIMIT $2) AS newest`,
    [workerIds.map(workerKey), othersMax],
  )
  return Map.groupBy(rows.map(({ evidence }) => evidence), ({ workerId }) => workerId)
}

/** What other tasks than this one say of a worker. */
const saidByOthers = (evidence: readonly WorkerEvidence[], correlationId: string): Pick<WorkerKnowledge, 'losses' | 'emissions' | 'coverage'> => {
  const isOther = (known: { readonly correlationId?: string }) => known.correlationId !== correlationId
  return {
    losses: evidence.flatMap((entry) => (entry.kind === 'loss' && isOther(entry.loss) ? [entry.loss] : [])),
    emissions: evidence.flatMap((entry) => (entry.kind === 'emission' && isOther(entry.emission) ? [entry.emission] : [])),
    coverage: evidence.flatMap((entry) => (entry.kind === 'coverage' && isOther(entry) ? [entry.counts] : [])).reduce(addCoverage, noCoverage),
  }
}

/** Signs of a worker by which it is known to be reachable, or not to be. */
const reachSigns = ['answered', 'unreachable'] as const

/** What a decision needs to know of workers: their facts, and whether they are reachable (V7). */
export async function loadCandidates(client: pg.ClientBase, workerIds: readonly string[]): Promise<readonly WorkerKnowledge[]> {
  if (workerIds.length === 0) return []
  const keys = workerIds.map(workerKey)
  const facts = await loadWorkerFacts(client, keys)
  const { rows } = await client.query<{ worker_key: Buffer; sign: (typeof reachSigns)[number]; at_ms: number }>(
    `SELECT worker_key, sign, newest.at_ms
       FROM unnest($1::bytea[]) AS worker_key CROSS JOIN unnest($2::text[], $3::bytea[]) AS reach (sign, key_hash)
      CROSS JOIN LATERAL (SELECT at_ms FROM worker_evidence AS known
                           WHERE known.worker_key = worker_key.worker_key AND known.kind = 'reach' AND known.key_hash = reach.key_hash
                           ORDER BY at_ms DESC LIMIT 1) AS newest`,
    [keys, reachSigns, reachSigns.map(evidenceKey)],
  )
  const reached = new Map(rows.map(({ worker_key, sign, at_ms }) => [`${sign} ${worker_key.toString('hex')}`, at_ms]))
  return workerIds.map((workerId) => {
    const key = workerKey(workerId).toString('hex')
    const [answeredMs, unreachableMs] = reachSigns.map((sign) => reached.get(`${sign} ${key}`))
    return {
      workerId,
      facts: facts.get(key) ?? [],
      losses: [],
      ...(answeredMs !== undefined && { lastAnsweredMs: answeredMs }),
      ...(unreachableMs !== undefined && { lastUnreachableMs: unreachableMs }),
    }
  })
}

/** Facts by worker key in hex, in order of position. */
export async function loadWorkerFacts(
  client: pg.ClientBase,
  keys: readonly Buffer[],
): Promise<ReadonlyMap<string, readonly WorkerFact[]>> {
  const { rows } = await client.query<{ worker_key: Buffer; fact: WorkerFact | AnsweredFact }>(
    `SELECT worker_key, fact FROM (
       SELECT worker_key, position, n, fact FROM worker_facts WHERE worker_key = ANY($1::bytea[])
       UNION ALL
       SELECT worker_key, (fact->>'position')::bigint, 0, fact FROM worker_answers WHERE worker_key = ANY($1::bytea[])
       UNION ALL
       SELECT worker_key, position, 0, fact FROM probe_moments
        WHERE (worker_key, position) IN (SELECT worker_key, position FROM probe_words WHERE worker_key = ANY($1::bytea[]))) AS known
      ORDER BY position, n`,
    [keys],
  )
  const facts = new Map<string, WorkerFact[]>()
  for (const { worker_key, fact } of rows) {
    const key = worker_key.toString('hex')
    const list = facts.get(key)
    if (list === undefined) facts.set(key, [fact])
    else list.push(fact)
  }
  return facts
}
