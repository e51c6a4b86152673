/**
 * How a worker's pushes arrive: what one task shows of it, and all its tasks together.
 *
 * | count | of |
 * | --- | --- |
 * | `delivered` | pushes that were recorded; the same one delivered again is the same event |
 * | `reordered` | those older than what their webhook already had (`push_unordered`) |
 * | `lost` | states that a push should have told of and none did, once grace is over (`push_lost`) |
 * | delays | from the worker's stamp of a state to the arrival of the push that told of it first, by two clocks |
 */
import type { TaskFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { PushCounts, TaskAnalysis } from '../task/analysis.ts'
import { overtakenAmong, pushesOf, unpushedOf } from '../task/pushes.ts'

/** The newest delays of one task that are kept for the median. */
const delaysMax = 50

/** All of them together; linear in their delays, however many tasks a worker has. */
export const sumOfPushes = (all: readonly PushCounts[]): PushCounts => ({
  delivered: all.reduce((sum, { delivered }) => sum + delivered, 0),
  reordered: all.reduce((sum, { reordered }) => sum + reordered, 0),
  lost: all.reduce((sum, { lost }) => sum + lost, 0),
  delaysMs: all.flatMap(({ delaysMs }) => delaysMs),
  delayMsMax: longestOf(all.map(({ delayMsMax }) => delayMsMax)),
})

const longestOf = (delaysMs: readonly number[]): number => delaysMs.reduce((longest, delayMs) => Math.max(longest, delayMs), 0)

/** What one task shows of the pushes of one worker, and the first and the last of them. */
export const pushCountsOf = (
  { facts, attempts, asOfMs, settings }: TaskAnalysis,
  workerId: string,
): { readonly counts: PushCounts; readonly first: TaskFact; readonly last: TaskFact } | undefined => {
  const pushes = facts.filter((fact) => fact.operation === 'Push' && fact.workerId === workerId).toSorted(compareMoments)
  const [first] = pushes
  const last = pushes.at(-1)
  if (first === undefined || last === undefined) return undefined
  const own = attempts.filter((attempt) => attempt.workerId === workerId).map((attempt) => ({ attempt, reports: pushesOf(pushes, attempt) }))
  const delays = delaysOf(pushes)
  return {
    first,
    last,
    counts: {
      // The first of a run of equals stands by itself, the last knows of all.
      delivered: pushes.reduce((sum, { run }) => sum + (run === undefined ? 1 : run.count - 1), 0),
      reordered: own.reduce((sum, { reports }) => sum + overtakenAmong(reports).length, 0),
      lost: own.flatMap(({ attempt, reports }) => unpushedOf(attempt, reports)).filter(({ atMs }) => asOfMs - atMs >= settings.graceMs).length,
      delaysMs: delays.slice(-delaysMax),
      delayMsMax: longestOf(delays),
    },
  }
}

/** A later push with the same stamp tells of something else, or again. */
const delaysOf = (pushes: readonly TaskFact[]): readonly number[] => {
  const told = new Set<string>()
  return pushes.flatMap((push) => {
    if (push.kind !== 'report' || push.statusAtMs === undefined) return []
    const key = JSON.stringify([push.taskId ?? null, push.statusAtMs])
    if (told.has(key)) return []
    told.add(key)
    return [Math.max(0, push.atMs - push.statusAtMs)]
  })
}

/** The middle one, the lower of two. */
export const medianOf = (values: readonly number[]): number | undefined => values.toSorted((left, right) => left - right)[(values.length - 1) >> 1]
