/**
 * The order in which the updates of one attempt happened (F3).
 *
 * Effective time orders; within one stream of one source `sequence` comes first; where every
 * update has a `generation` (A2A v1.1), that comes before time. Ties end in the position.
 */
import type { ArtifactFact, MessageFact, ReportFact } from '../fact/fact.ts'

export type SignFact = ReportFact | ArtifactFact | MessageFact

export interface Ordered {
  readonly fact: SignFact
  readonly effectiveMs: number
}

/**
 * When what the fact says happened: the worker's stamp, held between the dispatch that created
 * the attempt and the moment somebody saw it; without a usable stamp that moment (F3).
 */
export const effectiveMsOf = (fact: SignFact, createdMs: number | undefined): number => {
  if (fact.kind !== 'report' || fact.statusAtMs === undefined) return fact.atMs
  return Math.min(Math.max(fact.statusAtMs, createdMs ?? -Infinity), fact.atMs)
}

/** `signs` in the order in which they happened. */
export const orderSigns = (signs: readonly SignFact[], createdMs: number | undefined): readonly Ordered[] =>
  orderBy(signs, (fact) => effectiveMsOf(fact, createdMs))

/** `signs` in the order in which they were seen: what chunks are put together by (F18). */
export const orderWitnessed = (signs: readonly SignFact[]): readonly SignFact[] =>
  orderBy(signs, ({ atMs }) => atMs).map(({ fact }) => fact)

const orderBy = (signs: readonly SignFact[], timeOf: (fact: SignFact) => number): readonly Ordered[] => {
  const times = new Map(signs.map((fact) => [fact.position, timeOf(fact)]))
  const ties = new Map(signs.map((fact) => [fact.position, fact.position]))
  for (const stream of streamsOf(signs)) orderStream(stream, times, ties)
  const reports = signs.filter((fact) => fact.kind === 'report')
  const haveGenerations = reports.length > 0 && reports.every((fact) => fact.generation !== undefined)
  const at = (map: ReadonlyMap<number, number>, fact: SignFact) => map.get(fact.position) ?? 0
  return signs
    .toSorted((left, right) => {
      const byTime = at(times, left) - at(times, right) || at(ties, left) - at(ties, right)
      if (!haveGenerations || left.kind !== 'report' || right.kind !== 'report') return byTime
      return (left.generation ?? 0) - (right.generation ?? 0) || byTime
    })
    .map((fact) => ({ fact, effectiveMs: at(times, fact) }))
}

/** Groups of sequenced facts: one a stream of a source. */
const streamsOf = (signs: readonly SignFact[]): readonly (readonly SignFact[])[] => {
  const sequenced = signs.filter(({ sequence }) => sequence !== undefined)
  const streams = Map.groupBy(sequenced, ({ source, streamId }) => JSON.stringify([source, streamId ?? null]))
  return [...streams.values()].filter((stream) => stream.length > 1)
}

/** Along its sequence a stream's time never runs backwards, and equal times keep the sequence. */
const orderStream = (stream: readonly SignFact[], times: Map<number, number>, ties: Map<number, number>): void => {
  const inSequence = stream.toSorted(
    (left, right) => compareSequences(left.sequence ?? '', right.sequence ?? '') || left.position - right.position,
  )
  const positions = stream.map(({ position }) => position).toSorted((left, right) => left - right)
  let latestMs = -Infinity
  for (const [index, fact] of inSequence.entries()) {
    latestMs = Math.max(latestMs, times.get(fact.position) ?? fact.atMs)
    times.set(fact.position, latestMs)
    ties.set(fact.position, positions[index] ?? fact.position)
  }
}

/** CloudEvents sequence: whole numbers by value, everything else as text. */
export const compareSequences = (left: string, right: string): number => {
  if (/^\d+$/.test(left) && /^\d+$/.test(right)) {
    const [a, b] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')]
    return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
  }
  return left < right ? -1 : left > right ? 1 : 0
}
