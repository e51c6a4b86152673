/**
 * One logical artifact from the versions of several attempts (F17): which versions are the same
 * thing, which of them is canonical, and in words why the others are not.
 */
import { verifiedOf } from '../capability/verified.ts'
import type { Moment } from '../fact/moment.ts'
import { isModeIn } from '../media-type/negotiate.ts'
import type { ArtifactAnalysis, VariantAnalysis, WorkerKnowledge } from '../task/analysis.ts'

/** A variant with what its choice depends on. */
export interface Candidate {
  readonly variant: Omit<VariantAnalysis, 'because'>
  readonly ordinal: number
  /** Stands for the attempt; two artifacts of one attempt are never the same (F17). */
  readonly attemptKey: string
  readonly isOfCanonicalAttempt: boolean
  /** The modes the client accepts and the skill offers, as of the emission; `undefined`: no contract. */
  readonly contract: readonly string[] | undefined
  readonly emittedMs: number
  readonly worker: WorkerKnowledge | undefined
}

/** Artifacts in order of first sight; candidates in order of their attempts. */
export const deriveArtifacts = (candidates: readonly Candidate[]): readonly ArtifactAnalysis[] =>
  groupCandidates(candidates).map(chooseCanonical)

/** Same artifact id, else same name, else same place in the list; across attempts only. */
const groupCandidates = (candidates: readonly Candidate[]): readonly (readonly Candidate[])[] => {
  const groups: Candidate[][] = []
  const attempts = Map.groupBy(candidates, ({ attemptKey }) => attemptKey)
  for (const [attemptKey, own] of attempts) {
    const rest = new Set(own)
    for (const isSame of [isSameId, isSameName, isSamePlace]) {
      for (const candidate of [...rest]) {
        const group = groups.find(
          (members) =>
            members.every((member) => member.attemptKey !== attemptKey) &&
            members.some((member) => isSame(member, candidate)),
        )
        if (group === undefined) continue
        group.push(candidate)
        rest.delete(candidate)
      }
    }
    for (const candidate of own) if (rest.has(candidate)) groups.push([candidate])
  }
  return groups
}

type Sameness = (left: Candidate, right: Candidate) => boolean

const isSameId: Sameness = ({ variant: left }, { variant: right }) =>
  left.artifactId !== undefined && left.artifactId === right.artifactId
const isSameName: Sameness = ({ variant: left }, { variant: right }) =>
  left.name !== undefined && left.name === right.name
const isSamePlace: Sameness = (left, right) =>
  left.ordinal === right.ordinal && (left.variant.name === undefined || right.variant.name === undefined)

interface Criterion {
  readonly holds: (candidate: Candidate) => boolean
  readonly because: (candidate: Candidate) => string
}

/** F17, in order of precedence; the first one that tells two variants apart decides. */
const criteria: readonly Criterion[] = [
  { holds: ({ variant }) => variant.complete, because: () => 'it is incomplete' },
  {
    holds: ({ variant, contract }) =>
      contract === undefined || variant.mediaTypes.every((mode) => isModeIn(mode, contract)),
    because: ({ variant, contract }) =>
      `its media type ${variant.mediaTypes.join(', ')} is outside the negotiated ${(contract ?? []).join(', ') || 'contract'}`,
  },
  {
    holds: ({ variant, worker, emittedMs }) => {
      const verified = verifiedModesAt(worker, { atMs: emittedMs, position: variant.positions.at(-1) ?? variant.firstPosition })
      return variant.mediaTypes.every((mode) => isModeIn(mode, verified))
    },
    because: () => 'its media type was never verified for that worker',
  },
  { holds: ({ isOfCanonicalAttempt }) => isOfCanonicalAttempt, because: () => 'it is not from the canonical attempt' },
]

/** V2, V3: by trust in the card or by a probe, both as of the emission (F2). */
const verifiedModesAt = (worker: WorkerKnowledge | undefined, { atMs, position }: Moment): readonly string[] =>
  [...verifiedOf(worker, atMs, position).mediaTypes.keys()]

const chooseCanonical = (group: readonly Candidate[]): ArtifactAnalysis => {
  const ranked = group.toSorted((left, right) => {
    for (const { holds } of criteria) {
      const difference = Number(holds(right)) - Number(holds(left))
      if (difference !== 0) return difference
    }
    return left.emittedMs - right.emittedMs || left.variant.firstPosition - right.variant.firstPosition
  })
  const [canonical, ...others] = ranked
  if (canonical === undefined) throw new Error('a group holds at least one variant')
  return {
    key: canonical.variant.artifactId ?? canonical.variant.name ?? `#${canonical.ordinal}`,
    divergent: others.some(({ variant }) => differs(variant, canonical.variant)),
    canonical: canonical.variant,
    variants: others.map((candidate) => ({ ...candidate.variant, because: reasonOf(candidate, canonical) })),
  }
}

const reasonOf = (loser: Candidate, winner: Candidate): string => {
  const criterion = criteria.find(({ holds }) => holds(winner) && !holds(loser))
  return criterion === undefined ? 'it came later' : criterion.because(loser)
}

const differs = (left: Omit<VariantAnalysis, 'because'>, right: Omit<VariantAnalysis, 'because'>): boolean =>
  left.bytes !== right.bytes ||
  left.mediaTypes.join() !== right.mediaTypes.join() ||
  (left.digest !== undefined && right.digest !== undefined && left.digest !== right.digest)
