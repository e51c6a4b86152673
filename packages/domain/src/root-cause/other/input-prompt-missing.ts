/** `input_prompt_missing`: the worker waits for somebody without saying for what, in text, in data or in a file. */
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
    const run = new Set(lastRunOf(standing).map(({ position }) => position))
    const asks = file.factsOf(standing).some((fact) => fact.kind === 'report' && fact.saysBeyondText === true && run.has(fact.position))
    return asks ? [] : [{ confidence: 'strong', because: positionsOf([...run]), workerId: standing.workerId, taskId: standing.taskId }]
  },
}
