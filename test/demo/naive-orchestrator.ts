/**
 * The orchestrator of the incident, with its three mistakes left in: it keys on the server's task
 * id, it writes observed states late, and it reads TaskNotFound as failure. A process of its own,
 * killed with SIGKILL between two steps; its second life starts from what its notes say.
 */
import type { AgentCard } from '@a2a-js/sdk'
import { TaskNotFoundError } from '@a2a-js/sdk/errors'

import { continuityExtension } from '../workers/worker-spec.ts'
import {
  connect, mediaTypesOf, questionOf, send, stateOf, untilSettled, type WorkOrder,
} from './agent-client.ts'
import { type NaiveNotes, type NaiveTask, readNotes, writeNotes } from './notes.ts'
import { announce, nextOrder } from './steps.ts'

type Config = {
  readonly notesFile: string
  readonly order: WorkOrder
  readonly worker: { readonly workerId: string; readonly url: string }
  readonly fallback?: { readonly workerId: string; readonly url: string }
}

/** States are written together, once a minute, to spare the disk: longer than this life lasts. */
const stateFlushMs = 60_000

const config = JSON.parse(process.argv[2] ?? '{}') as Config
const former = readNotes<NaiveNotes>(config.notesFile)
const notes: NaiveNotes = former ?? { tasks: {}, advertised: {} }
const client = await connect(config.worker.url)

if (former === undefined) await firstLife()
else await secondLife()

async function firstLife(): Promise<void> {
  await cacheCards()
  const asked = await dispatch()
  announce('asked', asked)
  await nextOrder()
}

async function secondLife(): Promise<void> {
  for (const [taskId, task] of Object.entries(notes.tasks)) {
    await client.getTask({ tenant: '', id: taskId }).catch((error: unknown) => {
      if (!(error instanceof TaskNotFoundError)) throw error
      concludeFailed(task)
    })
  }
  writeNotes(config.notesFile, notes)
  announce('concluded', {})
  await nextOrder()
  await dispatch()
  writeNotes(config.notesFile, notes)
  announce('store', { notes })
}

async function cacheCards(): Promise<void> {
  for (const { workerId, url } of [config.worker, config.fallback].filter((w) => w !== undefined)) {
    const card = await connect(url).then((agent) => agent.getAgentCard())
    notes.advertised[workerId] = reachableStates(card)
  }
}

async function dispatch(): Promise<{ taskId: string; question: string }> {
  const opened = await send(client, config.order)
  const task: NaiveTask = { workerId: config.worker.workerId, state: stateOf(opened), artifacts: [] }
  notes.tasks[opened.id] = task
  writeNotes(config.notesFile, notes)
  const settled = await untilSettled(() => client.getTask({ tenant: '', id: opened.id }))
  // Artifacts are too large to keep in memory and are written at once, beside the old state.
  task.artifacts = mediaTypesOf(settled).map((mediaType) => ({ mediaType }))
  writeNotes(config.notesFile, notes)
  task.state = stateOf(settled)
  setTimeout(() => writeNotes(config.notesFile, notes), stateFlushMs).unref()
  return { taskId: opened.id, question: questionOf(settled) }
}

function concludeFailed(task: NaiveTask): void {
  task.fallback = refuseFallback(task.state)
  task.state = 'failed'
  task.because = notes.advertised[task.workerId]?.includes('input-required')
    ? 'the agent may ask for input and the client did not provide it'
    : 'the agent does not know the task'
}

function refuseFallback(lastObserved: string): string {
  if (config.fallback === undefined) return 'no other worker'
  const { workerId } = config.fallback
  return notes.advertised[workerId]?.includes(lastObserved)
    ? `${workerId} would do, but a failed task is not sent again`
    : `the card of ${workerId} does not list ${lastObserved}`
}

function reachableStates(card: AgentCard): readonly string[] {
  const declared = card.capabilities?.extensions.find(({ uri }) => uri === continuityExtension)
  return (declared?.params?.['reachableStates'] as string[] | undefined) ?? []
}
