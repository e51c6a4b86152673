/**
 * `lost_on_restart`: the worker restarted between its last sign of life for the task and the first
 * not-found; or it gave the same message a new task id afterwards, so it no longer knew the first.
 *
 * An attempt that was contested, or whose worker has replicas, is lost by the not-found after the
 * restart (F10, F11): there the restart that the fold names counts, whatever was missed before it.
 */
import { policyOf, restartsOf } from '../../capability/knowledge.ts'
import { isAfter } from '../../fact/moment.ts'
import type { RestartFact } from '../../fact/fact.ts'
import type { AttemptAnalysis } from '../../task/analysis.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type LossCause } from '../cause.ts'
import { messageIdsOf } from './message-ids.ts'

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
    const again = givenNewId(attempt, missed.atMs, file)
    return again === undefined
      ? undefined
      : { confidence: 'likely', because: positionsOf([attempt.lastLife.position, missed.position, ...again]) }
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

/** The same message answered with another task id, by the same worker, after the first not-found. */
const givenNewId = (attempt: AttemptAnalysis, missedMs: number, file: CaseFile): readonly number[] | undefined => {
  const messageIds = messageIdsOf(file, attempt)
  for (const dispatch of file.analysis.dispatches) {
    const { workerId, taskId, messageId, position, answerPosition } = dispatch
    if (workerId !== attempt.workerId || taskId === undefined || taskId === attempt.taskId) continue
    if (messageId === undefined || !messageIds.has(messageId)) continue
    if ((file.factAt(answerPosition)?.atMs ?? dispatch.atMs) > missedMs) return positionsOf([position, answerPosition])
  }
  const found = file.facts.find(
    (fact) =>
      fact.kind === 'report' &&
      fact.workerId === attempt.workerId &&
      fact.taskId !== attempt.taskId &&
      fact.historyMessageId !== undefined &&
      messageIds.has(fact.historyMessageId) &&
      fact.atMs > missedMs,
  )
  return found === undefined ? undefined : [found.position]
}
