/**
 * The pushes that the webhooks of one attempt got: which were overtaken by a newer one, and which
 * changes of state no push told of.
 */
import type { ReportFact, TaskFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { AttemptAnalysis, StateChange, TaskAnalysis } from './analysis.ts'
import { isInterrupted, isTerminal, rankOf } from './state.ts'

/** Pushed reports of one server task, in the order of `facts`. */
export const pushesOf = (facts: readonly TaskFact[], { workerId, taskId }: Pick<AttemptAnalysis, 'workerId' | 'taskId'>): readonly ReportFact[] =>
  facts.filter(
    (fact): fact is ReportFact => fact.kind === 'report' && fact.operation === 'Push' && fact.workerId === workerId && fact.taskId === taskId,
  )

/**
 * Each push that is older than what its webhook already had, with that one (A2A v1.0 §3.5.2).
 *
 * Shape: `pushes` in order of arrival. Older by the worker's own stamp; where a stamp is missing, by a
 * state of a lower rank.
 */
export const overtakenAmong = (pushes: readonly ReportFact[]): readonly { readonly former: ReportFact; readonly push: ReportFact }[] => {
  const newest = new Map<string, ReportFact>()
  return pushes.flatMap((push) => {
    const former = newest.get(push.source)
    if (former !== undefined && isOlder(push, former)) return [{ former, push }]
    newest.set(push.source, push)
    return []
  })
}

const isOlder = (push: ReportFact, former: ReportFact): boolean => {
  if (push.statusAtMs !== undefined && former.statusAtMs !== undefined) return push.statusAtMs < former.statusAtMs
  return push.state !== undefined && former.state !== undefined && rankOf(push.state) < rankOf(former.state)
}

/** Terminal and interrupted states since the first push that no push brought, however long ago. */
export const unpushedOf = ({ changes }: AttemptAnalysis, pushes: readonly ReportFact[]): readonly StateChange[] => {
  const [first] = pushes
  if (first === undefined) return []
  const pushed = new Set(pushes.map(({ state }) => state))
  return changes.filter(({ state, atMs }) => (isTerminal(state) || isInterrupted(state)) && !pushed.has(state) && atMs >= first.atMs)
}

/** When the next state that a push should have told of counts as lost; `undefined`: none is awaited. */
export const nextPushLossMs = ({ attempts, facts, asOfMs, settings }: TaskAnalysis): number | undefined => {
  const due = attempts
    .flatMap((attempt) => unpushedOf(attempt, pushesOf(facts, attempt).toSorted(compareMoments)))
    .map(({ atMs }) => atMs + settings.graceMs)
    .filter((dueMs) => dueMs > asOfMs)
  return due.length === 0 ? undefined : Math.min(...due)
}
