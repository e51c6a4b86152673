/**
 * Intents to send, and what became of each (V8).
 *
 *   open → sent     : who held it says so, a witness tells of a dispatch of its message to its worker, or a
 *                     task of that worker is seen for the first time after it;
 *   open → not-sent : who held it says so, and no witness tells of an answer to it.
 *
 * An intent is durable before the call, so whoever crashes in between leaves an open one: it holds until
 * it lapses, and from then on nobody knows whether its message went out.
 */
import type { Codec } from '../codec.ts'
import type { IntentFact, IntentSettledFact, TaskFact } from '../fact/fact.ts'
import type { AttemptAnalysis, DispatchAnalysis, IntentAnalysis } from '../task/analysis.ts'

/** The intents of one logical task in order of recording, each with what became of it. */
export const intentsOf = (
  facts: readonly TaskFact[],
  dispatches: readonly DispatchAnalysis[],
  attempts: readonly AttemptAnalysis[],
): readonly IntentAnalysis[] => {
  const intents = facts.filter((fact): fact is IntentFact => fact.kind === 'intent')
  if (intents.length === 0) return []
  const told = facts.filter((fact): fact is IntentSettledFact => fact.kind === 'intent-settled')
  return intents.map((intent, index) => {
    const later = intents.slice(index + 1)
    const settled = told.find(({ intentId }) => intentId === intent.intentId)
    const dispatch = dispatchOf(intent, later.find((other) => isSameMessage(other, intent)), dispatches)
    const begun = dispatch === undefined ? begunBy(intent, later.find(({ workerId }) => workerId === intent.workerId), attempts) : undefined
    return intentAnalysis(intent, settled, dispatch, begun)
  })
}

const isSameMessage = (left: IntentFact, right: IntentFact): boolean =>
  left.workerId === right.workerId && left.sentMessageId === right.sentMessageId

/** The send that a witness told of after this intent, and before the next one for the same message. */
const dispatchOf = (
  intent: IntentFact,
  next: IntentFact | undefined,
  dispatches: readonly DispatchAnalysis[],
): DispatchAnalysis | undefined =>
  dispatches.find(
    ({ workerId, messageId, positions }) =>
      workerId === intent.workerId &&
      messageId === intent.sentMessageId &&
      positions.some((position) => position > intent.position && position < (next?.position ?? Infinity)),
  )

/** The task of its worker that was first seen after this intent, and before the next one to that worker. */
const begunBy = (
  intent: IntentFact,
  next: IntentFact | undefined,
  attempts: readonly AttemptAnalysis[],
): AttemptAnalysis | undefined =>
  attempts.find(
    ({ workerId, firstSeenPosition }) =>
      workerId === intent.workerId && firstSeenPosition > intent.position && firstSeenPosition < (next?.position ?? Infinity),
  )

const intentAnalysis = (
  intent: IntentFact,
  settled: IntentSettledFact | undefined,
  dispatch: DispatchAnalysis | undefined,
  begun: AttemptAnalysis | undefined,
): IntentAnalysis => {
  const { intentId, decisionId, purpose, by, actor, workerId, sentMessageId, contentDigest, untilMs, recordedAtMs, position } = intent
  const taskId = dispatch?.taskId ?? begun?.taskId ?? settled?.sentTaskId
  return {
    intentId,
    decisionId,
    purpose,
    ...(by !== undefined && { by }),
    actor,
    workerId,
    messageId: sentMessageId,
    ...(contentDigest !== undefined && { contentDigest }),
    untilMs,
    recordedAtMs,
    position,
    ...outcomeOf(settled, dispatch, begun),
    ...(dispatch !== undefined && { dispatchPosition: dispatch.position }),
    ...(settled !== undefined && { said: saidBy(settled) }),
    ...(taskId !== undefined && { taskId }),
  }
}

const saidBy = ({ outcome, sentTaskId, because, position, recordedAtMs }: IntentSettledFact): NonNullable<IntentAnalysis['said']> => ({
  outcome,
  ...(sentTaskId !== undefined && { taskId: sentTaskId }),
  ...(because !== undefined && { because }),
  position,
  recordedAtMs,
})

/** An answer, or the task that it began, proves that it was sent; without one, who says that nothing was sent knows better than who saw it begin. */
const outcomeOf = (
  settled: IntentSettledFact | undefined,
  dispatch: DispatchAnalysis | undefined,
  begun: AttemptAnalysis | undefined,
): Pick<IntentAnalysis, 'outcome' | 'settledPosition'> => {
  if (begun !== undefined) return { outcome: 'sent', settledPosition: begun.firstSeenPosition }
  const isAnswered = dispatch !== undefined && dispatch.outcome !== 'pending' && dispatch.outcome !== 'no-answer'
  if (isAnswered) return { outcome: 'sent', settledPosition: dispatch.position }
  if (settled !== undefined) return { outcome: settled.outcome, settledPosition: settled.position }
  return dispatch === undefined ? { outcome: 'open' } : { outcome: 'sent', settledPosition: dispatch.position }
}

/** The message that obeys a decision; the same whoever sends it, so that a worker that honours message ids takes it once. */
export const redispatchMessageId = (decisionId: string): string => `a2a-ledger-${decisionId.slice(0, 32)}`

/** The id of the `n`th intent on a decision: of all that try at once the first one recorded has it. */
export const intentIdOf = (decisionId: string, n: number, codec: Codec): string =>
  codec.sha256Hex(JSON.stringify(['intent', decisionId, n]))

/** The id of what became of an intent: the first word stands. */
export const settledIdOf = (intentId: string, codec: Codec): string => codec.sha256Hex(JSON.stringify(['settled', intentId]))

/** The id of what a person says to a decision: the first word stands. */
export const approvalIdOf = (decisionId: string, codec: Codec): string => codec.sha256Hex(JSON.stringify(['approval', decisionId]))

/** When a message was first meant to go to a worker, by its intents; that moment where there is none. */
export const firstMeantMs = (
  intents: readonly Pick<IntentAnalysis, 'workerId' | 'messageId' | 'recordedAtMs'>[],
  { workerId, messageId, atMs }: { readonly workerId: string; readonly messageId: string | undefined; readonly atMs: number },
): number =>
  intents.reduce(
    (first, intent) => (intent.workerId === workerId && intent.messageId === messageId ? Math.min(first, intent.recordedAtMs) : first),
    atMs,
  )
