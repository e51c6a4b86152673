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
  const at = (map: ReadonlyMap<number, number>, fact: SignFact) => map.get(fact.position) ?? 0
  const byTime = (left: SignFact, right: SignFact) =>
    at(times, left) - at(times, right) || at(ties, left) - at(ties, right)
  for (const stream of streamsOf(signs)) {
    const bySequence = (left: SignFact, right: SignFact) =>
      compareSequences(left.sequence ?? '', right.sequence ?? '') || byTime(left, right)
    keepOrder(stream.toSorted(bySequence), times, ties)
  }
  const reports = signs.filter((fact) => fact.kind === 'report')
  if (reports.every(({ generation }) => generation !== undefined)) {
    const byGeneration = (left: ReportFact, right: ReportFact) => (left.generation ?? 0) - (right.generation ?? 0)
    keepOrder(reports.toSorted((left, right) => byGeneration(left, right) || byTime(left, right)), times, ties)
  }
  return signs.toSorted(byTime).map((fact) => ({ fact, effectiveMs: at(times, fact) }))
}

/** Groups of sequenced facts: one a stream of a source. */
const streamsOf = (signs: readonly SignFact[]): readonly (readonly SignFact[])[] => {
  const sequenced = signs.filter(({ sequence }) => sequence !== undefined)
  const streams = Map.groupBy(sequenced, ({ source, streamId }) => JSON.stringify([source, streamId ?? null]))
  return [...streams.values()].filter((stream) => stream.length > 1)
}

/** Makes `inOrder` hold: along it no time runs backwards, and of equal times the earlier stays first. */
const keepOrder = (inOrder: readonly SignFact[], times: Map<number, number>, ties: Map<number, number>): void => {
  const places = inOrder.map(({ position }) => ties.get(position) ?? position).toSorted((left, right) => left - right)
  let latestMs = -Infinity
  for (const [index, fact] of inOrder.entries()) {
    latestMs = Math.max(latestMs, times.get(fact.position) ?? fact.atMs)
    times.set(fact.position, latestMs)
    ties.set(fact.position, places[index] ?? fact.position)
  }
}

/** CloudEvents sequence: whole numbers by value and before everything else, which is text. */
export const compareSequences = (left: string, right: string): number => {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  if (!isNumber) return left < right ? -1 : left > right ? 1 : 0
  const [a, b] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')]
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
