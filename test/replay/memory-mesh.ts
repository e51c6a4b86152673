/**
 * A ledger and a reconciler in memory: what is observed goes through the domain alone, in the order
 * of the services, and comes out as the views. No duplicates by content, no HTTP, no files.
 */
import {
  addCoverage,
  contentBytesOf,
  contentKey,
  createCorrelationKeys,
  decide,
  derivedFrom,
  deriveTask,
  deriveWorker,
  explainTask,
  factsOf,
  kinMarksOf,
  movedFact,
  noCoverage,
  observationOf,
  readContextOf,
  readPayload,
  taskView,
  timelineOf,
  unreadableFact,
  validateAttributes,
  verdictEvent,
  workerEvidenceOf,
  type ContentSummary,
  type Emission,
  type EventAttributes,
  type LedgerEvent,
  type LinkRecord,
  type LossInterval,
  type QuarantineReason,
  type RootCause,
  type TaskAnalysis,
  type TaskFact,
  type TaskInput,
  type TaskView,
  type TimelineEntry,
  type WorkerEvidence,
  type WorkerFact,
  type WorkerKnowledge,
  type WorkerView,
} from '@a2a-ledger/domain'
import { createMemoryCorrelations, testCodec as codec } from '@a2a-ledger/domain/testing'

/** What became of a report. */
export type Outcome =
  | { readonly outcome: 'recorded' | 'duplicate' }
  | { readonly outcome: 'quarantined'; readonly reason: QuarantineReason }

export interface MeshViews {
  readonly tasks: readonly { readonly correlationId: string; readonly view: TaskView; readonly rootCause: RootCause; readonly timeline: readonly TimelineEntry[] }[]
  readonly workers: readonly WorkerView[]
  /** The last position. */
  readonly head: number
}

export interface MemoryMesh {
  /** Records what a witness reports, unless it has to go to quarantine or has been told before. */
  readonly observe: (attributes: EventAttributes, data: unknown) => void
  /** The same with the data as they came. */
  readonly observeText: (attributes: EventAttributes, text: string) => Outcome
  readonly enrol: (workerId: string, policy: object) => void
  /** Lets the reconciler decide what is due; every read does so too. */
  readonly settle: () => void
  readonly push: (push: { readonly workerId: string; readonly correlationId?: string; readonly body: unknown }) => void
  readonly task: (correlationId: string) => unknown
  readonly rootCause: (correlationId: string) => unknown
  readonly timeline: (correlationId: string) => unknown
  readonly worker: (workerId: string) => unknown
  /** Every view there is, of one moment. */
  readonly views: () => MeshViews
}

const settings = { graceMs: 30_000, silentAfterMs: 86_400_000 }
/** A pass may record verdicts that change what other tasks see; more rounds than this never settle. */
const roundsMax = 10

/** An empty mesh whose clock begins at `startMs` and moves on a millisecond an event. */
export const createMemoryMesh = (startMs: number): MemoryMesh => {
  const correlations = createMemoryCorrelations(createCorrelationKeys(codec))
  const events: LedgerEvent[] = []
  const aliases = new Map<string, string>()
  const keys = new Set<string>()
  let recordedAtMs = startMs

  const append = (attributes: EventAttributes, text: string, isInternal: boolean): Outcome => {
    const key = JSON.stringify([attributes.source, attributes.id])
    if (keys.has(key)) return { outcome: 'duplicate' }
    const invalid = validateAttributes(attributes, isInternal ? 'deployment' : 'witness')
    if (invalid !== undefined) return { outcome: 'quarantined', reason: invalid.reason }
    const read = readPayload(readContextOf({ attributes }), text)
    if (read.outcome === 'quarantined') return { outcome: 'quarantined', reason: read.reason }
    keys.add(key)
    recordedAtMs += 1
    const parts = [
      { attributes, text, observation: observationOf(attributes, read.reading, isInternal), isStreamed: false },
      ...derivedFrom(attributes, read.reading).map(({ attributes: own, item, isStreamed }) => ({
        attributes: own,
        text: item.json,
        observation: observationOf(own, item.reading, false),
        isStreamed,
      })),
    ]
    const { placements, records } = correlations.append(
      parts.map(({ attributes: own, text: data, observation, isStreamed }, index) => ({
        observation,
        isStreamed,
        digest: codec.sha256Hex(data),
        witnessMs: own.time === undefined ? recordedAtMs : Date.parse(own.time),
        ...(index > 0 && { derivedFrom: 0 }),
      })),
    )
    for (const [index, part] of parts.entries()) {
      const placement = placements[index]
      if (placement?.outcome !== 'placed') continue
      const { outcome: _placed, ...place } = placement
      events.push({ ...place, recordedAtMs, attributes: part.attributes, data: part.text, digest: `sha256:${codec.sha256Hex(part.text)}` })
    }
    for (const record of records) {
      if (record.kind === 'linked') aliases.set(record.from, record.to)
      if (record.kind === 'unlinked') aliases.delete(record.from)
      events.push(linkEvent(record, recordedAtMs))
    }
    events.sort((left, right) => left.position - right.position)
    return { outcome: 'recorded' }
  }

  /** Everything folded anew; what tasks say about their workers comes from a first derivation. */
  const folded = () => {
    const streams = new Map<string, TaskFact[]>()
    const ofWorkers = new Map<string, WorkerFact[]>()
    /** Positions of events that say something of a task. */
    const saying = new Set<number>()
    const add = (correlationId: string, facts: readonly TaskFact[]): void => {
      if (facts.length > 0) streams.set(correlationId, [...(streams.get(correlationId) ?? []), ...facts])
    }
    for (const event of events) {
      const { stream, worker } = readFacts(event)
      for (const move of stream) {
        if (move.kind !== 'moved') continue
        const left = streams.get(move.from) ?? []
        streams.set(move.from, left.filter((fact) => movedFact(fact, move) === undefined))
        add(move.to, left.flatMap((fact) => movedFact(fact, move) ?? []))
      }
      add(event.correlationId, stream)
      if (stream.length > 0) saying.add(event.position)
      for (const fact of worker) ofWorkers.set(fact.workerId, [...(ofWorkers.get(fact.workerId) ?? []), fact])
    }
    for (const [synthetic, real] of aliases) {
      add(real, streams.get(synthetic) ?? [])
      streams.delete(synthetic)
    }
    const names = new Set([...ofWorkers.keys(), ...[...streams.values()].flat().flatMap(({ workerId }) => workerId ?? [])])
    const input = (correlationId: string, said: ReadonlyMap<string, Said>): TaskInput => ({
      correlationId,
      facts: streams.get(correlationId) ?? [],
      workers: new Map([...names].map((id) => [id, knowledgeOf(id, ofWorkers.get(id) ?? [], said.get(id) ?? saidBy([]), correlationId)])),
      asOfMs: recordedAtMs,
      settings,
      codec,
    })
    const evidence = [...streams.keys()].flatMap((id) => workerEvidenceOf(deriveTask(input(id, new Map()))))
    const said = new Map([...Map.groupBy(evidence, ({ workerId }) => workerId)].map(([workerId, own]) => [workerId, saidBy(own)]))
    let tasks: readonly TaskAnalysis[] | undefined
    return {
      streams,
      saying,
      ofWorkers,
      evidence,
      input: (correlationId: string) => input(correlationId, said),
      /** Every task, where any tells of kin: among them are the parents and children of one. */
      kindred: () => (tasks ??= tellsOfKin(streams) ? [...streams.keys()].map((id) => deriveTask(input(id, said))) : []),
    }
  }

  const realIdOf = (correlationId: string): string => aliases.get(correlationId) ?? correlationId

  /** Decides what is due until nothing is (V5), as the reconciler does after every event. */
  const settled = () => {
    for (let round = 0; round < roundsMax; round += 1) {
      const now = folded()
      const due = [...now.streams.keys()].flatMap((correlationId) => {
        const { workers, ...input } = now.input(correlationId)
        const decision = decide(deriveTask({ ...input, workers }), [...workers.values()])
        return decision === undefined ? [] : [verdictEvent(decision, correlationId)]
      })
      if (due.length === 0) return now
      for (const { attributes, data } of due) append(attributes, JSON.stringify(data), true)
    }
    throw new Error('deciding does not come to an end')
  }

  /** Contents of more than one stretch, which the view itself has no digest of. */
  const contentsOf = ({ artifacts }: TaskAnalysis): ReadonlyMap<string, ContentSummary> =>
    new Map(
      artifacts
        .flatMap(({ canonical, variants }) => [canonical, ...variants])
        .filter(({ content }) => content.length > 1)
        .map(({ content }) => {
          const bytes = contentBytesOf(content, new Map(events.map((event) => [event.position, event])), codec) ?? new Uint8Array()
          return [contentKey(content), { bytes: bytes.length, digest: codec.sha256Hex(bytes) }]
        }),
    )

  type Settled = ReturnType<typeof settled>
  const taskOf = (now: Settled, correlationId: string) => {
    const analysis = deriveTask(now.input(correlationId))
    return { view: taskView(analysis, contentsOf(analysis), now.kindred()), rootCause: explainTask(analysis, now.kindred()) }
  }
  /** What says something is where its facts went; what says nothing is where it was recorded. */
  const timelineIn = (now: Settled, correlationId: string): readonly TimelineEntry[] => {
    const input = now.input(correlationId)
    const positions = new Set(input.facts.map(({ position }) => position))
    const isOfTask = ({ position, correlationId: recordedIn }: LedgerEvent): boolean =>
      positions.has(position) || (!now.saying.has(position) && realIdOf(recordedIn) === correlationId)
    return timelineOf(input, events.filter(isOfTask))
  }
  const workerIn = ({ ofWorkers, evidence }: Settled, workerId: string): WorkerView =>
    deriveWorker({
      workerId,
      facts: ofWorkers.get(workerId) ?? [],
      evidence: evidence.filter((entry) => entry.workerId === workerId),
      asOfMs: recordedAtMs,
    })

  return {
    observe: (attributes, data) => {
      append(attributes, JSON.stringify(data), false)
    },
    observeText: (attributes, text) => append(attributes, text, false),
    enrol: (workerId, policy) => {
      const id = `enrolment-${events.length}`
      const type = 'reconciler.worker-enrolled'
      append({ specversion: '1.0', id, source: 'urn:replay:operator', type, workerid: workerId, correlationid: `~${workerId}` }, JSON.stringify(policy), true)
    },
    settle: () => {
      settled()
    },
    push: ({ workerId, correlationId, body }) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      append(
        {
          specversion: '1.0',
          id: codec.sha256Hex(JSON.stringify([workerId, correlationId ?? null, text])),
          source: 'urn:replay:push',
          type: 'a2a.stream-response',
          operation: 'Push',
          workerid: workerId,
          ...(correlationId !== undefined && { correlationid: correlationId }),
        },
        text,
        false,
      )
    },
    task: (correlationId) => taskOf(settled(), realIdOf(correlationId)).view,
    rootCause: (correlationId) => taskOf(settled(), realIdOf(correlationId)).rootCause,
    timeline: (correlationId) => ({ entries: timelineIn(settled(), realIdOf(correlationId)) }),
    worker: (workerId) => workerIn(settled(), workerId),
    views: () => {
      const now = settled()
      return {
        tasks: [...now.streams.keys()].map((correlationId) => ({
          correlationId,
          ...taskOf(now, correlationId),
          timeline: timelineIn(now, correlationId),
        })),
        workers: [...now.ofWorkers.keys()].map((workerId) => workerIn(now, workerId)),
        head: events.at(-1)?.position ?? 0,
      }
    },
  }
}

const tellsOfKin = (streams: ReadonlyMap<string, readonly TaskFact[]>): boolean =>
  [...streams].some(([correlationId, facts]) => Object.values(kinMarksOf({ facts, correlationId })).some(({ length }) => length > 0))

const readFacts = (event: LedgerEvent): ReturnType<typeof factsOf> => {
  try {
    return factsOf(event, codec)
  } catch (error) {
    return { stream: [unreadableFact(event, String(error))], worker: [] }
  }
}

const linkEvent = (record: LinkRecord, recordedAtMs: number): LedgerEvent => {
  const { kind, position, from, to, workerId, taskId } = record
  const correlationId = kind === 'moved' ? from : to
  const type = `ledger.correlation-${kind}`
  const data = { from, to, workerId, taskId, ...(kind === 'moved' && { since: record.since, because: record.because }) }
  return {
    position,
    recordedAtMs,
    attributes: { specversion: '1.0', id: `${kind}-${position}`, source: 'urn:replay:ledger', type, correlationid: correlationId },
    correlationId,
    rung: 'explicit',
    data: JSON.stringify(data),
    digest: undefined,
  }
}

/** What all tasks of one worker say about it, sorted once for every task that looks at it. */
interface Said {
  readonly losses: readonly LossInterval[]
  readonly emissions: readonly Emission[]
  readonly coverages: readonly Extract<WorkerEvidence, { kind: 'coverage' }>[]
  readonly lastAnsweredMs?: number
  readonly lastUnreachableMs?: number
}

const saidBy = (evidence: readonly WorkerEvidence[]): Said => {
  const latestMs = (reached: 'answered' | 'unreachable') =>
    evidence.reduce<number | undefined>(
      (latest, entry) => (entry.kind === 'reach' && entry.reached === reached ? Math.max(latest ?? 0, entry.atMs) : latest),
      undefined,
    )
  const [lastAnsweredMs, lastUnreachableMs] = [latestMs('answered'), latestMs('unreachable')]
  return {
    losses: evidence.flatMap((entry) => (entry.kind === 'loss' ? [entry.loss] : [])),
    emissions: evidence.flatMap((entry) => (entry.kind === 'emission' ? [entry.emission] : [])),
    coverages: evidence.flatMap((entry) => (entry.kind === 'coverage' ? [entry] : [])),
    ...(lastAnsweredMs !== undefined && { lastAnsweredMs }),
    ...(lastUnreachableMs !== undefined && { lastUnreachableMs }),
  }
}

/** What is known of a worker when one of its tasks is looked at; its other losses count as siblings. */
const knowledgeOf = (
  workerId: string,
  facts: readonly WorkerFact[],
  { losses, emissions, coverages, ...reach }: Said,
  correlationId: string,
): WorkerKnowledge => {
  const isOther = (known: { readonly correlationId?: string }) => known.correlationId !== correlationId
  return {
    workerId,
    facts,
    losses: losses.filter(isOther),
    emissions: emissions.filter(isOther),
    coverage: coverages.filter(isOther).reduce((sum, { counts }) => addCoverage(sum, counts), noCoverage),
    ...reach,
  }
}
