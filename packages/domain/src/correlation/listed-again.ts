/** L13: when a listing's entry for one task deserves an event of its own. */
import type { NewestOfTask } from './known-correlations.ts'

/** A sign of life is worth repeating after a minute without one. */
export const signOfLifeRepeatMs = 60_000

/**
 * True unless the newest event about the task came out of a listing too, said the same in the same
 * bytes, at most a minute before, with no restart in between.
 *
 * `restartPosition`: of the worker's newest recorded restart, 0 for none.
 * Units: `witnessMs` milliseconds since the epoch, the witness's clock.
 */
export const isListedAgainWorthRecording = (
  listed: { readonly digest: string; readonly witnessMs: number },
  newest: NewestOfTask | undefined,
  restartPosition: number,
): boolean =>
  newest === undefined ||
  !newest.isDerived ||
  newest.digest !== listed.digest ||
  restartPosition > newest.position ||
  Math.abs(listed.witnessMs - newest.witnessMs) > signOfLifeRepeatMs
