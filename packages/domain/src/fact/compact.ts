/**
 * Keeps the facts of one stream bounded (F1): of a run of neighbours that say the same, the first
 * and the last stay, and the last knows how many there were.
 *
 * Neighbours are so in position and on every clock: where anything else about that worker happened
 * between two of them, what lies between would be lost with the inside of the run.
 */
import { isSend } from '../a2a/operation.ts'
import type { ReportFact, TaskFact } from './fact.ts'
import { compareMoments, isAfter, type Moment } from './moment.ts'

/**
 * `facts` without the inside of its runs. Derives the same as the full set.
 *
 * Shape: one stream's facts, any order. Idempotent; compacting what was compacted counts on.
 * Cost: n log n.
 */
export const compactFacts = (facts: readonly TaskFact[]): readonly TaskFact[] => {
  const others = momentsByWorker(facts)
  const continues = (left: TaskFact | undefined, right: TaskFact): boolean =>
    left !== undefined && saysTheSame(left, right) && isClearBetween(left, right, others.get(right.workerId) ?? [])
  const kept: TaskFact[] = []
  for (const fact of facts.toSorted((left, right) => left.position - right.position)) {
    const last = kept.at(-1)
    const before = kept.at(-2)
    if (last === undefined || !continues(last, fact) || !(last.run !== undefined || continues(before, last))) {
      kept.push(fact)
      continue
    }
    const first = last.run ?? { firstPosition: before?.position ?? 0, firstMs: before?.atMs ?? 0, count: 2 }
    // The first of a run that was compacted before has been counted by itself.
    const added = fact.run === undefined ? 1 : fact.run.count - 1
    kept[kept.length - 1] = { ...fact, run: { ...first, count: first.count + added } }
  }
  return kept
}

/**
 * True when `late` falls inside a run that was compacted, or on its first moment: its stream has to
 * be read again from the ledger, because what it lies between was left out.
 */
export const fallsInsideRun = (compacted: readonly TaskFact[], late: TaskFact): boolean =>
  compacted.some((last) => {
    if (last.run === undefined || last.workerId !== late.workerId || !isPlain(last)) return false
    const { firstPosition, firstMs } = last.run
    const first = compacted.find(({ position }) => position === firstPosition)
    return windowsBetween(first ?? { position: firstPosition, atMs: firstMs }, last).some(({ from, to }) =>
      momentsOf(late).some((moment) => moment.atMs >= from.atMs && isAfter(to, moment)),
    )
  })

/** A moment at which something was said, and what: equal words are one run's. */
interface Spoken extends Moment {
  readonly words: string
}

/** When a fact was seen, and when what it says happened. */
const momentsOf = (fact: TaskFact): readonly Moment[] => [witnessedAt(fact), happenedAt(fact)]

const witnessedAt = ({ atMs, position }: Moment): Moment => ({ atMs, position })

const happenedAt = (fact: Moment & { readonly statusAtMs?: number }): Moment => ({
  atMs: Math.min(fact.statusAtMs ?? fact.atMs, fact.atMs),
  position: fact.position,
})

const momentsByWorker = (facts: readonly TaskFact[]): ReadonlyMap<string | undefined, readonly Spoken[]> => {
  const byWorker = Map.groupBy(facts, ({ workerId }) => workerId)
  return new Map(
    [...byWorker].map(([workerId, own]) => [
      workerId,
      own
        .flatMap((fact): readonly Spoken[] => {
          const words = isPlain(fact) ? samenessOf(fact) : ''
          return momentsOf(fact).map((moment) => ({ ...moment, words }))
        })
        .toSorted(compareMoments),
    ]),
  )
}

/** From one report of a run to a later one, by the clock of the witness and by that of the worker. */
const windowsBetween = (left: Moment & { readonly statusAtMs?: number }, right: ReportFact) => [
  { from: witnessedAt(left), to: witnessedAt(right) },
  { from: happenedAt(left), to: happenedAt(right) },
]

/** True when nothing else was said about the worker from the one to the other, on any clock. */
const isClearBetween = (left: TaskFact, right: TaskFact, spoken: readonly Spoken[]): boolean => {
  if (!isPlain(left) || !isPlain(right)) return false
  const words = samenessOf(right)
  return windowsBetween(left, right).every(({ from, to }) => {
    for (let index = indexFrom(spoken, from.atMs); index < spoken.length; index += 1) {
      const other = spoken[index]
      if (other === undefined || !isAfter(to, other)) break
      if (other.words !== words) return false
    }
    return true
  })
}

/** Where in the ordered list the first moment at or after that time is. */
const indexFrom = (spoken: readonly Spoken[], fromMs: number): number => {
  let [low, high] = [0, spoken.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spoken[middle]?.atMs ?? Infinity) >= fromMs) high = middle
    else low = middle + 1
  }
  return low
}

/** Two reports of one state by one witness, the later one later by every clock, and nothing else said. */
const saysTheSame = (left: TaskFact, right: TaskFact): boolean =>
  isPlain(left) &&
  isPlain(right) &&
  left.atMs <= right.atMs &&
  (left.statusAtMs ?? left.atMs) <= (right.statusAtMs ?? right.atMs) &&
  samenessOf(left) === samenessOf(right)

const isPlain = (fact: TaskFact): fact is ReportFact =>
  fact.kind === 'report' &&
  fact.state !== undefined &&
  (fact.pieces ?? []).length === 0 &&
  !isSend(fact.operation) &&
  fact.operation !== 'CancelTask' &&
  fact.notes === undefined &&
  fact.believed === undefined &&
  fact.refused === undefined &&
  fact.sequence === undefined &&
  fact.generation === undefined &&
  fact.messageId === undefined

const samenessOf = (fact: ReportFact): string =>
  JSON.stringify([
    fact.workerId,
    fact.taskId,
    fact.source,
    fact.streamId,
    fact.operation,
    fact.binding,
    fact.scope,
    fact.instance,
    fact.channel,
    fact.form,
    fact.contextId,
    fact.placed,
    fact.state,
    fact.text,
    fact.hasMessage,
    fact.saysBeyondText,
    fact.historyMessageId,
    fact.timeline,
    fact.protocolVersion,
    fact.parentCorrelationId,
    fact.metadataNames,
    fact.statusAtMs === undefined,
  ])
