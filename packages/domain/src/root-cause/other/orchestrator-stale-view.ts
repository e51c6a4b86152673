/**
 * `orchestrator_stale_view`: the state the orchestrator believed in (`lastobserved`) lags behind what
 * witnesses had seen before that moment.
 *
 * It lags when the seen state is further on: of a higher rank, or after the believed one in what was
 * seen of the attempt, or waiting where the orchestrator still believed in `working`. A belief that
 * is ahead of every witness is no lag.
 */
import type { TaskFact } from '../../fact/fact.ts'
import type { AttemptAnalysis, StateChange } from '../../task/analysis.ts'
import { isInterrupted, rankOf, type TaskState } from '../../task/state.ts'
import { seenBefore, type CaseFile } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const orchestratorStaleView: OtherCause = {
  cause: 'orchestrator_stale_view',
  responsible: 'client',
  says: 'the orchestrator acted on a state that was already out of date',
  nextAction: 'Have the orchestrator read the task from the reconciler before it sends or decides.',
  find: (file) =>
    file.facts.flatMap((fact) => {
      const { believed } = fact
      if (believed === undefined || believed === 'unknown') return []
      const seen = lastSeen(fact, file)
      if (seen === undefined || !isBehind(believed, seen)) return []
      const { workerId, taskId } = seen.attempt
      return [{ confidence: 'strong', because: positionsOf([seen.change.position, fact.position]), workerId, taskId }]
    }),
}

interface Seen {
  readonly attempt: AttemptAnalysis
  readonly change: StateChange
}

/**
 * What had been seen of the task that the fact names, else of the attempt that was told of last: a send may name
 * a task that is yet to be made (v0.1).
 */
const lastSeen = (fact: TaskFact, file: CaseFile): Seen | undefined => {
  const named = file.analysis.attempts.filter(
    ({ workerId, taskId }) => taskId === fact.taskId && workerId === fact.workerId,
  )
  const isOfAny = fact.taskId === undefined || (fact.kind === 'dispatch' && named.length === 0)
  const attempts = isOfAny ? file.analysis.attempts : named
  return attempts.reduce<Seen | undefined>((latest, attempt) => {
    const change = seenBefore(attempt, fact.atMs)
    if (change === undefined || (latest !== undefined && latest.change.atMs > change.atMs)) return latest
    return { attempt, change }
  }, undefined)
}

const isBehind = (believed: TaskState, { attempt, change }: Seen): boolean => {
  if (believed === change.state || rankOf(believed) > rankOf(change.state)) return false
  if (rankOf(believed) < rankOf(change.state)) return true
  const until = attempt.changes.indexOf(change)
  const wasSeen = attempt.changes.slice(0, until).some(({ state }) => state === believed)
  return wasSeen || (believed === 'working' && isInterrupted(change.state))
}
