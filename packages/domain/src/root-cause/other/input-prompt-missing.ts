/**
 * `input_prompt_missing`: the worker waits for somebody without saying for what.
 *
 * A message without text may still ask in data or a file, so that is only possible.
 */
import { isInterrupted } from '../../task/state.ts'
import { lastRunOf, statementsOf } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const inputPromptMissing: OtherCause = {
  cause: 'input_prompt_missing',
  responsible: 'worker',
  says: 'worker {worker} waits without saying for what',
  nextAction: 'Ask the owner of {worker} what task {task} needs, and have it put the question in the status message.',
  find: (file) => {
    const { standing } = file
    if (standing === undefined || !isInterrupted(standing.state) || statementsOf(file, standing).length > 0) return []
    const run = lastRunOf(standing)
    return [
      {
        confidence: run.some(({ hasMessage }) => hasMessage) ? 'possible' : 'strong',
        because: positionsOf(run.map(({ position }) => position)),
        workerId: standing.workerId,
        taskId: standing.taskId,
      },
    ]
  },
}
