/**
 * The same orchestrator, with the same late notes, that tells the ledger what it sees and asks it
 * before it concludes. It keys on the correlation ID; a server task id is only where to look.
 *
 * It still retries at the worker that forgot (order `retry`), as the one of the incident did: that
 * is how one piece of work comes to have two task ids there, and what the ledger has to stand.
 */
import { setTimeout as delay } from 'node:timers/promises'

import type { Task } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { TaskNotFoundError } from '@a2a-js/sdk/errors'

import { continuityExtension } from '../workers/worker-spec.ts'
import { connect, mediaTypesOf, questionOf, send, stateOf, untilSettled } from './agent-client.ts'
import { createLedgerWitness } from './ledger-witness.ts'
import { readNotes, writeNotes } from './notes.ts'
import { callJson, type Verdict } from './reconciler-client.ts'
import { announce, nextOrder } from './steps.ts'

type Config = {
  readonly notesFile: string
  readonly ledgerUrl: string
  readonly reconcilerUrl: string
  readonly correlationId: string
  readonly messageId: string
  readonly text: string
  /** The first one gets the work; the others are who a verdict may name. */
  readonly workers: readonly { readonly workerId: string; readonly url: string }[]
}
/** One server task, as this orchestrator remembers it. */
type Notes = {
  readonly workerId: string
  readonly taskId: string
  readonly contextId: string
  readonly state: string
}

const config = JSON.parse(process.argv[2] ?? '{}') as Config
const { correlationId } = config
const ledger = createLedgerWitness(config.ledgerUrl, 'urn:a2a-ledger:demo:orchestrator')
const metadata = { [continuityExtension]: { correlationId, skill: 'report' } }
const clients = new Map<string, Client>()

const former = readNotes<Notes>(config.notesFile)
if (former === undefined) await firstLife()
else await secondLife(former)

async function firstLife(): Promise<void> {
  // Every card is reported before anything is sent: a verdict can only name workers it knows of.
  for (const { workerId } of config.workers) await clientOf(workerId)
  const { taskId, task } = await dispatch(firstWorkerId(), config.messageId, metadata)
  announce('asked', { taskId, question: questionOf(task) })
  await nextOrder()
}

async function secondLife(remembered: Notes): Promise<void> {
  const lost = await look(remembered)
  announce('looked', { verdict: lost.verdict })
  await nextOrder()
  const retried = await dispatch(firstWorkerId(), config.messageId, metadata)
  announce('retried', { taskId: retried.taskId, mediaTypes: mediaTypesOf(retried.task) })

  const order = await nextOrder()
  const answer = 'answer' in order ? order.answer : ''
  const { verdict } = await lookUntilDecided(retried)
  announce('verdict', { verdict })
  await nextOrder()
  const done = await act(verdict, retried, answer)
  announce('done', { workerId: done.workerId, taskId: done.taskId, state: done.state })
}

/** What to do next, for each verdict there is. */
async function act(verdict: Verdict | undefined, current: Notes, answer: string): Promise<Notes> {
  switch (verdict?.kind) {
    case undefined:
      return answerInto(current, answer)
    case 'resume':
      return answerInto({ ...current, ...pick(verdict) }, answer)
    case 'redispatch': {
      const { send: suggested, workerId = current.workerId } = verdict
      const messageId = suggested?.messageId ?? config.messageId
      const sent = await dispatch(workerId, messageId, { ...metadata, ...suggested?.metadata })
      return sent.state === 'input-required' ? answerInto(sent, answer) : sent
    }
    case 'terminal-ok':
    case 'closed-by-policy':
    case 'unreconcilable':
    case 'reobserve':
      return { ...current, state: verdict.state }
  }
}

function pick(verdict: Verdict): Partial<Notes> {
  const { workerId, taskId } = verdict
  return { ...(workerId && { workerId }), ...(taskId && { taskId }) }
}

/** Asks the worker again for as long as the reconciler says that it is too early to decide. */
async function lookUntilDecided(current: Notes) {
  for (;;) {
    const seen = await look(current)
    if (seen.verdict?.kind !== 'reobserve') return seen
    const retryAfterMs = seen.verdict.retryAfterMs ?? 1000
    announce('waiting', { retryAfterMs })
    await delay(retryAfterMs)
  }
}

/** GetTask; when the worker does not know the task, the reconciler's verdict instead of a guess. */
async function look(current: Notes): Promise<{ task?: Task; verdict?: Verdict }> {
  try {
    return { task: await getTask(current) }
  } catch (error) {
    if (!(error instanceof TaskNotFoundError)) throw error
    return { verdict: await askWhatNow(current) }
  }
}

async function askWhatNow({ workerId, taskId }: Notes): Promise<Verdict> {
  const { httpStatus, body } = ledger.lastAnswer()
  const binding = bindingOf(await clientOf(workerId))
  const answer = JSON.parse(body) as { error: object }
  const question = {
    workerId,
    taskId,
    operation: 'GetTask',
    binding,
    httpstatus: String(httpStatus),
    error: binding === 'JSONRPC' ? answer.error : answer,
  }
  return callJson('POST', `${config.reconcilerUrl}/v1/tasks/${correlationId}/not-found`, question, {
    'idempotency-key': crypto.randomUUID(),
  })
}

async function dispatch(workerId: string, messageId: string, messageMetadata: object) {
  const client = await clientOf(workerId)
  const call = { operation: 'SendMessage', workerId, correlationId, messageId } as const
  const order = { messageId, text: config.text, metadata: { ...messageMetadata } }
  const opened = await ledger.witness({ ...call, binding: bindingOf(client) }, () =>
    send(client, order),
  )
  return remember(workerId, opened)
}

async function answerInto(current: Notes, answer: string): Promise<Notes> {
  const { workerId, taskId, contextId } = current
  const client = await clientOf(workerId)
  const messageId = `${config.messageId}-answer`
  const call = { operation: 'SendMessage', workerId, correlationId, messageId, taskId } as const
  const task = await ledger.witness({ ...call, binding: bindingOf(client) }, () =>
    send(client, { messageId, text: answer, metadata }, { taskId, contextId }),
  )
  return remember(workerId, task)
}

/** The notes know the state as of the send; what polling shows after it only the ledger knows. */
async function remember(workerId: string, opened: Task) {
  const notes = {
    workerId, taskId: opened.id, contextId: opened.contextId, state: stateOf(opened),
  }
  writeNotes(config.notesFile, notes)
  const task = await untilSettled(() => getTask(notes))
  return { ...notes, state: stateOf(task), task }
}

async function getTask({ workerId, taskId, state }: Notes): Promise<Task> {
  const client = await clientOf(workerId)
  const call = { operation: 'GetTask', workerId, correlationId, taskId, lastObserved: state } as const
  return ledger.witness({ ...call, binding: bindingOf(client) }, () =>
    client.getTask({ tenant: '', id: taskId }),
  )
}

async function clientOf(workerId: string): Promise<Client> {
  const known = clients.get(workerId)
  if (known !== undefined) return known
  const worker = config.workers.find((candidate) => candidate.workerId === workerId)
  if (worker === undefined) throw new Error(`No address for worker ${workerId}.`)
  const client = await ledger.witness({ operation: 'GetAgentCard', workerId }, () =>
    connect(worker.url, ledger.fetch),
  )
  clients.set(workerId, client)
  return client
}

function firstWorkerId(): string {
  return config.workers[0]!.workerId
}

function bindingOf(client: Client): string {
  return client.transport.protocolName
}
