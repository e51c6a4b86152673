/** `waiting_for_input`: the attempt that the task stands on is in `input-required`. */
import { lastRunOf } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const waitingForInput: OtherCause = {
  cause: 'waiting_for_input',
  responsible: 'client',
  explains: ['input-required'],
  says: 'worker {worker} asked for input and waits for the answer',
  nextAction: 'Answer the question in a message that names task {task} at {worker}.',
  find: ({ standing }) =>
    standing?.state === 'input-required'
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
