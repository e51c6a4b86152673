/** The steps that send a message. */
import type { ProbeLearned } from '@a2a-ledger/domain'
import { answerMessage, canaryMessage } from '../canary.ts'
import { emittedOf, nothingSeen, see, strayDetail, wordsOf, type Seen } from '../seen.ts'
import type { Step, StepContext } from '../step.ts'
import type { CallResult } from '../worker-client.ts'
import { sendCall, type Sent } from '../wire.ts'

const send = ({ client, target, signal }: StepContext, sent: Sent): Promise<CallResult> =>
  client.call(sendCall(target(), 'SendMessage', sent), { signal })

const taskOf = ({ taskId, contextId, state }: Seen, given: { readonly taskId: string; readonly contextId?: string | undefined } | undefined) => {
  const id = taskId ?? given?.taskId
  const context = contextId ?? given?.contextId
  return id === undefined ? undefined : { taskId: id, ...(context !== undefined && { contextId: context }), ...(state !== undefined && { state }) }
}

/** `send`: the canary, with the push configuration where there is an address to push to. */
export const sendCanary: Step = async (context) => {
  const { record, ports } = context
  const result = await send(context, canaryMessage(record, 'canary', ports.push))
  if (result.outcome !== 'read') return { outcome: 'failed', detail: wordsOf(result) }
  const seen = see(nothingSeen, result.readings)
  const task = taskOf(seen, undefined)
  const emitted = emittedOf(seen, record.learned.card)
  if (task === undefined && !seen.isMessage) return { outcome: 'failed', detail: `the answer names no task: ${wordsOf(result)}` }
  return {
    outcome: strayDetail(emitted) === undefined ? 'ok' : 'failed',
    detail: strayDetail(emitted) ?? wordsOf(result),
    learned: { ...(task === undefined ? { isMessage: true as const } : { tasks: { canary: task } }), ...emitted },
  }
}

/** `same-message`: every character of it as before. */
export const sendAgain: Step = async (context) => {
  const { record, ports } = context
  const result = await send(context, canaryMessage(record, 'canary', ports.push))
  if (result.outcome !== 'read') return { outcome: 'failed', detail: wordsOf(result) }
  const task = taskOf(see(nothingSeen, result.readings), undefined)
  if (task === undefined) return { outcome: 'failed', detail: `the answer names no task: ${wordsOf(result)}` }
  const isSame = task.taskId === record.learned.tasks?.canary?.taskId
  const learned: ProbeLearned = { measured: { idempotentMessageId: isSame }, ...(!isSame && { tasks: { again: task } }) }
  return { outcome: isSame ? 'ok' : 'failed', detail: isSame ? 'the same task' : 'a second task', learned }
}

/** `answer`: to the question that the canary led to. */
export const sendAnswer: Step = async (context) => {
  const { record } = context
  const result = await send(context, answerMessage(record))
  if (result.outcome !== 'read') return { outcome: 'failed', detail: wordsOf(result) }
  const seen = see(nothingSeen, result.readings)
  const given = record.learned.tasks?.canary
  if (seen.taskId !== undefined && seen.taskId !== given?.taskId) {
    const other = taskOf(seen, undefined)
    return { outcome: 'failed', detail: 'the answer went to another task', learned: other === undefined ? {} : { tasks: { again: other } } }
  }
  const task = taskOf(seen, given)
  return { outcome: 'ok', detail: wordsOf(result), learned: task === undefined ? {} : { tasks: { canary: task } } }
}

/** `park`: a second canary, whose question nobody answers. */
export const sendParked: Step = async (context) => {
  const result = await send(context, canaryMessage(context.record, 'parked'))
  if (result.outcome !== 'read') return { outcome: 'failed', detail: wordsOf(result) }
  const task = taskOf(see(nothingSeen, result.readings), undefined)
  return task === undefined
    ? { outcome: 'failed', detail: `the answer names no task: ${wordsOf(result)}` }
    : { outcome: 'ok', detail: wordsOf(result), learned: { tasks: { parked: task } } }
}
