/**
 * An A2A agent on `@a2a-js/sdk`, made to lose its tasks: its store is the SDK's in-memory one, unless it is told of a file, and
 * its task ids are seeded from the start of the process. What it does is in its one argument, a
 * {@link WorkerSpec} as JSON; when it listens it prints one line, `{"ready":true,…}`.
 *
 * A turn: `working`, the artifact `report`, then `input-required` with the question, or
 * `completed`. The artifact comes before the question on purpose: it is what a client holds of an
 * attempt that is lost while it waits for input.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

import { AgentCard, Artifact, Message, Task, TaskStatus } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express from 'express'

import { openSqliteStore } from './sqlite-store.ts'
import { continuityExtension, type WorkerSpec } from './worker-spec.ts'

const spec = JSON.parse(process.argv[2] ?? '{}') as WorkerSpec
const protocol = spec.protocol ?? '1.0'
const skill = spec.skill ?? 'report'
const startedAt = Date.now().toString(36)
let tasksStarted = 0

/** The load-bearing flaw of the incident: the id is the process's, not the piece of work's. */
function nextTaskId(): string {
  tasksStarted += 1
  return `${spec.name}-${startedAt}-${tasksStarted}`
}

function toCard(origin: string): AgentCard {
  const urls = { JSONRPC: `${origin}/`, 'HTTP+JSON': `${origin}/rest` }
  const bindings = spec.bindings ?? ['JSONRPC', 'HTTP+JSON']
  return AgentCard.fromJSON({
    name: spec.name,
    description: 'Writes the quarterly report.',
    version: '1.0.0',
    supportedInterfaces: bindings.map((binding) => ({
      url: urls[binding],
      protocolBinding: binding,
      protocolVersion: protocol,
    })),
    capabilities: {
      streaming: true,
      pushNotifications: spec.pushes === true,
      extensions: [
        {
          uri: continuityExtension,
          description: 'Which task states this agent can reach.',
          required: false,
          params: { reachableStates: spec.reachableStates },
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: spec.outputModes,
    skills: [
      {
        id: skill,
        name: skill,
        description: 'Writes a report.',
        tags: [skill],
        outputModes: spec.outputModes,
      },
    ],
  })
}

function toArtifact(): Artifact {
  const content = { title: 'Quarterly report', by: spec.name }
  const part =
    spec.emits === 'application/json'
      ? { data: content, mediaType: spec.emits }
      : { text: `${content.title}, by ${content.by}`, mediaType: spec.emits }
  return Artifact.fromJSON({ artifactId: 'report', name: 'report', parts: [part] })
}

function toStatus(state: string, text?: string): TaskStatus {
  const message = text === undefined ? undefined : {
    messageId: crypto.randomUUID(),
    role: 'ROLE_AGENT',
    parts: [{ text, mediaType: 'text/plain' }],
  }
  return TaskStatus.fromJSON({ state, message, timestamp: new Date().toISOString() })
}

const executor: AgentExecutor = {
  async execute(request: RequestContext, bus: ExecutionEventBus) {
    const isFirstTurn = request.task === undefined
    // The SDK pushes what is said of the id that it proposed.
    const taskId = isFirstTurn && spec.pushes !== true ? nextTaskId() : request.taskId
    const contextId = request.contextId
    const setStatus = (state: string, text?: string) =>
      bus.publish(
        AgentEvent.statusUpdate({ taskId, contextId, status: toStatus(state, text), metadata: {} }),
      )
    if (isFirstTurn) {
      // The SDK proposes a random id of its own; the client keeps what this first event says.
      const userMessage = Message.toJSON({ ...request.userMessage, taskId, contextId })
      const opened = Task.fromJSON({ id: taskId, contextId, history: [userMessage] })
      bus.publish(AgentEvent.task({ ...opened, status: toStatus('TASK_STATE_WORKING') }))
    } else {
      setStatus('TASK_STATE_WORKING')
    }
    await delay(spec.workMs ?? 150)
    while (spec.heldUntil !== undefined && !existsSync(spec.heldUntil)) await delay(50)
    const artifact = toArtifact()
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId, contextId, artifact, append: false, lastChunk: true, metadata: {},
      }),
    )
    if (isFirstTurn && spec.asks !== undefined) setStatus('TASK_STATE_INPUT_REQUIRED', spec.asks)
    else setStatus('TASK_STATE_COMPLETED')
  },
  async cancelTask() {
    throw new Error('This worker cannot cancel: its turns end by themselves.')
  },
}

const app = express()
const server = app.listen(spec.port ?? 0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const store = spec.store === undefined ? new InMemoryTaskStore() : openSqliteStore(spec.store)
const pushStore = spec.pushes === true ? new InMemoryPushNotificationStore() : undefined
const pushSender = pushStore && new DefaultPushNotificationSender(pushStore)
const requestHandler = new DefaultRequestHandler(toCard(origin), store, executor, undefined, pushStore, pushSender)
const userBuilder = UserBuilder.noAuthentication
/** The SDK serves v0.3 beside v1.0, told apart by the header of the version. */
const legacyCompat = { enabled: protocol === '0.3' }
app.use(
  '/.well-known/agent-card.json',
  agentCardHandler({ agentCardProvider: requestHandler, cache: { maxAge: 300 }, legacyCompat }),
)
app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }))
app.use('/', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }))

process.on('SIGTERM', () => process.exit(0))
// Whoever started this worker holds its stdin open; a worker must not outlive them.
process.stdin.resume().on('end', () => process.exit(0))
console.log(JSON.stringify({ ready: true, url: origin, pid: process.pid }))
