/**
 * The part both orchestrators do alike, on the real SDK client: the same request, the same
 * polling. Where they differ is what they make of the answers.
 */
import { setTimeout as delay } from 'node:timers/promises'

import { SendMessageRequest, type Task, TaskState, taskStateToJSON } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'

/** The piece of work the client ordered, as both orchestrators are told it. */
export type WorkOrder = {
  readonly messageId: string
  readonly text: string
  /** Message metadata under the task-continuity extension; the naive orchestrator has none. */
  readonly metadata?: Record<string, unknown>
}

const acceptedOutputModes = ['application/json']

/** A client of the agent at `url`, over the binding its card prefers. */
export function connect(url: string, fetchImpl: typeof fetch = fetch): Promise<Client> {
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  })
  return factory.createFromUrl(url)
}

/**
 * Sends the order, or an answer into a task that waits for one, and returns the task as first
 * seen. `returnImmediately`, because an orchestrator that waits in the call would have no task id
 * to look for after it was killed.
 */
export async function send(
  client: Client,
  order: WorkOrder,
  into?: { taskId: string; contextId: string },
): Promise<Task> {
  const { messageId, text, metadata } = order
  const request = SendMessageRequest.fromJSON({
    message: { ...into, messageId, role: 'ROLE_USER', parts: [{ text }], metadata },
    configuration: { acceptedOutputModes, returnImmediately: true },
  })
  const result = await client.sendMessage(request)
  if (!('status' in result)) throw new Error('The agent answered with a message, not with a task.')
  return result
}

/** Asks until the task no longer works by itself: it ended or waits for somebody. */
export async function untilSettled(getTask: () => Promise<Task>): Promise<Task> {
  for (;;) {
    const task = await getTask()
    if (stateOf(task) !== 'submitted' && stateOf(task) !== 'working') return task
    await delay(100)
  }
}

/** The canonical name: `input-required`, not `TASK_STATE_INPUT_REQUIRED`. */
export function stateOf(task: Task): string {
  const onWire = taskStateToJSON(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED)
  return onWire.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
}

export function questionOf(task: Task): string {
  return task.status?.message?.parts.map((part) => part.content?.value).join(' ') ?? ''
}

export function mediaTypesOf(task: Task): string[] {
  return task.artifacts.flatMap((artifact) => artifact.parts.map((part) => part.mediaType))
}
