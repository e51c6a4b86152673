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
import type {
  DispatchFact,
  ErrorFact,
  MessageFact,
  NoAnswerFact,
  NothingFact,
  ReportFact,
  TaskFact,
} from '../fact/fact.ts'
import { clockSkewMsMax } from '../fact/facts-of.ts'
import { compareMoments, isAfter } from '../fact/moment.ts'
import type { DispatchAnalysis, DispatchOutcome } from './analysis.ts'

type AnswerFact = ReportFact | MessageFact | ErrorFact | NoAnswerFact | NothingFact

interface Send {
  /** As the first witness saw it. */
  readonly fact: DispatchFact
  /** As every witness saw it, that one included. */
  readonly seen: DispatchFact[]
  readonly workerId: string
  outcome: DispatchOutcome
  taskId?: string
  answerPosition?: number
  /** The answers to the send itself, by every witness of them. */
  readonly answers: AnswerFact[]
  /** Set by an answer to the send itself, and not by a task found later. */
  isAnswered: boolean
}

/** What became of every dispatch of one logical task, in order of sending. */
export const deriveDispatches = (facts: readonly TaskFact[]): readonly DispatchAnalysis[] => {
  const inOrder = facts.toSorted(compareMoments)
  const sends: Send[] = []
  for (const fact of inOrder) {
    if (fact.kind !== 'dispatch' || fact.workerId === undefined) continue
    const known = sends.find((send) => isSameSend(send, fact))
    if (known !== undefined) known.seen.push(fact)
    else sends.push({ fact, seen: [fact], workerId: fact.workerId, outcome: 'pending', answers: [], isAnswered: false })
  }
  const attribute = (answer: AnswerFact): void => {
    const echoed = sends.find((send) => isEchoOf(send, answer))
    if (echoed !== undefined) {
      echoed.answers.push(answer)
      return
    }
    const send = sendAnsweredBy(answer, sends)
    if (send !== undefined) settle(send, answer)
  }
  const strangers: AnswerFact[] = []
  for (const fact of inOrder) {
    if (isAnswerToSend(fact)) {
      if (fact.messageId === undefined && isByStranger(fact, sends)) strangers.push(fact)
      else attribute(fact)
    }
    if (fact.kind === 'report') findByHistory(fact, sends)
  }
  for (const answer of strangers) attribute(answer)
  return sends.map(analysisOf)
}

/** The same message to the same task of the same worker, told by a witness that has not told of this send yet. */
const isSameSend = ({ fact, seen, workerId }: Send, other: DispatchFact): boolean =>
  fact.sentMessageId !== undefined &&
  fact.sentMessageId === other.sentMessageId &&
  workerId === other.workerId &&
  fact.namedTaskId === other.namedTaskId &&
  other.atMs - fact.atMs <= clockSkewMsMax &&
  seen.every(({ source }) => source !== other.source)

/** The answer that the send has got already, told by a witness that has not told of it yet. */
const isEchoOf = ({ workerId, answers }: Send, answer: AnswerFact): boolean => {
  const [first] = answers
  return (
    first !== undefined &&
    workerId === answer.workerId &&
    Math.abs(answer.atMs - first.atMs) <= clockSkewMsMax &&
    answers.every(({ source }) => source !== answer.source) &&
    wordsOf(first) === wordsOf(answer)
  )
}

/** Told by a witness of no send to that worker: who saw the send as well knows better what it answers. */
const isByStranger = (answer: AnswerFact, sends: readonly Send[]): boolean =>
  !sends.some(({ workerId, seen }) => workerId === answer.workerId && seen.some(({ source }) => source === answer.source))

/** What an answer says: two witnesses of one answer tell the same. */
const wordsOf = (answer: AnswerFact): string => {
  const words = (...own: readonly (string | number | undefined)[]) => JSON.stringify([answer.kind, ...own])
  switch (answer.kind) {
    case 'report':
      return words(answer.taskId, answer.state, answer.statusAtMs, answer.text)
    case 'message':
      return words(answer.taskId, answer.ownMessageId, answer.piece.digest)
    case 'error':
      return words(answer.name, answer.codeSpace, answer.code, answer.text)
    case 'no-answer':
      return words(answer.reason)
    case 'nothing':
      return words()
  }
}

const isAnswerToSend = (fact: TaskFact): fact is AnswerFact =>
  (fact.kind === 'report' ||
    fact.kind === 'message' ||
    fact.kind === 'error' ||
    fact.kind === 'no-answer' ||
    fact.kind === 'nothing') &&
  isSend(fact.operation) &&
  fact.workerId !== undefined

/**
 * By the message it names, else the oldest open send of that source, else of that worker. A named
 * send is found although its witness has a later clock; a send whose message is known to be another
 * one is not meant.
 */
const sendAnsweredBy = (answer: AnswerFact, sends: readonly Send[]): Send | undefined => {
  const ofWorker = sends.filter((send) => send.workerId === answer.workerId)
  const before = ofWorker.filter(({ fact }) => isAfter(answer, fact))
  if (answer.messageId !== undefined) {
    const isNamed = ({ fact }: Send) => fact.sentMessageId === answer.messageId
    const named = [before.filter(isNamed), ofWorker.filter(isNamed)].find(({ length }) => length > 0)
    if (named !== undefined) return named.find(({ isAnswered }) => !isAnswered)
  }
  const here = answer.messageId === undefined ? before : before.filter(({ fact }) => fact.sentMessageId === undefined)
  const ofSource = here.filter(({ seen }) => seen.some(({ source }) => source === answer.source))
  const open = (ofSource.length > 0 ? ofSource : here).filter(({ isAnswered }) => !isAnswered)
  const fitting = open.filter(
    ({ fact, taskId }) =>
      (fact.namedTaskId === undefined || answer.taskId === undefined || fact.namedTaskId === answer.taskId) &&
      (taskId === undefined || answer.taskId === undefined || taskId === answer.taskId),
  )
  const naming = answer.taskId === undefined ? undefined : fitting.find(({ fact }) => fact.namedTaskId === answer.taskId)
  return naming ?? (isLaterUpdate(answer, here) ? undefined : fitting[0])
}

/** A further update of a task that already answers a send is no answer to another one. */
const isLaterUpdate = (answer: AnswerFact, here: readonly Send[]): boolean =>
  answer.kind === 'report' &&
  answer.channel === 'update' &&
  here.some(({ taskId }) => taskId !== undefined && taskId === answer.taskId)

const settle = (send: Send, answer: AnswerFact): void => {
  send.isAnswered = true
  send.answers.push(answer)
  const outcome = outcomeOf(answer)
  if (send.outcome === 'task' && outcome !== 'task') return
  send.outcome = outcome
  send.answerPosition = answer.position
  if (outcome === 'task' && answer.taskId !== undefined) send.taskId = answer.taskId
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
const findByHistory = (report: ReportFact, sends: readonly Send[]): void => {
  if (report.historyMessageId === undefined || report.taskId === undefined) return
  if (sends.some((send) => send.workerId === report.workerId && send.taskId === report.taskId)) return
  const found = sends.find(
    ({ fact, workerId, outcome }) =>
      workerId === report.workerId &&
      isAfter(report, fact) &&
      fact.sentMessageId === report.historyMessageId &&
      (outcome === 'no-answer' || outcome === 'pending'),
  )
  if (found === undefined) return
  found.outcome = 'task'
  found.taskId = report.taskId
  found.answerPosition = report.position
}

/** What any witness of the send states holds; where several do, what the first of them states. */
const analysisOf = ({ fact, seen, workerId, outcome, taskId, answerPosition }: Send): DispatchAnalysis => {
  const contextId = seen.find((each) => each.contextId !== undefined)?.contextId
  const acceptedModes = seen.find((each) => each.acceptedModes !== undefined)?.acceptedModes
  const skill = seen.find((each) => each.skill !== undefined)?.skill
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
    ...(fact.namedTaskId !== undefined && { namedTaskId: fact.namedTaskId }),
    ...(contextId !== undefined && { contextId }),
    ...(answerPosition !== undefined && { answerPosition }),
    ...(acceptedModes !== undefined && { acceptedModes }),
    ...(skill !== undefined && { skill }),
  }
}
