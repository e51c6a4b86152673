/** The question that one logical task leaves open for a reconciliation pass (V4 to V6). */
import { policyOf } from '../capability/knowledge.ts'
import type { DuplicateRisk, TaskFact, VerdictFact } from '../fact/fact.ts'
import { isAfter } from '../fact/moment.ts'
import type { AttemptAnalysis, DispatchAnalysis, OpenQuestion, TaskAnalysis } from '../task/analysis.ts'
import { lastObservedOf } from '../task/logical-state.ts'
import { isTaken } from '../task/taken.ts'
import type { Codec } from '../codec.ts'
import { isOpenSilence, isTurnedDown } from './turned-down.ts'

type Unasked = Omit<TaskAnalysis, 'question' | 'terminal'>
type Asked = Omit<OpenQuestion, 'decisionId' | 'againId' | 'becauseCount' | 'turnedDown'>

/**
 * The open question, decided or not; `undefined` while nothing is to be decided.
 *
 * Opened by the first strong not-found since the last life of the current attempt, or by a send
 * that got no answer. Once decided it stays the question that was decided, also when an earlier
 * not-found of the same loss arrives late: nothing is decided twice (V4). Suppressed while a later
 * send is pending, of which nothing was seen yet (V5), and while the task is `incomplete` (L11).
 *
 * A verdict counts for the loss or the silence it was asked about, not for the ID it was decided under:
 * one that was recorded in a synthetic stream before that was linked is a verdict on this question.
 */
export const openQuestionOf = (analysis: Unasked, codec: Codec): OpenQuestion | undefined => {
  if (analysis.state !== 'indeterminate' || analysis.incomplete.length > 0) return undefined
  const { current } = analysis
  const asked = current === undefined ? aboutNoAnswer(analysis) : aboutLossOrSilence(analysis, current)
  return asked === undefined ? undefined : identify(analysis, asked, codec)
}

/** Where what was decided about the loss was sent and got no answer, that is the question now. */
const aboutLossOrSilence = (analysis: Unasked, lost: AttemptAnalysis): Asked | undefined => {
  const loss = aboutLoss(analysis, lost)
  const decided = loss?.covering.find(({ verdict }) => verdict === 'redispatch')
  const silence = decided && aboutNoAnswer(analysis, decided.position)
  return silence === undefined ? loss : { ...silence, ...(loss?.lastObserved !== undefined && { lastObserved: loss.lastObserved }) }
}

/** V5: somebody has sent since, and what comes of it is not known; `own`: what came of that is what is asked about. */
const isSuppressed = ({ dispatches, attempts }: Unasked, afterMs: number, own?: DispatchAnalysis): boolean =>
  dispatches.some(
    (dispatch) => dispatch.outcome === 'pending' && dispatch.atMs >= afterMs && dispatch !== own && !isTaken(dispatch, attempts),
  )

/**
 * The send that an attempt nobody saw sent must be the outcome of: the last one to its worker that was
 * pending when the attempt was first seen. Witnesses told of the task and never of the answer.
 */
const ownSendOf = ({ workerId, createdMs, firstSeenMs }: AttemptAnalysis, dispatches: readonly DispatchAnalysis[]) =>
  createdMs === undefined
    ? dispatches.findLast(
        (dispatch) => dispatch.outcome === 'pending' && dispatch.workerId === workerId && dispatch.namedTaskId === undefined && dispatch.atMs <= firstSeenMs,
      )
    : undefined

const aboutLoss = (analysis: Unasked, lost: AttemptAnalysis): Asked | undefined => {
  const opening = lost.firstStrongNotFound
  if (lost.life !== 'lost' || opening === undefined) return undefined
  if (isSuppressed(analysis, lost.createdMs ?? -Infinity, ownSendOf(lost, analysis.dispatches))) return undefined
  const silent = analysis.dispatches.findLast(
    (dispatch) => dispatch.atMs >= (lost.createdMs ?? -Infinity) && isOpenSilence(dispatch, analysis),
  )
  const observed = lastObservedOf(lost)
  const strong = lost.notFounds.filter((notFound) => notFound.evidence === 'strong' && !isAfter(opening, notFound))
  const covering = analysis.verdicts.filter(
    ({ askedWorkerId, askedTaskId, openedAt }) =>
      askedWorkerId === lost.workerId &&
      askedTaskId === lost.taskId &&
      strong.some(({ position }) => position === openedAt),
  )
  return {
    about: 'loss',
    workerId: lost.workerId,
    taskId: lost.taskId,
    covering,
    openedAt: covering[0]?.openedAt ?? opening.position,
    dueMs: (lost.firstNotFound ?? opening).atMs + analysis.settings.graceMs,
    because: [
      lost.statePosition,
      ...(lost.restartPosition === undefined ? [] : [lost.restartPosition]),
      ...strong.map(({ position }) => position),
    ],
    duplicateRisk: riskOf(lost, silent !== undefined),
    ...(observed !== undefined && { lastObserved: observed }),
  }
}

/** V8: `likely` after no answer, or when the loss is contested and no restart proves it. */
const riskOf = (lost: AttemptAnalysis, isSilent: boolean): DuplicateRisk =>
  isSilent || (lost.contested && lost.restartPosition === undefined) ? 'likely' : 'possible'

/**
 * Of the last offer of the work that got no answer; `after`: recorded behind that position. Where nobody ever saw
 * the work taken, and each of them turned out not to have come, the first one is what is left to ask about.
 */
const aboutNoAnswer = (analysis: Unasked, after?: number): Asked | undefined => {
  const open = analysis.dispatches.findLast(
    (dispatch) =>
      (after === undefined || (dispatch.position > after && dispatch.namedTaskId === undefined)) && isOpenSilence(dispatch, analysis),
  )
  const silent = open ?? (after === undefined ? analysis.dispatches.find(({ outcome }) => outcome === 'no-answer') : undefined)
  if (silent?.answerPosition === undefined) return undefined
  if (isSuppressed(analysis, silent.atMs)) return undefined
  const answer = analysis.facts.find(({ position }) => position === silent.answerPosition)
  const covering = analysis.verdicts.filter((verdict) => isAboutSend(verdict, silent, analysis.facts))
  return {
    about: 'no-answer',
    workerId: silent.workerId,
    covering,
    openedAt: covering[0]?.openedAt ?? silent.answerPosition,
    dueMs: (answer?.atMs ?? silent.atMs) + analysis.settings.graceMs,
    because: [silent.position, silent.answerPosition],
    duplicateRisk: open === undefined ? 'possible' : 'likely',
  }
}

/**
 * True when the verdict is about the silence of this send: no later one at that worker came before it.
 * What names the message of the send is about it by any clock: a witness may have told of the answer first.
 */
const isAboutSend = (
  { askedWorkerId, askedTaskId, openedAt }: VerdictFact,
  send: DispatchAnalysis,
  facts: readonly TaskFact[],
): boolean =>
  askedWorkerId === send.workerId &&
  askedTaskId === undefined &&
  facts.some((fact) => fact.position === openedAt && (namesMessageOf(fact, send) || isAfter(fact, send)))

const namesMessageOf = (fact: TaskFact, { messageId }: DispatchAnalysis): boolean => messageId !== undefined && fact.messageId === messageId

/**
 * V6: a recorded verdict stands while what it was asked about is still so: the attempt has not been
 * seen since, the send is still without an answer. It may have been obeyed, and the task have ended.
 */
export const hasBasis = (verdict: VerdictFact, analysis: Pick<TaskAnalysis, 'attempts' | 'dispatches' | 'facts'>): boolean => {
  if (verdict.askedTaskId === undefined) {
    return analysis.dispatches.some(
      (dispatch) => dispatch.outcome === 'no-answer' && isAboutSend(verdict, dispatch, analysis.facts),
    )
  }
  const asked = analysis.attempts.find(
    ({ workerId, taskId }) => workerId === verdict.askedWorkerId && taskId === verdict.askedTaskId,
  )
  const opening = asked?.firstStrongNotFound
  return (
    asked?.life === 'lost' &&
    opening !== undefined &&
    asked.notFounds.some((notFound) => notFound.position === verdict.openedAt && !isAfter(opening, notFound))
  )
}

/** Positions that an answer gives as evidence; where there are more it says how many. */
export const becauseMax = 20

/** V4: the hash of what is asked names the decision, so that nobody can decide twice. */
const identify = (analysis: Unasked, asked: Asked, codec: Codec): OpenQuestion => {
  const { covering } = asked
  const key = [analysis.correlationId, asked.workerId, asked.taskId ?? null, asked.openedAt]
  const turnedDown = covering.length < decisionsMax ? covering.filter((verdict) => isTurnedDown(verdict, analysis)) : []
  const because = [...new Set(asked.because)].toSorted((left, right) => left - right)
  return {
    ...asked,
    because: because.slice(0, becauseMax),
    becauseCount: because.length,
    turnedDown: turnedDown.map(({ decisionId }) => decisionId),
    decisionId: covering[0]?.decisionId ?? codec.sha256Hex(JSON.stringify(['question', ...key])),
    againId: codec.sha256Hex(JSON.stringify(['question again', ...key, ...(covering.length > 1 ? [covering.length] : [])])),
  }
}

/** So often one question is decided; the last verdict stands, whatever becomes of it. */
export const decisionsMax = 10

/**
 * The verdict on this question, if there is one: the first one recorded. Where two were, one in each of
 * two streams that were linked later, the other one is in the timeline only. An `unreconcilable` gives way
 * to the first re-dispatch that was decided after it, a re-dispatch to the one that was decided instead of it, and one that
 * its worker made nothing of to whatever was; as long as nothing was, the question is undecided again (V6).
 */
export const verdictOn = ({ covering, turnedDown }: Pick<OpenQuestion, 'covering' | 'turnedDown'>): VerdictFact | undefined => {
  let standing: VerdictFact | undefined
  for (const verdict of covering) {
    if (standing !== undefined && !givesWay(standing, verdict)) continue
    standing = turnedDown.includes(verdict.decisionId) ? undefined : verdict
  }
  return standing
}

const givesWay = (standing: VerdictFact, to: VerdictFact): boolean =>
  to.verdict === 'redispatch' && (standing.verdict === 'unreconcilable' || to.insteadOf === standing.decisionId)

/** V7: the mesh in which the asking worker's substitutes and peers are looked for, and whose policy counts (V8). */
export const meshOf = (analysis: TaskAnalysis): string =>
  policyOf(analysis.question === undefined ? undefined : analysis.workers.get(analysis.question.workerId)).mesh
