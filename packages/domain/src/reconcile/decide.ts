/** The reconciliation pass: one open question in, one decision out (V6 to V8). */
import { cardAt, policyOf, skillOf } from '../capability/knowledge.ts'
import { verifiedModesFor, verifiedOf, type Verified } from '../capability/verified.ts'
import type { Barred, CandidateRefusal, ConsideredCandidate, VerdictFact } from '../fact/fact.ts'
import { intersectModes } from '../media-type/negotiate.ts'
import { listMax } from '../short-lists.ts'
import type { TaskState } from '../task/state.ts'
import type { AttemptAnalysis, Decision, DispatchAnalysis, OpenQuestion, TaskAnalysis, WorkerKnowledge } from '../task/analysis.ts'
import { becauseMax, decisionsMax, verdictOn } from './question.ts'
import { isNoSendOf, isUntouched } from './turned-down.ts'

/**
 * Decides the open question of `analysis`.
 *
 * Shape: `candidates` are the workers of the asking worker's mesh and its substitutes, in any
 * order; others in the list are passed over. `beyondCount`: how many more of the mesh there are that
 * nobody looked up, since they cannot take work over. `barred`: those that the ledger, where it is the one to send,
 * cannot call; one of them is chosen only where nobody else can take over.
 * Value: `undefined` while there is no question, while grace runs, or when it is decided already –
 * except that an eligible candidate after `unreconcilable` reopens it, and so does a worker that was chosen
 * and made nothing of it, or is barred while another one is not: then the next one is.
 * Idempotent: the same question has the same `decisionId`; whoever records it first decided.
 * Source: design V5 to V8, F16.
 */
export const decide = (
  analysis: TaskAnalysis,
  candidates: readonly WorkerKnowledge[],
  beyondCount = 0,
  barred: ReadonlyMap<string, Barred> = noneBarred,
): Decision | undefined => {
  const { question } = analysis
  if (question === undefined || analysis.asOfMs < question.dueMs) return undefined
  const former = verdictOn(question)
  const isGivingWay = former !== undefined && mayGiveWay(former, analysis, barred)
  if (former !== undefined && former.verdict !== 'unreconcilable' && !isGivingWay) return undefined
  if (question.covering.length >= decisionsMax) return undefined
  const decisionId = question.covering.length === 0 ? question.decisionId : question.againId
  const lost = analysis.workers.get(question.workerId)
  const base = {
    duplicateRisk: question.duplicateRisk,
    because: question.because,
    question,
    ...(question.lastObserved !== undefined && { lastObserved: question.lastObserved }),
    ...(isGivingWay && { insteadOf: former.decisionId }),
  }
  if (question.about === 'loss' && policyOf(lost).trust === 'card') {
    return former !== undefined
      ? undefined
      : { decisionId, kind: 'closed-by-policy', ...shortList([], 0, question.becauseCount), ...base }
  }
  const able = considerCandidates(analysis, question, candidates)
  const callable = able.map((each) => withBar(each, barred)).toSorted((left, right) => Number(right.eligible) - Number(left.eligible))
  const all = isGivingWay || callable.some(({ eligible }) => eligible) ? callable : able
  const considered = shortList(all, beyondCount, question.becauseCount)
  const chosen = all.find(({ eligible }) => eligible)
  if (chosen !== undefined) return { decisionId, kind: 'redispatch', workerId: chosen.workerId, ...considered, ...base }
  return former === undefined ? { decisionId, kind: 'unreconcilable', ...considered, ...base } : undefined
}

const noneBarred: ReadonlyMap<string, Barred> = new Map()

/** A re-dispatch to a worker that the ledger cannot call, of which nothing was sent. */
const mayGiveWay = (former: VerdictFact, analysis: TaskAnalysis, barred: ReadonlyMap<string, Barred>): boolean =>
  former.targetWorkerId !== undefined && barred.has(former.targetWorkerId) && isUntouched(former, analysis)

const withBar = (candidate: ConsideredCandidate, barred: ReadonlyMap<string, Barred>): ConsideredCandidate => {
  const because = barred.get(candidate.workerId)
  return candidate.eligible && because !== undefined ? { workerId: candidate.workerId, eligible: false, because } : candidate
}

/** As many candidates as an answer holds, and how many there are of them and of the evidence where it is not all. */
export const shortList = (
  all: readonly ConsideredCandidate[],
  beyondCount: number,
  becauseCount: number,
): Pick<Decision, 'considered' | 'counts'> => {
  const counts = {
    ...(becauseCount > becauseMax && { because: becauseCount }),
    ...(all.length + beyondCount > listMax && { considered: all.length + beyondCount }),
  }
  return { considered: all.slice(0, listMax), ...(Object.keys(counts).length > 0 && { counts }) }
}

/** Every candidate of V7 with its reason; eligible ones first, the best one in front. */
export const considerCandidates = (
  analysis: TaskAnalysis,
  question: Pick<OpenQuestion, 'about' | 'workerId' | 'lastObserved'> & Partial<Pick<OpenQuestion, 'openedAt'>>,
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
    dispatches: analysis.dispatches,
    attempts: analysis.attempts,
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
    candidate.eligible
      ? candidate.workerId === question.workerId || lossOf(candidate, needed) !== undefined ? 2 : substitutes.includes(candidate.workerId) ? 0 : 1
      : candidate.because === 'skill_differs' ? 4 : 3
  return considered.toSorted((left, right) => rank(left) - rank(right) || (left.workerId < right.workerId ? -1 : 1))
}

interface Needed {
  readonly skill: string | undefined
  readonly acceptedModes: readonly string[] | undefined
  readonly question: Pick<OpenQuestion, 'about' | 'workerId' | 'lastObserved'> & Partial<Pick<OpenQuestion, 'openedAt'>>
  readonly substitutes: readonly string[]
  readonly asOfMs: number
  readonly dispatches: readonly DispatchAnalysis[]
  readonly attempts: readonly AttemptAnalysis[]
}

/**
 * It answered a send of this very work with an error of its own or rejected it, took none later, and its card
 * has not changed in what matters since: asked again it would say the same. A message into a task that it does
 * not have is no offer of the work.
 */
const hasRefused = (candidate: WorkerKnowledge, { dispatches, attempts, asOfMs }: Needed): boolean => {
  const offered = dispatches.filter(({ workerId, namedTaskId }) => workerId === candidate.workerId && namedTaskId === undefined)
  const last = offered.findLast(({ outcome }) => outcome === 'refused' || outcome === 'task' || outcome === 'message')
  if (last === undefined || !isNoSendOf(last, attempts)) return false
  const before = cardAt(candidate, last.atMs)
  return before === undefined || before.essenceDigest === cardAt(candidate, asOfMs)?.essenceDigest
}

/** The first reason that applies, in the order of V7; `undefined`: the candidate is eligible. */
const refusalOf = (candidate: WorkerKnowledge, needed: Needed): CandidateRefusal | undefined => {
  const { question, skill, acceptedModes } = needed
  const verified = verifiedOf(candidate, needed.asOfMs)
  const lostAt = lossOf(candidate, needed)
  if (lostAt !== undefined && !isProbedSince(verified, question.lastObserved, lostAt)) return 'lost_it'
  if (hasRefused(candidate, needed)) return 'refused_it'
  const card = cardAt(candidate, needed.asOfMs)
  const isSubstitute = needed.substitutes.includes(candidate.workerId)
  const isAsker = candidate.workerId === question.workerId
  const sharesSkill = skill !== undefined && card?.skills.some(({ id }) => id === skill) === true
  if (!isSubstitute && !isAsker && !sharesSkill) return 'skill_differs'
  if (question.lastObserved !== undefined && !verified.states.has(question.lastObserved)) return 'state_not_verified'
  const modes = verifiedModesFor(verified, card, skill)
  const common = acceptedModes === undefined ? modes : intersectModes(acceptedModes, modes)
  if (common.length === 0) return 'mode_not_verified'
  return isUnreachable(candidate) ? 'unreachable' : undefined
}

/** Where it lost this work: what is asked about, or an earlier attempt that it had. */
const lossOf = ({ workerId }: Pick<WorkerKnowledge, 'workerId'>, { question, attempts }: Needed): number | undefined => {
  if (question.about === 'loss' && workerId === question.workerId) return question.openedAt ?? Infinity
  return attempts.findLast((attempt) => attempt.workerId === workerId && attempt.life === 'lost')?.firstStrongNotFound?.position
}

/** V7: who lost the task can take it over only where a probe has seen it in that state since. */
const isProbedSince = ({ states }: Verified, lastObserved: TaskState | undefined, lostAt: number): boolean => {
  const found = lastObserved === undefined ? undefined : states.get(lastObserved)
  return found !== undefined && found.grade !== 'trusted' && found.position > lostAt
}

/** Known to be unreachable: the last thing heard of it is a connection that failed. */
const isUnreachable = ({ lastAnsweredMs, lastUnreachableMs }: WorkerKnowledge): boolean =>
  lastUnreachableMs !== undefined && lastUnreachableMs > (lastAnsweredMs ?? -Infinity)
