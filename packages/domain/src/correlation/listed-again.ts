/** L13: when a listing's entry for one task deserves an event of its own. */
import type { NewestOfTask, ShownTask } from './known-correlations.ts'

/** A sign of life is worth repeating after a minute without one. */
export const signOfLifeRepeatMs = 60_000

/**
 * True unless the newest event about the task, at most a minute before and with no restart in between,
 * said the same: out of a listing too in the same bytes, or as another answer of the worker (to a send,
 * say) in the same state and context, where the listing says nothing but that.
 *
 * What is not worth an event is not lost: the listing itself is recorded, and is life of every task it
 * names.
 * `restartPosition`: of the worker's newest recorded restart, 0 for none.
 * Units: `witnessMs` milliseconds since the epoch, the witness's clock.
 */
export const isListedAgainWorthRecording = (
  listed: { readonly digest: string; readonly witnessMs: number; readonly shown?: ShownTask },
  newest: NewestOfTask | undefined,
  restartPosition: number,
): boolean =>
  newest === undefined ||
  !saysTheSame(listed, newest) ||
  restartPosition > newest.position ||
  Math.abs(listed.witnessMs - newest.witnessMs) > signOfLifeRepeatMs

const saysTheSame = (
  listed: { readonly digest: string; readonly shown?: ShownTask },
  newest: NewestOfTask,
): boolean => {
  if (newest.isDerived) return newest.digest === listed.digest
  const { shown } = newest
  return (
    shown !== undefined &&
    listed.shown?.isBare === true &&
    shown.state === listed.shown.state &&
    (listed.shown.contextId === undefined || shown.contextId === listed.shown.contextId)
  )
}
