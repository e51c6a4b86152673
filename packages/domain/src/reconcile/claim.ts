/** Who may send on a recorded `redispatch` at this moment: only one (V8). */
import type { ApprovalFact, DuplicateRisk, VerdictFact } from '../fact/fact.ts'
import type { IntentAnalysis, TaskAnalysis } from '../task/analysis.ts'
import { verdictInForce } from './answer.ts'
import { firstMeantMs } from './intent.ts'
import { isRepeatHarmless } from './repeat.ts'
import { isRepeatable } from './turned-down.ts'

/** How a decision stands for who wants to send on it; in order of precedence. */
export type ClaimStanding =
  /** No verdict of this task has the id. */
  | { readonly status: 'unknown' }
  /** The verdict sends nothing. */
  | { readonly status: 'nothing-to-send'; readonly verdict: VerdictFact }
  /** It waits for a person to approve it. */
  | { readonly status: 'unapproved' }
  /** A person said no. */
  | { readonly status: 'declined'; readonly approval: ApprovalFact }
  /** Somebody has sent. */
  | { readonly status: 'sent'; readonly intent: IntentAnalysis }
  /** Life returned, the task ended, or another send is under way: it holds no more. */
  | { readonly status: 'withdrawn' }
  | (Holding & { readonly status: 'held'; readonly intent: IntentAnalysis })
  | Free

/** What a holder has to know. */
interface Holding {
  /** Of its send, with what is not known of those before. */
  readonly duplicateRisk: DuplicateRisk
  /** The last one that lapsed, so that nobody knows whether it was sent. */
  readonly lapsed?: IntentAnalysis
}

interface Free extends Holding {
  readonly status: 'free'
  readonly verdict: VerdictFact & { readonly targetWorkerId: string }
  /** Which intent on it the next one is. */
  readonly n: number
}

/**
 * How the decision stands at `analysis.asOfMs`.
 *
 * A lapsed claim that nobody settled leaves it free, since work must not be lost with whoever held it;
 * `lapsed` names it and the risk says what a second send means. So does a send without an answer to a worker that
 * takes the same message once.
 * Source: design V4, V8; ADR-0080.
 */
export const claimOf = (analysis: TaskAnalysis, decisionId: string): ClaimStanding => {
  const verdict = analysis.verdicts.find((known) => known.decisionId === decisionId)
  if (verdict === undefined) return { status: 'unknown' }
  if (!isRedispatch(verdict)) return { status: 'nothing-to-send', verdict }
  const approval = analysis.approvals.find((known) => known.decisionId === decisionId)
  if (approval?.answer === 'declined') return { status: 'declined', approval }
  const intents = analysis.intents.filter((intent) => intent.decisionId === decisionId)
  const sent = intents.find((intent) => intent.outcome === 'sent' && !mayBeRepeated(intent, analysis))
  if (sent !== undefined) return { status: 'sent', intent: sent }
  if (verdictInForce(analysis)?.decisionId !== decisionId) return { status: 'withdrawn' }
  const open = intents.filter(({ outcome }) => outcome === 'open')
  if (verdict.actor === 'approver' && approval === undefined && open.length === 0) return { status: 'unapproved' }
  const holding = open.findLast(({ untilMs }) => untilMs > analysis.asOfMs)
  const lapsed = open.findLast((intent) => intent !== holding)
  const known = { ...riskOf(analysis, verdict, lapsed), ...(lapsed !== undefined && { lapsed }) }
  return holding === undefined ? { status: 'free', verdict, n: intents.length, ...known } : { status: 'held', intent: holding, ...known }
}

/** It got no answer, and its worker takes the same message once. */
const mayBeRepeated = ({ dispatchPosition }: IntentAnalysis, analysis: TaskAnalysis): boolean =>
  analysis.dispatches.some((dispatch) => dispatch.position === dispatchPosition && isRepeatable(dispatch, analysis))

/** A send that nobody knows of makes another one a second one, unless that does no harm. */
const riskOf = (analysis: TaskAnalysis, verdict: VerdictFact, lapsed: IntentAnalysis | undefined): Pick<Holding, 'duplicateRisk'> => {
  const isHarmless = lapsed === undefined || isLapseHarmless(analysis, lapsed)
  return { duplicateRisk: isHarmless ? (verdict.duplicateRisk ?? 'possible') : 'likely' }
}

/** True when the message of an intent that lapsed does no harm when it is sent now, whether it was before or not. */
export const isLapseHarmless = (
  { workers, intents, asOfMs }: Pick<TaskAnalysis, 'workers' | 'intents' | 'asOfMs'>,
  { workerId, messageId }: IntentAnalysis,
): boolean =>
  isRepeatHarmless(workers.get(workerId), { sentMs: firstMeantMs(intents, { workerId, messageId, atMs: asOfMs }), againMs: asOfMs })

const isRedispatch = (verdict: VerdictFact): verdict is Free['verdict'] =>
  verdict.verdict === 'redispatch' && verdict.targetWorkerId !== undefined
