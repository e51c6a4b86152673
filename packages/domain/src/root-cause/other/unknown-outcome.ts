/**
 * `unknown_outcome`: a send that got no answer, so nobody knows whether the worker has the work.
 *
 * A task of that worker that turned up since, and answers no other send, is taken for its outcome. A message into
 * a task that has gone on since was taken.
 */
import type { DispatchAnalysis, TaskAnalysis } from '../../task/analysis.ts'
import { isTaken } from '../../task/taken.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const unknownOutcome: OtherCause = {
  cause: 'unknown_outcome',
  responsible: 'unknown',
  explains: ['indeterminate', 'dispatched'],
  says: 'a message to worker {worker} got no answer, so nobody knows whether it has the work',
  nextAction: 'List the tasks of {worker} or wait for its push before the work is sent again, since it may be running.',
  find: ({ analysis }) =>
    withoutOutcome(analysis).map(({ workerId, namedTaskId, position, answerPosition }) => ({
      confidence: 'strong',
      because: positionsOf([position, answerPosition]),
      workerId,
      ...(namedTaskId !== undefined && { taskId: namedTaskId, instead: intoTask }),
    })),
}

const intoTask = {
  responsible: 'unknown',
  nextAction: 'Ask {worker} for task {task} with GetTask before the message is sent again, since it may have been taken.',
} as const

const withoutOutcome = ({ dispatches, attempts }: TaskAnalysis): readonly DispatchAnalysis[] => {
  const unclaimed = attempts.filter(({ dispatchPosition }) => dispatchPosition === undefined)
  const taken = new Set<(typeof unclaimed)[number]>()
  return dispatches.filter((dispatch) => {
    if (dispatch.outcome !== 'no-answer' || isTaken(dispatch, attempts)) return false
    const outcome = unclaimed.find(
      (attempt) =>
        !taken.has(attempt) && attempt.workerId === dispatch.workerId && attempt.firstSeenPosition > dispatch.position,
    )
    if (outcome !== undefined) taken.add(outcome)
    return outcome === undefined
  })
}
