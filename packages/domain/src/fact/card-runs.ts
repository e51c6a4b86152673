/**
 * Keeps the cards of a worker bounded (F1): of fetches of one witness that brought the same card again
 * and again, the first and the last stay, and the last knows how many there were.
 *
 * A run has no gap longer than the lifetime of its card: at any moment of it the card was fetched
 * recently enough. Nothing else was fetched from that worker in between, by anybody.
 *
 * What comes late, from within the time of a run, is kept beside it and holds until the run ends: which
 * of the fetches that were left out would have replaced it is not known any more.
 */
import type { CardFact } from './fact.ts'

/** Between two fetches of a run, where the card states no lifetime. */
const gapMsMax = 3_600_000

/** `known`: the cards of one worker as they are kept, in order of position; `card` is newer than all of them. */
export const withCard = (known: readonly CardFact[], card: CardFact): readonly CardFact[] => {
  const own = known.filter(({ source }) => source === card.source)
  const [before, last] = [own.at(-2), own.at(-1)]
  const isRun = last?.run !== undefined || (before !== undefined && last !== undefined && continues(before, last, known))
  if (last === undefined || !isRun || !continues(last, card, known)) return [...known, card]
  const first = last.run ?? { firstPosition: before?.position ?? last.position, firstMs: before?.atMs ?? last.atMs, count: 2 }
  return [...known.filter((fact) => fact !== last), { ...card, run: { ...first, count: first.count + 1 } }]
}

/** True when the card in force at `atMs` was being fetched then: within a run of it. */
export const isFetchedAround = (cards: readonly CardFact[], card: CardFact, atMs: number): boolean =>
  cards.some((last) => last.run !== undefined && last.run.firstMs <= atMs && atMs <= last.atMs && saysOf(last) === saysOf(card))

/**
 * No earlier by the clock, soon enough, and everything from `left` on, which is among `known`, says the
 * same: what was recorded since, and what was fetched until `right`.
 */
const continues = (left: CardFact, right: CardFact, known: readonly CardFact[]): boolean =>
  left.atMs <= right.atMs &&
  right.atMs - left.atMs <= (left.maxAgeMs ?? gapMsMax) &&
  !known.some(
    (other) =>
      (other.position > left.position || (other.atMs >= left.atMs && other.atMs <= right.atMs)) && saysOf(other) !== saysOf(right),
  )

/** Everything but when and by whom it was fetched. */
const saysOf = ({ position: _position, source: _source, atMs: _atMs, recordedAtMs: _recordedAtMs, run: _run, ...card }: CardFact): string =>
  JSON.stringify(Object.entries(card).toSorted(([left], [right]) => (left < right ? -1 : 1)))
