/** What was said in a lost attempt, so that another worker can be told (ADR 82). */
import type { VerdictFact } from '../fact/fact.ts'
import type { AttemptAnalysis, DispatchAnalysis, TaskAnalysis } from '../task/analysis.ts'
import { beginsTask } from '../task/attempt.ts'

export interface Conversation {
  /** The dispatch that began it. */
  readonly original: number
  /** Dispatches into it, in order, each with the report that had asked for it. */
  readonly turns: readonly { readonly asked?: number; readonly sent: number }[]
}

/**
 * Positions of what was sent to the worker that a verdict is about; `undefined` where nobody saw the send.
 *
 * The send that began the lost task, or, where that was a message into another task, the one that began that; where
 * nobody saw it answered, the last one to that worker that asked for a new task; else the first one of the work at all.
 */
export const conversationOf = (analysis: TaskAnalysis, { askedWorkerId, askedTaskId }: VerdictFact): Conversation | undefined => {
  const opening = analysis.dispatches.filter(isOpening)
  const there = analysis.dispatches.filter(({ workerId }) => workerId === askedWorkerId)
  const beginnings = beginningsOf(there, askedTaskId)
  const original = beginnings.findLast(isOpening) ?? there.findLast(isOpening) ?? opening[0]
  if (original === undefined) return undefined
  const isBefore = ({ namedTaskId, atMs }: DispatchAnalysis): boolean => beginnings.some((next) => next.namedTaskId === namedTaskId && next.atMs >= atMs)
  const into = there.filter((send) => !isOpening(send) && (send.namedTaskId === askedTaskId || isBefore(send)))
  const asking = (send: DispatchAnalysis) => analysis.attempts.find(({ workerId, taskId }) => workerId === askedWorkerId && taskId === send.namedTaskId)
  return { original: original.position, turns: into.map((turn) => turnOf(turn, asking(turn))) }
}

/** It named no task that was there. */
const isOpening = (send: DispatchAnalysis): boolean => send.namedTaskId === undefined || send.isOpening === true

/** The send that began a task, and those that began what it was a message into, the first one last: a worker may open a new task for it. */
const beginningsOf = (sends: readonly DispatchAnalysis[], begun: string | undefined, known: readonly DispatchAnalysis[] = []): readonly DispatchAnalysis[] => {
  const first = sends.find((send) => begun !== undefined && send.taskId === begun && beginsTask(send, begun))
  return first === undefined || known.includes(first) ? known : beginningsOf(sends, first.namedTaskId, [...known, first])
}

const turnOf = ({ position, atMs }: DispatchAnalysis, lost: AttemptAnalysis | undefined): Conversation['turns'][number] => {
  const asked = lost?.changes.findLast(
    ({ state, hasMessage, effectiveMs }) => (state === 'input-required' || state === 'auth-required') && hasMessage && effectiveMs <= atMs,
  )
  return { ...(asked !== undefined && { asked: asked.position }), sent: position }
}
