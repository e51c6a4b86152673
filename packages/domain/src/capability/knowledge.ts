/** What is known about a worker at one moment, read off its facts (F2, V1, V2). */
import { enrolmentSchema, type Enrolment } from '../event/enrolment.ts'
import { defaultMesh } from '../event/mesh-policy.ts'
import type { CardFact, EnrolledFact, RestartFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { WorkerKnowledge } from '../task/analysis.ts'
import { observableStates, type TaskState } from '../task/state.ts'

/** A worker's policy: what its operator enrolled, with the defaults of one never enrolled. */
export interface WorkerPolicy {
  readonly mesh: string
  readonly trust: 'verify' | 'card'
  /** Absent: nobody said how many. */
  readonly replicas?: number
  readonly owner?: string
  readonly substitutes: readonly string[]
}

/**
 * The policy in force: the newest value of each member, in order of recording (V2); as of
 * `position` where something recorded there is judged by it (F2).
 */
export const policyOf = (worker: WorkerKnowledge | undefined, position = Infinity): WorkerPolicy => {
  let policy: WorkerPolicy = { mesh: defaultMesh, trust: 'verify', substitutes: [] }
  for (const fact of enrolmentsOf(worker)) {
    if (fact.position > position) break
    policy = {
      mesh: fact.mesh ?? policy.mesh,
      trust: fact.trust ?? policy.trust,
      substitutes: fact.substitutes ?? policy.substitutes,
      ...optional('replicas', fact.replicas ?? policy.replicas),
      ...optional('owner', fact.owner ?? policy.owner),
    }
  }
  return policy
}

const optional = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V }

/** Enrolments in order of recording. */
export const enrolmentsOf = (worker: WorkerKnowledge | undefined): readonly EnrolledFact[] =>
  (worker?.facts ?? [])
    .filter((fact) => fact.kind === 'enrolled')
    .toSorted((left, right) => left.position - right.position)

/** Where the worker is, and how it may be watched and probed, as enrolled: the newest of each member, which is stated as a whole. */
export const enrolledSettingsOf = (worker: WorkerKnowledge | undefined): Pick<Enrolment, 'interface' | 'observe' | 'probe'> => {
  const settings: Record<string, unknown> = Object.assign({}, ...enrolmentsOf(worker).map((fact) => fact.settings ?? {}))
  return settingsSchema.parse(settings)
}

const settingsSchema = enrolmentSchema.pick({ interface: true, observe: true, probe: true })

/** Cards in the order in which they were fetched. */
export const cardsOf = (worker: WorkerKnowledge | undefined): readonly CardFact[] =>
  (worker?.facts ?? []).filter((fact) => fact.kind === 'card').toSorted(compareMoments)

/** The card in force at `atMs`: the last complete one fetched by then; a broken one changes nothing. */
export const cardAt = (worker: WorkerKnowledge | undefined, atMs: number): CardFact | undefined =>
  cardsOf(worker).findLast((card) => card.isValid && card.atMs <= atMs)

/**
 * The card that who told of a send had at that moment: the last complete one that this witness itself
 * had fetched by then; where it told of none, the one in force.
 */
export const cachedCardAt = (
  worker: WorkerKnowledge | undefined,
  sent: { readonly atMs: number; readonly sources: readonly string[] },
): CardFact | undefined =>
  cardsOf(worker).findLast(({ isValid, atMs, source }) => isValid && atMs <= sent.atMs && sent.sources.includes(source)) ??
  cardAt(worker, sent.atMs)

/** Restarts in order of time. */
export const restartsOf = (worker: WorkerKnowledge | undefined): readonly RestartFact[] =>
  (worker?.facts ?? []).filter((fact) => fact.kind === 'restart').toSorted(compareMoments)

/**
 * True when whatever may hold a task of the worker was restarted after `sinceMs`: of a worker with several replicas
 * each of them, by its name, since a restart that names none proves nothing there (F11).
 */
export const isRestartedSince = (worker: WorkerKnowledge | undefined, sinceMs: number): boolean => {
  const restarts = restartsOf(worker).filter(({ atMs }) => atMs > sinceMs)
  const { replicas = 1 } = policyOf(worker)
  return replicas === 1 ? restarts.length > 0 : new Set(restarts.flatMap(({ instance }) => instance ?? [])).size >= replicas
}

/** States a worker may reach when its card declares none: every state that A2A defines (V1). */
export const undeclaredStates: readonly TaskState[] = observableStates.filter((state) => state !== 'unknown')

/** The states a card advertises: the declared ones, else every state of its version. */
export const advertisedStatesOf = (card: Pick<CardFact, 'reachableStates'> | undefined): readonly TaskState[] =>
  card === undefined ? [] : (card.reachableStates ?? undeclaredStates)

/**
 * The output modes of one skill, else of the card's only skill, else the union of the defaults and
 * of all skills (F19).
 */
export const advertisedModesOf = (card: Pick<CardFact, 'outputModes' | 'skills'> | undefined, skill?: string): readonly string[] => {
  if (card === undefined) return []
  const named = card.skills.find(({ id }) => id === skill) ?? (card.skills.length === 1 ? card.skills[0] : undefined)
  if (named !== undefined) return named.outputModes ?? card.outputModes
  return [...new Set([...card.outputModes, ...card.skills.flatMap(({ outputModes }) => outputModes ?? [])])]
}

/** The skill a task is about: the named one, else the card's only one; else it is not known. */
export const skillOf = (card: CardFact | undefined, named: string | undefined): string | undefined =>
  named ?? (card?.skills.length === 1 ? card.skills[0]?.id : undefined)

/** When the essence of the card in force was first seen without another one in between. */
export const lastChangeMs = (cards: readonly CardFact[]): number => {
  const current = cards.at(-1)?.essenceDigest
  const lastOther = cards.findLastIndex(({ essenceDigest }) => essenceDigest !== current)
  return lastOther < 0 ? -Infinity : (cards[lastOther + 1]?.atMs ?? -Infinity)
}
