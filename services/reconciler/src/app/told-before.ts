/**
 * What of a worker's answers is recorded (L13): what is new, and what is not once a minute.
 *
 * An answer that repeats the one before is held; the last one that was held is told before anything else
 * is, so that the ledger has the first and the last of every run, and a loss is between the two (F1, F9).
 */
import { signOfLifeRepeatMs } from '@a2a-ledger/domain'
import type { Observed, WitnessedEvent } from './ports.ts'

export interface ToldBefore {
  /**
   * What is to be recorded now, in order. `isNews`: it counts even where it repeats what was told (F10).
   */
  readonly worthTelling: (taskId: string, observed: Pick<Observed, 'digest' | 'events'>, isNews: boolean, nowMs: number) => readonly WitnessedEvent[]
  /** What comes next of this task is told, whatever it is. */
  readonly forget: (taskId: string) => void
  /** Nothing is remembered of tasks that are not in `taskIds`. */
  readonly keepOnly: (taskIds: ReadonlySet<string>) => void
}

interface Told {
  readonly digest: string
  readonly atMs: number
  readonly held: readonly WitnessedEvent[]
}

/** Larger answers are not held: the end of their runs is a minute less exact. */
const heldBytesMax = 16_384

export function createToldBefore(): ToldBefore {
  const told = new Map<string, Told>()
  return {
    worthTelling: (taskId, { digest, events }, isNews, nowMs) => {
      const before = told.get(taskId)
      const isSame = before?.digest === digest
      if (isSame && !isNews && nowMs - before.atMs < signOfLifeRepeatMs) {
        told.set(taskId, { ...before, held: events.every(({ bytes }) => bytes.length <= heldBytesMax) ? events : [] })
        return []
      }
      told.set(taskId, { digest, atMs: nowMs, held: [] })
      return isSame ? events : [...(before?.held ?? []), ...events]
    },
    forget: (taskId) => void told.delete(taskId),
    keepOnly: (taskIds) => {
      for (const taskId of told.keys()) if (!taskIds.has(taskId)) told.delete(taskId)
    },
  }
}
