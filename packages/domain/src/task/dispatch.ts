/**
 * Which answer belongs to which send, and what became of each send (F13).
 *
 *   pending → task | message | refused | no-answer : by the first answer that belongs to it;
 *   pending, no-answer → task : when a task turns up whose history holds its message.
 */
import type {
  DispatchFact,
  ErrorFact,
  MessageFact,
  NoAnswerFact,
  NothingFact,
  ReportFact,
  TaskFact,
} from '../fact/fact.ts'
import { compareMoments, isAfter } from '../fact/moment.ts'
import type { DispatchAnalysis, DispatchOutcome } from './analysis.ts'

type AnswerFact = ReportFact | MessageFact | ErrorFact | NoAnswerFact | NothingFact

interface Send {
  readonly fact: DispatchFact
  readonly workerId: string
  outcome: DispatchOutcome
  taskId?: string
  answerPosition?: number
  /** Set by an answer to the send itself, and not by a task found later. */
  isAnswered: boolean
}

/** What became of every dispatch of one logical task, in order of sending. */
export const deriveDispatches = (facts: readonly TaskFact[]): readonly DispatchAnalysis[] => {
  const inOrder = facts.toSorted(compareMoments)
  const sends = inOrder.flatMap((fact): Send[] =>
    fact.kind === 'dispatch' && fact.workerId !== undefined
      ? [{ fact, workerId: fact.workerId, outcome: 'pending', isAnswered: false }]
      : [],
  )
  for (const fact of inOrder) {
    if (isAnswerToSend(fact)) {
      const send = sendAnsweredBy(fact, sends)
      if (send !== undefined) settle(send, fact)
    }
    if (fact.kind === 'report') findByHistory(fact, sends)
  }
  return sends.map(analysisOf)
}

const isAnswerToSend = (fact: TaskFact): fact is AnswerFact =>
  (fact.kind === 'report' ||
    fact.kind === 'message' ||
    fact.kind === 'error' ||
    fact.kind === 'no-answer' ||
    fact.kind === 'nothing') &&
  (fact.operation === 'SendMessage' || fact.operation === 'SendStreamingMessage') &&
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
  const ofSource = here.filter(({ fact }) => fact.source === answer.source)
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

const analysisOf = ({ fact, workerId, outcome, taskId, answerPosition }: Send): DispatchAnalysis => ({
  workerId,
  position: fact.position,
  atMs: fact.atMs,
  outcome,
  contentDigest: fact.contentDigest,
  ...(fact.sentMessageId !== undefined && { messageId: fact.sentMessageId }),
  ...(taskId !== undefined && { taskId }),
  ...(fact.namedTaskId !== undefined && { namedTaskId: fact.namedTaskId }),
  ...(fact.contextId !== undefined && { contextId: fact.contextId }),
  ...(answerPosition !== undefined && { answerPosition }),
  ...(fact.acceptedModes !== undefined && { acceptedModes: fact.acceptedModes }),
  ...(fact.skill !== undefined && { skill: fact.skill }),
})
