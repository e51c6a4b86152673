/** Facts that go to another stream (K1, K2, K3, K6). */
import { isReservedCorrelationId } from '../correlation/correlation-id.ts'
import type { MoveFact, TaskFact } from './fact.ts'

/**
 * `fact`, of the stream that `move` takes from, as it stands in the other one; `undefined`: it stays.
 *
 * A claim that is taken back is from then on one that was not followed (K1).
 */
export const movedFact = (fact: TaskFact, move: MoveFact): TaskFact | undefined => {
  const isMoved =
    fact.placed !== undefined &&
    fact.workerId === move.workerId &&
    fact.taskId === move.taskId &&
    fact.position >= move.since &&
    fact.position < move.position
  if (!isMoved) return undefined
  return fact.placed === 'claim' && isReservedCorrelationId(move.to)
    ? { ...fact, refused: { code: 'correlation_claimed', correlationId: move.from } }
    : fact
}
