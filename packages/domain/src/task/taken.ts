/** Whether a message into a task came, told by what the task did since. */
import { isAfter } from '../fact/moment.ts'
import type { AttemptAnalysis, DispatchAnalysis } from './analysis.ts'

/** True for a message into a task that has gone on to something else since: it came, although nobody told of its answer. */
export const isTaken = (dispatch: DispatchAnalysis, attempts: readonly AttemptAnalysis[]): boolean =>
  attempts.some(({ workerId, taskId, changes }) => {
    const last = changes.at(-1)
    return workerId === dispatch.workerId && taskId === dispatch.namedTaskId && last !== undefined && isAfter(last, dispatch)
  })
