/**
 * L2 over one commit group, in order: which inputs are new, and what the others are.
 *
 * An input is compared with what is recorded, else with the first of its key in the group.
 */
import type { Codec, EventAttributes } from '@a2a-ledger/domain'
import { differencesOf } from './content-difference.ts'
import type { Prepared, PreparedEvent } from './prepared.ts'

/** What is recorded under a key. */
export interface Recorded {
  readonly position: number
  readonly contentHash: string
  readonly correlationId: string | undefined
}

/** The recorded event behind a key, to be compared member by member. */
export interface RecordedBody {
  readonly attributes: EventAttributes
  readonly data: Uint8Array | undefined
}

export type KeyCheck =
  | { readonly kind: 'new' }
  | { readonly kind: 'duplicate-of-recorded'; readonly recorded: Recorded }
  /** Of the input at `index` of the same group. */
  | { readonly kind: 'duplicate-in-group'; readonly index: number }
  | { readonly kind: 'conflict'; readonly differsIn: readonly string[] }
  | { readonly kind: 'quarantine' }

/** Positions of recorded events that have to be read before `dedupe` can tell (L2's slow path). */
export const bodiesNeeded = (
  group: readonly Prepared[],
  recorded: ReadonlyMap<string, Recorded>,
): readonly number[] => {
  const positions = group.flatMap((input) => {
    const found = input.kind === 'event' ? recorded.get(input.key) : undefined
    return found === undefined || input.kind !== 'event' || isSameByHash(input, found) ? [] : [found.position]
  })
  return [...new Set(positions)]
}

/** A decision is taken once: a second decider gets the first one back, whatever it wrote (V4). */
const isSameByHash = (input: PreparedEvent, recorded: { readonly contentHash: string }): boolean =>
  input.via === 'internal' || input.contentHash === recorded.contentHash

/** One answer an input, in order. */
export const dedupe = (
  codec: Codec,
  group: readonly Prepared[],
  recorded: ReadonlyMap<string, Recorded>,
  bodies: ReadonlyMap<number, RecordedBody>,
): readonly KeyCheck[] => {
  const first = new Map<string, number>()
  return group.map((input, index): KeyCheck => {
    if (input.kind === 'quarantine') return { kind: 'quarantine' }
    const found = recorded.get(input.key)
    if (found !== undefined) {
      if (isSameByHash(input, found)) return { kind: 'duplicate-of-recorded', recorded: found }
      const body = bodies.get(found.position) ?? { attributes: input.attributes, data: undefined }
      const differsIn = differencesOf(codec, body, input)
      return differsIn.length === 0
        ? { kind: 'duplicate-of-recorded', recorded: found }
        : { kind: 'conflict', differsIn }
    }
    const earlier = first.get(input.key)
    const twin = earlier === undefined ? undefined : group[earlier]
    if (earlier === undefined || twin?.kind !== 'event') {
      first.set(input.key, index)
      return { kind: 'new' }
    }
    if (isSameByHash(input, twin)) return { kind: 'duplicate-in-group', index: earlier }
    const differsIn = differencesOf(codec, twin, input)
    return differsIn.length === 0 ? { kind: 'duplicate-in-group', index: earlier } : { kind: 'conflict', differsIn }
  })
}
