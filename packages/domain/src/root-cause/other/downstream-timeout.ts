/**
 * `downstream_timeout`: the worker says that a tool or a peer of its own timed out, in the message it
 * failed with or in an error (MCP uses -32001, A2A's TaskNotFound, for its timeouts: case C027).
 */
import type { ErrorFact } from '../../fact/fact.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import { saysCallTimedOut, saysPartyTimedOut } from '../worker-words.ts'
import { statedBy } from './stated-failure.ts'

export const downstreamTimeout: OtherCause = {
  cause: 'downstream_timeout',
  responsible: 'downstream',
  isNoBeginning: true,
  explains: ['failed', 'canceled', 'rejected'],
  says: 'a tool or peer of worker {worker} timed out',
  nextAction: 'Check whether the call that {worker} made took effect, before the work is sent again.',
  find: (file) => [
    ...statedBy(file, ['failed', 'canceled', 'rejected'], saysPartyTimedOut),
    ...statedBy(file, ['failed', 'canceled', 'rejected'], (text) => saysCallTimedOut(text) && !saysPartyTimedOut(text), 'likely'),
    ...file.facts
      .filter((fact): fact is ErrorFact => fact.kind === 'error' && fact.isFromGateway !== true && saysPartyTimedOut(fact.text))
      .map(({ position, workerId }) => ({
        confidence: 'stated' as const,
        because: positionsOf([position]),
        ...(workerId !== undefined && { workerId }),
      })),
  ],
}
