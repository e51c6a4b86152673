import { type ErrorName, isTerminal, type TaskState } from '@a2a-ledger/domain'
import { openTasksOf } from '../next-move.ts'
import { nothingSeen, see, wordsOf } from '../seen.ts'
import type { Step } from '../step.ts'
import { taskCall } from '../wire.ts'

/** `clean-up`: what cannot be canceled stays with the worker, which is said. */
export const cancelWhatIsOpen: Step = async ({ record, client, target, signal }) => {
  const { card } = record.learned
  const told: string[] = []
  const states: TaskState[] = []
  let left = 0
  for (const { role, taskId } of openTasksOf(record)) {
    const result = await client.call(taskCall(target(), 'CancelTask', taskId), { signal })
    const state = result.outcome === 'read' ? see(nothingSeen, result.readings).state : undefined
    // A card that does not declare it breaks no promise: it was this probe that asked for it.
    if (state === 'canceled' && (card?.declaresStates !== true || card.states.includes(state))) states.push(state)
    const isOver = isTerminal(state) || (result.outcome === 'error' && isGone(result.error.name))
    if (!isOver) left += 1
    told.push(`${role}: ${wordsOf(result)}`)
  }
  return {
    outcome: left === 0 ? 'ok' : 'failed',
    detail: `${told.join(', ')}${left === 0 ? '' : `; ${left} left open`}`,
    learned: { states: [...new Set(states)] },
  }
}

/** What is not there, or has ended by itself, is not open. */
const isGone = (name: ErrorName): boolean => name === 'TaskNotFound' || name === 'TaskNotCancelable' || name === 'TaskAlreadyTerminal'
