/**
 * `cancel_unrequested`: canceled, and nobody we watch asked for it: no answer to CancelTask was seen.
 *
 * Where the worker says that it was interrupted or that the client went away, that explains it.
 */
import { statementsOf } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import { saysClientGone, saysInterrupted } from '../worker-words.ts'

export const cancelUnrequested: OtherCause = {
  cause: 'cancel_unrequested',
  responsible: 'unknown',
  isNoBeginning: true,
  explains: ['canceled'],
  says: 'task {task} was canceled and nobody we watch asked for it',
  nextAction: 'Ask the owner of {worker} who canceled task {task}.',
  find: (file) =>
    file.analysis.attempts
      .filter(
        (attempt) =>
          attempt.state === 'canceled' &&
          !file.factsOf(attempt).some(({ operation }) => operation === 'CancelTask') &&
          !statementsOf(file, attempt).some(({ text }) => saysInterrupted(text) || saysClientGone(text)),
      )
      .map(({ statePosition, workerId, taskId }) => ({
        confidence: 'likely',
        because: positionsOf([statePosition]),
        workerId,
        taskId,
      })),
}
