/** Tasks that the same worker lost in overlapping intervals, each (last life, first not-found]. */
import type { AttemptAnalysis, LossInterval } from '../../task/analysis.ts'
import { reissueOf } from '../../task/reissue.ts'
import type { CaseFile } from '../case-file.ts'

/** Losses of other logical tasks, and of other attempts at this one, that overlap the time until `missedMs`. */
export const lossesBeside = (attempt: AttemptAnalysis, missedMs: number, file: CaseFile): readonly LossInterval[] => {
  const { correlationId } = file.analysis
  const here = file.analysis.attempts
    .filter(({ workerId, taskId, life }) => life === 'lost' && workerId === attempt.workerId && taskId !== attempt.taskId)
    .flatMap((other): readonly LossInterval[] => {
      const { taskId, lastLife, firstStrongNotFound: first } = other
      if (first === undefined) return []
      const reissue = reissueOf(other, file.analysis)
      return [
        {
          correlationId,
          taskId,
          lastLifeMs: lastLife.atMs,
          firstNotFoundMs: first.atMs,
          position: first.position,
          ...(reissue !== undefined && { reissuedAt: reissue.position }),
        },
      ]
    })
  const elsewhere = file.workerOf(attempt)?.losses.filter(({ taskId }) => taskId !== attempt.taskId) ?? []
  const known = new Set(here.map(({ taskId }) => taskId))
  return [...elsewhere.filter(({ taskId }) => !known.has(taskId)), ...here].filter(
    (loss) => Math.max(loss.lastLifeMs, attempt.lastLife.atMs) < Math.min(loss.firstNotFoundMs, missedMs),
  )
}
