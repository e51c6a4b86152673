/** `waiting_for_credentials`: the attempt that the task stands on is in `auth-required`. */
import { lastRunOf } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const waitingForCredentials: OtherCause = {
  cause: 'waiting_for_credentials',
  responsible: 'client',
  explains: ['auth-required'],
  says: 'worker {worker} waits for credentials',
  nextAction: 'Give {worker} the credentials it asks for; task {task} then goes on by itself or after a message.',
  find: ({ standing }) =>
    standing?.state === 'auth-required'
      ? [
          {
            confidence: 'stated',
            because: positionsOf(lastRunOf(standing).map(({ position }) => position)),
            workerId: standing.workerId,
            taskId: standing.taskId,
          },
        ]
      : [],
}
