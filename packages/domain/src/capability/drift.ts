/**
 * Drift: a worker emits other media types than before for one artifact or one skill, while its card
 * promises what it promised.
 *
 * Others means: none of the former types is among the new ones. An artifact that grows by a part of
 * another type does not drift. What the worker emitted for the skill in other tasks comes from
 * `WorkerKnowledge.emissions`.
 */
import type { CardFact } from '../fact/fact.ts'
import { isAfter, latestOf } from '../fact/moment.ts'
import type { AttemptAnalysis, Emission, TaskAnalysis, VariantAnalysis, WorkerKnowledge } from '../task/analysis.ts'
import { isSign } from '../task/attempt.ts'
import { cardAt, cardsOf, skillOf } from './knowledge.ts'

export interface Drift {
  readonly workerId: string
  readonly skill?: string
  /** What it emitted last before, and with what it began to differ. */
  readonly from: Emission
  readonly to: Emission
}

/** Every drift that one task shows, in order of the moment with which it began. */
export const driftsOf = (analysis: TaskAnalysis): readonly Drift[] => {
  const found = [...analysis.attempts.flatMap((attempt) => byArtifact(attempt, analysis)), ...byVariant(analysis), ...bySkill(analysis)]
  return found.toSorted(({ to: left }, { to: right }) => (isAfter(left, right) ? 1 : isAfter(right, left) ? -1 : 0))
}

/** The skill that a server task is about: named by its sends, else the only one of the card of then. */
export const skillOfTask = (
  { dispatches, workers }: Pick<TaskAnalysis, 'dispatches' | 'workers'>,
  workerId: string,
  taskId: string | undefined,
  atMs: number,
): string | undefined => {
  const named = dispatches.findLast(
    (dispatch) => dispatch.workerId === workerId && dispatch.taskId === taskId && dispatch.skill !== undefined,
  )?.skill
  return skillOf(cardAt(workers.get(workerId), atMs), named)
}

/** One artifact of one attempt: what replaces it has other types. */
const byArtifact = ({ workerId, taskId }: AttemptAnalysis, analysis: TaskAnalysis): readonly Drift[] => {
  const former = new Map<string, Emission>()
  return analysis.facts
    .filter((fact) => isSign(fact) && fact.workerId === workerId && fact.taskId === taskId)
    .toSorted((left, right) => (isAfter(left, right) ? 1 : -1))
    .flatMap((fact): readonly Drift[] => {
      if (fact.kind !== 'artifact' && fact.kind !== 'report') return []
      const isAppended = fact.kind === 'artifact' && fact.append
      const pieces = fact.kind === 'artifact' ? [fact.piece] : (fact.pieces ?? [])
      return pieces.flatMap(({ artifactId, name, index, mediaTypes }) => {
        const key = JSON.stringify([artifactId ?? name ?? index])
        const emission = { mediaTypes, position: fact.position, atMs: fact.atMs }
        const before = former.get(key)
        if (before === undefined || !isAppended) former.set(key, emission)
        return before === undefined || isAppended ? [] : driftBetween(analysis, workerId, taskId, before, emission)
      })
    })
}

/** One artifact of several attempts of one worker. */
const byVariant = (analysis: TaskAnalysis): readonly Drift[] =>
  analysis.artifacts.flatMap(({ canonical, variants }) => {
    if (variants.length === 0) return []
    const former = new Map<string, Emission>()
    return emissionsIn(analysis, [canonical, ...variants]).flatMap(({ variant: { workerId, taskId }, emission }) => {
      const before = former.get(workerId)
      former.set(workerId, emission)
      return before === undefined ? [] : driftBetween(analysis, workerId, taskId, before, emission)
    })
  })

/** One skill: the first types of each artifact, of this task and of others the worker did before. */
const bySkill = (analysis: TaskAnalysis): readonly Drift[] =>
  emissionsIn(analysis, analysis.artifacts.flatMap(({ canonical, variants }) => [canonical, ...variants])).flatMap(
    ({ variant: { workerId, taskId }, emission }) => {
      const skill = skillOfTask(analysis, workerId, taskId, emission.atMs)
      const earlier = analysis.workers
        .get(workerId)
        ?.emissions?.filter((other) => skill !== undefined && other.skill === skill && other.atMs < emission.atMs)
      const before = latestOf(earlier ?? [])
      return before === undefined ? [] : driftBetween(analysis, workerId, taskId, before, emission)
    },
  )

/** What each variant was emitted with first, in order of time. */
const emissionsIn = (
  { facts }: TaskAnalysis,
  variants: readonly VariantAnalysis[],
): readonly { readonly variant: VariantAnalysis; readonly emission: Emission }[] => {
  const times = new Map(facts.map(({ position, atMs }) => [position, atMs]))
  return variants
    .map((variant) => {
      const { mediaTypes, firstPosition: position } = variant
      return { variant, emission: { mediaTypes, position, atMs: times.get(position) ?? 0 } }
    })
    .toSorted((left, right) => (isAfter(left.emission, right.emission) ? 1 : -1))
}

const driftBetween = (
  analysis: TaskAnalysis,
  workerId: string,
  taskId: string | undefined,
  from: Emission,
  to: Emission,
): readonly Drift[] =>
  isDrift((atMs) => cardAt(analysis.workers.get(workerId), atMs), from, to)
    ? [driftOf(workerId, skillOfTask(analysis, workerId, taskId, to.atMs), from, to)]
    : []

const driftOf = (workerId: string, skill: string | undefined, from: Emission, to: Emission): Drift => ({
  workerId,
  ...(skill !== undefined && { skill }),
  from,
  to,
})

/** Other types than before, under a card that promises the same. */
const isDrift = (inForce: (atMs: number) => CardFact | undefined, from: Emission, to: Emission): boolean => {
  if (from.mediaTypes.length === 0 || to.mediaTypes.length === 0) return false
  if (from.mediaTypes.some((mediaType) => to.mediaTypes.includes(mediaType))) return false
  const before = inForce(from.atMs)
  return before !== undefined && before.essenceDigest === inForce(to.atMs)?.essenceDigest
}

/** Drift between the tasks of one worker: of each skill, from one emission to the next. */
export const driftsAcross = (worker: WorkerKnowledge, emissions: readonly Emission[]): readonly Drift[] => {
  const cards = cardsOf(worker).filter(({ isValid }) => isValid)
  const inForce = (atMs: number) => cards.findLast((card) => card.atMs <= atMs)
  return [...Map.groupBy(emissions, ({ skill }) => skill)].flatMap(([skill, own]) => {
    const inOrder = own.toSorted((left, right) => (isAfter(left, right) ? 1 : -1))
    return inOrder.flatMap((to, index) => {
      const from = inOrder[index - 1]
      return skill === undefined || from === undefined || !isDrift(inForce, from, to) ? [] : [driftOf(worker.workerId, skill, from, to)]
    })
  })
}

/** The drift that one task shows by itself, whatever other tasks of its workers emitted (P6). */
export const ownDriftsOf = (analysis: TaskAnalysis): readonly Drift[] =>
  driftsOf({
    ...analysis,
    workers: new Map([...analysis.workers].map(([workerId, worker]) => [workerId, { ...worker, emissions: [] }])),
  })
