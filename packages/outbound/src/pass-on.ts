/**
 * One call passed on as it is: bytes in, bytes out, with back-pressure and cancellation both ways.
 *
 * Nothing is followed, decoded or bounded here but by time: whoever passes a call on answers for
 * what comes of it.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

/** Names and values in turn, as they stand on the wire. */
export type RawHeaders = readonly string[]

export interface PassedCall {
  readonly url: URL
  readonly method: string
  /** Without those of the connection (`connection`, `transfer-encoding`, …). */
  readonly headers: RawHeaders
  readonly body: Uint8Array | Readable | undefined
}

export interface AnswerHead {
  readonly status: number
  readonly statusText: string
  readonly headers: RawHeaders
  /** Address and port that answered. */
  readonly remote: string | undefined
}

/** What comes of a call, in order: a head, pieces of the body, and either an end or an error. */
export interface AnswerHandler {
  readonly head: (head: AnswerHead) => void
  readonly data: (chunk: Uint8Array) => void
  readonly end: () => void
  /** Before or after the head; nothing follows. Not after `abort`. */
  readonly failed: (error: Error) => void
}

export interface PassedCallControl {
  readonly pause: () => void
  readonly resume: () => void
  /** Ends the call; the handler hears nothing more. */
  readonly abort: () => void
}

export interface PassOnTimes {
  readonly headersTimeoutMs: number
  readonly idleTimeoutMs: number
}

/** Which call a request of the client is, from its making until its headers are sent. */
const remotes = new WeakMap<object, { address: string | undefined }>()
let beingMade: { address: string | undefined } | undefined

subscribe('undici:request:create', (message) => {
  if (beingMade !== undefined) remotes.set((message as { request: object }).request, beingMade)
})
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: Socket }
  const remote = remotes.get(request)
  if (remote !== undefined && socket.remoteAddress !== undefined) {
    remote.address = `${socket.remoteAddress.includes(':') ? `[${socket.remoteAddress}]` : socket.remoteAddress}:${socket.remotePort}`
  }
})

export function passOn(dispatcher: Dispatcher, call: PassedCall, times: PassOnTimes, handler: AnswerHandler): PassedCallControl {
  const remote: { address: string | undefined } = { address: undefined }
  let controller: Dispatcher.DispatchController | undefined
  let isOver = false

  beingMade = remote
  dispatcher.dispatch(
    {
      origin: call.url.origin,
      path: `${call.url.pathname}${call.url.search}`,
      method: call.method,
      headers: [...call.headers],
      body: call.body ?? null,
      headersTimeout: times.headersTimeoutMs,
      bodyTimeout: times.idleTimeoutMs,
    },
    {
      onRequestStart: (started) => {
        controller = started
        if (isOver) started.abort(aborted())
      },
      onResponseStart: (_controller, status, _headers, statusText = '') => {
        if (isOver || status < 200) return // what is only said on the way stays on this leg of it
        handler.head({ status, statusText, headers: rawHeadersOf(controller?.rawHeaders), remote: remote.address })
      },
      onResponseData: (_controller, chunk) => {
        if (!isOver) handler.data(chunk)
      },
      onResponseEnd: () => {
        if (isOver) return
        isOver = true
        handler.end()
      },
      onResponseError: (_controller, error) => {
        if (isOver) return
        isOver = true
        handler.failed(error)
      },
    },
  )
  beingMade = undefined
  return {
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    abort: () => {
      if (isOver) return
      isOver = true
      controller?.abort(aborted())
    },
  }
}

const aborted = (): Error => new DOMException('The caller went away.', 'AbortError')

function rawHeadersOf(raw: Dispatcher.DispatchController['rawHeaders']): RawHeaders {
  return Array.isArray(raw) ? raw.map((each) => (typeof each === 'string' ? each : each.toString('latin1'))) : []
}
