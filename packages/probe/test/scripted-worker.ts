/**
 * An A2A v1.0 worker that does what a test says, honest or not, over JSON-RPC and HTTP+JSON: real agents
 * are too well-behaved. Every message that asks for a task counts, whatever came of its answer.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Script {
  /** The same messageId is the same task. */
  readonly isIdempotent?: boolean
  /** Tasks outlive `restart`. */
  readonly isDurable?: boolean
  /** Says that it is working on tasks it was never given. */
  readonly inventsTasks?: boolean
  readonly asks?: boolean
  /** Never comes to rest. */
  readonly isStuck?: boolean
  /** Answers with a message and no task. */
  readonly answersWithMessage?: boolean
  /** Says that a task waits only over the connection over which it said so first. */
  readonly forgetsState?: boolean
  readonly emits?: string
  readonly outputModes?: readonly string[]
  readonly reachableStates?: readonly string[]
  readonly canary?: { readonly message?: string; readonly outputModes?: readonly string[] }
  /** Ended tasks are forgotten after this. */
  readonly retentionMs?: number
  /** By whose clock; absent: this machine's. */
  readonly nowMs?: () => number
  readonly dropsPushes?: boolean
  /** Takes the first message, and never answers it. */
  readonly hangs?: boolean
  /** Only these; default both. */
  readonly bindings?: readonly ('JSONRPC' | 'HTTP+JSON')[]
  /** With this HTTP status every question for a task is turned away. */
  readonly turnsAwayWith?: number
  /** The same over HTTP+JSON alone. */
  readonly turnsAwayOverRestWith?: number
  /** Over HTTP+JSON every task is unknown. */
  readonly hidesOverRest?: boolean
}

interface Task {
  readonly id: string
  readonly contextId: string
  state: string
  endedAtMs?: number
  /** Where it goes when it is asked for the second time: no clock decides what a probe sees. */
  next?: { readonly state: string; askedCount: number }
  push?: { readonly url: string; readonly token?: string }
}

interface Message {
  readonly messageId: string
  readonly contextId?: string
  readonly taskId?: string
  readonly parts: readonly { readonly text?: string }[]
  readonly metadata?: object
}

export interface ScriptedWorker {
  readonly url: string
  /** Messages that asked for a task, by messageId, in order; each delivery counts. */
  readonly sent: readonly Message[]
  /** Tasks that were ever made. */
  readonly made: readonly string[]
  /** Headers of the last call, and of the last one of the card. */
  readonly headers: () => IncomingMessage['headers']
  /** Forgets what a restart would make it forget. */
  readonly restart: () => void
  readonly canceled: readonly string[]
  readonly close: () => Promise<void>
}

const notFound = { code: -32001, message: 'Task not found', data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }] }

export async function startScriptedWorker(script: Script): Promise<ScriptedWorker> {
  const tasks = new Map<string, Task>()
  const byMessage = new Map<string, string>()
  const sent: Message[] = []
  const made: string[] = []
  const canceled: string[] = []
  let headers: IncomingMessage['headers'] = {}
  const toldTo = new Map<string, object>()

  const { nowMs = Date.now } = script

  const server = createServer((request, response) => {
    headers = request.headers
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => route(request, response, Buffer.concat(chunks).toString('utf8')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const shown = (task: Task) => ({
    id: task.id,
    contextId: task.contextId,
    status: { state: `TASK_STATE_${task.state.toUpperCase().replaceAll('-', '_')}` },
    ...(task.state === 'completed' && { artifacts: [{ artifactId: 'a', parts: [{ text: 'done', mediaType: script.emits ?? 'text/plain' }] }] }),
  })
  const push = (task: Task): void => {
    if (task.push === undefined || script.dropsPushes === true) return
    const { url: to, token = '' } = task.push
    void fetch(to, { method: 'POST', headers: { 'content-type': 'application/json', 'x-a2a-notification-token': token }, body: JSON.stringify({ task: shown(task) }) })
  }
  const go = (task: Task, state: string): void => {
    task.state = state
    delete task.next
    if (state === 'completed') task.endedAtMs = nowMs()
    push(task)
  }
  const find = (id: string): Task | undefined => {
    const task = tasks.get(id)
    const isOver = task?.endedAtMs !== undefined && nowMs() - task.endedAtMs > (script.retentionMs ?? Infinity)
    return isOver ? undefined : task
  }

  const accept = (params: { readonly message: Message; readonly configuration?: { readonly taskPushNotificationConfig?: Task['push'] } }): object => {
    const { message } = params
    sent.push(message)
    if (script.answersWithMessage === true) return { message: { messageId: 'r', role: 'ROLE_AGENT', parts: [{ text: 'hello', mediaType: 'text/plain' }] } }
    const known = tasks.get(message.taskId ?? (script.isIdempotent === true ? (byMessage.get(message.messageId) ?? '') : ''))
    if (known !== undefined) {
      if (message.taskId !== undefined) {
        known.state = 'working'
        known.next = { state: 'completed', askedCount: 0 }
      }
      return { task: shown(known) }
    }
    const id = `task-${made.length + 1}`
    const config = params.configuration?.taskPushNotificationConfig
    const task: Task = { id, contextId: message.contextId ?? 'c', state: 'working', ...(config !== undefined && { push: config }) }
    made.push(id)
    tasks.set(id, task)
    byMessage.set(message.messageId, id)
    if (script.isStuck !== true) task.next = { state: script.asks === false ? 'completed' : 'input-required', askedCount: 0 }
    return { task: shown(task) }
  }

  const get = (request: IncomingMessage, id: string, isRest: boolean): Task | undefined => {
    if (script.inventsTasks === true && find(id) === undefined) return { id, contextId: 'c', state: 'working' }
    if (isRest && script.hidesOverRest === true) return undefined
    const task = find(id)
    if (task?.next !== undefined) {
      task.next.askedCount += 1
      if (task.next.askedCount === 2) go(task, task.next.state)
    }
    if (task?.state !== 'input-required' || script.forgetsState !== true) return task
    const first = toldTo.get(id) ?? request.socket
    toldTo.set(id, first)
    return first === request.socket ? task : { ...task, state: 'working' }
  }

  const stream = (response: ServerResponse, task: Task): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: shown(task) } })}\n\n`)
  }

  const route = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const path = request.url ?? ''
    if (path.endsWith('/agent-card.json')) return json(response, 200, cardOf(url, script))
    if (path.startsWith('/rest/tasks/')) {
      if (script.turnsAwayOverRestWith !== undefined) return json(response, script.turnsAwayOverRestWith, {})
      const task = get(request, decodeURIComponent(path.slice('/rest/tasks/'.length)), true)
      return task === undefined ? json(response, 404, { error: { code: 404, status: 'NOT_FOUND', details: notFound.data } }) : json(response, 200, shown(task))
    }
    if (path !== '/') return json(response, 404, {})
    const { method, params } = JSON.parse(body) as { method: string; params: { id: string } & Parameters<typeof accept>[0] }
    const answer = (result: object | undefined): void =>
      json(response, 200, { jsonrpc: '2.0', id: 1, ...(result === undefined ? { error: notFound } : { result }) })
    if (method === 'GetTask' && script.turnsAwayWith !== undefined) return json(response, script.turnsAwayWith, {})
    switch (method) {
      case 'SendMessage': {
        const accepted = accept(params)
        return script.hangs === true ? undefined : answer(accepted)
      }
      case 'GetTask': {
        const task = get(request, params.id, false)
        return answer(task === undefined ? undefined : shown(task))
      }
      case 'SubscribeToTask': {
        const task = find(params.id)
        return task === undefined ? answer(undefined) : stream(response, task)
      }
      case 'CancelTask': {
        const task = find(params.id)
        if (task?.state === 'completed') return json(response, 200, { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'Task cannot be canceled' } })
        if (task !== undefined) {
          canceled.push(task.id)
          task.state = 'canceled'
        }
        return answer(task === undefined ? undefined : shown(task))
      }
      default:
        return json(response, 200, { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no' } })
    }
  }

  return {
    url,
    sent,
    made,
    canceled,
    headers: () => headers,
    restart: () => {
      server.closeAllConnections()
      if (script.isDurable !== true) tasks.clear()
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const cardOf = (url: string, { bindings = ['JSONRPC', 'HTTP+JSON'], outputModes = ['text/plain'], reachableStates, canary }: Script): object => ({
  name: 'scripted',
  description: 'Does what a test says.',
  version: '1',
  supportedInterfaces: bindings.map((protocolBinding) => ({ url: protocolBinding === 'JSONRPC' ? `${url}/` : `${url}/rest`, protocolBinding, protocolVersion: '1.0' })),
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extensions: [{ uri: 'urn:a2a-ledger:task-continuity:v1', params: { ...(reachableStates !== undefined && { reachableStates }), ...(canary !== undefined && { canary }) } }],
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: outputModes,
  skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
})
