/** The steps that ask for a task once more: by others, over another way, after a restart. */
import type { ProbeLearned, ProbeTarget, TaskState } from '@a2a-ledger/domain'
import { otherTargetsOf } from '../next-move.ts'
import { isNotFound, isUnheard, nothingSeen, see, wordsOf } from '../seen.ts'
import type { Step, StepContext } from '../step.ts'
import type { CallResult, WorkerClient } from '../worker-client.ts'
import { taskCall } from '../wire.ts'

const ask = (client: WorkerClient, { signal }: StepContext, target: ProbeTarget, taskId: string): Promise<CallResult> =>
  client.call(taskCall(target, 'GetTask', taskId), { signal, believed: 'submitted' })

const stateIn = (result: CallResult): TaskState | undefined => (result.outcome === 'read' ? see(nothingSeen, result.readings).state : undefined)

/** `fresh-client`: who has seen nothing but the first state is told the present one (V3). */
export const askFresh: Step = async (context) => {
  const { taskId, state } = context.record.learned.tasks?.canary ?? {}
  if (taskId === undefined || state === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const result = await ask(context.freshClient(), context, context.target(), taskId)
  if (isUnheard(result)) return { outcome: 'failed', detail: wordsOf(result) }
  const isConfirmed = stateIn(result) === state
  const learned: ProbeLearned = isConfirmed ? { states: [state] } : { refutedStates: [state] }
  return { outcome: isConfirmed ? 'ok' : 'failed', detail: isConfirmed ? `${state}, as before` : `${state} before, and now ${wordsOf(result)}`, learned }
}

/** `other-binding`: each further binding of the card says the same. */
export const askElsewhere: Step = async (context) => {
  const { taskId, state } = context.record.learned.tasks?.canary ?? {}
  if (taskId === undefined || state === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const told: string[] = []
  let isAlike = true
  let isHeard = true
  for (const target of otherTargetsOf(context.record)) {
    const result = await ask(context.client, context, target, taskId)
    told.push(`${target.binding}: ${wordsOf(result)}`)
    if (isUnheard(result)) isHeard = false
    else isAlike &&= stateIn(result) === state
  }
  const isKnown = isHeard || !isAlike
  return { outcome: isHeard && isAlike ? 'ok' : 'failed', detail: told.join(', '), learned: isKnown ? { measured: { bindingParity: isAlike } } : {} }
}

/** `after-restart`: what is there again was kept; a TaskNotFound is what a worker that forgot says (C1). */
export const askAfterRestart: Step = async (context) => {
  const { canary, parked } = context.record.learned.tasks ?? {}
  const told: string[] = []
  const durable: TaskState[] = []
  const lost: TaskState[] = []
  let survives: boolean | undefined
  for (const task of [parked, canary]) {
    if (task?.state === undefined) continue
    const result = await ask(context.freshClient(), context, context.target(), task.taskId)
    const isThere = stateIn(result) === task.state
    const isGone = result.outcome === 'error' && isNotFound(result.error)
    if (isThere) durable.push(task.state)
    if (isGone) lost.push(task.state)
    if (task === parked && (isThere || isGone)) survives = isThere
    told.push(`${task.state} before, ${wordsOf(result)} after`)
  }
  const learned: ProbeLearned = {
    durableStates: durable,
    lostStates: lost,
    ...(survives !== undefined && { measured: { survivesRestart: survives } }),
  }
  return { outcome: survives === true ? 'ok' : 'failed', detail: told.join('; '), learned }
}
