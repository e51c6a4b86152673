/** One ledger event → the facts it says, about its task and about its worker. */
import { operationOf } from '../a2a/operation.ts'
import { artifactBytes } from '../a2a/content.ts'
import { isAboutAnotherTask } from '../a2a/other-task.ts'
import { readPayload } from '../a2a/read.ts'
import { parseTaskState } from '../a2a/task-state.ts'
import { parseTimestampMs } from '../a2a/timestamp.ts'
import { majorMinor } from '../a2a/version.ts'
import type { ArtifactReading, MessageReading, PartReading, Reading } from '../a2a/reading.ts'
import type { Codec } from '../codec.ts'
import { cancelDataSchema } from '../event/cancel.ts'
import { dispatchIntentDataSchema } from '../event/dispatch-intent.ts'
import { dispatchSettledDataSchema } from '../event/dispatch-settled.ts'
import { enrolmentSchema } from '../event/enrolment.ts'
import { gapSchema } from '../event/gap.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { linkDataSchema, moveDataSchema } from '../event/link.ts'
import { meshPolicyDataSchema, type MeshPolicyData } from '../event/mesh-policy.ts'
import { probeStepDataSchema } from '../event/probe-step.ts'
import { placedBy } from '../event/placed-by.ts'
import { verdictApprovedDataSchema } from '../event/verdict-approved.ts'
import { verdictDataSchema } from '../event/verdict.ts'
import { unreachable } from '../unreachable.ts'
import type { CancelFact, CardFact, Channel, FactNote, ListedFact, Piece, ProbeStepFact, TaskFact, UnreadableFact, WorkerFact } from './fact.ts'

/**
 * Changes whenever the same event gives other facts, or the same facts another view: rows that
 * carry another number are folded again (P7).
 */
export const foldVersion = 24

/** How far a clock of a witness or a worker may run ahead before its stamp is held back (F3). */
export const clockSkewMsMax = 5_000

export interface EventFacts {
  /** Facts of the event's own stream. */
  readonly stream: readonly TaskFact[]
  /** Facts of the worker it names. */
  readonly worker: readonly WorkerFact[]
  /** What it says about a mesh. */
  readonly mesh?: MeshPolicyData
}

const none: EventFacts = { stream: [], worker: [] }
const textMax = 500

/**
 * Reads the facts of one event.
 *
 * Pure and deterministic: the same event gives the same facts for one `foldVersion`.
 * Errors: throws when a recorded event cannot be read back; the caller then records
 * `unreadableFact` instead (L11).
 * Source: design F1–F3, F9.
 */
export const factsOf = (event: LedgerEvent, codec: Codec): EventFacts => {
  const { attributes } = event
  if (event.data === undefined) return { stream: [unreadableFact(event, 'The data was erased.')], worker: [] }
  switch (attributes.type) {
    case 'ledger.correlation-linked':
    case 'ledger.correlation-unlinked':
      return { stream: [linkFact(event, event.data)], worker: [] }
    case 'ledger.correlation-moved':
      return { stream: [moveFact(event, event.data)], worker: [] }
    case 'reconciler.worker-enrolled':
      return { stream: [], worker: [enrolledFact(event, event.data)] }
    case 'reconciler.mesh-policy':
      return { ...none, mesh: meshPolicyDataSchema.parse(JSON.parse(event.data)) }
    case 'ledger.gap':
      return { stream: [], worker: gapFacts(event, event.data) }
    case 'reconciler.probe-step':
      return { stream: [], worker: [probeStepFact(event, event.data)] }
    case 'reconciler.verdict':
      return { stream: [verdictFact(event, event.data)], worker: [] }
    case 'reconciler.verdict-approved':
      return { stream: [approvalFact(event, event.data)], worker: [] }
    case 'reconciler.dispatch-intent':
      return { stream: [intentFact(event, event.data)], worker: [] }
    case 'reconciler.cancel':
      return { stream: [cancelFact(event, event.data)], worker: [] }
    case 'reconciler.dispatch-settled':
      return { stream: [intentSettledFact(event, event.data)], worker: [] }
    default:
      if (!attributes.type.startsWith('a2a.') && attributes.type !== 'orchestrator.conclusion') return none
      return observationFacts(event, event.data, codec)
  }
}

/** Stands in for an event whose fold threw: the task is `incomplete` there and is not decided on. */
export const unreadableFact = (event: LedgerEvent, detail: string): UnreadableFact => ({
  ...baseOf(event, undefined),
  kind: 'unreadable',
  detail: detail.slice(0, textMax),
})

const observationFacts = (event: LedgerEvent, data: string, codec: Codec): EventFacts => {
  const { attributes } = event
  const result = readPayload(readContextOf(event), data)
  if (result.outcome === 'quarantined') throw new Error(`${result.reason}: ${result.detail}`)
  const { reading } = result
  const base = baseOf(event, reading)
  const { operation } = base
  const channel = channelOf(attributes.type, operation)
  if (isAboutAnotherTask(reading, attributes.operation)) return one({ ...base, kind: 'nothing', channel })
  switch (reading.kind) {
    case 'task':
    case 'status-update': {
      const { status } = reading
      const message = status.message
      const fact: TaskFact = {
        ...base,
        ...maybe('taskId', reading.taskId),
        kind: 'report',
        form: reading.kind === 'task' ? 'snapshot' : 'update',
        channel,
        ...futureNote(base.notes, status.timestampMs, base.atMs),
        ...maybe('contextId', reading.contextId),
        ...maybe('state', status.state),
        ...maybe('stateOnWire', status.stateOnWire),
        ...(status.isStateUnknown && { isStateUnknown: true as const }),
        ...maybe('statusAtMs', status.timestampMs),
        ...maybe('generation', reading.generation),
        ...maybe('metadataNames', reading.metadataNames),
        ...(message !== undefined && { hasMessage: true as const }),
        ...(message?.parts.some(({ content }) => content.kind !== 'text') === true && { saysBeyondText: true as const }),
        ...(message !== undefined && message.text !== '' && { text: message.text.slice(0, textMax) }),
        ...(reading.kind === 'task' && {
          ...maybe('timeline', reading.timeline),
          pieces: reading.artifacts.map((artifact, at) => pieceOf(artifact, at, codec)),
          ...maybe('historyMessageId', lastUserMessageOf(reading.history, reading.taskId)),
          ...maybe('historyContentDigest', onlyContentOf(reading.history, codec)),
        }),
      }
      const isAnsweredGet = reading.kind === 'task' && operation === 'GetTask'
      const answered: readonly WorkerFact[] =
        isAnsweredGet && base.workerId !== undefined && fact.taskId !== undefined
          ? [{ ...base, kind: 'answered', workerId: base.workerId, taskId: fact.taskId }]
          : []
      return { stream: [fact], worker: answered }
    }
    case 'artifact-update':
      return one({
        ...base,
        ...maybe('taskId', reading.taskId),
        kind: 'artifact',
        channel,
        ...maybe('contextId', reading.contextId),
        piece: pieceOf(reading.artifact, 0, codec),
        append: reading.append,
        lastChunk: reading.lastChunk,
      })
    case 'message':
      return one({
        ...base,
        ...maybe('taskId', reading.message.taskId),
        kind: 'message',
        channel,
        ...maybe('contextId', reading.message.contextId),
        ...maybe('ownMessageId', reading.message.messageId),
        text: reading.message.text.slice(0, textMax),
        piece: pieceOf({ index: 0, parts: reading.message.parts }, 0, codec),
      })
    case 'error': {
      const { error } = reading
      return one({
        ...base,
        ...maybe('taskId', reading.taskId),
        kind: 'error',
        name: error.name,
        codeSpace: error.codeSpace,
        ...maybe('code', error.code),
        evidence: error.evidence,
        ...maybe('notFound', error.notFound),
        text: error.text.slice(0, textMax),
        ...(error.isJsonRpc && { isJsonRpc: true as const }),
        ...(error.isFromGateway && { isFromGateway: true as const }),
        ...(error.saysTerminal && { saysTerminal: true as const }),
        ...(error.saysTimeout && { saysTimeout: true as const }),
        ...maybe('httpStatus', httpStatusOf(event)),
      })
    }
    case 'dispatch':
      return one({
        ...base,
        ...maybe('taskId', reading.message.taskId),
        kind: 'dispatch',
        ...maybe('sentMessageId', reading.message.messageId ?? attributes.messageid),
        ...maybe('namedTaskId', reading.message.taskId ?? attributes.taskid),
        ...maybe('contextId', reading.message.contextId),
        ...maybe('acceptedModes', reading.acceptedOutputModes),
        ...maybe('skill', reading.claim?.skill),
        ...maybe('redispatch', reading.claim?.redispatch),
        ...maybe('redispatchSafety', reading.claim?.redispatchSafety),
        ...maybe('cancelLoser', reading.claim?.cancelLoser),
        hasPushConfig: reading.hasPushConfig,
        ...(reading.message.referenceTaskIds.length > 0 && {
          referenceTaskIds: reading.message.referenceTaskIds.slice(0, 20),
        }),
        ...maybe('traceId', traceIdOf(attributes.traceparent)),
        contentDigest: codec.sha256Hex(artifactBytes(reading.message.parts, codec)),
      })
    case 'no-answer':
      return one({ ...base, kind: 'no-answer', reason: reading.reason })
    case 'stream-ended':
      return one({ ...base, kind: 'stream-ended', reason: reading.reason })
    case 'conclusion':
      return one({
        ...base,
        kind: 'conclusion',
        state: reading.state,
        ...maybe('because', reading.because?.slice(0, textMax)),
      })
    case 'restart':
      return base.workerId === undefined
        ? none
        : { stream: [], worker: [{ ...base, kind: 'restart', workerId: base.workerId }] }
    case 'agent-card':
      return base.workerId === undefined
        ? none
        : { stream: [], worker: [cardFact(event, reading, { ...base, workerId: base.workerId }, codec)] }
    case 'nothing':
      return event.correlationId === '' ? none : one({ ...base, kind: 'nothing', channel })
    case 'task-list':
      return { stream: [], worker: listedIn(reading, base) }
    default:
      return unreachable(reading)
  }
}

/**
 * The tasks that an answer about many shows; what it says of each is in the events taken out of it. The
 * body of a stream is no listing: every event of it is taken out.
 */
const listedIn = (
  { items, isStream }: Extract<Reading, { kind: 'task-list' }>,
  base: ReturnType<typeof baseOf>,
): readonly WorkerFact[] => {
  const { workerId } = base
  if (workerId === undefined || isStream === true) return []
  const listed = items.flatMap(({ reading }): readonly ListedFact[] => {
    if (reading.kind !== 'task' || reading.taskId === undefined || reading.status.state === undefined) return []
    return [{ ...base, kind: 'listed', workerId, taskId: reading.taskId, state: reading.status.state }]
  })
  return [...new Map(listed.map((fact) => [fact.taskId, fact])).values()]
}

const one = (fact: TaskFact): EventFacts => ({ stream: [fact], worker: [] })

/** `{ [key]: value }`, or nothing at all when the value is absent. */
const maybe = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V })

/** What `readPayload` needs to know of the envelope. */
export const readContextOf = (event: Pick<LedgerEvent, 'attributes'>) => {
  const { attributes } = event
  return {
    type: attributes.type,
    ...maybe('operation', attributes.operation),
    ...maybe('protocolVersion', attributes.protocolversion),
    ...maybe('binding', attributes.binding),
    ...maybe('httpStatus', httpStatusOf(event)),
    ...maybe('taskId', attributes.taskid),
  }
}

const httpStatusOf = (event: Pick<LedgerEvent, 'attributes'>): number | undefined => {
  const status = event.attributes.httpstatus
  return status === undefined ? undefined : Number(status)
}

const baseOf = (event: LedgerEvent, reading: Reading | undefined) => {
  const { attributes } = event
  const stated = attributes.time === undefined ? undefined : parseTimestampMs(attributes.time).ms
  const latestMs = event.recordedAtMs + clockSkewMsMax
  const isAhead = stated !== undefined && stated > latestMs
  const notes: readonly FactNote[] = [...(reading?.notes ?? []), ...(isAhead ? (['timestamp_in_future'] as const) : [])]
  const version = reading?.protocolVersion ?? attributes.protocolversion
  const isVersionStated = version !== undefined && majorMinor(version) === majorMinor(attributes.protocolversion)
  const believed = attributes.lastobserved === undefined ? undefined : parseTaskState(attributes.lastobserved)
  return {
    position: event.position,
    source: attributes.source,
    atMs: stated === undefined ? event.recordedAtMs : Math.min(stated, latestMs),
    recordedAtMs: event.recordedAtMs,
    ...maybe('workerId', attributes.workerid),
    ...maybe('taskId', attributes.taskid),
    ...maybe('operation', attributes.operation === undefined ? undefined : operationOf(attributes.operation)),
    ...maybe('binding', attributes.binding),
    ...maybe('scope', attributes.scope),
    ...maybe('instance', attributes.instance),
    ...maybe('messageId', attributes.messageid),
    ...maybe('streamId', attributes.streamid),
    ...maybe('sequence', attributes.sequence),
    ...maybe('protocolVersion', version),
    ...maybe('isVersionTold', reading?.isVersionTold),
    ...(isVersionStated && { isVersionStated: true as const }),
    ...(notes.length > 0 && { notes }),
    ...(believed !== undefined && !believed.isStateUnknown && { believed: believed.state }),
    ...maybe('parentCorrelationId', attributes.parentcorrelationid),
    ...maybe('refused', event.refused),
    ...maybe('placed', placedBy(event)),
    ...maybe('derivedFrom', event.derivedFrom),
  }
}

/** F3: a status timestamp more than 5 s after the witness time is flagged; the fold holds it back. */
const futureNote = (notes: readonly FactNote[] | undefined, statusAtMs: number | undefined, atMs: number) =>
  statusAtMs !== undefined && statusAtMs > atMs + clockSkewMsMax && notes?.includes('timestamp_in_future') !== true
    ? { notes: [...(notes ?? []), 'timestamp_in_future' as const] }
    : {}

/**
 * F9: an answer to a question of ours is life when it was seen; what a worker sends of its own
 * accord is life when it happened.
 */
const channelOf = (type: string, operation: string | undefined): Channel => {
  if (operation === 'Push' || operation === 'Emit' || operation === 'SubscribeToTask') return 'update'
  if (type === 'a2a.response') return 'answer'
  if (type === 'a2a.stream-response' || type === 'a2a.status-update' || type === 'a2a.artifact-update') return 'update'
  return operation === undefined || operation === 'SendStreamingMessage' ? 'update' : 'answer'
}

/** W3C Trace Context §3.2.2: version, trace id, parent id and flags; a trace id of zeros is none. */
const traceIdOf = (traceparent: string | undefined): string | undefined => {
  const id = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/.exec(traceparent ?? '')?.[1]
  return id === undefined || /^0+$/.test(id) ? undefined : id
}

const pieceOf = (artifact: ArtifactReading, at: number, codec: Codec): Piece => {
  const content = artifactBytes(artifact.parts, codec)
  return {
    ...maybe('artifactId', artifact.artifactId),
    ...maybe('name', artifact.name),
    index: artifact.index,
    at,
    mediaTypes: [...new Set(artifact.parts.map((part) => part.mediaType))],
    bytes: content.length,
    digest: codec.sha256Hex(content),
    ...maybe('metadataNames', artifact.metadataNames),
    ...(artifact.parts.some((part: PartReading) => part.content.kind === 'url') && { isLinked: true as const }),
  }
}

/** K3: the last user message whose `taskId` is this task or absent. */
const lastUserMessageOf = (
  history: readonly { readonly role: string; readonly messageId?: string; readonly taskId?: string }[],
  taskId: string | undefined,
): string | undefined =>
  history.findLast(
    (message) =>
      message.role === 'user' &&
      message.messageId !== undefined &&
      (message.taskId === undefined || message.taskId === taskId),
  )?.messageId

/** What the task was sent, where its history holds one message of the client: later ones say less. */
const onlyContentOf = (history: readonly MessageReading[], codec: Codec): string | undefined => {
  const [only, ...others] = history.filter(({ role }) => role === 'user')
  if (only === undefined || others.length > 0) return undefined
  const content = artifactBytes(only.parts, codec)
  return content.length === 0 ? undefined : codec.sha256Hex(content)
}

const cardFact = (
  event: LedgerEvent,
  reading: Extract<Reading, { kind: 'agent-card' }>,
  base: ReturnType<typeof baseOf> & { readonly workerId: string },
  codec: Codec,
): CardFact => {
  const { card } = reading
  return {
    ...base,
    kind: 'card',
    isValid: card.missing.length === 0,
    missing: card.missing,
    ...maybe('name', card.name),
    ...maybe('version', card.version),
    protocolVersions: card.protocolVersions,
    outputModes: card.outputModes,
    skills: card.skills,
    ...maybe('reachableStates', card.reachableStates),
    ...maybe('resumableStates', card.resumableStates),
    ...maybe('retentionSeconds', card.taskRetentionSeconds),
    ...maybe('idempotencyKey', card.idempotencyKey),
    ...maybe('idempotencyWindowMs', card.idempotencyWindowSeconds === undefined ? undefined : card.idempotencyWindowSeconds * 1_000),
    ...maybe('redispatchSafety', card.redispatchSafety),
    isSigned: card.isSigned,
    ...maybe('offersGrpc', card.offersGrpc),
    essenceDigest: codec.sha256Hex(card.essence),
    ...maybe('maxAgeMs', maxAgeMsOf(event.attributes.cachecontrol)),
  }
}

/** RFC 9111 `max-age`, in milliseconds; `no-store` and `no-cache` count as zero. */
const maxAgeMsOf = (cacheControl: string | undefined): number | undefined => {
  if (cacheControl === undefined) return undefined
  const directives = cacheControl.toLowerCase().split(',').map((directive) => directive.trim())
  if (directives.includes('no-store') || directives.includes('no-cache')) return 0
  const age = directives.find((directive) => directive.startsWith('max-age='))?.slice('max-age='.length)
  return age !== undefined && /^\d{1,10}$/.test(age) ? Number(age) * 1_000 : undefined
}

const linkFact = (event: LedgerEvent, data: string): TaskFact => {
  const { from, to, by, because } = linkDataSchema.parse(JSON.parse(data))
  return {
    ...baseOf(event, undefined),
    kind: event.attributes.type === 'ledger.correlation-linked' ? 'linked' : 'unlinked',
    from,
    to,
    ...maybe('by', by),
    ...maybe('because', typeof because === 'string' ? because.slice(0, textMax) : undefined),
  }
}

const moveFact = (event: LedgerEvent, data: string): TaskFact => {
  const { from, to, workerId, taskId, since } = moveDataSchema.parse(JSON.parse(data))
  return { ...baseOf(event, undefined), kind: 'moved', workerId, taskId, from, to, since }
}

const probeStepFact = (event: LedgerEvent, data: string): ProbeStepFact => ({
  ...baseOf(event, undefined),
  kind: 'probe-step',
  workerId: event.attributes.workerid ?? '',
  moment: probeStepDataSchema.parse(JSON.parse(data)),
})

const enrolledFact = (event: LedgerEvent, data: string): WorkerFact => {
  const { mesh, trust, replicas, owner, substitutes, push, ...settings } = enrolmentSchema.parse(JSON.parse(data))
  const workerId = event.attributes.workerid
  if (workerId === undefined) throw new Error('an enrolment without workerid')
  return {
    ...baseOf(event, undefined),
    kind: 'enrolled',
    workerId,
    ...maybe('mesh', mesh),
    ...maybe('trust', trust),
    ...maybe('replicas', replicas),
    ...maybe('owner', owner),
    ...maybe('substitutes', substitutes),
    ...(push?.token !== undefined && { hasPushToken: true as const }),
    ...maybe('isPushTeed', push?.tee),
    ...(Object.keys(settings).length > 0 && { settings }),
  }
}

const gapFacts = (event: LedgerEvent, data: string): readonly WorkerFact[] => {
  const { witness, reason, from, to, events, isExact } = gapSchema.parse(JSON.parse(data))
  const [fromMs, toMs] = [parseTimestampMs(from).ms, parseTimestampMs(to).ms]
  const workerId = event.attributes.workerid
  if (workerId === undefined || fromMs === undefined || toMs === undefined) return []
  return [{ ...baseOf(event, undefined), kind: 'gap', workerId, witness, reason, fromMs, toMs, count: events, isExact }]
}

const verdictFact = (event: LedgerEvent, data: string): TaskFact => {
  const verdict = verdictDataSchema.parse(JSON.parse(data))
  return {
    ...baseOf(event, undefined),
    kind: 'verdict',
    decisionId: verdict.decisionId,
    verdict: verdict.kind,
    askedWorkerId: verdict.question.workerId,
    ...maybe('askedTaskId', verdict.question.taskId),
    openedAt: verdict.question.openedAt,
    ...maybe('targetWorkerId', verdict.workerId),
    ...maybe('lastObserved', verdict.lastObserved),
    because: verdict.because,
    considered: verdict.considered.map(({ workerId, eligible, because }) => ({
      workerId,
      eligible,
      ...maybe('because', because),
    })),
    ...maybe('counts', verdict.counts),
    duplicateRisk: verdict.duplicateRisk,
    ...maybe('actor', verdict.actor),
    ...maybe('mesh', verdict.mesh),
    ...maybe('insteadOf', verdict.insteadOf),
  }
}

const approvalFact = (event: LedgerEvent, data: string): TaskFact => {
  const { decisionId, answer, by, because } = verdictApprovedDataSchema.parse(JSON.parse(data))
  return { ...baseOf(event, undefined), kind: 'approval', decisionId, answer, by, ...maybe('because', because) }
}

const intentFact = (event: LedgerEvent, data: string): TaskFact => {
  const { decisionId, purpose, by, actor, workerId, messageId, contentDigest, mesh, ttlMs } = dispatchIntentDataSchema.parse(JSON.parse(data))
  return {
    ...baseOf(event, undefined),
    kind: 'intent',
    workerId,
    intentId: event.attributes.id,
    decisionId,
    purpose,
    ...maybe('by', by),
    actor,
    sentMessageId: messageId,
    ...maybe('contentDigest', contentDigest),
    ...maybe('mesh', mesh),
    untilMs: event.recordedAtMs + ttlMs,
  }
}

const cancelFact = (event: LedgerEvent, data: string): CancelFact => ({
  ...baseOf(event, undefined),
  kind: 'cancel',
  eventId: event.attributes.id,
  moment: cancelDataSchema.parse(JSON.parse(data)),
})

const intentSettledFact = (event: LedgerEvent, data: string): TaskFact => {
  const { intentId, outcome, taskId, because } = dispatchSettledDataSchema.parse(JSON.parse(data))
  return { ...baseOf(event, undefined), kind: 'intent-settled', intentId, outcome, ...maybe('sentTaskId', taskId), ...maybe('because', because) }
}
