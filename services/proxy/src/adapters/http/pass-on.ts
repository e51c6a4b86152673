/**
 * One call on its way: in from the caller, on to the worker, and the answer back, watched as it goes.
 *
 * reading:   the body arrives; of a caller that goes away here nothing is passed on.
 * waiting:   passed on, no answer yet. A caller that goes away ends the call at the worker.
 * answering: head and bytes go to the caller as they come. When it takes no more, the worker is not
 *            read on; when it goes away, the call at the worker ends; when the worker breaks off,
 *            so does the answer.
 *
 * Nothing here waits for the ledger, and what fails to be recorded fails no call.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LedgerError } from '@a2a-ledger/domain'
import { type AnswerHead, callFailureOf, type PassedCallControl } from '@a2a-ledger/outbound'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { type BodyKeeper, type CallContext, callContextOf, type EventFrames, isEventStream, keepBody, type KeptBody, readEventFrames, type WatchedCall, watchSafely } from '@a2a-ledger/witness/recording'
import { publicLocationOf } from '../../app/public-address.ts'
import type { PushTarget } from '../../app/push-tee.ts'
import { answerOf, failureProblem, problemOfError, sendProblemRaw } from './answer.ts'
import type { Edge } from './edge.ts'
import { keepEventStreamAlive, type KeptAlive } from './keep-alive.ts'
import { type AnswerChange, passHeldOn, readdressedCard } from './pass-held-on.ts'
import { headerIn, headersIn, type RawHeaders, textOf, toCaller, toWorker } from './raw-headers.ts'
import { readRequestBody, type RequestBody } from './request-body.ts'
import { type Route, routeCall } from './route-call.ts'

/** Handles one request of anybody, to its end; never rejects. */
export async function passOn(edge: Edge, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedAtMs = performance.now()
  let watched: WatchedCall | undefined
  let outcome = 'refused'
  try {
    refuseLoops(edge, request)
    const route = await routeCall(edge, request.url ?? '')
    const ended = edge.recorder.callRuns(route.workerId)
    let body: RequestBody | undefined
    try {
      body = await readRequestBody(request, edge.budget)
      if (body.kind === 'aborted' || response.closed) {
        outcome = 'aborted'
        return
      }
      const context = contextOf(edge, request, route)
      watched = watchIncoming(edge, { context, push: route.push, body, contentType: request.headers['content-type'] })
      outcome = await passBodyOn(edge, { request, response, route, body: teed(edge, context, request, body, watched) }, watched)
    } finally {
      if (body?.kind === 'whole') body.release()
      ended()
    }
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind === 'defect') edge.log.error({ err: error }, 'a call could not be passed on')
    sendProblemRaw(response, problemOfError(error))
  } finally {
    const { operation = '', binding = '' } = watched?.reading ?? {}
    edge.observed({ operation, binding, outcome, seconds: (performance.now() - startedAtMs) / 1000 })
  }
}

function refuseLoops({ settings }: Edge, { rawHeaders }: IncomingMessage): void {
  if (headersIn(rawHeaders, 'via').some((value) => value.includes(settings.viaName))) {
    throw new LedgerError('call_loops', 'The address of the worker leads back to this proxy.')
  }
}

function contextOf({ scopeOf }: Edge, { rawHeaders, method = 'GET', url = '' }: IncomingMessage, { workerId, path }: Route): CallContext {
  const header = (name: string): string | undefined => textOf(headerIn(rawHeaders, name))
  return callContextOf({ workerId, method, path, query: url.split('?')[1] ?? '', header }, scopeOf)
}

const nothing = new Uint8Array()

interface Incoming {
  readonly context: CallContext
  readonly push: PushTarget | undefined
  readonly body: RequestBody
  readonly contentType: string | undefined
}

/** Watches the call; what goes wrong in watching is logged and harms nobody. */
function watchIncoming(edge: Edge, { context, push, body, contentType }: Incoming): WatchedCall {
  const kept: KeptBody = body.kind === 'whole' ? { bytes: body.bytes } : body.kind === 'stream' ? { missing: body.because } : { bytes: nothing }
  return watchSafely(
    () => (push === undefined ? edge.watch(context, kept) : context.method === 'POST' ? watchPush(edge, { context, push, contentType }, kept) : undefined),
    (error) => edge.log.error({ err: error }, 'a call could not be recorded'),
  )
}

/** A push is told when it comes; what its receiver says to it is between those two. */
function watchPush({ recordPush }: Edge, { context, push, contentType }: Pick<Incoming, 'context' | 'contentType'> & { readonly push: PushTarget }, body: KeptBody): Pick<WatchedCall, 'reading'> {
  const { workerId, traceparent, tracestate } = context
  recordPush({ workerId, correlationId: push.correlationId, contentType, traceparent, tracestate }, body)
  return { reading: { binding: 'HTTP+JSON', operation: 'Push', sends: [] } }
}

/** Headers that say that the bytes of a body are to stay what they are. */
const keepsBytes = ['content-encoding', 'content-digest', 'content-md5', 'digest', 'repr-digest', 'signature-input'] as const

/** The body with push addresses of the proxy, where they belong into it. */
function teed(
  edge: Edge,
  { workerId, correlationId }: CallContext,
  { rawHeaders }: IncomingMessage,
  body: Passing['body'],
  { reading }: WatchedCall,
): Passing['body'] {
  if (body.kind !== 'whole' || keepsBytes.some((name) => headerIn(rawHeaders, name) !== undefined)) return body
  try {
    const text = nodeCodec.utf8Decode(body.bytes)
    const pointed = text === undefined ? undefined : edge.tee.pointed({ workerId, operation: reading?.operation, correlationId, text })
    return pointed === undefined ? body : { ...body, bytes: Buffer.from(pointed) }
  } catch (error) {
    edge.log.error({ err: error }, 'a push configuration could not be pointed at the proxy')
    return body
  }
}

interface Passing {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly route: Route
  readonly body: Exclude<RequestBody, { kind: 'aborted' }>
}

async function passBodyOn(edge: Edge, passing: Passing, watched: WatchedCall): Promise<string> {
  const { request, route, body, response } = passing
  const { method = 'GET', rawHeaders } = request
  const change = changeOf(edge, route, watched.reading?.operation)
  if (change !== undefined && body.kind !== 'stream') {
    const bytes = body.kind === 'whole' ? body.bytes : undefined
    const outcome = await passHeldOn(edge, { route, method, headers: toWorker(rawHeaders, edge.settings.viaName), body: bytes, change }, watched, response)
    return typeof outcome === 'string' ? outcome : passStreamOn(edge, { ...passing, route: { ...route, urls: [outcome] } }, watched)
  }
  return passStreamOn(edge, passing, watched)
}

/** What the answer to an operation is held for; `undefined`: it goes by while it comes. */
function changeOf(edge: Edge, route: Route, operation: string | undefined): AnswerChange | undefined {
  if (operation === 'GetAgentCard' || operation === 'GetExtendedAgentCard') return { of: (text) => readdressedCard(edge, route, text), isTold: 'before' }
  const { workerId } = route
  if (route.push !== undefined || !edge.tee.concernsAnswerOf(workerId, operation)) return undefined
  return { of: (text) => edge.tee.pointedBack({ workerId, operation, text }), isTold: 'after' }
}

/** The answer goes to the caller while it comes. Resolves with what became of the call. */
function passStreamOn(edge: Edge, { request, response, route, body }: Passing, watched: WatchedCall): Promise<string> {
  const { method = 'GET', rawHeaders } = request
  const over = Promise.withResolvers<string>()
  const answering = answerTo(edge, response, route, watched)
  let control: PassedCallControl | undefined
  let isOver = false
  const end = (outcome: string, told: Promise<void>): void => {
    isOver = true
    over.resolve(told.then(() => outcome))
  }
  const headers = toWorker(rawHeaders, edge.settings.viaName)
  const length = headerIn(rawHeaders, 'content-length')
  if (body.kind === 'stream' && length !== undefined) headers.push('content-length', length)

  response.on('drain', () => control?.resume())
  response.on('close', () => {
    if (isOver) return
    control?.abort()
    end('aborted', answering.abandoned())
  })
  try {
    control = edge.passOn(
      { url: route.urls[0], method, headers, body: body.kind === 'whole' ? body.bytes : body.kind === 'stream' ? body.stream : undefined },
      {
        head: answering.head,
        data: (chunk) => {
          if (!answering.data(chunk)) control?.pause()
        },
        end: () => end('answered', answering.end()),
        failed: (error) => end(callFailureOf(error), answering.failed(error)),
      },
    )
  } catch (error) {
    end(callFailureOf(error), answering.failed(error))
  }
  return over.promise
}

/** An answer on its way. What ends it resolves once everything about it is told. */
interface Answering {
  readonly head: (head: AnswerHead) => void
  /** False: the caller takes no more for now. */
  readonly data: (chunk: Uint8Array) => boolean
  readonly end: () => Promise<void>
  readonly failed: (error: unknown) => Promise<void>
  /** The caller went away. */
  readonly abandoned: () => Promise<void>
}

type Watching =
  | { readonly kind: 'body'; readonly keeper: BodyKeeper; readonly head: AnswerHead }
  | { readonly kind: 'stream'; readonly frames: EventFrames; readonly keptAlive: KeptAlive; readonly closed: () => void }

function answerTo(edge: Edge, response: ServerResponse, route: Route, watched: WatchedCall): Answering {
  let watching: Watching | undefined

  const streamEnds = async ({ frames, keptAlive, closed }: Watching & { kind: 'stream' }, reason: 'closed' | 'reset' | 'timeout'): Promise<void> => {
    keptAlive.stop()
    closed()
    await frames.end()
    watched.streamEnded(reason)
  }

  return {
    head: (head) => {
      const headers = headersFor(edge, route, head)
      const isStream = isEventStream(headerIn(head.headers, 'content-type'))
      response.sendDate = headerIn(headers, 'date') === undefined
      response.writeHead(head.status, head.statusText, isStream ? unbuffered(headers) : headers)
      const encoding = headerIn(head.headers, 'content-encoding')
      if (!isStream) {
        watching = { kind: 'body', keeper: keepBody(edge.budget), head }
        return
      }
      response.flushHeaders()
      watched.streams(answerOf(edge, head))
      const frames = readEventFrames({ frame: watched.frame, missed: watched.frameMissed }, encoding)
      const isPlain = encoding === undefined && headerIn(head.headers, 'content-length') === undefined
      watching = { kind: 'stream', frames, keptAlive: keepEventStreamAlive(response, isPlain ? edge.settings.keepAliveMs : 0), closed: edge.streamOpens() }
    },
    data: (chunk) => {
      const isTaken = response.write(chunk)
      if (watching?.kind === 'body') watching.keeper.add(chunk)
      if (watching?.kind === 'stream') {
        watching.keptAlive.passed(chunk)
        watching.frames.add(chunk)
      }
      return isTaken
    },
    end: async () => {
      response.end()
      if (watching?.kind === 'stream') return streamEnds(watching, 'closed')
      if (watching === undefined) return
      const { keeper, head } = watching
      watched.answered(answerOf(edge, head), await keeper.finish(headerIn(head.headers, 'content-encoding')))
    },
    failed: async (error) => {
      const failure = callFailureOf(error)
      sendProblemRaw(response, failureProblem(error, failure))
      if (watching?.kind === 'stream') return streamEnds(watching, failure === 'timeout' ? 'timeout' : 'reset')
      watching?.keeper.drop()
      watched.unanswered(failure)
    },
    abandoned: async () => {
      if (watching?.kind === 'stream') return streamEnds(watching, 'closed')
      watching?.keeper.drop()
      watched.unanswered('aborted')
    },
  }
}

/** What lies between here and the caller is asked to hold nothing back. */
function unbuffered(headers: RawHeaders): string[] {
  const defaults = [['x-accel-buffering', 'no'], ['cache-control', 'no-cache']] as const
  return [...headers, ...defaults.filter(([name]) => headerIn(headers, name) === undefined).flat()]
}

/** The worker's headers; a redirect to an address of the worker leads through the proxy again. */
function headersFor(edge: Edge, { workerId, worker, urls }: Route, { headers }: AnswerHead): string[] {
  const kept = toCaller(headers)
  const { publicUrl } = edge.settings
  return kept.map((value, at) => {
    const isLocation = at % 2 === 1 && kept[at - 1]?.toLowerCase() === 'location'
    return isLocation && URL.canParse(value, urls[0].href) ? (publicLocationOf(publicUrl, workerId, worker, new URL(value, urls[0])) ?? value) : value
  })
}
