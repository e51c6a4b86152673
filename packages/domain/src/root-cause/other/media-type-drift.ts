/**
 * `media_type_drift`: the media types of one artifact, or of one skill, are others than before, from
 * the same worker and under the same card.
 *
 * Others means: none of the former types is among the new ones. An artifact that grows by a part of
 * another type does not drift. What the worker emitted for the skill in other tasks comes from
 * `WorkerKnowledge.emissions`.
 */
import { skillOf } from '../../capability/knowledge.ts'
import { latestOf } from '../../fact/moment.ts'
import type { Emission } from '../../task/analysis.ts'
import { isSign } from '../../task/attempt.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import type { Proof } from '../finding.ts'

export const mediaTypeDrift: OtherCause = {
  cause: 'media_type_drift',
  responsible: 'worker',
  says: 'worker {worker} changed the media type of its output under an unchanged card',
  nextAction: 'Have {worker} emit the media types its card declares, or publish a new card.',
  find: (file) => [...byArtifact(file), ...byVariant(file), ...bySkill(file)],
}

/** One artifact of one attempt: what replaces it has other types. */
const byArtifact = (file: CaseFile): readonly Proof[] =>
  file.analysis.attempts.flatMap((attempt) => {
    const former = new Map<string, Emission>()
    return file.factsOf(attempt).flatMap((fact): readonly Proof[] => {
      if (!isSign(fact) || fact.kind === 'message') return []
      const isAppended = fact.kind === 'artifact' && fact.append
      const pieces = fact.kind === 'artifact' ? [fact.piece] : (fact.pieces ?? [])
      return pieces.flatMap(({ artifactId, name, index, mediaTypes }) => {
        const key = JSON.stringify([artifactId ?? name ?? index])
        const emission = { mediaTypes, position: fact.position, atMs: fact.atMs }
        const before = former.get(key)
        if (before === undefined || !isAppended) former.set(key, emission)
        return before === undefined || isAppended ? [] : driftBetween(file, attempt.workerId, before, emission)
      })
    })
  })

/** One artifact of several attempts of one worker. */
const byVariant = (file: CaseFile): readonly Proof[] =>
  file.analysis.artifacts.flatMap(({ canonical, variants }) => {
    const former = new Map<string, Emission>()
    return [canonical, ...variants]
      .toSorted((left, right) => left.firstPosition - right.firstPosition)
      .flatMap(({ workerId, mediaTypes, firstPosition: position }) => {
        const emission = { mediaTypes, position, atMs: file.factAt(position)?.atMs ?? 0 }
        const before = former.get(workerId)
        former.set(workerId, emission)
        return before === undefined ? [] : driftBetween(file, workerId, before, emission)
      })
  })

/** One skill: the first types of each artifact, of this task and of others the worker did before. */
const bySkill = (file: CaseFile): readonly Proof[] =>
  file.analysis.artifacts
    .flatMap(({ canonical, variants }) => [canonical, ...variants])
    .flatMap(({ workerId, taskId, mediaTypes, firstPosition }) => {
      const atMs = file.factAt(firstPosition)?.atMs ?? 0
      const named = file.analysis.dispatches.findLast(
        (dispatch) => dispatch.workerId === workerId && dispatch.taskId === taskId && dispatch.skill !== undefined,
      )?.skill
      const skill = skillOf(file.cardAt(workerId, atMs), named)
      const earlier = file
        .workerOf({ workerId })
        ?.emissions?.filter((emission) => skill !== undefined && emission.skill === skill && emission.atMs < atMs)
      const before = latestOf(earlier ?? [])
      return before === undefined ? [] : driftBetween(file, workerId, before, { mediaTypes, position: firstPosition, atMs })
    })

const driftBetween = (file: CaseFile, workerId: string, before: Emission, after: Emission): readonly Proof[] => {
  const [cardBefore, cardAfter] = [file.cardAt(workerId, before.atMs), file.cardAt(workerId, after.atMs)]
  if (cardBefore === undefined || cardBefore.essenceDigest !== cardAfter?.essenceDigest) return []
  if (before.mediaTypes.length === 0 || after.mediaTypes.length === 0) return []
  if (before.mediaTypes.some((mediaType) => after.mediaTypes.includes(mediaType))) return []
  return [{ confidence: 'strong', because: positionsOf([before.position, after.position]), workerId }]
}
