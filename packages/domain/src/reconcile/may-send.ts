/**
 * Whether a message may be sent now, asked before it is sent (contract §4): work that is done, under way,
 * about to be sent, or of which nobody knows whether it was sent is not sent again.
 *
 * The first answer that applies, in this order:
 *
 *   unknown-outcome : the task is incomplete, so nothing is known for sure (L11);
 *   done            : it completed, or this very message got an end;
 *   wait            : somebody else is about to send;
 *   running         : a send is on its way, or its task lives; a message into a task that waits for one is `go`;
 *   unknown-outcome : a permission lapsed, a send is long without an answer, or the task is lost – unless the
 *                     message is what was decided, or the worker knows it again;
 *   go              : nothing stands against it.
 */
import type { Codec } from '../codec.ts'
import type { DuplicateRisk } from '../fact/fact.ts'
import type { AttemptAnalysis, DispatchAnalysis, IntentAnalysis, TaskAnalysis, WorkerKnowledge } from '../task/analysis.ts'
import { isTerminal, type LogicalState, type TaskState } from '../task/state.ts'
import { isTaken } from '../task/taken.ts'
import { evidenceOf, verdictInForce, type VerdictKind } from './answer.ts'
import { claimOf } from './claim.ts'
import { firstMeantMs, redispatchMessageId } from './intent.ts'
import { isRepeatHarmless } from './repeat.ts'

/** What somebody wants to send, and who. */
export interface SendAsked {
  readonly workerId: string
  readonly messageId: string
  /** The server task that the message goes into; absent: it asks for a new one. */
  readonly taskId?: string | undefined
  /** Who asks, in its own words: the same again gets the same answer. */
  readonly by?: string | undefined
}

/** Which send it is about. */
interface About {
  readonly workerId?: string
  readonly messageId?: string
  readonly taskId?: string
  readonly contextId?: string
  readonly state?: LogicalState
}

export interface Go {
  readonly answer: 'go'
  /** What the intent is to be recorded as. */
  readonly intent: { readonly purpose: 'send' | 'redispatch'; readonly decisionId: string; readonly n: number }
  readonly duplicateRisk: DuplicateRisk
  /** An earlier permission that lapsed: nobody knows whether it was used. */
  readonly lapsed?: IntentAnalysis
  /** The caller holds it already. */
  readonly held?: IntentAnalysis
  /** Of the task that the message goes into. */
  readonly contextId?: string
}

export interface UnknownOutcome extends About {
  readonly answer: 'unknown-outcome'
  readonly because: readonly number[]
  readonly counts?: Readonly<Record<string, number>>
  readonly duplicateRisk: DuplicateRisk
  readonly lastObserved?: TaskState
  /** Grace runs, or the decision is on its way. */
  readonly retryAfterMs?: number
  /** What was decided about it. */
  readonly verdict?: { readonly decisionId: string; readonly kind: VerdictKind; readonly workerId?: string; readonly messageId?: string }
  /** The permission that lapsed: whoever finds out what became of it may settle it. */
  readonly lapsed?: IntentAnalysis
}

export type SendStanding =
  | Go
  | (About & { readonly answer: 'running'; readonly because: readonly number[] })
  | (About & { readonly answer: 'done'; readonly because: readonly number[] })
  | { readonly answer: 'wait'; readonly intent: IntentAnalysis }
  | UnknownOutcome

/**
 * The answer at `analysis.asOfMs`; `target` is what is known of the worker asked about.
 *
 * Idempotent for a `by` that holds the permission. Of all who are told `go` at once, one gets its intent
 * recorded (L14).
 */
export const maySend = (
  analysis: TaskAnalysis,
  asked: SendAsked,
  target: WorkerKnowledge | undefined,
  codec: Codec,
): SendStanding => {
  if (analysis.incomplete.length > 0) return { answer: 'unknown-outcome', ...evidenceOf(analysis.incomplete), duplicateRisk: 'likely' }
  if (isDone(analysis, asked)) return doneOf(analysis)
  const holding = analysis.intents.findLast(({ outcome, untilMs }) => outcome === 'open' && untilMs > analysis.asOfMs)
  if (holding !== undefined) return isHolder(holding, asked) ? again(analysis, holding) : { answer: 'wait', intent: holding }
  const pending = analysis.dispatches.findLast((dispatch) => dispatch.outcome === 'pending' && !isTaken(dispatch, analysis.attempts))
  if (pending !== undefined) return aboutSend(analysis, pending, analysis.facts.find(({ position }) => position === pending.position)?.recordedAtMs)
  const told = toldOnly(analysis)
  if (told !== undefined) return aboutSend(analysis, told, told.recordedAtMs)
  const live = isTerminal(analysis.state) ? undefined : analysis.attempts.findLast(({ life, state }) => life === 'live' && state === analysis.state)
  const lapsed = analysis.intents.findLast(({ outcome }) => outcome === 'open')
  if (live !== undefined && (lapsed === undefined || live.lastSeenPosition > lapsed.position)) return withLive(analysis, live, asked, codec)
  if (lapsed !== undefined) return afterLapse(analysis, lapsed, asked, target, codec)
  if (analysis.state !== 'indeterminate' || isUntouched(analysis)) return anew(analysis, codec)
  return afterLoss(analysis, asked)
}

/** A result is there; or this very message was sent, and what it began has ended without one. */
const isDone = ({ state, dispatches, intents }: TaskAnalysis, { workerId, messageId }: SendAsked): boolean =>
  state === 'completed' ||
  (isTerminal(state) &&
    (dispatches.some((dispatch) => dispatch.workerId === workerId && dispatch.messageId === messageId) ||
      intents.some((intent) => intent.workerId === workerId && intent.messageId === messageId && intent.outcome === 'sent')))

const doneOf = (analysis: TaskAnalysis): SendStanding => {
  const { canonical, state, artifacts, lastPosition } = analysis
  const [first] = artifacts
  const by = canonical ?? first?.canonical
  return {
    answer: 'done',
    state,
    ...(by !== undefined && { workerId: by.workerId, ...(by.taskId !== undefined && { taskId: by.taskId }) }),
    ...evidenceOf([canonical?.statePosition ?? first?.canonical.firstPosition ?? lastPosition]),
  }
}

const isSame = (intent: IntentAnalysis, { workerId, messageId }: Pick<SendAsked, 'workerId' | 'messageId'>): boolean =>
  intent.workerId === workerId && intent.messageId === messageId

const isHolder = (intent: IntentAnalysis, asked: SendAsked): boolean =>
  isSame(intent, asked) && intent.by !== undefined && intent.by === asked.by

/** What the holder was told before, once more. */
const again = (analysis: TaskAnalysis, held: IntentAnalysis): Go => {
  const { purpose, decisionId } = held
  const claim = claimOf(analysis, decisionId)
  const lapsed = analysis.intents.findLast((intent) => intent !== held && intent.outcome === 'open' && isSame(intent, held))
  return {
    answer: 'go',
    intent: { purpose, decisionId, n: 0 },
    duplicateRisk: claim.status === 'held' ? claim.duplicateRisk : lapsed === undefined ? 'none' : 'possible',
    ...(lapsed !== undefined && { lapsed }),
    held,
  }
}

/** A send that who made it tells of, and no witness has seen. */
const toldOnly = ({ intents, attempts }: TaskAnalysis): IntentAnalysis | undefined =>
  intents.findLast(
    ({ outcome, dispatchPosition, workerId, position }) =>
      outcome === 'sent' &&
      dispatchPosition === undefined &&
      !attempts.some((attempt) => attempt.workerId === workerId && attempt.lastSeenPosition > position),
  )

/** It is on its way, until so long after that nobody believes it any more. */
const aboutSend = (
  { asOfMs, settings }: TaskAnalysis,
  send: Pick<DispatchAnalysis | IntentAnalysis, 'workerId' | 'messageId' | 'taskId' | 'position'>,
  recordedAtMs: number = asOfMs,
): SendStanding => {
  const { workerId, messageId, taskId, position } = send
  const about = { workerId, ...(messageId !== undefined && { messageId }), ...(taskId !== undefined && { taskId }), ...evidenceOf([position]) }
  return asOfMs - recordedAtMs <= settings.silentAfterMs
    ? { answer: 'running', ...about }
    : { answer: 'unknown-outcome', ...about, duplicateRisk: 'likely' }
}

/** A task that waits for a message may get one; whoever does not name it would begin another. */
const withLive = (analysis: TaskAnalysis, live: AttemptAnalysis, asked: SendAsked, codec: Codec): SendStanding => {
  const waits = live.state === 'input-required' || live.state === 'auth-required'
  const isSent = analysis.dispatches.some(({ workerId, messageId }) => workerId === asked.workerId && messageId === asked.messageId)
  if (waits && live.workerId === asked.workerId && live.taskId === asked.taskId && !isSent) {
    return { ...anew(analysis, codec), ...(live.contextId !== undefined && { contextId: live.contextId }) }
  }
  const { workerId, taskId, contextId, state, statePosition } = live
  return { answer: 'running', workerId, taskId, ...(contextId !== undefined && { contextId }), state, ...evidenceOf([statePosition]) }
}

/** Nobody knows whether it was sent. The same message once more is no second send for a worker that knows it again. */
const afterLapse = (
  analysis: TaskAnalysis,
  lapsed: IntentAnalysis,
  asked: SendAsked,
  target: WorkerKnowledge | undefined,
  codec: Codec,
): SendStanding => {
  const sentMs = firstMeantMs(analysis.intents, { ...asked, atMs: analysis.asOfMs })
  const isHarmless = isSame(lapsed, asked) && isRepeatHarmless(target, { sentMs, againMs: analysis.asOfMs })
  if (isHarmless && lapsed.purpose === 'send') return { ...anew(analysis, codec), duplicateRisk: 'possible', lapsed }
  if (isHarmless) return afterLoss(analysis, asked)
  const { workerId, messageId, position } = lapsed
  return { answer: 'unknown-outcome', workerId, messageId, ...evidenceOf([position]), duplicateRisk: 'likely', lapsed }
}

/** Nothing was ever sent as far as anybody saw. */
const isUntouched = ({ attempts, dispatches }: TaskAnalysis): boolean =>
  attempts.length === 0 && dispatches.length === 0

const anew = (analysis: TaskAnalysis, codec: Codec): Go => ({
  answer: 'go',
  intent: { purpose: 'send', decisionId: codec.sha256Hex(JSON.stringify(['send', analysis.correlationId, analysis.lastPosition])), n: 0 },
  duplicateRisk: 'none',
})

/** Lost, or without an answer: what was decided may be sent, and nothing else. */
const afterLoss = (analysis: TaskAnalysis, asked: SendAsked): SendStanding => {
  const verdict = verdictInForce(analysis)
  const { question, current, lastObserved } = analysis
  const isDecided =
    verdict !== undefined && asked.workerId === verdict.targetWorkerId && asked.messageId === redispatchMessageId(verdict.decisionId)
  const claim = isDecided ? claimOf(analysis, verdict.decisionId) : undefined
  if (claim?.status === 'free') {
    const { n, duplicateRisk, lapsed } = claim
    return { answer: 'go', intent: { purpose: 'redispatch', decisionId: claim.verdict.decisionId, n }, duplicateRisk, ...(lapsed !== undefined && { lapsed }) }
  }
  const about = current ?? analysis.dispatches.at(-1)
  return {
    answer: 'unknown-outcome',
    ...(about !== undefined && { workerId: about.workerId, ...(about.taskId !== undefined && { taskId: about.taskId }) }),
    ...evidenceOf(question?.because ?? [analysis.lastPosition], question?.becauseCount),
    duplicateRisk: verdict?.duplicateRisk ?? question?.duplicateRisk ?? 'likely',
    ...(lastObserved !== undefined && { lastObserved }),
    ...(verdict === undefined
      ? { retryAfterMs: Math.max(1_000, (question?.dueMs ?? 0) - analysis.asOfMs) }
      : {
          verdict: {
            decisionId: verdict.decisionId,
            kind: verdict.verdict,
            ...(verdict.targetWorkerId !== undefined && { workerId: verdict.targetWorkerId, messageId: redispatchMessageId(verdict.decisionId) }),
          },
        }),
  }
}
