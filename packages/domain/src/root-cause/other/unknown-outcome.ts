/**
 * `unknown_outcome`: a send that got no answer, so nobody knows whether the worker has the work.
 *
 * A task of that worker that turned up since, and answers no other send, is taken for its outcome.
 */
import type { DispatchAnalysis, TaskAnalysis } from '../../task/analysis.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const unknownOutcome: OtherCause = {
  cause: 'unknown_outcome',
  responsible: 'unknown',
  explains: ['indeterminate', 'dispatched'],
  says: 'a message to worker {worker} got no answer, so nobody knows whether it has the work',
  nextAction: 'List the tasks of {worker} or wait for its push before the work is sent again, since it may be running.',
  find: ({ analysis }) =>
    withoutOutcome(analysis).map(({ workerId, position, answerPosition }) => ({
      confidence: 'strong',
      because: positionsOf([position, answerPosition]),
      workerId,
    })),
}

const withoutOutcome = ({ dispatches, attempts }: TaskAnalysis): readonly DispatchAnalysis[] => {
  const unclaimed = attempts.filter(({ dispatchPosition }) => dispatchPosition === undefined)
  const taken = new Set<(typeof unclaimed)[number]>()
  return dispatches.filter((dispatch) => {
    if (dispatch.outcome !== 'no-answer') return false
    const outcome = unclaimed.find(
      (attempt) =>
        !taken.has(attempt) && attempt.workerId === dispatch.workerId && attempt.firstSeenPosition > dispatch.position,
    )
    if (outcome !== undefined) taken.add(outcome)
    return outcome === undefined
  })
}
