/**
 * Whether the same message once more does harm (V8, ADR 96): what the card declares, as far as a probe does not
 * know better.
 *
 *   the work may be repeated (`redispatchSafety`)          : never;
 *   the card says that nothing is known again              : always;
 *   a probe saw the same message begin a second task       : always, whatever the card says;
 *   the card says that messages, or work, are known again  : not within its window, or ever where it states none;
 *   a probe saw the same message be the same task          : not within ten minutes, since nobody measured for how long.
 */
import { cardAt } from '../capability/knowledge.ts'
import { gradeLifetimeMs, verifiedOf } from '../capability/verified.ts'
import type { WorkerKnowledge } from '../task/analysis.ts'

/** What a probe saw holds for repeats so soon after the first send: all tries of one message are made by then. */
export const measuredWindowMs = 600_000

/** A message that was first sent at `sentMs`, and is sent again at `againMs`; both milliseconds. */
export interface Repeat {
  readonly sentMs: number
  readonly againMs: number
}

/** True when the same message once more does no harm, by what was known of the worker when it is sent again. */
export const isRepeatHarmless = (worker: WorkerKnowledge | undefined, { sentMs, againMs }: Repeat): boolean => {
  const card = cardAt(worker, againMs)
  if (card?.redispatchSafety === 'safe' || card?.redispatchSafety === 'idempotent') return true
  const isKnown = isKnownAgain(worker, againMs)
  if (card?.idempotencyKey === 'none' || isKnown === false) return false
  const declaredMs = card?.idempotencyKey === undefined ? undefined : (card.idempotencyWindowMs ?? Infinity)
  return againMs - sentMs <= (declaredMs ?? (isKnown === true ? measuredWindowMs : -1))
}

/** The word of the newest probe of this card; that it is fades like any grade, that it is not stays until it is measured anew. */
export const isKnownAgain = (worker: WorkerKnowledge | undefined, atMs: number): boolean | undefined => {
  const measured = verifiedOf(worker, atMs).measured.idempotentMessageId
  return measured === undefined || (measured.value && measured.atMs + gradeLifetimeMs.verified <= atMs) ? undefined : measured.value
}
