/**
 * Whether an attempt is alive (F9 to F11).
 *
 *   live  → lost : strong not-found newer than every sign of life, and enough of it;
 *   lost  → live : any later sign of life (then `contested`, and harder to lose again);
 *   any   → ended: a terminal state was reported; for good.
 */
import type { RestartFact } from '../fact/fact.ts'
import { compareMoments, isAfter, latestOf, type Moment } from '../fact/moment.ts'
import type { NotFound } from './analysis.ts'

/** One moment at which the worker proved that it has the task. */
export interface Sign extends Moment {
  readonly instance?: string
}

export interface LifeAnalysis {
  readonly isLost: boolean
  /** How often life followed a strong not-found (F10). */
  readonly contradictions: number
  readonly lastSign: Sign
  /** The not-founds since then, in order of time. */
  readonly since: readonly NotFound[]
  /** The restart that explains the loss, if one is known. */
  readonly restart?: RestartFact
}

/** A not-found this close to the last one counted is the same question seen or asked again (F10). */
const distinctAfterMs = 1_000
/** F11: under even routing `14r` misses in a row are one in a million by chance. */
const missesPerReplica = 14

export const analyseLife = (
  signs: readonly Sign[],
  notFounds: readonly NotFound[],
  restarts: readonly RestartFact[],
  replicas: number | undefined,
): LifeAnalysis => {
  const lastSign = latestOf(signs)
  if (lastSign === undefined) throw new Error('an attempt has at least one sign of life')
  const contradictions = countContradictions(signs, notFounds)
  const since = notFounds.filter((notFound) => isAfter(notFound, lastSign))
  const strong = since.filter(({ evidence }) => evidence === 'strong')
  const restartsSince = restarts.filter((restart) => isAfter(restart, lastSign))
  const holder = latestOf(signs.filter(({ instance }) => instance !== undefined))?.instance
  const isReplicated = replicas !== undefined && replicas > 1
  const telling = isReplicated
    ? restartsSince.filter(({ instance }) => instance !== undefined && instance === holder)
    : restartsSince
  const isAfterRestart = strong.some((notFound) => telling.some((restart) => !isAfter(restart, notFound)))
  const isLost = isReplicated
    ? isAfterRestart || isMissedEverywhere(strong, since, replicas)
    : isAfterRestart || missingNotFounds(strong, contradictions) === 0
  const restart = isLost ? telling.findLast((known) => strong.some((notFound) => !isAfter(known, notFound))) : undefined
  return { isLost, contradictions, lastSign, since, ...(restart !== undefined && { restart }) }
}

/** F10: each time a run of strong not-founds is followed by life is one contradiction. */
const countContradictions = (signs: readonly Sign[], notFounds: readonly NotFound[]): number => {
  const moments = [
    ...signs.map((sign) => ({ ...sign, isLife: true })),
    ...notFounds.filter(({ evidence }) => evidence === 'strong').map((miss) => ({ ...miss, isLife: false })),
  ].toSorted(compareMoments)
  let count = 0
  let isMissed = false
  for (const { isLife } of moments) {
    if (isLife && isMissed) count += 1
    isMissed = !isLife
  }
  return count
}

/** Distinct questions in a row: echoes of one answer, and repeats within a second, are one. */
const countDistinct = (notFounds: readonly NotFound[]): number => {
  let count = 0
  let countedMs = -Infinity
  for (const { atMs } of notFounds) {
    if (atMs - countedMs < distinctAfterMs) continue
    count += 1
    countedMs = atMs
  }
  return count
}

/**
 * How many more distinct strong not-founds in a row would lose an attempt that nobody saw since `strong`
 * began, were no instance named and no restart known (F10, F11).
 */
export const missingNotFounds = (strong: readonly NotFound[], contradictions: number, replicas = 1): number => {
  const needed = replicas > 1 ? missesPerReplica * replicas : 2 * contradictions + 1
  return Math.max(0, needed - countDistinct(strong))
}

/** F11: every instance missed it; where no not-found names an instance, a row too long for chance did. */
const isMissedEverywhere = (strong: readonly NotFound[], since: readonly NotFound[], replicas: number): boolean =>
  since.some(({ instance }) => instance !== undefined)
    ? new Set(strong.flatMap(({ instance }) => instance ?? [])).size >= replicas
    : missingNotFounds(strong, 0, replicas) === 0
