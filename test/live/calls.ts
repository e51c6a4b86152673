/** The A2A calls of both versions over both bindings, written down by hand: what is wanted is what the wire says, not what a client makes of it. */
import type { WorkerSpec } from '../workers/worker-spec.ts'

export type Protocol = NonNullable<WorkerSpec['protocol']>
export type Binding = 'JSONRPC' | 'HTTP+JSON'
export type Operation = 'SendMessage' | 'GetTask' | 'SubscribeToTask' | 'CancelTask'

/** A message of the orchestrator, in no version yet. */
export interface Sent {
  readonly messageId: string
  readonly text: string
  readonly taskId?: string
  readonly contextId?: string
  /** Whether the answer is wanted at once, whatever the state. */
  readonly isImmediate?: boolean
}

export interface Answer {
  readonly status: number
  /** Without parameters. */
  readonly contentType: string
  /** What came of it. */
  readonly body: string
  /** The worker closed the connection before the body was whole. */
  readonly isCut: boolean
}

/** A call that is to be made; `request` is the SendMessageRequest of a send, as it is on the wire. */
export interface Call {
  readonly operation: Operation
  readonly url: string
  readonly init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string }
  readonly request?: string
}

/** A stream that goes on without an end is left after this time; none of these workers has one. */
const patienceMs = 60_000

const methods: Readonly<Record<Operation, Readonly<Record<Protocol, string>>>> = {
  SendMessage: { '1.0': 'SendMessage', '0.3': 'message/send' },
  GetTask: { '1.0': 'GetTask', '0.3': 'tasks/get' },
  SubscribeToTask: { '1.0': 'SubscribeToTask', '0.3': 'tasks/resubscribe' },
  CancelTask: { '1.0': 'CancelTask', '0.3': 'tasks/cancel' },
}

export const callOf = (
  { url, protocol, binding }: { readonly url: string; readonly protocol: Protocol; readonly binding: Binding },
  operation: Operation,
  about: Sent | { readonly taskId: string },
): Call => {
  // No connection outlives its call: the worker behind it is killed.
  const headers = { 'content-type': 'application/json', 'a2a-version': protocol, connection: 'close' }
  const request = 'text' in about ? requestOf(protocol, binding, about) : undefined
  const taskId = about.taskId ?? ''
  if (binding === 'JSONRPC') {
    const params = request ?? { id: taskId }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: methods[operation][protocol], params })
    return { operation, url: `${url}/`, init: { method: 'POST', headers, body }, ...(request !== undefined && { request: JSON.stringify(request) }) }
  }
  const prefix = `${url}/rest${protocol === '0.3' ? '/v1' : ''}`
  if (request !== undefined) {
    const body = JSON.stringify(request)
    return { operation, url: `${prefix}/message:send`, init: { method: 'POST', headers, body }, request: body }
  }
  const verb = { SendMessage: '', GetTask: '', SubscribeToTask: ':subscribe', CancelTask: ':cancel' }[operation]
  const method = operation === 'GetTask' ? 'GET' : 'POST'
  return { operation, url: `${prefix}/tasks/${taskId}${verb}`, init: { method, headers } }
}

/** Version 0.3 over HTTP+JSON has the names of its protobuf: `content` for `parts`, `ROLE_USER` for `user`. */
const requestOf = (protocol: Protocol, binding: Binding, sent: Sent): object => {
  const { messageId, text, taskId, contextId, isImmediate = false } = sent
  const ids = { messageId, ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) }
  const acceptedOutputModes = ['application/json']
  if (protocol === '1.0') {
    const configuration = { acceptedOutputModes, returnImmediately: isImmediate }
    return { message: { ...ids, role: 'ROLE_USER', parts: [{ text }] }, configuration }
  }
  const configuration = { acceptedOutputModes, blocking: !isImmediate }
  return binding === 'HTTP+JSON'
    ? { message: { ...ids, role: 'ROLE_USER', content: [{ text }] }, configuration }
    : { message: { ...ids, kind: 'message', role: 'user', parts: [{ kind: 'text', text }] }, configuration }
}

export const make = async ({ url, init }: Call): Promise<Answer> => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) })
  const contentType = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  const decoder = new TextDecoder()
  let body = ''
  try {
    for await (const chunk of response.body ?? []) body += decoder.decode(chunk, { stream: true })
    return { status: response.status, contentType, body, isCut: false }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error // of fetch: the connection broke
    return { status: response.status, contentType, body, isCut: true }
  }
}

/** The events of an event stream; `undefined` for any other answer. */
export const framesOf = ({ contentType, body }: Answer): readonly string[] | undefined =>
  contentType === 'text/event-stream'
    ? body
        .split(/\r?\n\r?\n/u)
        .map((block) =>
          block
            .split(/\r?\n/u)
            .filter((line) => line.startsWith('data:'))
            .map((line) => line.slice('data:'.length).trimStart())
            .join('\n'),
        )
        .filter((data) => data !== '')
    : undefined
