/** The answer to "the worker says X, what now?" (contract §4), read off an analysis. */
import { continuityUri } from '../a2a/claim.ts'
import type { Actor } from '../event/dispatch-intent.ts'
import type { ConsideredCandidate, DuplicateRisk, VerdictFact } from '../fact/fact.ts'
import type { AttemptAnalysis, TaskAnalysis, WorkerKnowledge } from '../task/analysis.ts'
import { considerCandidates, shortList } from './decide.ts'
import { redispatchMessageId } from './intent.ts'
import { becauseMax, verdictOn } from './question.ts'
import { isTerminal, type LogicalState, type TaskState } from '../task/state.ts'

export type VerdictKind = 'terminal-ok' | 'closed-by-policy' | 'resume' | 'reobserve' | 'redispatch' | 'unreconcilable'

/** The verdict body of `not-found` and `what-now`. */
export interface VerdictAnswer {
  readonly decisionId?: string
  readonly kind: VerdictKind
  readonly state: LogicalState
  readonly lastObserved?: TaskState
  readonly workerId?: string
  readonly taskId?: string
  readonly because: readonly number[]
  readonly considered: readonly ConsideredCandidate[]
  /** Full lengths of `because` and `considered`, where they are cut. */
  readonly counts?: Readonly<Record<string, number>>
  readonly duplicateRisk?: DuplicateRisk
  readonly actor: Actor
  readonly retryAfterMs?: number
  readonly send?: {
    readonly workerId: string
    readonly messageId: string
    readonly metadata: Readonly<Record<string, { readonly correlationId: string }>>
  }
}

/** Why somebody asks; `restarted-myself` asks for the state of things and records nothing. */
export type AskReason = 'not-found' | 'timeout' | 'reset' | 'error' | 'stream-ended' | 'restarted-myself'

export interface Asked {
  readonly workerId?: string
  readonly taskId?: string
  readonly reason: AskReason
}

const retryMsMin = 1_000

/**
 * Answers for the attempt asked about, else for the current one.
 *
 * Precondition: what the caller observed is among the facts, and `decide` has run. `candidates` as
 * and `beyondCount` as for `decide`; they matter after a refusal only, which is answered and never
 * recorded (V8).
 */
export const answerOf = (
  analysis: TaskAnalysis,
  asked: Asked,
  candidates: readonly WorkerKnowledge[] = [],
  beyondCount = 0,
): VerdictAnswer => {
  const attempt = attemptAsked(analysis, asked)
  const base = stateOf(analysis)
  const about = attempt === undefined ? {} : { workerId: attempt.workerId, taskId: attempt.taskId }
  if (isTerminal(analysis.state)) return { ...base, ...about, kind: 'terminal-ok', ...evidenceOf(endOf(analysis)) }
  const verdict = verdictInForce(analysis)
  if (verdict !== undefined) return decided(analysis, verdict)
  const live = resumable(analysis, attempt)
  if (live !== undefined && live.doubt === undefined && !isDoubted(asked)) {
    const { workerId, taskId, statePosition } = live
    return { ...base, kind: 'resume', workerId, taskId, because: [statePosition] }
  }
  return (
    afterRefusal(analysis, candidates, beyondCount) ?? {
      ...base,
      ...about,
      kind: 'reobserve',
      ...doubtOf(analysis, attempt),
      retryAfterMs: retryAfterMsOf(analysis),
    }
  )
}

/** V8: every send was refused, so nothing was created and sending elsewhere repeats nothing. */
const afterRefusal = (
  analysis: TaskAnalysis,
  candidates: readonly WorkerKnowledge[],
  beyondCount: number,
): VerdictAnswer | undefined => {
  const refused = analysis.dispatches.at(-1)
  if (analysis.state !== 'dispatched' || refused?.outcome !== 'refused') return undefined
  const all = considerCandidates(analysis, { about: 'refusal', workerId: refused.workerId }, candidates)
  const chosen = all.find(({ eligible }) => eligible)
  return {
    ...stateOf(analysis),
    kind: chosen === undefined ? 'unreconcilable' : 'redispatch',
    because: [refused.position, ...(refused.answerPosition === undefined ? [] : [refused.answerPosition])],
    ...shortList(all, beyondCount, 0),
    duplicateRisk: 'none',
    ...(chosen !== undefined && { workerId: chosen.workerId }),
  }
}

const stateOf = (analysis: TaskAnalysis) => ({
  state: analysis.state,
  ...(analysis.lastObserved !== undefined && { lastObserved: analysis.lastObserved }),
  considered: [] as readonly ConsideredCandidate[],
  actor: 'caller' as const,
})

const attemptAsked = (analysis: TaskAnalysis, { workerId, taskId }: Asked): AttemptAnalysis | undefined =>
  workerId === undefined && taskId === undefined
    ? analysis.current
    : analysis.attempts.find((attempt) => attempt.workerId === workerId && attempt.taskId === taskId)

/** The attempt to go on with: the one asked about when it lives, else whichever gives the task its state. */
const resumable = (analysis: TaskAnalysis, asked: AttemptAnalysis | undefined): AttemptAnalysis | undefined =>
  asked?.life === 'live' ? asked : analysis.attempts.findLast(({ life, state }) => life === 'live' && state === analysis.state)

/** The caller got no answer: the task is in doubt although the ledger knows nothing against it. */
const isDoubted = ({ reason }: Asked): boolean => reason !== 'restarted-myself' && reason !== 'not-found' && reason !== 'error'

const endOf = (analysis: TaskAnalysis): readonly number[] =>
  analysis.attempts.filter(({ life }) => life === 'ended').map(({ statePosition }) => statePosition)

/** What leaves the task in doubt: of the attempt, else of the open question, else its last event. */
const doubtOf = (analysis: TaskAnalysis, attempt: AttemptAnalysis | undefined): Evidence =>
  attempt?.doubt === undefined && analysis.question !== undefined
    ? evidenceOf(analysis.question.because, analysis.question.becauseCount)
    : evidenceOf(attempt?.doubt?.positions ?? [analysis.lastPosition])

type Evidence = Pick<VerdictAnswer, 'because' | 'counts'>

/** As many positions as an answer gives, and how many there are where it is not all. */
export const evidenceOf = (positions: readonly number[], count: number = positions.length): Evidence => ({
  because: positions.slice(0, becauseMax),
  ...(count > becauseMax && { counts: { because: count } }),
})

const retryAfterMsOf = (analysis: TaskAnalysis): number =>
  Math.max(retryMsMin, (analysis.question?.dueMs ?? 0) - analysis.asOfMs)

/** The recorded verdict of the open question; once life returned there is none in force. */
export const verdictInForce = (analysis: TaskAnalysis): VerdictFact | undefined => {
  const { question } = analysis
  return question === undefined ? undefined : verdictOn(question)
}

/** The metadata of a message that is sent again under the same correlation ID (contract §5). */
export const sendMetadataOf = (correlationId: string): Readonly<Record<string, { readonly correlationId: string }>> => ({
  [continuityUri]: { correlationId },
})

/** Who acts on a recorded verdict: whom it was left to, or the ledger because a person approved. */
export const actorOf = (analysis: Pick<TaskAnalysis, 'approvals'>, verdict: VerdictFact): Actor =>
  analysis.approvals.some(({ decisionId, answer }) => decisionId === verdict.decisionId && answer === 'approved')
    ? 'approver'
    : (verdict.actor ?? 'caller')

/** What is recorded; `send` for a caller alone, since what another sends the caller must not. */
const decided = (analysis: TaskAnalysis, verdict: VerdictFact): VerdictAnswer => ({
  ...stateOf(analysis),
  actor: actorOf(analysis, verdict),
  decisionId: verdict.decisionId,
  kind: verdict.verdict,
  because: verdict.because,
  considered: verdict.considered,
  ...(verdict.counts !== undefined && { counts: verdict.counts }),
  ...(verdict.duplicateRisk !== undefined && { duplicateRisk: verdict.duplicateRisk }),
  ...(verdict.targetWorkerId !== undefined && {
    workerId: verdict.targetWorkerId,
    ...(actorOf(analysis, verdict) === 'caller' && {
      send: {
        workerId: verdict.targetWorkerId,
        messageId: redispatchMessageId(verdict.decisionId),
        metadata: sendMetadataOf(analysis.correlationId),
      },
    }),
  }),
})
