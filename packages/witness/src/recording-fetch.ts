/**
 * A `fetch` whose A2A calls are told: the message before the answer, then what came of it. Interceptors
 * of the SDK's client see neither errors of the protocol nor calls without an answer; this does.
 *
 * body:   the caller gets the answer as it is; a copy is read beside it, up to the bound of an event.
 * stream: read only as fast as the caller reads; frames are told as they go by; a caller that goes
 *         away ends the stream at the worker, one that breaks off breaks off for the caller.
 *
 * What fails in recording fails no call.
 */
import { callFailureOf, type CallFailure } from '@a2a-ledger/outbound/call-failure'
import {
  type Answer, type ByteBudget, type CallContext, callContextOf, type CallerHeaders, correlationHeader, isEventStream, keepBody, type KeptBody, readEventFrames,
  safely, type WatchedCall, watchSafely,
} from './recording/index.ts'
import type { Work } from './work.ts'

export interface RecordingFetchPorts {
  readonly fetch: typeof globalThis.fetch
  /** `undefined`: the call is none of ours. */
  readonly workerOf: (url: URL) => string | undefined
  /** Behind the worker's address. */
  readonly pathOf: (url: URL) => string
  readonly watch: (context: CallContext, request: KeptBody) => WatchedCall
  readonly scopeOf: (caller: CallerHeaders, tenant: string | undefined) => string | undefined
  readonly currentWork: () => Work | undefined
  readonly budget: ByteBudget
  readonly instanceHeaders: readonly string[]
  /** Calls whose body cannot be looked into: they are counted. */
  readonly unread: (workerId: string) => void
  /** What is still being read when the answer is given. */
  readonly reading: (copy: Promise<void>) => void
  readonly failed: (error: unknown) => void
}

type Input = Parameters<typeof globalThis.fetch>[0]

export function createRecordingFetch(ports: RecordingFetchPorts): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    const own = headers.get(correlationHeader) ?? undefined
    headers.delete(correlationHeader)
    const call = own === undefined ? init : { ...init, headers }
    const watched = await watchedCall(ports, { input, init, headers, own })
    if (watched?.reading === undefined) return ports.fetch(input, call)
    let response: Response
    try {
      response = await ports.fetch(input, call)
    } catch (error) {
      watched.unanswered(failureOf(error, signalOf(input, init)))
      throw error
    }
    try {
      return answeredBy(ports, watched, response, signalOf(input, init))
    } catch (error) {
      ports.failed(error)
      return response
    }
  }
}

interface Beginning {
  readonly input: Input
  readonly init: RequestInit | undefined
  readonly headers: Headers
  /** The logical task that the call itself names. */
  readonly own: string | undefined
}

async function watchedCall(ports: RecordingFetchPorts, { input, init, headers, own }: Beginning): Promise<WatchedCall | undefined> {
  try {
    const url = new URL(input instanceof Request ? input.url : input)
    const workerId = ports.workerOf(url)
    if (workerId === undefined) return undefined
    const body = await bodyOf(input, init)
    if (body === undefined) {
      ports.unread(workerId)
      return undefined
    }
    const work = ports.currentWork()
    const header = (name: string): string | undefined => (name === correlationHeader ? (own ?? work?.correlationId) : (headers.get(name) ?? undefined))
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    const context = callContextOf({ workerId, method, path: ports.pathOf(url), query: url.search.slice(1), header }, ports.scopeOf)
    const { parentCorrelationId, lastObserved, traceparent, tracestate } = work ?? {}
    const ofWork = { parentCorrelationId, lastObserved, traceparent: context.traceparent ?? traceparent, tracestate: context.tracestate ?? tracestate }
    return watchSafely(() => ports.watch({ ...context, ...ofWork }, { bytes: body }), ports.failed)
  } catch (error) {
    ports.failed(error)
    return undefined
  }
}

const utf8 = new TextEncoder()

/** The bytes of a request; `undefined` where looking at them would take them away from the call. */
async function bodyOf(input: Input, init: RequestInit | undefined): Promise<Uint8Array | undefined> {
  const body = init?.body ?? null
  if (typeof body === 'string') return utf8.encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body !== null) return undefined
  return input instanceof Request && input.body !== null ? new Uint8Array(await input.clone().arrayBuffer()) : new Uint8Array()
}

const signalOf = (input: Input, init: RequestInit | undefined): AbortSignal | undefined => init?.signal ?? (input instanceof Request ? input.signal : undefined)

/** A caller may give up for a reason of its own making, which then is what the call fails with. */
function failureOf(error: unknown, signal: AbortSignal | undefined): CallFailure {
  const failure = callFailureOf(error)
  return failure === 'reset' && signal?.aborted === true ? 'aborted' : failure
}

function answeredBy(ports: RecordingFetchPorts, watched: WatchedCall, response: Response, signal: AbortSignal | undefined): Response {
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined
  const contentType = header('content-type')
  const instance = ports.instanceHeaders.map(header).find((value) => value !== undefined && value !== '')
  const answer: Answer = { status: response.status, contentType, instance, cacheControl: header('cache-control'), etag: header('etag') }
  if (response.body !== null && isEventStream(contentType)) {
    watched.streams(answer)
    return streamed(ports, response, response.body, watched, signal)
  }
  ports.reading(copied(ports, watched, answer, response.clone(), signal))
  return response
}

/** Reads the copy of a body; beyond the bound the caller reads on alone. */
async function copied({ budget }: RecordingFetchPorts, watched: WatchedCall, answer: Answer, copy: Response, signal: AbortSignal | undefined): Promise<void> {
  const keeper = keepBody(budget)
  try {
    const reader = copy.body?.getReader()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      if (keeper.add(next.value)) continue
      void reader?.cancel().catch(() => undefined) // settles when the caller is through as well
      break
    }
    watched.answered(answer, await keeper.finish(undefined))
  } catch (error) {
    keeper.drop()
    watched.unanswered(failureOf(error, signal))
  }
}

function streamed(ports: RecordingFetchPorts, response: Response, body: ReadableStream<Uint8Array>, watched: WatchedCall, signal: AbortSignal | undefined): Response {
  const frames = readEventFrames({ frame: watched.frame, missed: watched.frameMissed }, undefined)
  const told = safely(ports.failed, frames.add)
  const reader = body.getReader()
  const passed = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const next = await reader.read()
          if (next.done) {
            watched.streamEnded('closed')
            return controller.close()
          }
          told(next.value)
          controller.enqueue(next.value)
        } catch (error) {
          const failure = failureOf(error, signal)
          watched.streamEnded(failure === 'timeout' ? 'timeout' : failure === 'aborted' ? 'closed' : 'reset')
          controller.error(error)
        }
      },
      cancel: async (reason) => {
        watched.streamEnded('closed')
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers, url, redirected } = response
  return Object.defineProperties(new Response(passed, { status, statusText, headers }), { url: { value: url }, redirected: { value: redirected } })
}
