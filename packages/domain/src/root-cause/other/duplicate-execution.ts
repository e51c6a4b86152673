/**
 * `duplicate_execution`: two attempts did the same work, and the first was not known to be gone (F15).
 *
 * Where GetTask had got a bare 404 for the first one, and nothing was heard of it since, it may have
 * been gone: nobody is blamed.
 */
import { isAfter } from '../../fact/moment.ts'
import type { AttemptAnalysis } from '../../task/analysis.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const duplicateExecution: OtherCause = {
  cause: 'duplicate_execution',
  responsible: 'client',
  says: 'the work was sent a second time before the first try was known to be gone, and both got to work',
  nextAction: 'Cancel the attempt whose result is not needed, and ask `may-send` before the same work is sent again.',
  find: ({ analysis }) =>
    analysis.duplicateExecutions.map(([first, second]) => {
      const doubt = doubtOf(first, second)
      return {
        confidence: 'strong',
        because: positionsOf([first.firstSeenPosition, doubt?.position, second.dispatchPosition, second.firstSeenPosition]),
        workerId: second.workerId,
        taskId: second.taskId,
        ...(doubt !== undefined && {
          unwitnessed: 'Whether the first try was still at work when the second was sent nobody witnessed: asked for it, {worker} had answered a bare 404.',
        }),
      }
    }),
}

const doubtOf = (first: AttemptAnalysis, second: AttemptAnalysis) =>
  first.life === 'live'
    ? first.notFounds.find(
        (miss) =>
          miss.isRoute &&
          !miss.isForeign &&
          miss.operation === 'GetTask' &&
          isAfter(miss, first.lastLife) &&
          miss.atMs <= (second.createdMs ?? -Infinity),
      )
    : undefined
