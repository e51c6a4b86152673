/**
 * `push_lost`: a terminal or interrupted state of a task that had pushes, seen elsewhere, that no push
 * brought; judged once the grace that a push may take is over.
 */
import { pushesOf, unpushedOf } from '../../task/pushes.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const pushLost: OtherCause = {
  cause: 'push_lost',
  responsible: 'worker',
  says: 'the push that should have told of it never came from worker {worker}',
  nextAction: 'Poll the tasks of {worker} besides waiting for pushes, and have it send pushes again that were not accepted.',
  find: (file) =>
    file.analysis.attempts.flatMap((attempt) => {
      const pushes = pushesOf(file.factsOf(attempt), attempt)
      const { workerId, taskId } = attempt
      return unpushedOf(attempt, pushes)
        .filter(({ atMs }) => file.analysis.asOfMs - atMs >= file.analysis.settings.graceMs)
        .map((change) => ({
          confidence: 'likely' as const,
          because: positionsOf([pushes.findLast(({ atMs }) => atMs <= change.atMs)?.position, change.position]),
          workerId,
          taskId,
          restsOn: { fromMs: change.effectiveMs, toMs: file.analysis.asOfMs },
        }))
    }),
}
