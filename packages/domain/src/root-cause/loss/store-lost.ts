/**
 * `store_lost`: several tasks of one worker went in overlapping intervals, each (last life, first
 * not-found], and nobody saw a restart.
 */
import { restartsOf } from '../../capability/knowledge.ts'
import { isAfter } from '../../fact/moment.ts'
import type { AttemptAnalysis, LossInterval } from '../../task/analysis.ts'
import type { CaseFile } from '../case-file.ts'
import { becauseMax, positionsOf, type LossCause } from '../cause.ts'

export const storeLost: LossCause = {
  cause: 'store_lost',
  responsible: 'unknown',
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} lost several tasks at once and nobody saw it restart: its task store was lost or emptied',
  nextAction: 'Find out what happened to the task store of {worker} between the last answers and the first not-found.',
  find: ({ attempt }, file) => {
    const missed = attempt?.firstStrongNotFound
    if (attempt === undefined || missed === undefined) return undefined
    const isRestartKnown = restartsOf(file.workerOf(attempt)).some(
      (restart) => isAfter(restart, attempt.lastLife) && !isAfter(restart, missed),
    )
    if (isRestartKnown) return undefined
    const others = lossesBeside(attempt, file).filter(
      (loss) => Math.max(loss.lastLifeMs, attempt.lastLife.atMs) < Math.min(loss.firstNotFoundMs, missed.atMs),
    )
    if (others.length === 0) return undefined
    const positions = others.map(({ position }) => position).slice(2 - becauseMax)
    return { confidence: 'likely', because: positionsOf([attempt.lastLife.position, missed.position, ...positions]) }
  },
}

/** Losses of the same worker: of other logical tasks, and of other attempts at this one. */
const lossesBeside = (attempt: AttemptAnalysis, file: CaseFile): readonly LossInterval[] => {
  const { correlationId } = file.analysis
  const here = file.analysis.attempts
    .filter(({ workerId, taskId, life }) => life === 'lost' && workerId === attempt.workerId && taskId !== attempt.taskId)
    .flatMap(({ taskId, lastLife, firstStrongNotFound: first }) =>
      first === undefined
        ? []
        : [{ correlationId, taskId, lastLifeMs: lastLife.atMs, firstNotFoundMs: first.atMs, position: first.position }],
    )
  const elsewhere = file.workerOf(attempt)?.losses.filter(({ taskId }) => taskId !== attempt.taskId) ?? []
  const known = new Set(here.map(({ taskId }) => taskId))
  return [...elsewhere.filter(({ taskId }) => !known.has(taskId)), ...here]
}
