/** What was said in a lost attempt, so that another worker can be told (ADR 82). */
import type { VerdictFact } from '../fact/fact.ts'
import type { AttemptAnalysis, DispatchAnalysis, TaskAnalysis } from '../task/analysis.ts'

export interface Conversation {
  /** The dispatch that began it. */
  readonly original: number
  /** Dispatches into it, in order, each with the report that had asked for it. */
  readonly turns: readonly { readonly asked?: number; readonly sent: number }[]
}

/**
 * Positions of what was sent to the worker that a verdict is about; `undefined` where nobody saw the send.
 *
 * The send that began the lost task; where nobody saw it answered, the last one to that worker that asked
 * for a new task; else the first one of the work at all.
 */
export const conversationOf = (analysis: TaskAnalysis, { askedWorkerId, askedTaskId }: VerdictFact): Conversation | undefined => {
  const opening = analysis.dispatches.filter(({ namedTaskId }) => namedTaskId === undefined)
  const there = opening.filter(({ workerId }) => workerId === askedWorkerId)
  const original = there.find(({ taskId }) => taskId !== undefined && taskId === askedTaskId) ?? there.at(-1) ?? opening[0]
  if (original === undefined) return undefined
  const lost = analysis.attempts.find(({ workerId, taskId }) => workerId === askedWorkerId && taskId === askedTaskId)
  const into = analysis.dispatches.filter(({ workerId, namedTaskId }) => workerId === askedWorkerId && namedTaskId !== undefined && namedTaskId === askedTaskId)
  return { original: original.position, turns: into.map((turn) => turnOf(turn, lost)) }
}

const turnOf = ({ position, atMs }: DispatchAnalysis, lost: AttemptAnalysis | undefined): Conversation['turns'][number] => {
  const asked = lost?.changes.findLast(
    ({ state, hasMessage, effectiveMs }) => (state === 'input-required' || state === 'auth-required') && hasMessage && effectiveMs <= atMs,
  )
  return { ...(asked !== undefined && { asked: asked.position }), sent: position }
}
