/** The reconciliation pass: one open question in, one decision out (V6 to V8). */
import { advertisedModesOf, advertisedStatesOf, cardAt, policyOf, skillOf } from '../capability/knowledge.ts'
import type { CandidateRefusal, ConsideredCandidate } from '../fact/fact.ts'
import { intersectModes } from '../media-type/negotiate.ts'
import type { Decision, OpenQuestion, TaskAnalysis, WorkerKnowledge } from '../task/analysis.ts'

const consideredMax = 100

/**
 * Decides the open question of `analysis`.
 *
 * Shape: `candidates` are the workers of the asking worker's mesh and its substitutes, in any
 * order; others in the list are passed over.
 * Value: `undefined` while there is no question, while grace runs, or when it is decided already –
 * except that the first eligible candidate after `unreconcilable` reopens it once.
 * Idempotent: the same question has the same `decisionId`; whoever records it first decided.
 * Source: design V5 to V8, F16.
 */
export const decide = (analysis: TaskAnalysis, candidates: readonly WorkerKnowledge[]): Decision | undefined => {
  const { question } = analysis
  if (question === undefined || analysis.asOfMs < question.dueMs) return undefined
  const recorded = (id: string) => analysis.verdicts.find(({ decisionId }) => decisionId === id)
  const former = recorded(question.decisionId)
  if (former !== undefined && (former.verdict !== 'unreconcilable' || recorded(question.againId) !== undefined)) {
    return undefined
  }
  const lost = analysis.workers.get(question.workerId)
  const base = {
    duplicateRisk: question.duplicateRisk,
    because: question.because,
    question,
    ...(question.lastObserved !== undefined && { lastObserved: question.lastObserved }),
  }
  if (question.about === 'loss' && policyOf(lost).trust === 'card') {
    return former !== undefined
      ? undefined
      : { decisionId: question.decisionId, kind: 'closed-by-policy', considered: [], ...base }
  }
  const considered = considerCandidates(analysis, question, candidates)
  const chosen = considered.find(({ eligible }) => eligible)
  if (former !== undefined) {
    return chosen === undefined
      ? undefined
      : { decisionId: question.againId, kind: 'redispatch', workerId: chosen.workerId, considered, ...base }
  }
  return chosen === undefined
    ? { decisionId: question.decisionId, kind: 'unreconcilable', considered, ...base }
    : { decisionId: question.decisionId, kind: 'redispatch', workerId: chosen.workerId, considered, ...base }
}

/** Every candidate of V7 with its reason; eligible ones first, the best one in front. */
export const considerCandidates = (
  analysis: TaskAnalysis,
  question: Pick<OpenQuestion, 'about' | 'workerId' | 'lastObserved'>,
  candidates: readonly WorkerKnowledge[],
): readonly ConsideredCandidate[] => {
  const lost = analysis.workers.get(question.workerId)
  const { mesh, substitutes } = policyOf(lost)
  const sent = analysis.dispatches.filter(({ workerId }) => workerId === question.workerId)
  const needed: Needed = {
    skill: skillOf(cardAt(lost, analysis.asOfMs), sent.findLast(({ skill }) => skill !== undefined)?.skill),
    acceptedModes: sent.findLast(({ acceptedModes }) => (acceptedModes ?? []).length > 0)?.acceptedModes,
    question,
    substitutes,
    asOfMs: analysis.asOfMs,
  }
  const unique = [...new Map(candidates.map((candidate) => [candidate.workerId, candidate])).values()]
  const considered = unique
    .filter((candidate) => policyOf(candidate).mesh === mesh)
    .map((candidate): ConsideredCandidate => {
      const because = refusalOf(candidate, needed)
      return because === undefined
        ? { workerId: candidate.workerId, eligible: true }
        : { workerId: candidate.workerId, eligible: false, because }
    })
  const rank = (candidate: ConsideredCandidate) =>
    candidate.eligible ? (substitutes.includes(candidate.workerId) ? 0 : 1) : candidate.because === 'skill_differs' ? 3 : 2
  return considered
    .toSorted((left, right) => rank(left) - rank(right) || (left.workerId < right.workerId ? -1 : 1))
    .slice(0, consideredMax)
}

interface Needed {
  readonly skill: string | undefined
  readonly acceptedModes: readonly string[] | undefined
  readonly question: Pick<OpenQuestion, 'about' | 'workerId' | 'lastObserved'>
  readonly substitutes: readonly string[]
  readonly asOfMs: number
}

/** The first reason that applies, in the order of V7; `undefined`: the candidate is eligible. */
const refusalOf = (candidate: WorkerKnowledge, needed: Needed): CandidateRefusal | undefined => {
  const { question, skill, acceptedModes } = needed
  if (question.about === 'loss' && candidate.workerId === question.workerId) return 'lost_it'
  const card = cardAt(candidate, needed.asOfMs)
  const isSubstitute = needed.substitutes.includes(candidate.workerId)
  const isAsker = candidate.workerId === question.workerId
  const sharesSkill = skill !== undefined && card?.skills.some(({ id }) => id === skill) === true
  if (!isSubstitute && !isAsker && !sharesSkill) return 'skill_differs'
  const isTrusted = policyOf(candidate).trust === 'card'
  const states = isTrusted ? advertisedStatesOf(card) : []
  if (question.lastObserved !== undefined && !states.includes(question.lastObserved)) return 'state_not_verified'
  const modes = isTrusted ? advertisedModesOf(card, skill) : []
  const common = acceptedModes === undefined ? modes : intersectModes(acceptedModes, modes)
  if (common.length === 0) return 'mode_not_verified'
  return isUnreachable(candidate) ? 'unreachable' : undefined
}

/** Known to be unreachable: the last thing heard of it is a connection that failed. */
const isUnreachable = ({ lastAnsweredMs, lastUnreachableMs }: WorkerKnowledge): boolean =>
  lastUnreachableMs !== undefined && lastUnreachableMs > (lastAnsweredMs ?? -Infinity)
