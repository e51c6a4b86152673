/**
 * Whether the message of a lost task got another task id at the same worker after the first not-found:
 * the worker had forgotten both the task and the message, so it had started anew.
 */
import type { AttemptAnalysis, TaskAnalysis } from './analysis.ts'

/** Where that was seen: the answer or report that names the other id, and the send it answers, if one was seen. */
export interface Reissue {
  readonly position: number
  readonly dispatchPosition?: number
}

type History = Pick<TaskAnalysis, 'dispatches' | 'facts'>

/** Which client messages a server task answers, as far as sends and histories tell. */
export const messageIdsOf = (
  { dispatches, facts }: History,
  task: Pick<AttemptAnalysis, 'workerId' | 'taskId'>,
): ReadonlySet<string> => {
  const isOfTask = (each: { readonly workerId?: string; readonly taskId?: string }) =>
    each.workerId === task.workerId && each.taskId === task.taskId
  const sent = dispatches.filter(isOfTask).map(({ messageId }) => messageId)
  const told = facts.map((fact) => (fact.kind === 'report' && isOfTask(fact) ? fact.historyMessageId : undefined))
  return new Set([...sent, ...told].filter((messageId) => messageId !== undefined))
}

/** The first sign of it; `undefined` where nobody saw one, or the attempt was never missed. */
export const reissueOf = (attempt: AttemptAnalysis, analysis: History): Reissue | undefined => {
  const missedMs = attempt.firstStrongNotFound?.atMs
  if (missedMs === undefined) return undefined
  const messageIds = messageIdsOf(analysis, attempt)
  const isAnother = ({ workerId, taskId }: { readonly workerId?: string; readonly taskId?: string }) =>
    workerId === attempt.workerId && taskId !== undefined && taskId !== attempt.taskId
  const atMs = new Map(analysis.facts.map((fact) => [fact.position, fact.atMs]))
  for (const dispatch of analysis.dispatches) {
    const { messageId, position, answerPosition } = dispatch
    if (!isAnother(dispatch) || messageId === undefined || !messageIds.has(messageId)) continue
    if ((atMs.get(answerPosition ?? position) ?? dispatch.atMs) <= missedMs) continue
    return { position: answerPosition ?? position, dispatchPosition: position }
  }
  const found = analysis.facts.find(
    (fact) =>
      fact.kind === 'report' &&
      isAnother(fact) &&
      fact.historyMessageId !== undefined &&
      messageIds.has(fact.historyMessageId) &&
      fact.atMs > missedMs,
  )
  return found === undefined ? undefined : { position: found.position }
}
