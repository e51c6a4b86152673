/**
 * `worker_protocol_fault`: the worker gave the task up over a protocol error of its own, for instance
 * ids that do not match (case C046), or answered InvalidAgentResponse.
 */
import type { ErrorFact } from '../../fact/fact.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import { saysProtocolFault } from '../worker-words.ts'
import { statedBy } from './stated-failure.ts'

export const workerProtocolFault: OtherCause = {
  cause: 'worker_protocol_fault',
  responsible: 'worker',
  explains: ['failed', 'canceled', 'rejected'],
  says: 'worker {worker} gave the task up over a protocol error of its own',
  nextAction: 'Report the message to the owner of {worker}, and send the work again elsewhere if it is safe to repeat.',
  find: (file) => [
    ...statedBy(file, ['failed', 'canceled'], saysProtocolFault),
    ...file.facts
      .filter((fact): fact is ErrorFact => fact.kind === 'error' && fact.name === 'InvalidAgentResponse')
      .map(({ position, workerId }) => ({
        confidence: 'stated' as const,
        because: positionsOf([position]),
        ...(workerId !== undefined && { workerId }),
      })),
  ],
}
