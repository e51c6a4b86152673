/**
 * The calls of a probe, as A2A v1.0 and v0.3 write them over JSON-RPC and HTTP+JSON.
 *
 * Written down here and not made by an SDK's client: a probe judges what is on the wire, and clients
 * hide it – they retry, they follow other versions, and make errors of their own of what they get.
 */
import type { ProbeTarget, TaskState } from '@a2a-ledger/domain'

export type Operation = 'SendMessage' | 'SendStreamingMessage' | 'GetTask' | 'ListTasks' | 'SubscribeToTask' | 'CancelTask'

/** A message, in no version yet. */
export interface Sent {
  readonly messageId: string
  readonly text: string
  readonly contextId: string
  readonly taskId?: string
  readonly metadata: object
  readonly acceptedModes: readonly string[]
  readonly push?: { readonly url: string; readonly token: string }
}

export interface Call {
  readonly operation: Operation
  readonly target: ProbeTarget
  readonly url: string
  readonly init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string }
  readonly request?: string
  readonly messageId?: string
  readonly taskId?: string
}

const methods: Readonly<Record<Exclude<Operation, 'ListTasks'>, Readonly<Record<ProbeTarget['protocolVersion'], string>>>> = {
  SendMessage: { '1.0': 'SendMessage', '0.3': 'message/send' },
  SendStreamingMessage: { '1.0': 'SendStreamingMessage', '0.3': 'message/stream' },
  GetTask: { '1.0': 'GetTask', '0.3': 'tasks/get' },
  SubscribeToTask: { '1.0': 'SubscribeToTask', '0.3': 'tasks/resubscribe' },
  CancelTask: { '1.0': 'CancelTask', '0.3': 'tasks/cancel' },
}

/** A message that is sent. */
export const sendCall = (target: ProbeTarget, operation: 'SendMessage' | 'SendStreamingMessage', sent: Sent): Call => {
  const request = requestOf(target, sent)
  const about = { messageId: sent.messageId, ...(sent.taskId !== undefined && { taskId: sent.taskId }) }
  if (target.binding === 'JSONRPC') return { ...jsonRpcCall(target, operation, request), request: JSON.stringify(request), ...about }
  const body = JSON.stringify(request)
  const path = operation === 'SendMessage' ? 'message:send' : 'message:stream'
  return { operation, target, url: restUrl(target, path), init: { method: 'POST', headers: headersOf(target), body }, request: body, ...about }
}

/** A call about a task. */
export const taskCall = (target: ProbeTarget, operation: 'GetTask' | 'SubscribeToTask' | 'CancelTask', taskId: string): Call => {
  if (target.binding === 'JSONRPC') return { ...jsonRpcCall(target, operation, { ...tenantOf(target), id: taskId }), taskId }
  const path = `tasks/${encodeURIComponent(taskId)}${{ GetTask: '', SubscribeToTask: ':subscribe', CancelTask: ':cancel' }[operation]}`
  const init = operation === 'GetTask' ? { method: 'GET', headers: headersOf(target) } : { method: 'POST', headers: headersOf(target), body: '{}' }
  return { operation, target, url: restUrl(target, path), init, taskId }
}

/** Which tasks a list shows, and what of each (v1.0 §3.1.4); what is left out is as the worker does it. */
export interface Listing {
  /** RFC 3339. */
  readonly changedSince?: string
  readonly state?: TaskState
  /** Messages of each task. */
  readonly historyLength: number
  /** From 1 to 100. */
  readonly pageSize: number
  /** Of the page before. */
  readonly pageToken?: string
  readonly hasArtifacts: boolean
}

/** A call for one page of a list, the newest changes first; v0.3 has none. */
export const listCall = (target: ProbeTarget, { changedSince, state, historyLength, pageSize, pageToken, hasArtifacts }: Listing): Call => {
  const params = {
    ...(state !== undefined && { status: `TASK_STATE_${state.replaceAll('-', '_').toUpperCase()}` }),
    ...(changedSince !== undefined && { statusTimestampAfter: changedSince }),
    historyLength,
    pageSize,
    ...(pageToken !== undefined && { pageToken }),
    // Left out it is false; in a query the word `false` is true to some.
    ...(hasArtifacts && { includeArtifacts: true }),
  }
  if (target.binding === 'JSONRPC') return jsonRpcRequest(target, 'ListTasks', 'ListTasks', { ...tenantOf(target), ...params })
  const query = new URLSearchParams(Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]))
  return { operation: 'ListTasks', target, url: `${restUrl(target, 'tasks')}?${query.toString()}`, init: { method: 'GET', headers: headersOf(target) } }
}

const headersOf = ({ protocolVersion }: ProbeTarget): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'a2a-version': protocolVersion,
})

/** v1.0 over JSON-RPC names the tenant in the parameters; over HTTP+JSON it stands in the path. */
const tenantOf = ({ protocolVersion, tenant }: ProbeTarget): object =>
  protocolVersion === '1.0' && tenant !== undefined ? { tenant } : {}

const jsonRpcCall = (target: ProbeTarget, operation: keyof typeof methods, params: object): Call =>
  jsonRpcRequest(target, operation, methods[operation][target.protocolVersion], params)

const jsonRpcRequest = (target: ProbeTarget, operation: Operation, method: string, params: object): Call => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return { operation, target, url: target.url, init: { method: 'POST', headers: headersOf(target), body } }
}

const restUrl = ({ url, protocolVersion, tenant }: ProbeTarget, path: string): string => {
  const base = new URL(url)
  const prefix = protocolVersion === '0.3' ? 'v1/' : tenant === undefined ? '' : `${encodeURIComponent(tenant)}/`
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/${prefix}${path}`
  return base.href
}

/** v0.3 over HTTP+JSON has the names of its protobuf: `content` for `parts`, `ROLE_USER` for `user`. */
const requestOf = (target: ProbeTarget, sent: Sent): object => {
  const { messageId, text, contextId, taskId, metadata, acceptedModes, push } = sent
  const ids = { messageId, contextId, ...(taskId !== undefined && { taskId }) }
  const acceptedOutputModes = acceptedModes.length === 0 ? undefined : acceptedModes
  if (target.protocolVersion === '1.0') {
    const configuration = { acceptedOutputModes, returnImmediately: true, taskPushNotificationConfig: push }
    return { ...tenantOf(target), message: { ...ids, role: 'ROLE_USER', parts: [{ text }], metadata }, configuration }
  }
  const configuration = { acceptedOutputModes, blocking: false }
  return target.binding === 'HTTP+JSON'
    ? { message: { ...ids, role: 'ROLE_USER', content: [{ text }], metadata }, configuration: { ...configuration, pushNotification: push } }
    : {
        message: { ...ids, kind: 'message', role: 'user', parts: [{ kind: 'text', text }], metadata },
        configuration: { ...configuration, pushNotificationConfig: push },
      }
}
