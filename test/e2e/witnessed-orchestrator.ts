/**
 * The orchestrator of the incident as it was before anybody watched it: it reports nothing. All that it was
 * told is the proxy's address in place of a worker's; it names its piece of work in a header. A process of its
 * own, killed with SIGKILL between two steps; its second life starts from what its notes say.
 *
 * It makes the retry at the worker that forgot. When that is lost as well it sends nothing any more: it waits
 * until the reconciler shows who has the work now, and goes on there.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@a2a-js/sdk/client'
import { TaskNotFoundError } from '@a2a-js/sdk/errors'
import { connect, mediaTypesOf, questionOf, send, stateOf, untilSettled } from '../demo/agent-client.ts'
import { readNotes, writeNotes } from '../demo/notes.ts'
import { callJson, type TaskView } from '../demo/reconciler-client.ts'
import { announce, nextOrder } from '../demo/steps.ts'

type Config = {
  readonly notesFile: string
  readonly proxyUrl: string
  readonly reconcilerUrl: string
  readonly correlationId: string
  readonly messageId: string
  readonly workerId: string
}
type Notes = { readonly taskId: string }

const config = JSON.parse(process.argv[2] ?? '{}') as Config
const { workerId, messageId } = config
const named: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), 'a2a-ledger-correlation-id': config.correlationId } })
const clientOf = (worker: string): Promise<Client> => connect(`${config.proxyUrl}/${worker}/`, named)
const lookAt = (client: Client, taskId: string) => client.getTask({ tenant: '', id: taskId })

const former = readNotes<Notes>(config.notesFile)
const client = await clientOf(workerId)
if (former === undefined) {
  const { taskId, question } = await order()
  announce('asked', { taskId, question })
  await nextOrder()
} else {
  await isForgotten(former.taskId)
  const retried = await order()
  announce('retried', retried)
  const next = await nextOrder()
  await isForgotten(retried.taskId)
  announce('done', await goOnElsewhere('answer' in next ? next.answer : ''))
}

/** The same message each time, as a retry is: it is the same piece of work. */
async function order() {
  const opened = await send(client, { messageId, text: 'Write the quarterly report.' })
  writeNotes(config.notesFile, { taskId: opened.id } satisfies Notes)
  const task = await untilSettled(() => lookAt(client, opened.id))
  return { taskId: opened.id, question: questionOf(task), mediaTypes: mediaTypesOf(task) }
}

/** Throws unless the worker says TaskNotFound. */
async function isForgotten(taskId: string): Promise<void> {
  const known = await lookAt(client, taskId).catch((error: unknown) => {
    if (!(error instanceof TaskNotFoundError)) throw error
  })
  if (known !== undefined) throw new Error(`${workerId} still knows ${taskId}.`)
}

async function goOnElsewhere(answer: string) {
  const { workerId: heir, taskId } = await untilTakenOver()
  const elsewhere = await clientOf(heir)
  const waiting = await untilSettled(() => lookAt(elsewhere, taskId))
  await send(elsewhere, { messageId: `${messageId}-answer`, text: answer }, { taskId, contextId: waiting.contextId })
  const ended = await untilSettled(() => lookAt(elsewhere, taskId))
  return { workerId: heir, taskId, state: stateOf(ended) }
}

/** Reads until another worker has the work. */
async function untilTakenOver(): Promise<TaskView['attempts'][number]> {
  for (;;) {
    const { attempts } = await callJson<TaskView>('GET', `${config.reconcilerUrl}/v1/tasks/${config.correlationId}`)
    const taken = attempts.find((attempt) => attempt.workerId !== workerId)
    if (taken !== undefined) return taken
    await delay(100)
  }
}
