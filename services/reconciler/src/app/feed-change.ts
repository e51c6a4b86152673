/** A run of ledger events → what it changes in the store (P5, P6). Pure. */
import {
  enrolmentSchema,
  factsOf,
  probeSubjectsOf,
  isReservedCorrelationId,
  isSendAnswer,
  unreadableFact,
  type Codec,
  type EnrolledFact,
  type EventFacts,
  type LedgerEvent,
  type MoveFact,
  type TaskFact,
  type WorkerFact,
} from '@a2a-ledger/domain'
import type { FeedChange, LedgerIdentity, LinkChange, MeshAct, MeshDecision, PositionRange, ProbeSchedule, RecordedExchange, RecordedQuestion, WorkerEnrolment, WorkerRecheck } from './ports.ts'

/** `~<workerId>`, and `~` alone: facts about a worker or the deployment, never a task (K4). */
export const isTaskStream = (correlationId: string): boolean =>
  !correlationId.startsWith('~') || correlationId.includes('/')

/**
 * What `events` change, all of one ledger and each following the one before.
 *
 * An event whose fold throws becomes an unreadable fact: its task is incomplete, and everything
 * else goes on (L11).
 */
export const changeOf = (events: readonly LedgerEvent[], ledger: LedgerIdentity, codec: Codec): FeedChange =>
  changeBy(events, ledger, (event) => readFacts(event, codec))

/** What an event changes whose facts cannot be stored: its task is incomplete there (L11). */
export function unreadableChangeOf(event: LedgerEvent, ledger: LedgerIdentity, detail: string): FeedChange {
  const change = changeBy([event], ledger, () => ({ stream: [unreadableFact(event, detail)], worker: [] }))
  return { ...change, workers: new Map(), questions: [] }
}

function changeBy(
  events: readonly LedgerEvent[],
  ledger: LedgerIdentity,
  read: (event: LedgerEvent) => EventFacts,
): FeedChange {
  const first = events[0]
  const last = events.at(-1)
  if (first === undefined || last === undefined) throw new Error('a change is made of at least one event')
  const change = {
    entries: [] as FeedChange['entries'][number][],
    workerFacts: [] as WorkerFact[],
    links: [] as LinkChange[],
    exchanges: [] as RecordedExchange[],
    moves: [] as MoveFact[],
    enrolments: [] as WorkerEnrolment[],
    meshes: [] as MeshDecision[],
    questions: [] as RecordedQuestion[],
    decisions: [] as FeedChange['decisions'][number][],
    meshActs: [] as MeshAct[],
    workers: new Map<string, number>(),
    rechecks: new Map<string, PositionRange>(),
  }
  const workerRechecks = new Map<string, WorkerRecheck>()
  const queue = (correlationId: string, position: number): void =>
    void change.rechecks.set(correlationId, { first: change.rechecks.get(correlationId)?.first ?? position, last: position })

  for (const event of events) {
    const { position, correlationId } = event
    const facts = read(event)
    if (isTaskStream(correlationId)) {
      change.entries.push({ correlationId, position, facts: facts.stream })
      queue(correlationId, position)
    }
    if (isReservedCorrelationId(correlationId)) change.exchanges.push(...facts.stream.flatMap(exchangesIn))
    for (const fact of facts.stream) {
      if (fact.kind === 'verdict' || (fact.kind === 'intent' && fact.purpose === 'send')) {
        change.decisions.push({ decisionId: fact.decisionId, correlationId })
      }
      change.meshActs.push(...meshActsOf(fact))
      if (fact.kind === 'moved') change.moves.push(fact)
      else if (fact.kind === 'linked' || fact.kind === 'unlinked') {
        const { from, to, by, because } = fact
        change.links.push({ from, to, position, isLinked: fact.kind === 'linked', by, because })
      } else continue
      queue(fact.from, position)
      queue(fact.to, position)
    }
    const { workerid } = event.attributes
    if (workerid !== undefined && !change.workers.has(workerid)) change.workers.set(workerid, position)
    if (facts.mesh !== undefined) {
      const { mesh, ...policy } = facts.mesh
      change.meshes.push({ mesh, policy, position, eventId: event.attributes.id })
    }
    if (event.attributes.source === questionSource) change.questions.push(questionOf(event))
    for (const fact of facts.worker) {
      change.workerFacts.push(fact)
      if (fact.kind === 'enrolled') {
        const { workerId, mesh, trust } = fact
        change.enrolments.push({ workerId, mesh, trust, position, eventId: event.attributes.id, probe: scheduleIn(fact), isObserved: isObservedIn(fact) })
      }
      if (fact.kind === 'probe-step' && probeSubjectsOf(fact).length === 0) continue // it says nothing of the worker
      if (fact.kind === 'listed') continue // the tasks that it changes have events of their own (L13)
      const reason = fact.kind === 'answered' ? 'answered' : 'changed'
      const key = JSON.stringify([fact.workerId, reason])
      const sinceMs = Math.min(fact.atMs, workerRechecks.get(key)?.sinceMs ?? fact.atMs)
      workerRechecks.set(key, { workerId: fact.workerId, reason, position, sinceMs })
    }
  }
  return {
    ...change,
    ledger,
    firstPosition: first.position,
    lastPosition: last.position,
    workerRechecks: [...workerRechecks.values()],
  }
}

/** What an enrolment says of probing; the member is stated as a whole. */
function scheduleIn({ settings }: EnrolledFact): ProbeSchedule | undefined {
  const stated = enrolmentSchema.shape.probe.safeParse(settings?.['probe']).data
  return stated && { isEnabled: stated.enabled, everyMs: stated.everyMs }
}

const isObservedIn = ({ settings }: EnrolledFact): boolean | undefined => enrolmentSchema.shape.observe.safeParse(settings?.['observe']).data?.enabled

/** What a fact says of the load of a mesh: a loss that was decided, or a send of the ledger's own. */
const meshActsOf = (fact: TaskFact): readonly MeshAct[] => {
  if (fact.kind !== 'verdict' && fact.kind !== 'intent') return []
  const { mesh, recordedAtMs, position } = fact
  const act = fact.kind === 'verdict' ? (fact.askedTaskId === undefined ? undefined : 'lost') : fact.purpose === 'redispatch' && fact.actor !== 'caller' ? 'sent' : undefined
  return mesh === undefined || act === undefined ? [] : [{ mesh, act, recordedAtMs, position }]
}

/** What a fact of a stream that nobody named says of an exchange with its worker. */
const exchangesIn = (fact: TaskFact): readonly RecordedExchange[] => {
  const { workerId, source, position, atMs, taskId } = fact
  if (workerId === undefined) return []
  const base = { workerId, source, position, atMs }
  if (fact.kind === 'dispatch') {
    if (fact.namedTaskId !== undefined) return []
    const { sentMessageId, contentDigest } = fact
    return [{ ...base, kind: 'send', contentDigest, ...(sentMessageId !== undefined && { messageId: sentMessageId }) }]
  }
  if (!isSendAnswer(fact)) return []
  return [{ ...base, kind: 'answer', ...(fact.messageId !== undefined && { messageId: fact.messageId }), ...(taskId !== undefined && { taskId }) }]
}

/** The witness of what callers tell us when they ask (contract §4). */
export const questionSource = 'urn:a2a-ledger:question'

const questionOf = ({ attributes, position, correlationId }: LedgerEvent): RecordedQuestion => ({
  eventId: attributes.id,
  bodyDigest: attributes['questiondigest'] ?? '',
  position,
  correlationId,
  workerId: attributes.workerid,
  taskId: attributes.taskid,
})

function readFacts(event: LedgerEvent, codec: Codec): EventFacts {
  try {
    return factsOf(event, codec)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { stream: [unreadableFact(event, detail)], worker: [] }
  }
}
