/**
 * `suspicious_completion`: completed without an artifact while its message asks for an approval or
 * an input (case C078). The state stands; as a proof of the worker's capability it does not count.
 */
import { positionsOf, type OtherCause } from '../cause.ts'
import { saysItAsks } from '../worker-words.ts'
import { bareCompletionsOf } from './completion.ts'

export const suspiciousCompletion: OtherCause = {
  cause: 'suspicious_completion',
  responsible: 'worker',
  explains: ['completed'],
  says: 'worker {worker} reported completed while it asks for an approval or input, and left no artifact',
  nextAction: 'Answer what {worker} asks in a new message, and have it report input-required instead of completed.',
  find: (file) =>
    bareCompletionsOf(file).flatMap(({ attempt: { workerId, taskId }, said }) => {
      const asked = said.findLast(({ text }) => saysItAsks(text))
      return asked === undefined
        ? []
        : [{ confidence: 'likely', because: positionsOf([asked.position]), workerId, taskId }]
    }),
}
