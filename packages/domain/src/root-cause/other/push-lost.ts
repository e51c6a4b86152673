/**
 * `push_lost`: a terminal or interrupted state of a task that had pushes, seen elsewhere, that no push
 * brought; judged once the grace that a push may take is over.
 */
import { isInterrupted, isTerminal } from '../../task/state.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import { pushesOf } from './pushes.ts'

export const pushLost: OtherCause = {
  cause: 'push_lost',
  responsible: 'worker',
  says: 'the push that should have told of it never came from worker {worker}',
  nextAction: 'Poll the tasks of {worker} besides waiting for pushes, and have it send pushes again that were not accepted.',
  find: (file) =>
    file.analysis.attempts.flatMap((attempt) => {
      const pushes = pushesOf(file, attempt)
      const [first] = pushes
      if (first === undefined) return []
      const pushed = new Set(pushes.map(({ state }) => state))
      const { workerId, taskId } = attempt
      return attempt.changes
        .filter(
          ({ state, atMs }) =>
            (isTerminal(state) || isInterrupted(state)) &&
            !pushed.has(state) &&
            atMs >= first.atMs &&
            file.analysis.asOfMs - atMs >= file.analysis.settings.graceMs,
        )
        .map((change) => ({
          confidence: 'likely' as const,
          because: positionsOf([pushes.findLast(({ atMs }) => atMs <= change.atMs)?.position, change.position]),
          workerId,
          taskId,
          restsOn: { fromMs: change.effectiveMs, toMs: file.analysis.asOfMs },
        }))
    }),
}
