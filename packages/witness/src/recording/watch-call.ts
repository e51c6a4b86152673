/**
 * What is reported of one call: its message before the answer, then what came of it.
 *
 *     asked ──► answered (one body)            a2a.response, a2a.error, a2a.agent-card
 *           ├─► streaming ──► ended            a2a.stream-response…, a2a.stream-ended
 *           └─► unanswered                     a2a.no-answer
 *
 * A stream that ends after a terminal state, a message or an error has said all there is to say;
 * any other end is reported as one (contract §2). What cannot be kept is counted (`miss`).
 */
import { type CallReading, type Codec, type GapReason, isTerminal, readCall, readPayload, type ReadContext, rfc3339Of } from '@a2a-ledger/domain'
import type { WallClock, WitnessedEvent } from './ports.ts'
import type { Missed } from './recorder.ts'

/** What all events of one call have in common, as far as its headers tell. */
export interface CallContext {
  readonly workerId: string
  readonly method: string
  /** Behind the worker's address, without query. */
  readonly path: string
  readonly correlationId: string | undefined
  readonly protocolVersion: string | undefined
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  /** The logical task on whose behalf the call is made, and the state its caller believes in, where the caller says so. */
  readonly parentCorrelationId?: string | undefined
  readonly lastObserved?: string | undefined
  /** The scope of the call, when its tenant is known. */
  readonly scope: (tenant: string | undefined) => string | undefined
}

/** A body as it went by; a reason where it was not kept. */
export type KeptBody = { readonly bytes: Uint8Array } | { readonly missing: Extract<GapReason, 'too_large' | 'overloaded'> }

export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly instance: string | undefined
  readonly cacheControl: string | undefined
  readonly etag: string | undefined
}

export interface WatchedCall {
  /** `undefined`: not an A2A call; nothing of it is reported. */
  readonly reading: CallReading | undefined
  readonly answered: (answer: Answer, body: KeptBody) => void
  /** From here on the answer is a stream. */
  readonly streams: (answer: Answer) => void
  readonly frame: (data: string) => void
  readonly frameMissed: (reason: 'too_large' | 'overloaded') => void
  readonly streamEnded: (reason: 'closed' | 'reset' | 'timeout') => void
  readonly unanswered: (reason: 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls') => void
}

export interface WatchPorts {
  /** The `source` of what is reported. */
  readonly source: string
  readonly record: (event: WitnessedEvent) => void
  readonly miss: (missed: Missed) => void
  readonly clock: WallClock
  readonly codec: Pick<Codec, 'utf8Decode' | 'utf8Encode'>
  readonly newId: () => string
}

type Attributes = Readonly<Record<string, string | undefined>>

export function watchCall(ports: WatchPorts, context: CallContext, request: KeptBody): WatchedCall {
  const { source, record, miss, clock, codec, newId } = ports
  const { workerId, method, path } = context
  const callId = newId()
  const startedAtMs = clock()
  const text = 'bytes' in request ? (codec.utf8Decode(request.bytes) ?? '') : ''
  // What cannot be looked into is taken for what most calls are: then at least its answer is told.
  const unknown: CallReading | undefined = 'missing' in request ? { binding: 'JSONRPC', sends: [] } : undefined
  const reading = readCall({ method, path, body: text }) ?? unknown
  const messageId = reading?.sends.length === 1 ? reading.sends[0]?.messageId : undefined
  let count = 0
  let answeredBy: Answer | undefined
  let frames = 0
  let hasSaidAll = false
  let streamTaskId: string | undefined

  const common: Attributes = {
    workerid: workerId,
    operation: reading?.operation,
    binding: reading?.binding,
    protocolversion: context.protocolVersion,
    correlationid: context.correlationId,
    taskid: reading?.taskId,
    parentcorrelationid: context.parentCorrelationId,
    lastobserved: context.lastObserved,
    scope: context.scope(reading?.tenant ?? reading?.prefix),
    traceparent: context.traceparent,
    tracestate: context.tracestate,
  }
  const emit = (type: string, own: Attributes, data: Uint8Array): void => {
    count += 1
    const given = { ...common, ...own }
    const attributes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>
    record({ attributes: { specversion: '1.0', id: `${callId}.${count}`, source, type, time: rfc3339Of(clock()), ...attributes }, data })
  }
  const emitJson = (type: string, own: Attributes, data: object): void => emit(type, own, codec.utf8Encode(JSON.stringify(data)))
  const ofAnswer = (answer: Answer): Attributes => ({
    messageid: messageId,
    httpstatus: String(answer.status),
    instance: answer.instance,
    datacontenttype: answer.contentType,
  })

  /** What a payload is to be called, and what of it decides whether a stream has said all. */
  const tell = (type: 'a2a.response' | 'a2a.stream-response', payload: string, answer: Answer | undefined) => {
    const read = readPayload(contextOf(type, common, answer), payload)
    const said = read.outcome === 'read' ? read.reading : undefined
    return { type: said?.kind === 'error' ? 'a2a.error' : type, said }
  }

  const dispatched = (): void => {
    if (reading === undefined) return
    for (const send of reading.sends) {
      const own = { operation: send.operation, messageid: send.messageId, taskid: send.taskId }
      // A batch is told message by message; alone, the body is told as it came.
      emit('a2a.dispatch', own, 'bytes' in request && send.text === text ? request.bytes : codec.utf8Encode(send.text))
    }
  }

  const missed = (reason: GapReason, type: string): void => miss({ workerId, reason, byType: { [type]: 1 } })

  const maySend = reading?.operation === undefined || reading.operation.startsWith('Send')
  if (!('missing' in request)) dispatched()
  else if (maySend) missed(request.missing, 'a2a.dispatch')

  return {
    reading,
    answered: (answer, body) => {
      if (reading === undefined) return
      const isCard = reading.operation === 'GetAgentCard'
      if ('missing' in body) return missed(body.missing, isCard ? 'a2a.agent-card' : 'a2a.response')
      if (isCard) return emit('a2a.agent-card', { ...ofAnswer(answer), cachecontrol: answer.cacheControl, etag: answer.etag }, body.bytes)
      const { type } = tell('a2a.response', codec.utf8Decode(body.bytes) ?? '', answer)
      emit(type, ofAnswer(answer), body.bytes)
    },
    streams: (answer) => {
      answeredBy = answer
    },
    frame: (data) => {
      if (reading === undefined || answeredBy === undefined) return
      frames += 1
      const { type, said } = tell('a2a.stream-response', data, answeredBy)
      const own = { ...ofAnswer(answeredBy), datacontenttype: 'application/json', streamid: callId, sequence: String(frames) }
      emit(type, own, codec.utf8Encode(data))
      if (said === undefined) return
      if (said.kind === 'message' || said.kind === 'error') hasSaidAll = true
      if ('status' in said) hasSaidAll = isTerminal(said.status.state)
      if ('taskId' in said) streamTaskId ??= said.taskId
    },
    frameMissed: (reason) => {
      if (reading !== undefined) missed(reason, 'a2a.stream-response')
    },
    streamEnded: (reason) => {
      if (reading === undefined || hasSaidAll || answeredBy === undefined) return
      const own = { messageid: messageId, instance: answeredBy.instance, streamid: callId, sequence: String(frames + 1), taskid: streamTaskId ?? reading.taskId }
      emitJson('a2a.stream-ended', own, { reason })
    },
    unanswered: (reason) => {
      if (reading === undefined) return
      emitJson('a2a.no-answer', { messageid: messageId }, { reason, afterMs: Math.max(0, clock() - startedAtMs) })
    },
  }
}

const contextOf = (type: string, { operation, protocolversion, binding, taskid }: Attributes, answer: Answer | undefined): ReadContext => ({
  type,
  ...(operation !== undefined && { operation }),
  ...(protocolversion !== undefined && { protocolVersion: protocolversion }),
  ...(binding !== undefined && { binding }),
  ...(taskid !== undefined && { taskId: taskid }),
  ...(answer !== undefined && { httpStatus: answer.status }),
})
