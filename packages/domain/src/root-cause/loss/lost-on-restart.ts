/**
 * `lost_on_restart`: the worker restarted between its last sign of life for the task and the first
 * not-found; or it gave the same message a new task id afterwards, so it no longer knew the first; or
 * it did so with the message of another task that it lost in an overlapping interval: certainly in
 * the time in which this one went where that interval lies within this one's.
 *
 * An attempt that was contested, or whose worker has replicas, is lost by the not-found after the
 * restart (F10, F11): there the restart that the fold names counts, whatever was missed before it.
 */
import { policyOf, restartsOf } from '../../capability/knowledge.ts'
import { isAfter } from '../../fact/moment.ts'
import type { RestartFact } from '../../fact/fact.ts'
import type { AttemptAnalysis, NotFound } from '../../task/analysis.ts'
import { reissueOf } from '../../task/reissue.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type LossCause } from '../cause.ts'
import type { Proof } from '../finding.ts'
import { lossesBeside } from './losses-beside.ts'

export const lostOnRestart: LossCause = {
  cause: 'lost_on_restart',
  responsible: 'worker',
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} restarted and lost task {task}',
  nextAction: 'Follow the verdict of the task, and have {worker} keep its tasks in a store that survives a restart.',
  find: ({ attempt }, file) => {
    const missed = attempt?.firstStrongNotFound
    if (attempt === undefined || missed === undefined) return undefined
    const restart = restartOf(attempt, file)
    if (restart !== undefined) {
      return {
        confidence: 'strong',
        because: positionsOf([attempt.lastLife.position, restart.position, missed.position]),
        restsOn: { fromMs: restart.atMs, toMs: missed.atMs },
      }
    }
    const again = reissueOf(attempt, file.analysis)
    if (again === undefined) return toldBySibling(attempt, missed, file)
    const because = positionsOf([attempt.lastLife.position, missed.position, again.dispatchPosition, again.position])
    return { confidence: 'likely', because }
  },
}

const restartOf = (attempt: AttemptAnalysis, file: CaseFile): RestartFact | undefined => {
  const worker = file.workerOf(attempt)
  const restarts = restartsOf(worker)
  const missed = attempt.firstStrongNotFound
  if (attempt.contested || (policyOf(worker).replicas ?? 1) > 1) {
    return restarts.find(({ position }) => position === attempt.restartPosition)
  }
  return restarts.findLast(
    (restart) => missed !== undefined && isAfter(restart, attempt.lastLife) && !isAfter(restart, missed),
  )
}

/** Another task went in an overlapping interval, and what became of its message tells of a restart then. */
const toldBySibling = (attempt: AttemptAnalysis, missed: NotFound, file: CaseFile): Proof | undefined => {
  const told = lossesBeside(attempt, missed.atMs, file).filter(({ reissuedAt }) => reissuedAt !== undefined)
  const within = told.find((loss) => attempt.lastLife.atMs <= loss.lastLifeMs && loss.firstNotFoundMs <= missed.atMs)
  const sibling = within ?? told[0]
  if (sibling === undefined) return undefined
  return {
    confidence: within === undefined ? 'possible' : 'likely',
    because: positionsOf([attempt.lastLife.position, missed.position, sibling.position, sibling.reissuedAt]),
  }
}
