/**
 * The way to one observed worker: through the guard of outbound calls, in the version and over the bindings
 * of its card; what comes is told as by any witness of calls.
 */
import { type Codec, derivedFrom, type ErrorName, observerSource, readCardOffer, readPayload, type Reading, rfc3339Of, type ProbeTarget } from '@a2a-ledger/domain'
import { createOutbound, OutboundError, type OutboundRefusal } from '@a2a-ledger/outbound'
import { cardUrlsOf, createWorkerClient, headersFor, listCall, taskCall, targetsOf, type AnswerHead, type Call, type CallOptions, type CallResult, type WitnessedCall } from '@a2a-ledger/probe'
import { type Answer, callContextOf, type CallerHeaders, watchCall } from '@a2a-ledger/witness/recording'
import { z } from 'zod'
import type { ListedTask, Observed, WitnessedEvent, WorkerLine, WorkerLines } from '../../app/ports.ts'
import { retryAfterMsOf } from './retry-after.ts'

export interface WorkerLineOptions {
  readonly codec: Codec
  /** Blocks of addresses that may be called although they are not public. */
  readonly allowCidrs: readonly string[]
  /** Names of headers that say which replica answered, in lower case. */
  readonly instanceHeaders: readonly string[]
  /** Who made a call, as an opaque word; `undefined` where no word may be given (F7). */
  readonly scopeOf: (caller: CallerHeaders, tenant: string | undefined) => string | undefined
  /** This process, so that no two of them give an event the same id. */
  readonly member: string
  /** This machine's clock. */
  readonly nowMs: () => number
}

/** An answer about many tasks. */
interface List {
  readonly reading: Reading
  readonly body: string
}

type OpenLine = Parameters<WorkerLines['open']>[0]

const answerMsMax = 10_000
/** The message that began a task stands before what the worker answered. */
const historyLength = 20
const pageSize = 50
/** Of a list without history and artifacts: the most that may be asked for (v1.0 §3.1.4). */
const pageSizeMax = 100
const streamIdleMsMax = 900_000
/** In base64 it fits into what the ledger takes at once. */
const bodyBytesMax = 5 * 1024 * 1024

/** By the rules of the guard, and not by the worker's fault. */
const isNotCalled: Readonly<Record<OutboundRefusal, boolean>> = {
  scheme_refused: true,
  credentials_refused: true,
  address_refused: true,
  redirect_refused: true,
  redirects_exceeded: true,
  body_too_large: false,
  deadline_exceeded: false,
}

export const createWorkerLines = (options: WorkerLineOptions): WorkerLines => ({ open: (worker) => openLine(options, worker) })

function openLine(options: WorkerLineOptions, { workerId, address, headers, card }: OpenLine): WorkerLine {
  const { codec, nowMs } = options
  const connect = (idleTimeoutMs?: number) =>
    createOutbound({ allowCidrs: options.allowCidrs, limits: { bodyBytesMax, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) } })
  const kept = connect()
  // A stream may have nothing to say for long, and some have no comments that say so.
  const streams = connect(streamIdleMsMax)
  /** Told anew for each call: secrets can be changed without an enrolment that says so. */
  const headersNow = async () => headersFor({ cardUrl: address.cardUrl ?? address.url, headers: await headers(), origins: [new URL(address.url).origin] })
  type Along = Awaited<ReturnType<typeof headersNow>>
  let targets = targetsIn(address.url, card)
  let isStreaming = card !== undefined && readCardOffer(card)?.isStreaming === true
  let isListing = true
  let callCount = 0

  const targetFor = (binding: string | undefined): ProbeTarget => targets.find((target) => target.binding === binding) ?? targets[0]

  const exchange = async (call: Call, along: Along, fetch: typeof globalThis.fetch, options: CallOptions) => {
    let seen: WitnessedCall['answer'] = { kind: 'sent' }
    const witness = async ({ answer }: WitnessedCall): Promise<void> => void (seen = answer)
    const client = createWorkerClient({ client: { fetch, close: async () => undefined }, witness, counter: { calls: 0, bytes: 0 }, headers: along })
    const result = await client.call(call, options)
    return { result, answer: seen as WitnessedCall['answer'] }
  }

  /** A call as the recording of calls takes it; what is told of it comes to `events`. */
  const watch = (call: Call, along: Along, events: WitnessedEvent[]) => {
    callCount += 1
    // Told again after an outage of the ledger it is the same event.
    const callId = codec.sha256Hex(JSON.stringify([options.member, workerId, call.operation, call.taskId, callCount, nowMs()])).slice(0, 32)
    const sent = new Headers({ ...along(call.url), ...call.init.headers })
    const context = callContextOf(
      { workerId, method: call.init.method, path: pathOf(call), query: '', header: (name) => sent.get(name) ?? undefined },
      options.scopeOf,
    )
    return watchCall(
      {
        source: observerSource,
        record: ({ attributes, data }) => void events.push({ attributes, bytes: data }),
        miss: () => undefined, // a body that is too large ends the call, and the call says so
        clock: nowMs,
        codec,
        newId: () => callId,
      },
      context,
      { bytes: codec.utf8Encode(call.init.body ?? '') },
    )
  }

  const answerOf = ({ status, header }: AnswerHead): Answer => ({
    status,
    contentType: header('content-type'),
    instance: options.instanceHeaders.map(header).find((value) => value !== undefined && value !== ''),
    cacheControl: header('cache-control'),
    etag: header('etag'),
  })

  /** One call with one answer. */
  const ask = async (call: Call, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<Observed & { readonly error?: ErrorName; readonly list?: List }> => {
    const events: WitnessedEvent[] = []
    const along = await headersNow()
    const watched = watch(call, along, events)
    const { result, answer } = await exchange(call, along, fetch, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]) })
    const refusal = refusalIn(answer)
    if (refusal !== undefined) return { outcome: 'not-called', events: [], digest: '', detail: refusal }
    const digestOf = (...parts: readonly unknown[]): string => codec.sha256Hex(JSON.stringify([call.target, ...parts]))
    if (answer.kind !== 'body') {
      const reason = answer.kind === 'none' ? answer.reason : 'reset' // a stream where one answer belongs
      watched.unanswered(reason)
      // More than is read is an answer all the same, if none that says anything.
      const isTooLarge = answer.kind === 'none' && answer.error instanceof OutboundError && answer.error.code === 'body_too_large'
      return { outcome: isTooLarge ? 'answered' : 'unanswered', events, digest: digestOf(reason) }
    }
    watched.answered(answerOf(answer), { bytes: codec.utf8Encode(answer.body) })
    const retryAfterMs = retryAfterIn(answer, nowMs())
    const readings = result.outcome === 'read' ? result.readings : []
    const state = readings.flatMap((reading) => (reading.kind === 'task' ? (reading.status.state ?? []) : []))[0]
    const list = readings.find((reading) => reading.kind === 'task-list' && reading.isStream !== true)
    return {
      outcome: isOfWorker(result, answer.status) ? 'answered' : 'unanswered',
      events,
      digest: digestOf(answer.status, answerOf(answer).instance, answer.body),
      ...(state !== undefined && { state }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(result.outcome === 'error' && { error: result.error.name }),
      ...(list !== undefined && { list: { reading: list, body: answer.body } }),
    }
  }

  /** What is told of each task of a list: its entry as it stands there, and nothing of its neighbours. */
  const listedIn = (events: readonly WitnessedEvent[], { reading: list }: List): ReadonlyMap<string, ListedTask> => {
    const parent = events.find(({ attributes }) => attributes.type === 'a2a.response')
    const derived = parent === undefined ? [] : derivedFrom(parent.attributes, list)
    return new Map(
      derived.flatMap(({ attributes, item: { json, reading } }): readonly (readonly [string, ListedTask])[] => {
        const { taskid, instance } = attributes
        if (taskid === undefined || reading.kind !== 'task' || reading.status.state === undefined) return []
        const digest = codec.sha256Hex(JSON.stringify(['listed', instance, json]))
        return [[taskid, { state: reading.status.state, digest, events: [{ attributes, bytes: codec.utf8Encode(json) }] }]]
      }),
    )
  }

  return {
    bindings: () => targets.map(({ binding }) => binding),
    readCard: async (signal) => {
      const events: WitnessedEvent[] = []
      let found: string | undefined
      const witness = async ({ answer }: WitnessedCall): Promise<void> => {
        if (answer.kind !== 'body' || answer.status !== 200) return
        const read = readPayload({ type: 'a2a.agent-card', operation: 'GetAgentCard', httpStatus: 200 }, answer.body)
        if (read.outcome !== 'read' || read.reading.kind !== 'agent-card') return
        found = answer.body
        const { cacheControl, etag } = answerOf(answer)
        callCount += 1
        events.push({
          attributes: {
            specversion: '1.0',
            id: codec.sha256Hex(JSON.stringify([options.member, workerId, 'card', callCount, nowMs()])).slice(0, 32),
            source: observerSource,
            type: 'a2a.agent-card',
            time: rfc3339Of(nowMs()),
            datacontenttype: 'application/json',
            workerid: workerId,
            operation: 'GetAgentCard',
            httpstatus: '200',
            ...(cacheControl !== undefined && { cachecontrol: cacheControl }),
            ...(etag !== undefined && { etag }),
          },
          bytes: codec.utf8Encode(answer.body),
        })
      }
      const client = createWorkerClient({ client: kept, witness, counter: { calls: 0, bytes: 0 }, headers: await headersNow() })
      for (const url of cardUrlsOf(address.cardUrl ?? address.url)) {
        await client.fetchCard(url, AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]))
        if (found !== undefined) break
      }
      if (found === undefined) return undefined
      targets = targetsIn(address.url, found)
      isStreaming = readCardOffer(found)?.isStreaming === true
      isListing = true
      return events
    },
    getTask: async ({ taskId, binding, isFresh }, signal) => {
      const client = isFresh ? connect() : kept
      try {
        return await ask(taskCall(targetFor(binding), 'GetTask', taskId), client.fetch, signal)
      } finally {
        if (isFresh) await client.close()
      }
    },
    canList: () => isListing && targets[0].protocolVersion === '1.0',
    listTasks: async (changedSinceMs, signal) => {
      const observed = await ask(listCall(targets[0], { changedSince: rfc3339Of(changedSinceMs), historyLength, pageSize, hasArtifacts: true }), kept.fetch, signal)
      isListing = observed.error === undefined
      return observed
    },
    listPage: async ({ state, pageToken }, signal) => {
      const listing = { state, historyLength: 0, pageSize: pageSizeMax, hasArtifacts: false, ...(pageToken !== undefined && { pageToken }) }
      const { error, list, ...observed } = await ask(listCall(targets[0], listing), kept.fetch, signal)
      isListing = error === undefined
      if (list === undefined) return { ...observed, listed: new Map() }
      const nextPageToken = nextPageTokenIn(list.body)
      return { ...observed, listed: listedIn(observed.events, list), ...(nextPageToken !== undefined && { nextPageToken }) }
    },
    isStreaming: () => isStreaming,
    follow: async ({ taskId, binding }, record, signal) => {
      const call = taskCall(targetFor(binding), 'SubscribeToTask', taskId)
      const events: WitnessedEvent[] = []
      const along = await headersNow()
      const watched = watch(call, along, events)
      let hasBegun = false
      const begin = (head: AnswerHead): void => {
        if (!hasBegun) watched.streams(answerOf(head))
        hasBegun = true
      }
      const { answer } = await exchange(call, along, streams.fetch, {
        signal,
        onEvents: async (frames, head) => {
          begin(head)
          for (const frame of frames) watched.frame(frame)
          await record(events.splice(0))
        },
      })
      if (signal.aborted || refusalIn(answer) !== undefined) return
      if (answer.kind === 'body') watched.answered(answerOf(answer), { bytes: codec.utf8Encode(answer.body) })
      if (answer.kind === 'none' && !hasBegun) watched.unanswered(answer.reason)
      if (answer.kind === 'none' && hasBegun) watched.streamEnded(answer.reason === 'timeout' ? 'timeout' : 'reset')
      if (answer.kind === 'events') {
        begin(answer)
        watched.streamEnded('closed')
      }
      await record(events)
    },
    close: async () => {
      await Promise.all([kept.close(), streams.close()])
    },
  }
}

/** Why the worker was not called; nothing where it was. */
const refusalIn = (answer: WitnessedCall['answer']): string | undefined =>
  answer.kind === 'none' && answer.error instanceof OutboundError && isNotCalled[answer.error.code] ? answer.error.message : undefined

/** What a gateway says in place of the worker is no answer of it (F6). */
const isOfWorker = (result: CallResult, status: number): boolean => result.outcome === 'read' || status < 500 || (result.outcome === 'error' && result.error.codeSpace === 'jsonrpc')

const retryAfterIn = ({ status, header }: AnswerHead, nowMs: number): number | undefined => {
  const stated = header('retry-after')
  return (status === 429 || status === 503) && stated !== undefined ? retryAfterMsOf(stated, nowMs) : undefined
}

const pageSchema = z.object({ nextPageToken: z.string() })
const answeredPageSchema = pageSchema.or(z.object({ result: pageSchema }).transform(({ result }) => result))

/** Where a list goes on; empty at its end. */
const nextPageTokenIn = (body: string): string | undefined => answeredPageSchema.safeParse(JSON.parse(body)).data?.nextPageToken

/** Behind the address of the interface: what stands before is not a tenant. */
const pathOf = ({ url, target }: Call): string => {
  const base = new URL(target.url).pathname.replace(/\/+$/, '')
  return new URL(url).pathname.slice(base.length)
}

/**
 * The enrolled address first, whatever the card says, spoken to as the card's interface of that address is,
 * else as its first one; then the card's other bindings of that version.
 */
const targetsIn = (url: string, card: string | undefined): readonly [ProbeTarget, ...ProbeTarget[]] => {
  const offer = card === undefined ? undefined : readCardOffer(card)
  const offered = offer === undefined ? [] : targetsOf(offer)
  const plain = (text: string): string => text.replace(/\/+$/, '')
  const named = offered.find((target) => plain(target.url) === plain(url)) ?? offered.find(({ binding }) => binding === 'JSONRPC') ?? offered[0]
  if (named === undefined) return [{ url, binding: 'JSONRPC', protocolVersion: '1.0' }]
  return [{ ...named, url }, ...offered.filter(({ binding, protocolVersion }) => binding !== named.binding && protocolVersion === named.protocolVersion)]
}
