/** The state of the logical task from its attempts and dispatches (F14, F15). */
import type { AttemptAnalysis, DispatchAnalysis, IntentAnalysis } from './analysis.ts'
import type { LogicalState, TaskState } from './state.ts'

export interface Logical {
  readonly state: LogicalState
  readonly lastObserved?: TaskState
  /** The attempt that stands for the task now. */
  readonly current?: AttemptAnalysis
  /** The attempt whose result counts: the completed one, else the current one. */
  readonly canonical?: AttemptAnalysis
}

export const logicalStateOf = (
  attempts: readonly AttemptAnalysis[],
  dispatches: readonly DispatchAnalysis[],
  intents: readonly IntentAnalysis[],
): Logical => {
  const current = currentOf(attempts)
  const completed = canonicalCompletion(attempts)
  const basis = current === undefined ? {} : { current }
  if (completed !== undefined) return { state: 'completed', ...basis, canonical: completed }
  if (dispatches.some(({ outcome }) => outcome === 'message')) return { state: 'completed', ...basis }
  if (current === undefined) {
    // Who asked before sending is as good as sending: what is intended, and not known to have been given up, is open.
    const isIntended = intents.some(({ outcome }) => outcome !== 'not-sent')
    const isOpen = (dispatches.length > 0 || isIntended) && dispatches.every(({ outcome }) => outcome === 'pending' || outcome === 'refused')
    return { state: isOpen ? 'dispatched' : 'indeterminate' }
  }
  if (current.life !== 'lost') return { state: current.state, current, canonical: current }
  const older = inOrderOfDispatch(attempts).findLast(({ life }) => life === 'live')
  if (older !== undefined) return { state: older.state, current, canonical: older }
  const observed = lastObservedOf(current)
  return { state: 'indeterminate', ...(observed !== undefined && { lastObserved: observed }), current, canonical: current }
}

/** The last state of the attempt; absent when no report of it ever had one. */
export const lastObservedOf = ({ changes }: AttemptAnalysis): TaskState | undefined => changes.at(-1)?.state

/** By the dispatch they answer; those nobody saw dispatched come before, in the order of first sight that they have. */
const inOrderOfDispatch = (attempts: readonly AttemptAnalysis[]): readonly AttemptAnalysis[] =>
  attempts.toSorted(
    (left, right) =>
      difference(left.dispatchMs ?? -Infinity, right.dispatchMs ?? -Infinity) ||
      difference(left.dispatchPosition ?? 0, right.dispatchPosition ?? 0),
  )

/** Below, at or above zero; unlike a subtraction also where both are infinite. */
const difference = (left: number, right: number): number => (left < right ? -1 : left > right ? 1 : 0)

const currentOf = (attempts: readonly AttemptAnalysis[]): AttemptAnalysis | undefined => inOrderOfDispatch(attempts).at(-1)

/** F15: contract-conforming before not, then the earliest completed. */
const canonicalCompletion = (attempts: readonly AttemptAnalysis[]): AttemptAnalysis | undefined =>
  attempts
    .filter(({ state }) => state === 'completed')
    .toSorted(
      (left, right) =>
        Number(right.conforms) - Number(left.conforms) ||
        endedMsOf(left) - endedMsOf(right) ||
        left.statePosition - right.statePosition,
    )[0]

/** When an ended attempt ended, by the worker's clock where it is usable (F3). */
const endedMsOf = ({ changes }: AttemptAnalysis): number => changes.at(-1)?.effectiveMs ?? 0
