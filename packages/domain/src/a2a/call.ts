/**
 * What an A2A call asks for, told from the request alone: by its JSON-RPC method, or by the method
 * and the end of the path of HTTP+JSON (v1.0 §11.3, v0.3 §3.5.3, older paths alike).
 *
 * The interface may be mounted anywhere, so paths are told by how they end; what stands before is
 * given back as `prefix`, since v1.0 puts the tenant there.
 */
import { scanJson, type JsonValue } from '../json/document.ts'
import { defined } from './defined.ts'
import { isSend, operationOf } from './operation.ts'
import { readPayload } from './read.ts'
import { isUsableId } from './reader.ts'

export interface CallRequest {
  readonly method: string
  /** As on the wire, percent-encoded, without query. */
  readonly path: string
  /** Empty where there is none, or where it is not kept. */
  readonly body: string
}

/** One message that is sent: the request as it stood in the body, and the id that the client gave it. */
export interface SentMessage {
  readonly text: string
  readonly operation: string
  readonly messageId?: string
  readonly taskId?: string
}

export interface CallReading {
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
  /** The v1.0 name; a method that A2A does not have keeps its own. Absent for a JSON-RPC batch. */
  readonly operation?: string
  /** The task the call names. */
  readonly taskId?: string
  /** The tenant that a JSON-RPC call names (v1.0). */
  readonly tenant?: string
  /** HTTP+JSON: the path before the operation's own, without slashes at its ends. */
  readonly prefix?: string
  /** One for a call that sends, as many as there are in a JSON-RPC batch, none for any other call. */
  readonly sends: readonly SentMessage[]
}

/**
 * What a request asks for; `undefined` where it is no A2A call.
 *
 * Total: never throws, linear in the body.
 */
export const readCall = (request: CallRequest): CallReading | undefined => {
  const root = request.method === 'POST' && request.body !== '' ? rootOf(request.body) : undefined
  return (root === undefined ? undefined : readJsonRpc(root, request.body)) ?? readHttp(request)
}

const rootOf = (body: string): JsonValue | undefined => {
  const scan = scanJson(body)
  return scan.outcome === 'ok' ? scan.document.root : undefined
}

const isJsonRpc = (value: JsonValue): boolean =>
  value.kind === 'object' && value.get('jsonrpc') !== undefined && value.get('method')?.string !== undefined

const readJsonRpc = (root: JsonValue, body: string): CallReading | undefined => {
  if (root.kind === 'array') {
    const calls = [...root.items()].filter(isJsonRpc)
    if (calls.length === 0) return undefined
    const sends = calls.flatMap((call) => sendsOf(operationOfCall(call), call.raw))
    return { binding: 'JSONRPC', sends }
  }
  if (!isJsonRpc(root)) return undefined
  const operation = operationOfCall(root)
  const params = root.get('params')
  const sends = sendsOf(operation, body)
  return {
    binding: 'JSONRPC',
    operation,
    ...defined({
      taskId: isSend(operation) ? sends[0]?.taskId : taskIdOf(params),
      tenant: usable(params?.get('tenant')?.string),
    }),
    sends,
  }
}

const operationOfCall = (call: JsonValue): string => operationOf(call.get('method')?.string?.slice(0, 200) ?? '')

/** `taskId` where the call is about something else than the task (a push configuration), else `id`. */
const taskIdOf = (params: JsonValue | undefined): string | undefined => {
  const named = params?.get('taskId') ?? params?.get('task_id') ?? params?.get('id')
  if (named?.kind === 'number') return usable(named.raw)
  return usable(named?.string ?? /^tasks\/([^/]+)/.exec(params?.get('name')?.string ?? '')?.[1])
}

const usable = (id: string | undefined): string | undefined => (id !== undefined && isUsableId(id) ? id : undefined)

const sendsOf = (operation: string, text: string): readonly SentMessage[] => {
  if (!isSend(operation)) return []
  const read = readPayload({ type: 'a2a.dispatch' }, text)
  const message = read.outcome === 'read' && read.reading.kind === 'dispatch' ? read.reading.message : undefined
  return [{ text, operation, ...defined({ messageId: message?.messageId, taskId: message?.taskId }) }]
}

type Route = readonly [methods: readonly string[], end: RegExp, operation: string]

const id = '(?<id>[^/:]+)'
const configs = '(?:pushNotificationConfigs?|pushNotifications?)'

/** The ends of paths; a v0.3 interface has `v1/` before them, which tells nothing. */
const routes: readonly Route[] = [
  [['POST'], /message:send$/, 'SendMessage'],
  [['POST'], /message:stream$/, 'SendStreamingMessage'],
  [['POST'], new RegExp(`tasks/${id}:cancel$`), 'CancelTask'],
  [['GET', 'POST'], new RegExp(`tasks/${id}:(?:re)?subscribe$`), 'SubscribeToTask'],
  [['POST'], new RegExp(`tasks/${id}/${configs}$`), 'CreateTaskPushNotificationConfig'],
  [['GET'], new RegExp(`tasks/${id}/${configs}$`), 'ListTaskPushNotificationConfigs'],
  [['GET'], new RegExp(`tasks/${id}/${configs}/[^/]+$`), 'GetTaskPushNotificationConfig'],
  [['DELETE'], new RegExp(`tasks/${id}/${configs}/[^/]+$`), 'DeleteTaskPushNotificationConfig'],
  [['GET'], new RegExp(`tasks/${id}$`), 'GetTask'],
  [['GET'], /tasks$/, 'ListTasks'],
  [['GET'], /(?:extendedAgentCard|v1\/card)$/, 'GetExtendedAgentCard'],
  [['GET'], /[.]well-known\/agent(?:-card)?[.]json$/, 'GetAgentCard'],
]

const readHttp = ({ method, path, body }: CallRequest): CallReading | undefined => {
  // Some clients encode the colon; it is the same path.
  const plain = path.replaceAll(/%3a/gi, ':').replace(/\/$/, '')
  for (const [methods, end, operation] of routes) {
    const match = methods.includes(method) ? end.exec(plain) : null
    const before = match === null ? undefined : plain.slice(0, match.index)
    if (match === null || before === undefined || !/(?:^|\/)$/.test(before)) continue
    const sends = sendsOf(operation, body)
    const named = match.groups?.['id']
    const prefix = before.replaceAll(/^\/+|\/+$/g, '').replace(/(?:^|\/)v1$/, '')
    return {
      binding: 'HTTP+JSON',
      operation,
      ...defined({
        taskId: isSend(operation) ? sends[0]?.taskId : usable(named === undefined ? undefined : decoded(named)),
        prefix: prefix === '' ? undefined : prefix,
      }),
      sends,
    }
  }
  return undefined
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
