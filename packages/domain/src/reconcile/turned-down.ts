/**
 * What its chosen worker made of a recorded `redispatch`, where it made nothing of it: then the next one is
 * asked (V6, ADR 95).
 *
 *   refused     : every send of it was answered by an error of the worker's own;
 *   rejected    : or by a task that is `rejected` and was never at work;
 *   unreachable : no connection came about, as often as the ledger tries.
 *
 * A call that our own rules refuse says nothing about the worker: it turns nothing down (ADR 98).
 *
 * Nothing of this is a send of which nobody knows: one that is held, that lapsed or that got no answer keeps
 * the verdict as it is, unless the worker takes the same message once.
 */
import type { TaskFact, VerdictFact } from '../fact/fact.ts'
import type { AttemptAnalysis, DispatchAnalysis, IntentAnalysis, TaskAnalysis } from '../task/analysis.ts'
import { firstMeantMs, redispatchMessageId } from './intent.ts'
import { isRepeatHarmless } from './repeat.ts'

type Told = Pick<TaskAnalysis, 'dispatches' | 'attempts' | 'intents' | 'workers' | 'asOfMs'>

/** How often the ledger tries to bring one message to one worker. */
export const triesMax = 5

/** True when the worker that the verdict chose has made nothing of it. */
export const isTurnedDown = (verdict: VerdictFact, told: Told): boolean => {
  const intents = told.intents.filter(({ decisionId }) => decisionId === verdict.decisionId)
  const sends = sendsOf(verdict, told.dispatches)
  const last = sends.at(-1)
  const isKnowing = last !== undefined && isKnownAt(last.atMs, last, told)
  if (intents.some((intent) => isInDoubt(intent, told, isKnowing))) return false
  if (last === undefined) return isUnreached(intents)
  return (
    isNoSendOf(last, told.attempts) &&
    sends.every((send) => isNoSendOf(send, told.attempts) || (send.outcome === 'no-answer' && isKnowing))
  )
}

/** True when the worker, sent that message again at `againMs`, takes it once. */
const isKnownAt = (againMs: number, { workerId, messageId, atMs }: DispatchAnalysis, { intents, workers }: Pick<Told, 'intents' | 'workers'>): boolean =>
  isRepeatHarmless(workers.get(workerId), { sentMs: firstMeantMs(intents, { workerId, messageId, atMs }), againMs })

/** Held, or nobody knows whether it was sent, or what came of it was not witnessed. */
const isInDoubt = ({ outcome, untilMs, dispatchPosition }: IntentAnalysis, { asOfMs }: Told, isKnowing: boolean): boolean =>
  outcome === 'open' ? untilMs > asOfMs || !isKnowing : outcome === 'sent' && dispatchPosition === undefined

/** Offers of the work that obey the verdict: its message, or any other one, to its worker since. */
const sendsOf = (
  { targetWorkerId, position: decidedAt }: VerdictFact,
  dispatches: readonly DispatchAnalysis[],
): readonly DispatchAnalysis[] =>
  dispatches.filter(({ workerId, namedTaskId, position }) => workerId === targetWorkerId && namedTaskId === undefined && position > decidedAt)

/** True when the worker took nothing of the send: it answered with an error of its own, or rejected what it was sent. */
export const isNoSendOf = ({ workerId, outcome, taskId }: DispatchAnalysis, attempts: readonly AttemptAnalysis[]): boolean =>
  outcome === 'refused' || attempts.some((attempt) => attempt.workerId === workerId && attempt.taskId === taskId && isRejection(attempt))

/** It was rejected before it was ever at work, so nothing of it was done. */
const isRejection = ({ state, changes }: AttemptAnalysis): boolean =>
  state === 'rejected' && changes.every((change) => change.state === 'rejected' || change.state === 'submitted')

/** Sends of the ledger's own reached nobody, and not by its own rules alone. */
const isUnreached = (intents: readonly IntentAnalysis[]): boolean => {
  const unsent = intents.filter(({ actor, outcome }) => actor !== 'caller' && outcome === 'not-sent')
  return unsent.length >= triesMax && !unsent.every(isNotCalled)
}

/** The ledger itself refused the call, so nothing left it. */
const isNotCalled = ({ said }: IntentAnalysis): boolean => said?.because !== undefined

/** True when the last send of the ledger to that worker was one that its own rules refused. */
export const wasNotCalled = ({ intents }: Pick<TaskAnalysis, 'intents'>, workerId: string): boolean => {
  const last = intents.findLast((intent) => intent.workerId === workerId && intent.actor !== 'caller')
  return last !== undefined && isNotCalled(last)
}

/** True when it is certain that nothing was sent on it, nobody is about to, and no person has closed it. */
export const isUntouched = (verdict: VerdictFact, { intents, dispatches, approvals }: Pick<TaskAnalysis, 'intents' | 'dispatches' | 'approvals'>): boolean =>
  intents.every(({ decisionId, outcome }) => decisionId !== verdict.decisionId || outcome === 'not-sent') &&
  sendsOf(verdict, dispatches).length === 0 &&
  !approvals.some(({ decisionId, answer }) => decisionId === verdict.decisionId && answer === 'declined')

/**
 * The attempts that may stand for the task: a task that answers a message of a recorded verdict and was rejected
 * before it was at work is a refusal of that message, and no outcome of the work.
 */
export const withoutRejections = (
  attempts: readonly AttemptAnalysis[],
  dispatches: readonly DispatchAnalysis[],
  facts: readonly TaskFact[],
): readonly AttemptAnalysis[] => {
  if (!attempts.some(isRejection)) return attempts
  const obeying = new Set(facts.flatMap((fact) => (fact.kind === 'verdict' ? [redispatchMessageId(fact.decisionId)] : [])))
  return attempts.filter(
    (attempt) =>
      !isRejection(attempt) ||
      !dispatches.some(
        ({ workerId, taskId, messageId = '' }) => workerId === attempt.workerId && taskId === attempt.taskId && obeying.has(messageId),
      ),
  )
}

/**
 * True for the send of a verdict that got no answer and may be made once more, since its worker takes the same
 * message once: what became of it is not asked yet.
 */
export const isRepeatable = (
  send: DispatchAnalysis,
  told: Pick<Told, 'intents' | 'workers' | 'asOfMs'>,
): boolean => {
  if (send.outcome !== 'no-answer' || !isKnownAt(told.asOfMs, send, told)) return false
  const tries = told.intents.filter(({ purpose, workerId, messageId }) => purpose === 'redispatch' && workerId === send.workerId && messageId === send.messageId)
  return tries.length > 0 && tries.length < triesMax
}

/**
 * True for a send without an answer of which nobody will know by itself. Where its worker takes the same message
 * once, and did not take it when it came again, the first one had not come.
 */
export const isOpenSilence = (send: DispatchAnalysis, told: Told): boolean =>
  send.outcome === 'no-answer' &&
  !isRepeatable(send, told) &&
  !(
    send.messageId !== undefined &&
    told.dispatches.some(
      (other) =>
        other.workerId === send.workerId &&
        other.messageId === send.messageId &&
        other.atMs > send.atMs &&
        isNoSendOf(other, told.attempts) &&
        isKnownAt(other.atMs, send, told),
    )
  )
