/** Events of scenarios in few words: A2A v1.0 over JSON-RPC, seen by the orchestrator, unless said otherwise. */
import type { Observed } from './scenario.ts'

type Rest = Partial<Omit<Observed, 'type' | 'data'>>

export interface TaskTold {
  readonly id?: string
  readonly context?: string
  readonly state: string
  readonly text?: string
  readonly artifacts?: readonly object[]
  readonly stamped?: string
  /** The client message that it answers. */
  readonly answers?: string
}

const wireState = (state: string): string => `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`

const statusOf = ({ state, text, stamped }: TaskTold) => ({
  state: wireState(state),
  ...(text !== undefined && { message: { role: 'ROLE_AGENT', messageId: `says-${text.length}`, parts: [{ text }] } }),
  ...(stamped !== undefined && { timestamp: stamped }),
})

const taskOf = (told: TaskTold) => ({
  id: told.id ?? 't-1',
  contextId: told.context ?? 'c-1',
  status: statusOf(told),
  ...(told.artifacts !== undefined && { artifacts: told.artifacts }),
  ...(told.answers !== undefined && { history: [{ role: 'ROLE_USER', messageId: told.answers, parts: [{ text: 'a' }] }] }),
})

const rpc = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result })

/** A message sent: into a context, to a task, with other words. */
export const sent = (
  workerid: string,
  correlationid: string,
  messageId: string,
  to: { readonly task?: string; readonly context?: string; readonly refersTo?: readonly string[]; readonly accepts?: readonly string[] } = {},
  rest: Rest = {},
): Observed => ({
  type: 'a2a.dispatch',
  operation: 'SendMessage',
  workerid,
  correlationid,
  ...rest,
  data: {
    message: {
      role: 'ROLE_USER',
      messageId,
      parts: [{ text: messageId }],
      ...(to.task !== undefined && { taskId: to.task }),
      ...(to.context !== undefined && { contextId: to.context }),
      ...(to.refersTo !== undefined && { referenceTaskIds: to.refersTo }),
    },
    ...(to.accepts !== undefined && { configuration: { acceptedOutputModes: to.accepts } }),
  },
})

/** The answer to a send: a task. */
export const answered = (workerid: string, correlationid: string, told: TaskTold, rest: Rest = {}): Observed => ({
  type: 'a2a.response',
  operation: 'SendMessage',
  workerid,
  correlationid,
  ...rest,
  data: rpc({ task: taskOf(told) }),
})

/** The answer to GetTask. */
export const found = (workerid: string, told: TaskTold, rest: Rest = {}): Observed => ({
  type: 'a2a.response',
  operation: 'GetTask',
  workerid,
  taskid: told.id ?? 't-1',
  ...rest,
  data: rpc(taskOf(told)),
})

/** TaskNotFound to GetTask. */
export const missed = (workerid: string, taskid = 't-1', rest: Rest = {}): Observed =>
  refused(workerid, 'GetTask', -32001, 'Task not found', { taskid, ...rest })

/** An error answer. */
export const refused = (workerid: string, operation: string, code: number, message: string, rest: Rest = {}): Observed => ({
  type: 'a2a.response',
  operation,
  workerid,
  ...rest,
  data: { jsonrpc: '2.0', id: 1, error: { code, message } },
})

/** A body over HTTP+JSON, with its status. */
export const over = (workerid: string, operation: string, httpstatus: number, data: unknown, rest: Rest = {}): Observed => ({
  type: 'a2a.response',
  operation,
  workerid,
  binding: 'HTTP+JSON',
  httpstatus: String(httpstatus),
  ...rest,
  data,
})

/** A status update pushed to the webhook. */
export const pushed = (workerid: string, told: TaskTold, rest: Rest = {}): Observed => ({
  type: 'a2a.stream-response',
  operation: 'Push',
  witness: 'webhook',
  workerid,
  ...rest,
  data: { statusUpdate: { taskId: told.id ?? 't-1', contextId: told.context ?? 'c-1', status: statusOf(told) } },
})

export const restarted = (workerid: string, rest: Rest = {}): Observed => ({
  type: 'a2a.worker-restarted',
  witness: 'platform',
  workerid,
  ...rest,
  data: {},
})

export const unanswered = (workerid: string, operation: string, reason: string, rest: Rest = {}): Observed => ({
  type: 'a2a.no-answer',
  operation,
  workerid,
  ...rest,
  data: { reason },
})

/** A complete v1.0 card with one skill. */
export const card = (workerid: string, outputModes: readonly string[], rest: Rest & { readonly params?: object } = {}): Observed => {
  const { params, ...attributes } = rest
  return {
    type: 'a2a.agent-card',
    operation: 'GetAgentCard',
    workerid,
    ...attributes,
    data: {
      name: workerid,
      description: 'd',
      version: '1',
      supportedInterfaces: [{ url: 'https://agent.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: params === undefined ? {} : { extensions: [{ uri: 'urn:a2a-ledger:task-continuity:v1', params }] },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: outputModes,
      skills: [{ id: 's', name: 's', description: 'd', tags: ['t'] }],
    },
  }
}
