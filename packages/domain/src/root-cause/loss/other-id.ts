/**
 * `other_id`: the same context lives on under another task id, made for another message, and nobody
 * saw a restart: the worker replaced the task instead of going on with it.
 *
 * A new task that an answer without a task id asked for replaces nothing.
 */
import { restartsOf } from '../../capability/knowledge.ts'
import { isAfter, latestOf, type Moment } from '../../fact/moment.ts'
import type { AttemptAnalysis } from '../../task/analysis.ts'
import { messageIdsOf } from '../../task/reissue.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type LossCause } from '../cause.ts'
import { unnamedAnswersOf } from '../unnamed-answers.ts'

export const otherId: LossCause = {
  cause: 'other_id',
  responsible: 'worker',
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} goes on with the context of task {task} under another task id',
  nextAction: 'Go on with the newer task of the same context, and have {worker} keep the id of a task for its whole life.',
  find: ({ attempt }, file) => {
    const missed = attempt?.firstStrongNotFound
    if (attempt?.contextId === undefined || missed === undefined) return undefined
    const askedFor = new Set(unnamedAnswersOf(file).map(({ dispatch }) => dispatch.taskId))
    const other = file.analysis.attempts.findLast(
      (candidate) =>
        !askedFor.has(candidate.taskId) &&
        candidate.workerId === attempt.workerId &&
        candidate.taskId !== attempt.taskId &&
        candidate.contextId === attempt.contextId &&
        candidate.life !== 'lost' &&
        isAfter(firstSightOf(candidate, file), attempt.lastLife) &&
        isOfAnotherMessage(candidate, attempt, file),
    )
    if (other === undefined) return undefined
    const until = latestOf([firstSightOf(other, file), missed]) ?? missed
    const isRestartKnown = restartsOf(file.workerOf(attempt)).some(
      (restart) => isAfter(restart, attempt.lastLife) && !isAfter(restart, until),
    )
    if (isRestartKnown) return undefined
    return {
      confidence: 'likely',
      because: positionsOf([attempt.lastLife.position, missed.position, other.firstSeenPosition]),
      restsOn: { fromMs: attempt.lastLife.atMs, toMs: until.atMs },
    }
  },
}

const firstSightOf = ({ firstSeenPosition: position }: AttemptAnalysis, file: CaseFile): Moment => ({
  position,
  atMs: file.factAt(position)?.atMs ?? -Infinity,
})

const isOfAnotherMessage = (candidate: AttemptAnalysis, attempt: AttemptAnalysis, file: CaseFile): boolean => {
  const messageIds = messageIdsOf(file.analysis, attempt)
  return ![...messageIdsOf(file.analysis, candidate)].some((messageId) => messageIds.has(messageId))
}
