/** `cause_unknown`: the task is lost and nothing that was recorded tells why. */
import { positionsOf, type LossCause } from '../cause.ts'

export const causeUnknown: LossCause = {
  cause: 'cause_unknown',
  responsible: 'unknown',
  isNoBeginning: true,
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} no longer knows task {task} and nothing recorded tells why',
  nextAction: 'Follow the verdict of the task, and have restarts of {worker} reported so that the next loss is explained.',
  find: ({ attempt }) =>
    attempt?.life === 'lost'
      ? {
          confidence: 'possible',
          because: positionsOf([attempt.lastLife.position, attempt.firstStrongNotFound?.position]),
        }
      : undefined,
}
