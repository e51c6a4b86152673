/** Where attempts, or a card and its worker, disagree; and work that was done twice (F15). */
import type { ArtifactAnalysis, AttemptAnalysis, DispatchAnalysis, Divergence, Violation } from './analysis.ts'
import { beginsTask } from './attempt.ts'
import { isTerminal, rankOf } from './state.ts'

type Pair = readonly [AttemptAnalysis, AttemptAnalysis]

/** The newest attempts that are compared pair by pair; five times as many as a view shows. */
const comparedMax = 500

/** Every two attempts, the one created earlier first; one nobody saw dispatched came before one that was. */
const pairsOf = (attempts: readonly AttemptAnalysis[]): readonly Pair[] => {
  const inOrder = attempts.toSorted((left, right) => (createdBefore(left, right) ? -1 : createdBefore(right, left) ? 1 : 0))
  const compared = inOrder.slice(-comparedMax)
  return compared.flatMap((older, index) => compared.slice(index + 1).map((newer): Pair => [older, newer]))
}

const createdBefore = (left: AttemptAnalysis, right: AttemptAnalysis): boolean =>
  (left.createdMs ?? -Infinity) < (right.createdMs ?? -Infinity)

const endedMsOf = ({ changes }: AttemptAnalysis): number | undefined =>
  changes.find(({ state }) => isTerminal(state))?.effectiveMs

/** The newer attempt was sent after the older one had ended without completing: an honest retry. */
const isRetryAfterEnd = ([older, newer]: Pair): boolean => {
  const endedMs = endedMsOf(older)
  return endedMs !== undefined && older.state !== 'completed' && newer.createdMs !== undefined && newer.createdMs >= endedMs
}

export const divergencesOf = (
  attempts: readonly AttemptAnalysis[],
  artifacts: readonly ArtifactAnalysis[],
  violations: readonly Violation[],
): readonly Divergence[] => {
  const pairs = pairsOf(attempts)
  const found: Divergence[] = []
  const add = (kind: Divergence['kind'], positions: readonly number[]) => {
    if (positions.length > 0) found.push({ kind, positions: [...new Set(positions)].toSorted((a, b) => a - b) })
  }
  add('task-id', pairs.filter(([older, newer]) => older.workerId === newer.workerId).flatMap(positionsOf))
  add('outcome', pairs.filter(hasTwoOutcomes).flatMap(([older, newer]) => [older.statePosition, newer.statePosition]))
  const disputed = artifacts.filter(({ canonical, variants }) =>
    variants.some(({ mediaTypes }) => mediaTypes.join() !== canonical.mediaTypes.join()),
  )
  add('media-type', [
    ...disputed.flatMap(({ canonical, variants }) => [canonical, ...variants].map(({ firstPosition }) => firstPosition)),
    ...positionsWith(violations, 'media_type_not_advertised'),
  ])
  add('state', positionsWith(violations, 'state_not_advertised'))
  return found
}

const positionsOf = ([older, newer]: Pair): readonly number[] => [older.firstSeenPosition, newer.firstSeenPosition]

const positionsWith = (violations: readonly Violation[], code: Violation['code']): readonly number[] =>
  violations.filter((violation) => violation.code === code).map(({ position }) => position)

/** Two completions, or a completion beside another end. */
const hasTwoOutcomes = (pair: Pair): boolean => {
  const [older, newer] = pair
  return (
    isTerminal(older.state) &&
    isTerminal(newer.state) &&
    (older.state === 'completed' || newer.state === 'completed') &&
    !isRetryAfterEnd(pair)
  )
}

/**
 * F15: both got to work, and nobody could know that the first was gone; or both ended after all.
 *
 * `isKnownGone` tells whether an attempt was lost or ended as far as anybody had seen by then.
 */
export const duplicateExecutionsOf = (
  attempts: readonly AttemptAnalysis[],
  dispatches: readonly DispatchAnalysis[],
  isKnownGone: (attempt: AttemptAnalysis, atMs: number) => boolean,
): readonly Pair[] => {
  const creating = new Map(
    dispatches.toReversed().flatMap((send) => (beginsTask(send, send.taskId) ? [[keyOf(send), send] as const] : [])),
  )
  return pairsOf(attempts).filter((pair) => {
    const [first, second] = pair
    if (!first.changes.some(isAtWork) || !second.changes.some(isAtWork)) return false
    if (isAnswerIntoContext(pair, creating.get(keyOf(second)))) return false
    if (second.createdMs === undefined || !isKnownGone(first, second.createdMs)) return true
    return isTerminal(first.state) && isTerminal(second.state) && !isRetryAfterEnd(pair)
  })
}

const keyOf = ({ workerId, taskId }: { readonly workerId: string; readonly taskId?: string }): string =>
  JSON.stringify([workerId, taskId ?? null])

/** A refusal is no work, and neither is a cancellation by itself. */
const isAtWork = ({ state }: { readonly state: AttemptAnalysis['state'] }): boolean =>
  rankOf(state) > 0 && state !== 'rejected' && state !== 'canceled'

/** The second send answered a question of the first attempt: in its context, or to its very task, for which the worker opened a new one. */
const isAnswerIntoContext = ([first, second]: Pair, send: DispatchAnalysis | undefined): boolean =>
  send !== undefined &&
  first.workerId === second.workerId &&
  (send.namedTaskId === first.taskId || (send.contextId !== undefined && send.contextId === first.contextId)) &&
  first.changes.some(({ effectiveMs }) => effectiveMs <= send.atMs)
