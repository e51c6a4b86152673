/**
 * How much of a worker's traffic anybody witnessed.
 *
 * Three shares are counted over the tasks of a worker:
 *
 * - of the server tasks that were seen, those whose creating send was seen too;
 * - of the sends, those whose answer was seen, or of which a witness said that none came. A send that
 *   is the last that was heard of its task may still be under way and is not counted;
 * - of the streams of tasks that are no longer open, those whose end their witness saw: a state in
 *   which a stream closes, or `a2a.stream-ended`.
 *
 * Beside them stand the gaps: times in which a witness knows that it recorded nothing (`ledger.gap`).
 *
 * | level | when |
 * | --- | --- |
 * | `none` | neither a server task nor a send of the worker was seen |
 * | `low` | one of the shares is below a half |
 * | `partial` | one of the shares is below one, or a gap is known |
 * | `full` | everything that was begun was seen from its beginning to its end |
 *
 * Coverage never changes a state. It decides who may be blamed: a cause that argues from what nobody
 * saw blames nobody where coverage is `none` or `low`, or where a gap covers the time it rests on.
 */
import type { GapFact, TaskFact } from '../fact/fact.ts'
import { isAfter } from '../fact/moment.ts'
import type { AttemptAnalysis, CoverageCounts, TaskAnalysis, WorkerKnowledge } from '../task/analysis.ts'
import { isInterrupted, isTerminal } from '../task/state.ts'

export type CoverageLevel = 'none' | 'low' | 'partial' | 'full'

export interface Coverage extends CoverageCounts {
  readonly level: CoverageLevel
  readonly gaps: readonly GapFact[]
}

export const noCoverage: CoverageCounts = { tasks: 0, sentTasks: 0, sends: 0, answeredSends: 0, streams: 0, endedStreams: 0 }

/** Both together. */
export const addCoverage = (left: CoverageCounts, right: CoverageCounts): CoverageCounts => ({
  tasks: left.tasks + right.tasks,
  sentTasks: left.sentTasks + right.sentTasks,
  sends: left.sends + right.sends,
  answeredSends: left.answeredSends + right.answeredSends,
  streams: left.streams + right.streams,
  endedStreams: left.endedStreams + right.endedStreams,
})

/** What one task shows of the traffic of one worker. */
export const coverageOf = ({ attempts, dispatches, facts, lastPosition }: TaskAnalysis, workerId: string): CoverageCounts => {
  const own = attempts.filter((attempt) => attempt.workerId === workerId)
  const sends = dispatches.filter(
    (send) => send.workerId === workerId && (send.outcome !== 'pending' || !send.positions.includes(lastPosition)),
  )
  const streams = own.filter(({ life }) => life !== 'live').flatMap((attempt) => streamsOf(attempt, facts))
  return {
    tasks: own.length,
    sentTasks: own.filter(({ createdMs }) => createdMs !== undefined).length,
    sends: sends.length,
    answeredSends: sends.filter(({ outcome }) => outcome !== 'pending').length,
    streams: streams.length,
    endedStreams: streams.filter(({ isEnded }) => isEnded).length,
  }
}

/** The streams by which witnesses followed an attempt; a webhook is none, each push is a call of its own. */
const streamsOf = ({ workerId, taskId }: AttemptAnalysis, facts: readonly TaskFact[]): readonly { readonly isEnded: boolean }[] => {
  const told = facts.filter(
    (fact) =>
      fact.workerId === workerId &&
      fact.taskId === taskId &&
      ('channel' in fact ? fact.channel === 'update' : fact.kind === 'stream-ended') &&
      fact.operation !== 'Push' &&
      fact.operation !== 'Emit',
  )
  const streams = Map.groupBy(told, ({ source, streamId }) => JSON.stringify([source, streamId ?? null]))
  return [...streams.values()].map((stream) => ({
    isEnded: stream.some(
      (fact) => fact.kind === 'stream-ended' || (fact.kind === 'report' && (isTerminal(fact.state) || isInterrupted(fact.state))),
    ),
  }))
}

/** What is known of a worker's coverage: over its other tasks, and over the task that is looked at. */
export const coverageKnown = (worker: WorkerKnowledge | undefined, here: CoverageCounts): Coverage => {
  const counts = addCoverage(worker?.coverage ?? noCoverage, here)
  const gaps = gapsOf(worker)
  return { ...counts, level: levelOf(counts, gaps), gaps }
}

/** Gaps in order of time. */
export const gapsOf = (worker: WorkerKnowledge | undefined): readonly GapFact[] =>
  (worker?.facts ?? []).filter((fact) => fact.kind === 'gap').toSorted((left, right) => (isAfter(left, right) ? 1 : -1))

const levelOf = (counts: CoverageCounts, gaps: readonly GapFact[]): CoverageLevel => {
  if (counts.tasks === 0 && counts.sends === 0) return 'none'
  const shares = [
    [counts.sentTasks, counts.tasks],
    [counts.answeredSends, counts.sends],
    [counts.endedStreams, counts.streams],
  ] as const
  if (shares.some(([witnessed, seen]) => witnessed * 2 < seen)) return 'low'
  return gaps.length > 0 || shares.some(([witnessed, seen]) => witnessed < seen) ? 'partial' : 'full'
}

/** In one sentence what was not witnessed; `undefined` when everything was. */
export const unwitnessedOf = (coverage: Coverage): string | undefined => {
  if (coverage.level === 'none') return 'No other traffic of {worker} was witnessed.'
  const missing = [
    lacking(coverage.tasks - coverage.sentTasks, coverage.tasks, 'server tasks', 'seen being sent'),
    lacking(coverage.sends - coverage.answeredSends, coverage.sends, 'sends', 'seen being answered'),
    lacking(coverage.streams - coverage.endedStreams, coverage.streams, 'streams', 'seen to their end'),
  ].flatMap((each) => each ?? [])
  return missing.length === 0 ? undefined : `Of {worker}, ${missing.join('; ')}.`
}

const lacking = (count: number, of: number, what: string, how: string): string | undefined =>
  count === 0 ? undefined : `${count} of ${of} ${what} ${count === 1 ? 'was' : 'were'} never ${how}`
