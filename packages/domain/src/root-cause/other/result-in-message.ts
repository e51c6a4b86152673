/** `result_in_message`: completed without an artifact, with a message that says the result (case C095). */
import { positionsOf, type OtherCause } from '../cause.ts'
import { saysItAsks } from '../worker-words.ts'
import { bareCompletionsOf } from './completion.ts'

export const resultInMessage: OtherCause = {
  cause: 'result_in_message',
  responsible: 'worker',
  says: 'worker {worker} gave its result in the status message only',
  nextAction: 'Read the result from the status message, and have {worker} return results as artifacts.',
  find: (file) =>
    bareCompletionsOf(file).flatMap(({ attempt: { workerId, taskId }, said }) => {
      const result = said.at(-1)
      return result === undefined || said.some(({ text }) => saysItAsks(text))
        ? []
        : [{ confidence: 'likely', because: positionsOf([result.position]), workerId, taskId }]
    }),
}
