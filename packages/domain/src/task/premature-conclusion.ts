/** What an orchestrator concluded of a task held against what its workers had reported by then. */
import { parseTaskState } from '../a2a/task-state.ts'
import type { ConclusionFact } from '../fact/fact.ts'
import { clockSkewMsMax } from '../fact/facts-of.ts'
import { compareMoments } from '../fact/moment.ts'
import type { AttemptAnalysis, TaskAnalysis } from './analysis.ts'

/** A conclusion `failed` that no attempt it is about had reported. */
export interface PrematureConclusion {
  readonly conclusion: ConclusionFact
  /** The attempt that it names; all of them when it names none. */
  readonly concerned: readonly AttemptAnalysis[]
}

/**
 * The conclusions `failed` of a task that came before any attempt they are about had failed (C5,
 * `premature_failure`).
 *
 * Any spelling of `failed` counts. A report within the clock skew that we grant witnesses counts as
 * seen before; one that happened later excuses nothing. In order of time.
 */
export const prematureConclusions = ({ attempts, facts }: TaskAnalysis): readonly PrematureConclusion[] =>
  facts.toSorted(compareMoments).flatMap((fact) => {
    if (fact.kind !== 'conclusion' || fact.refused?.code === 'correlation_conflict') return []
    if (parseTaskState(fact.state)?.state !== 'failed') return []
    const concerned = attempts.filter(
      ({ workerId, taskId }) => (fact.workerId ?? workerId) === workerId && (fact.taskId ?? taskId) === taskId,
    )
    return concerned.some((attempt) => hadFailed(attempt, fact.atMs)) ? [] : [{ conclusion: fact, concerned }]
  })

const hadFailed = ({ changes }: AttemptAnalysis, atMs: number): boolean =>
  changes.some(({ state, effectiveMs }) => state === 'failed' && effectiveMs <= atMs + clockSkewMsMax)
