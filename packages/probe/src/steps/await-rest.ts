/** The steps that ask for a task until it stays as it is. */
import { isResting, isTerminal, type TaskState } from '@a2a-ledger/domain'
import { emittedOf, nothingSeen, see, strayDetail, wordsOf, type Seen } from '../seen.ts'
import type { Step, StepContext } from '../step.ts'
import { taskCall } from '../wire.ts'

const pollMsMin = 50
const pollMsMax = 1_000

interface Watched {
  readonly seen: Seen
  readonly isReached: boolean
  readonly last: string
}

/** Asked often while it is young, seldom when it takes its time. */
const watch = async (context: StepContext, taskId: string, isReached: (state: TaskState | undefined) => boolean): Promise<Watched> => {
  const { client, target, ports, signal } = context
  let seen = nothingSeen
  let last = 'nobody asked'
  for (let waitMs = pollMsMin; !signal.aborted; waitMs = Math.min(waitMs * 1.5, pollMsMax)) {
    const result = await client.call(taskCall(target(), 'GetTask', taskId), { signal })
    last = wordsOf(result)
    if (result.outcome === 'read') seen = see(seen, result.readings)
    if (isReached(seen.state)) return { seen, isReached: true, last }
    if (result.outcome === 'error') break // it had the task a moment ago
    await ports.after(waitMs, signal)
  }
  return { seen, isReached: false, last }
}

/** States on the way; the one in which it rests is another step's to confirm. */
const passed = ({ states, state }: Seen): TaskState[] => states.filter((each) => each !== state)

/** `rest`: until the canary waits for input, or has ended. */
export const awaitRest: Step = async (context) => {
  const { record } = context
  const canary = record.learned.tasks?.canary
  if (canary === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const { seen, isReached, last } = await watch(context, canary.taskId, isResting)
  const emitted = emittedOf(seen, record.learned.card)
  const state = seen.state ?? canary.state
  const sent = canary.state === undefined || isResting(canary.state) ? [] : [canary.state]
  const learned = {
    tasks: { canary: { ...canary, ...(state !== undefined && { state }) } },
    states: [...new Set([...sent, ...(isReached ? passed(seen) : seen.states)])],
    ...emitted,
  }
  if (!isReached) return { outcome: 'failed', detail: `it came to no rest; the last answer was ${last}`, learned }
  return strayDetail(emitted) === undefined
    ? { outcome: 'ok', detail: [...new Set([...sent, ...seen.states])].join(', then '), learned }
    : // It rests all the same, so the probe goes on: what was emitted is judged by itself.
      { outcome: 'ok', detail: `${seen.states.join(', then ')}; ${strayDetail(emitted)}`, learned }
}

/** `end`: until the answered canary has ended. */
export const awaitEnd: Step = async (context) => {
  const { record } = context
  const canary = record.learned.tasks?.canary
  if (canary === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const { seen, isReached, last } = await watch(context, canary.taskId, isTerminal)
  const emitted = emittedOf(seen, record.learned.card)
  // Right after the answer a worker may still show the question.
  const states = [...new Set([...(canary.state === undefined ? [] : [canary.state]), ...seen.states])]
  const learned = { tasks: { canary: { ...canary, ...(seen.state !== undefined && { state: seen.state }) } }, states, ...emitted }
  const stray = strayDetail(emitted)
  if (!isReached) return { outcome: 'failed', detail: `it has not ended; the last answer was ${last}`, learned }
  return { outcome: 'ok', detail: stray === undefined ? states.join(', then ') : `${states.join(', then ')}; ${stray}`, learned }
}

/** `parked`: until the second canary waits; what has ended cannot wait for anything. */
export const awaitParked: Step = async (context) => {
  const parked = context.record.learned.tasks?.parked
  if (parked === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const { seen, isReached, last } = await watch(context, parked.taskId, isResting)
  const state = seen.state ?? parked.state
  const learned = { tasks: { parked: { ...parked, ...(state !== undefined && { state }) } } }
  return isReached
    ? { outcome: 'ok', detail: `it rests in ${seen.state} and is left alone until a restart is known`, learned }
    : { outcome: 'failed', detail: `it came to no rest; the last answer was ${last}`, learned }
}
