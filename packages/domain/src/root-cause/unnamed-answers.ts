/** Answers of the client that name no task, into a context whose task waits for input (A2A v1.0 §3.4.3). */
import { isAfter } from '../fact/moment.ts'
import type { AttemptAnalysis, DispatchAnalysis } from '../task/analysis.ts'
import { isSign } from '../task/attempt.ts'
import type { CaseFile } from './case-file.ts'

export interface UnnamedAnswer {
  readonly dispatch: DispatchAnalysis
  /** The attempts that waited for it, at least one. */
  readonly asking: readonly AttemptAnalysis[]
}

/** Only answers that made a new task; a question whose task was known to be gone by then was open no more. */
export const unnamedAnswersOf = (file: CaseFile): readonly UnnamedAnswer[] =>
  file.analysis.dispatches.flatMap((dispatch) => {
    const { workerId, taskId, namedTaskId, contextId, atMs } = dispatch
    if (namedTaskId !== undefined || contextId === undefined || taskId === undefined) return []
    const asking = file.analysis.attempts.filter(
      (attempt) =>
        attempt.workerId === workerId &&
        attempt.taskId !== taskId &&
        attempt.contextId === contextId &&
        attempt.changes.findLast(({ effectiveMs }) => effectiveMs <= atMs)?.state === 'input-required' &&
        !wasKnownGone(attempt, dispatch, file),
    )
    return asking.length === 0 ? [] : [{ dispatch, asking }]
  })

/** The last that was seen of the attempt before the send was a strong not-found. */
const wasKnownGone = (attempt: AttemptAnalysis, sent: DispatchAnalysis, file: CaseFile): boolean => {
  const missed = attempt.notFounds.findLast((miss) => miss.evidence === 'strong' && isAfter(sent, miss))
  return (
    missed !== undefined && !file.factsOf(attempt).some((fact) => isSign(fact) && isAfter(fact, missed) && isAfter(sent, fact))
  )
}
