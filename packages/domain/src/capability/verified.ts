/**
 * What is verified of a worker: by trust in its card (V2), or by probes (V3).
 *
 * Every ended step of a probe says something about some subjects: a state, its durability, a media type, a
 * measured value. The newest word on a subject counts, and nothing else of the probes is needed: so a store may keep
 * of each subject the newest step alone. A word is void once its lifetime is over, and when the card in force is
 * not the one that was probed, or became it anew since. Observed traffic says nothing here.
 */
import type { ProbeLearned, ProbeMeasures } from '../event/probe-step.ts'
import { probeMeasuresSchema } from '../event/probe-step.ts'
import type { CardFact, ProbeStepFact } from '../fact/fact.ts'
import { isModeIn } from '../media-type/negotiate.ts'
import type { WorkerKnowledge } from '../task/analysis.ts'
import { observableStates, type TaskState } from '../task/state.ts'
import { advertisedModesOf, advertisedStatesOf, cardAt, cardsOf, lastChangeMs, policyOf } from './knowledge.ts'

export type Grade = 'trusted' | 'verified' | 'durable'

/** How it is known, since when, and until when; trust does not run out. */
export interface Verification {
  readonly grade: Grade
  readonly position: number
  readonly atMs: number
  readonly expiresMs?: number
}

export interface Verified {
  readonly states: ReadonlyMap<TaskState, Verification>
  readonly mediaTypes: ReadonlyMap<string, Verification>
  readonly measured: { readonly [Name in keyof ProbeMeasures]?: { readonly value: ProbeMeasures[Name]; readonly position: number; readonly atMs: number } }
  /** States that came and are not declared, and media types outside of what was negotiated (C3, C4). */
  readonly strayStates: readonly { readonly state: TaskState; readonly position: number }[]
  readonly strayMediaTypes: readonly { readonly mediaType: string; readonly position: number }[]
}

/** For how long what a probe confirmed counts: what a running process does fades sooner than what it kept over a restart. */
export const gradeLifetimeMs = { verified: 7 * 86_400_000, durable: 30 * 86_400_000 } as const

/** One word on one subject. */
interface Word {
  readonly subject: string
  readonly kind: 'state' | 'durable' | 'mode' | 'measured'
  readonly name: string
  readonly value: boolean | number
}

const measureNames = Object.keys(probeMeasuresSchema.shape) as readonly (keyof ProbeMeasures)[]

const wordsIn = (learned: ProbeLearned): readonly Word[] => {
  const word = (kind: Word['kind'], name: string, value: Word['value']): Word => ({ subject: `${kind} ${name}`, kind, name, value })
  return [
    ...(learned.states ?? []).map((state) => word('state', state, true)),
    ...(learned.refutedStates ?? []).map((state) => word('state', state, false)),
    ...(learned.durableStates ?? []).map((state) => word('durable', state, true)),
    ...(learned.lostStates ?? []).map((state) => word('durable', state, false)),
    ...(learned.mediaTypes ?? []).map((mediaType) => word('mode', mediaType, true)),
    ...(learned.strayMediaTypes ?? []).map((mediaType) => word('mode', mediaType, false)),
    ...measureNames.flatMap((name) => {
      const value = learned.measured?.[name]
      return value === undefined ? [] : [word('measured', name, value)]
    }),
  ]
}

const learnedOf = ({ moment }: ProbeStepFact): ProbeLearned => (moment.phase === 'ended' ? (moment.learned ?? {}) : {})

/** What a step has a word on; a store that keeps the newest step of each subject keeps enough. */
export const probeSubjectsOf = (fact: ProbeStepFact): readonly string[] => [...new Set(wordsIn(learnedOf(fact)).map(({ subject }) => subject))]

/** Everything that is verified of a worker at `asOfMs`; as of `position`, where something recorded there is judged by it (F2). */
export const verifiedOf = (worker: WorkerKnowledge | undefined, asOfMs: number, position = Infinity): Verified => {
  const card = cardAt(worker, asOfMs)
  const probed = probedOf(worker, card, asOfMs, position)
  if (policyOf(worker, position).trust !== 'card' || card === undefined) return probed
  const trusted: Verification = { grade: 'trusted', position: card.position, atMs: card.atMs }
  return {
    ...probed,
    states: new Map(advertisedStatesOf(card).map((state) => [state, trusted])),
    mediaTypes: new Map(advertisedModesOf(card).map((mediaType) => [mediaType, trusted])),
  }
}

const placeOf = ({ kind, name }: Word): number => (kind === 'state' ? observableStates.indexOf(name as TaskState) : observableStates.length)

type NewestWord = Word & Pick<ProbeStepFact, 'position' | 'atMs'>

const probedOf = (worker: WorkerKnowledge | undefined, card: CardFact | undefined, asOfMs: number, position: number): Verified => {
  const sinceMs = lastChangeMs(cardsOf(worker).filter(({ isValid, atMs }) => isValid && atMs <= asOfMs))
  const steps = (worker?.facts ?? []).filter(
    (fact): fact is ProbeStepFact =>
      fact.kind === 'probe-step' &&
      fact.moment.phase === 'ended' &&
      fact.atMs <= asOfMs &&
      fact.position <= position &&
      fact.atMs >= sinceMs &&
      (fact.moment.learned?.card?.digest ?? fact.moment.cardDigest) === card?.essenceDigest,
  )
  const newest = new Map<string, NewestWord>()
  for (const step of steps.toSorted((left, right) => left.position - right.position)) {
    for (const word of wordsIn(learnedOf(step))) newest.set(word.subject, { ...word, position: step.position, atMs: step.atMs })
  }
  // In an order of their own, whatever was heard first: states as A2A lists them, all else by name.
  const words = [...newest.values()].toSorted((left, right) => placeOf(left) - placeOf(right) || (left.name < right.name ? -1 : 1))
  const isYoung = ({ atMs }: NewestWord, grade: 'verified' | 'durable'): boolean => atMs + gradeLifetimeMs[grade] > asOfMs
  const verification = ({ position: at, atMs }: NewestWord, grade: 'verified' | 'durable'): Verification => ({
    grade,
    position: at,
    atMs,
    expiresMs: atMs + gradeLifetimeMs[grade],
  })
  const states = new Map<TaskState, Verification>()
  for (const word of words) {
    if (word.kind !== 'state' || word.value !== true) continue
    const durable = newest.get(`durable ${word.name}`)
    if (durable?.value === true && isYoung(durable, 'durable')) states.set(word.name as TaskState, verification(durable, 'durable'))
    else if (isYoung(word, 'verified')) states.set(word.name as TaskState, verification(word, 'verified'))
  }
  const declared = card?.reachableStates
  return {
    states,
    mediaTypes: new Map(
      words.flatMap((word) => (word.kind === 'mode' && word.value === true && isYoung(word, 'verified') ? [[word.name, verification(word, 'verified')] as const] : [])),
    ),
    measured: Object.fromEntries(
      words.flatMap(({ kind, name, value, position: at, atMs }) => (kind === 'measured' ? [[name, { value, position: at, atMs }]] : [])),
    ),
    strayStates: words.flatMap(({ kind, name, value, position: at }) =>
      kind === 'state' && value === true && declared !== undefined && !declared.includes(name as TaskState) ? [{ state: name as TaskState, position: at }] : [],
    ),
    strayMediaTypes: words.flatMap(({ kind, name, value, position: at }) => (kind === 'mode' && value === false ? [{ mediaType: name, position: at }] : [])),
  }
}

/** The verified media types that lie in what the card offers for one skill; all of them where it is not known. */
export const verifiedModesFor = ({ mediaTypes }: Verified, card: CardFact | undefined, skill: string | undefined): readonly string[] => {
  const all = [...mediaTypes.keys()]
  return skill === undefined ? all : all.filter((mediaType) => isModeIn(mediaType, advertisedModesOf(card, skill)))
}
