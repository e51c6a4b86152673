/**
 * `store_lost`: several tasks of one worker went in overlapping intervals, each (last life, first
 * not-found], and no restart is known.
 *
 * A restart that nobody reported looks the same, so it is only possible. A loss that a restart in its
 * own interval explains says nothing about the store.
 */
import { restartsOf } from '../../capability/knowledge.ts'
import { isAfter } from '../../fact/moment.ts'
import { becauseMax, positionsOf, type LossCause } from '../cause.ts'
import { lossesBeside } from './losses-beside.ts'

export const storeLost: LossCause = {
  cause: 'store_lost',
  responsible: 'unknown',
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} lost several tasks in overlapping intervals and no restart of it is known: its task store was lost or emptied, or it restarted unseen',
  nextAction: 'Find out what happened to the task store of {worker} between the last answers and the first not-found.',
  find: ({ attempt }, file) => {
    const missed = attempt?.firstStrongNotFound
    if (attempt === undefined || missed === undefined) return undefined
    const restarts = restartsOf(file.workerOf(attempt))
    if (restarts.some((restart) => isAfter(restart, attempt.lastLife) && !isAfter(restart, missed))) return undefined
    const others = lossesBeside(attempt, missed.atMs, file).filter(
      (loss) => !restarts.some(({ atMs }) => loss.lastLifeMs < atMs && atMs <= loss.firstNotFoundMs),
    )
    if (others.length === 0) return undefined
    const positions = others.map(({ position }) => position).slice(2 - becauseMax)
    return { confidence: 'possible', because: positionsOf([attempt.lastLife.position, missed.position, ...positions]) }
  },
}
