/**
 * A `fetch` for addresses that others named.
 *
 * Redirects are followed here and not by the client underneath, so that each one is judged: where
 * it leads, and what would go along. Only headers that say nothing about the caller leave an
 * origin; a message goes to no other origin than the one it was sent to.
 */
import { type Dispatcher, fetch as undiciFetch, Headers, type RequestInit, Response } from 'undici'
import { boundBody } from './bounded-body.ts'
import { OutboundError, outboundErrorIn } from './outbound-error.ts'
import type { OutboundLimits } from './outbound-limits.ts'

export interface FetchOptions {
  readonly dispatcher: Dispatcher
  readonly limits: OutboundLimits
  /** Throws when a URL must not be called, as far as it can be told without a connection. */
  readonly check: (url: URL) => void
}

/** What may go to another origin than the one it was meant for. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  'a2a-extensions', 'a2a-version', 'accept', 'accept-language', 'cache-control', 'content-type', 'if-modified-since',
  'if-none-match', 'traceparent', 'tracestate', 'user-agent', 'x-a2a-extensions',
])
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

interface Call {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Body
}

type Body = Uint8Array | ReadableStream | null

export function createOutboundFetch({ dispatcher, limits, check }: FetchOptions): typeof globalThis.fetch {
  const send = async (call: Call, signal: AbortSignal): Promise<Response> => {
    check(call.url)
    const { url, ...init } = call
    return undiciFetch(url, { ...init, signal, redirect: 'manual', dispatcher, ...(isStream(init.body) && { duplex: 'half' as const }) })
  }

  const follow = async (first: Call, mode: RequestInit['redirect'], signal: AbortSignal): Promise<{ call: Call; response: Response }> => {
    let call = first
    for (let count = 0; ; count += 1) {
      const response = await send(call, signal)
      const location = response.headers.get('location')
      if (mode === 'manual' || !redirectStatuses.has(response.status) || location === null) return { call, response }
      await response.body?.cancel()
      if (mode === 'error') throw new OutboundError('redirect_refused', `${call.url.origin} redirects, and the caller does not want that.`)
      if (count === limits.redirectsMax) throw new OutboundError('redirects_exceeded', `More than ${limits.redirectsMax} redirects.`)
      call = redirected(call, response.status, location)
    }
  }

  return async (input, init) => {
    const { call, redirect, signal } = await callOf(input, init)
    const deadline = startDeadline(limits.totalTimeoutMs)
    const either = AbortSignal.any([signal, deadline.signal])
    try {
      const { call: last, response } = await follow(call, redirect, either)
      return bounded(response, last.url, limits, deadline, either) as unknown as globalThis.Response
    } catch (error) {
      deadline.end()
      throw outboundErrorIn(error) ?? error
    }
  }
}

/** One call in the form in which it can be made again: its body as bytes, unless it is a stream. */
async function callOf(input: string | URL | globalThis.Request, init: globalThis.RequestInit = {}) {
  const url = new URL(input instanceof Request ? input.url : input)
  const stream = isStream(init.body) ? init.body : undefined
  const settings = stream === undefined ? init : { ...init, body: null }
  // The platform's own reading of what a caller may give; it takes no URL with a user in it, which is ours to refuse.
  const request = new Request(input instanceof Request ? input : bare(url), settings)
  const body: Body = stream ?? (request.body === null ? null : new Uint8Array(await request.arrayBuffer()))
  return {
    call: { url, method: request.method, headers: new Headers([...request.headers]), body },
    redirect: request.redirect,
    // That of the request above is heard no more once the request is collected.
    signal: init.signal ?? (input instanceof Request ? input.signal : new AbortController().signal),
  }
}

function bare(url: URL): URL {
  const copy = new URL(url)
  copy.username = ''
  copy.password = ''
  return copy
}

const isStream = (body: unknown): body is ReadableStream =>
  body instanceof ReadableStream || (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)

function redirected(call: Call, status: number, location: string): Call {
  if (!URL.canParse(location, call.url.href)) throw new OutboundError('redirect_refused', 'The redirect leads to no URL.')
  const url = new URL(location, call.url)
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  const becomesRead = status === 303 || ((status === 301 || status === 302) && call.method === 'POST')
  const method = becomesRead && call.method !== 'HEAD' ? 'GET' : call.method
  const isElsewhere = url.origin !== call.url.origin
  if (isElsewhere && call.url.protocol === 'https:' && url.protocol !== 'https:') {
    throw new OutboundError('redirect_refused', `${call.url.origin} redirects from https to ${url.protocol.slice(0, -1)}.`)
  }
  if (isElsewhere && !isRead && !becomesRead) {
    throw new OutboundError('redirect_refused', `${call.url.origin} redirects a ${call.method} to ${url.origin}; what was sent to one is not sent to another.`)
  }
  if (!becomesRead && isStream(call.body)) {
    throw new OutboundError('redirect_refused', `${call.url.origin} redirects a body that cannot be sent twice.`)
  }
  const headers = new Headers([...call.headers].filter(([name]) => !isElsewhere || harmlessHeaders.has(name)))
  if (becomesRead) for (const name of [...headers.keys()]) if (name.startsWith('content-')) headers.delete(name)
  return { url, method, headers, body: becomesRead ? null : call.body }
}

interface Deadline {
  readonly signal: AbortSignal
  readonly end: () => void
}

function startDeadline(ms: number): Deadline {
  const controller = new AbortController()
  if (!Number.isFinite(ms)) return { signal: controller.signal, end: () => undefined }
  const timer = setTimeout(() => controller.abort(new OutboundError('deadline_exceeded', `No whole answer within ${ms} ms.`)), ms)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

/** The response with bounds on its body; a stream of events may go on, but not fall silent or swell. */
function bounded(response: Response, url: URL, limits: OutboundLimits, deadline: Deadline, signal: AbortSignal): Response {
  const isEventStream = /^text\/event-stream\s*(;|$)/i.test(response.headers.get('content-type') ?? '')
  if (isEventStream || response.body === null) deadline.end()
  const result =
    response.body === null
      ? response
      : new Response(boundBody(response.body as ReadableStream<Uint8Array>, { bytesMax: limits.bodyBytesMax, isEventStream, signal, ended: deadline.end }), response)
  Object.defineProperty(result, 'url', { value: url.href })
  return result
}
