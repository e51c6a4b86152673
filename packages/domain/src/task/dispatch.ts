/**
 * Which answer belongs to which send, and what became of each send (F13).
 *
 *   pending → task | message | refused | no-answer : by the first answer that belongs to it;
 *   pending, no-answer → task : when a task turns up whose history holds its message.
 *
 * One send, and one answer, may have several witnesses, for instance the orchestrator and the proxy
 * between it and the worker: within the skew that we grant their clocks that is one and not two.
 */
import { isSend } from '../a2a/operation.ts'
import type { DispatchFact, ErrorFact, ReportFact, TaskFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { DispatchAnalysis, DispatchOutcome } from './analysis.ts'
import { isSign } from './attempt.ts'
import { Sends, type AnswerFact, type Send } from './sends.ts'

/**
 * What became of every dispatch of one logical task, in order of sending.
 *
 * Worst case: the facts are put in order once; each is then matched by look-ups.
 */
export const deriveDispatches = (facts: readonly TaskFact[]): readonly DispatchAnalysis[] => {
  const inOrder = facts.toSorted(compareMoments)
  const sends = new Sends(
    inOrder.filter((fact) => fact.kind === 'dispatch'),
    openingOf(inOrder),
  )
  const attribute = (answer: AnswerFact): void => {
    const echoed = sends.echoedBy(answer)
    if (echoed !== undefined) {
      echoed.answers.push(answer)
      return
    }
    const send = sends.answeredBy(answer)
    if (send !== undefined) settle(send, answer, sends)
  }
  const strangers: AnswerFact[] = []
  for (const fact of inOrder) {
    if (isAnswerToSend(fact)) {
      if (fact.messageId === undefined && sends.isByStranger(fact)) strangers.push(fact)
      else attribute(fact)
    }
    if (fact.kind === 'report') findByHistory(fact, sends)
  }
  for (const answer of strangers) attribute(answer)
  return sends.inOrder.map(analysisOf)
}

/** Sends that may begin the task they name: nobody had sent anything to it or seen it before. */
const openingOf = (inOrder: readonly TaskFact[]): ReadonlySet<DispatchFact> => {
  const heardOf = new Set<string>()
  const opening = new Set<DispatchFact>()
  for (const fact of inOrder) {
    const taskId = fact.kind === 'dispatch' ? fact.namedTaskId : isSign(fact) ? fact.taskId : undefined
    if (taskId === undefined) continue
    const key = JSON.stringify([fact.workerId, taskId])
    if (fact.kind === 'dispatch' && !heardOf.has(key)) opening.add(fact)
    heardOf.add(key)
  }
  return opening
}

/** An empty event of a stream is no answer: the stream goes on. */
const isAnswerToSend = (fact: TaskFact): fact is AnswerFact =>
  (fact.kind === 'report' ||
    fact.kind === 'message' ||
    fact.kind === 'error' ||
    fact.kind === 'no-answer' ||
    (fact.kind === 'nothing' && fact.channel === 'answer')) &&
  isSend(fact.operation) &&
  fact.workerId !== undefined

const settle = (send: Send, answer: AnswerFact, sends: Sends): void => {
  send.isAnswered = true
  send.answers.push(answer)
  sends.answer(send, answer)
  const outcome = outcomeOf(answer)
  if (send.outcome === 'task' && outcome !== 'task') return
  send.outcome = outcome
  send.answerPosition = answer.position
  if (outcome !== 'task' || answer.taskId === undefined) return
  send.taskId = answer.taskId
  sends.bind(send, answer.taskId)
}

const outcomeOf = (answer: AnswerFact): DispatchOutcome => {
  switch (answer.kind) {
    case 'report':
      return 'task'
    case 'message':
      return answer.taskId === undefined ? 'message' : 'task'
    case 'error':
      return isNoAnswer(answer) || answer.notes?.includes('error_code_conflict') === true ? 'no-answer' : 'refused'
    case 'no-answer':
    case 'nothing':
      return 'no-answer'
  }
}

/** CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, DATA_LOSS: what HTTP says with 5xx. */
const unknownGrpcCodes: ReadonlySet<number> = new Set([1, 2, 4, 13, 14, 15])

/** True for an error that is no answer of the worker's own: a proxy's, a 5xx, -32603. */
const isNoAnswer = (error: ErrorFact): boolean => {
  const { isJsonRpc, codeSpace, code, httpStatus } = error
  if (error.isFromGateway === true || error.name === 'Internal') return true
  if (isJsonRpc === true) return false
  if (codeSpace === 'grpc') return code === undefined || unknownGrpcCodes.has(code)
  return (httpStatus ?? code ?? 0) >= 500
}

/** A task found later by its messageId turns the oldest such dispatch without outcome into `task`. */
const findByHistory = (report: ReportFact, sends: Sends): void => {
  const found = sends.foundBy(report)
  if (found === undefined || report.taskId === undefined) return
  found.outcome = 'task'
  found.taskId = report.taskId
  found.answerPosition = report.position
  sends.bind(found, report.taskId)
}

/** What any witness of the send states holds; where several do, what the first of them states. */
const analysisOf = ({ fact, seen, workerId, isOpening, isOldOpening, outcome, taskId, answerPosition }: Send): DispatchAnalysis => {
  const contextId = seen.find((each) => each.contextId !== undefined)?.contextId
  const acceptedModes = seen.find((each) => each.acceptedModes !== undefined)?.acceptedModes
  const skill = seen.find((each) => each.skill !== undefined)?.skill
  const redispatch = seen.find((each) => each.redispatch !== undefined)?.redispatch
  const cancelLoser = seen.find((each) => each.cancelLoser !== undefined)?.cancelLoser
  const redispatchSafety = seen.find((each) => each.redispatchSafety !== undefined)?.redispatchSafety
  return {
    workerId,
    position: fact.position,
    positions: seen.map(({ position }) => position),
    sources: seen.map(({ source }) => source),
    atMs: fact.atMs,
    outcome,
    contentDigest: fact.contentDigest,
    ...(fact.sentMessageId !== undefined && { messageId: fact.sentMessageId }),
    ...(taskId !== undefined && { taskId }),
    ...(fact.namedTaskId !== undefined && !isOldOpening && { namedTaskId: fact.namedTaskId }),
    ...(isOpening && taskId === fact.namedTaskId && { isOpening: true as const }),
    ...(contextId !== undefined && { contextId }),
    ...(answerPosition !== undefined && { answerPosition }),
    ...(acceptedModes !== undefined && { acceptedModes }),
    ...(skill !== undefined && { skill }),
    ...(redispatch !== undefined && { redispatch }),
    ...(redispatchSafety !== undefined && { redispatchSafety }),
    ...(cancelLoser !== undefined && { cancelLoser }),
  }
}
