/** When the facts of a task are worth going through for runs, and which ones are inside one (F1). */
import { compactFacts, fallsInsideRun } from '@a2a-ledger/domain'
import type { Compaction, TaskRecord } from './ports.ts'

/** Below this nothing is gained. */
const factsMin = 200
/** Looked at again when the task has grown by half: the cost stays proportional to its length. */
const growth = 1.5
/** The newest facts stay as they are: what comes a little late does not fall inside a run. */
const newestKept = 50

/** What to leave out of `record` from now on; `undefined`: it is not time to look. */
export function compactionOf(record: TaskRecord): Compaction | undefined {
  const { correlationId, lastPosition, facts, compactedCount } = record
  if (facts.length < Math.max(factsMin, compactedCount * growth)) return undefined
  const older = facts.slice(0, -newestKept)
  const newest = facts.slice(-newestKept)
  const kept = compactFacts(older)
  const untilMs = older.reduce((latest, { atMs }) => Math.max(latest, atMs), 0)
  if (newest.some((fact) => fallsInsideRun(kept, fact))) {
    return { correlationId, lastPosition, insidePositions: [], untilMs, count: facts.length }
  }
  const positions = new Set(kept.map(({ position }) => position))
  return {
    correlationId,
    lastPosition,
    insidePositions: older.map(({ position }) => position).filter((position) => !positions.has(position)),
    untilMs,
    count: positions.size + newest.length,
  }
}
