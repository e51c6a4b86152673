/** One event as the correlation ladder sees it: who, about which task, said by whom. */
import type { EventAttributes } from '../event/envelope.ts'
import type { MessageReading, Reading } from '../a2a/reading.ts'
import { isSend, operationOf } from '../a2a/operation.ts'
import { isAboutAnotherTask } from '../a2a/other-task.ts'
import { isReservedCorrelationId } from './correlation-id.ts'
import type { ShownTask } from './known-correlations.ts'
import type { Stated } from './rule.ts'
import type { Teaching } from './teaching.ts'

/**
 * - `dispatch`: a client sends work. It is told whose, it never claims a task.
 * - `observation`: a witness saw a worker say something.
 * - `statement`: a client's own conclusion; it teaches nothing about tasks.
 * - `worker-fact`: lives in the worker's stream, whoever reported it (K4, K5).
 * - `record`: made by a service of this deployment, which names the stream.
 */
export type ObservationRole = 'dispatch' | 'observation' | 'statement' | 'worker-fact' | 'record'

export interface Observation {
  readonly role: ObservationRole
  readonly workerId?: string
  /** The server task it is about: as the payload names it, else as the envelope does. */
  readonly taskId?: string
  /** Rung 1. */
  readonly explicit?: string
  /** Rung 2: what the payload's metadata claims. */
  readonly claim?: string
  /** Rung 4: the client message that is sent, answered, or last in the task's history (K3). */
  readonly messageId?: string
  /** The stream of an A2A call that it came on, by its witness and the witness's name for it. */
  readonly stream?: { readonly source: string; readonly streamId: string }
  /** What the rules of a mesh may find a correlation ID in; absent where none applies. */
  readonly stated?: Stated
  /** What an event of our own teaches the ladder. */
  readonly teaching?: Teaching
  /** K2: an answer to a send that, as far as the envelope tells, named no task. */
  readonly answersOpenSend: boolean
  /** True when a foreign correlation ID on it is a second owner for the task, not a side remark. */
  readonly claimsTask: boolean
  /** True when the worker is known to have restarted: what it knows now is new knowledge (L13). */
  readonly isRestart: boolean
  /** What an answer of the worker showed of the task (L13). */
  readonly shown?: ShownTask
}

/** The observation in one event; `isInternal` for what services of this deployment append. */
export const observationOf = (
  attributes: EventAttributes,
  reading: Reading,
  isInternal: boolean,
): Observation => {
  const role = roleOf(attributes, reading)
  const named = isAboutAnotherTask(reading, attributes.operation) ? undefined : namedTaskOf(reading)
  const taskId = named ?? attributes.taskid
  const workerId = attributes.workerid
  const explicit = explicitOf(attributes, role, isInternal)
  const messageId = messageIdOf(attributes, reading, taskId)
  const { source, streamid } = attributes
  const operation = attributes.operation === undefined ? undefined : operationOf(attributes.operation)
  const isSendAnswer = operation !== undefined && isSend(operation)
  const showsTask = isTaskShown(reading)
  const teaching = isInternal && reading.kind === 'nothing' ? reading.teaching : undefined
  return {
    role,
    ...(workerId === undefined ? {} : { workerId }),
    ...(taskId === undefined || teaching !== undefined ? {} : { taskId }),
    ...(explicit === undefined ? {} : { explicit }),
    ...(reading.claim === undefined ? {} : { claim: reading.claim.correlationId }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(role === 'dispatch' || role === 'observation'
      ? { stated: statedIn(attributes, reading, role === 'dispatch' || isSendAnswer || operation === 'Emit') }
      : {}),
    ...(role === 'observation' && streamid !== undefined && operation !== undefined && isStreamed(operation)
      ? { stream: { source, streamId: streamid } }
      : {}),
    ...(teaching === undefined ? {} : { teaching }),
    answersOpenSend:
      role === 'observation' &&
      isSendAnswer &&
      showsTask &&
      attributes.taskid === undefined &&
      namedTaskOf(reading) !== undefined,
    claimsTask: role === 'observation' && (showsTask || (reading.kind === 'error' && !isSendAnswer)),
    isRestart: reading.kind === 'restart',
    ...(reading.kind === 'task' && isAnswer(operation) ? shownIn(reading) : {}),
  }
}

const shownIn = ({
  status: { state, message },
  contextId,
  artifacts,
  history,
}: Extract<Reading, { readonly kind: 'task' }>): Pick<Observation, 'shown'> => {
  if (state === undefined) return {}
  const isBare = message === undefined && artifacts.length === 0 && history.length === 0
  return { shown: { state, ...(contextId === undefined ? {} : { contextId }), isBare } }
}

/** Operations whose answer shows a task as it is at that moment; a stream or a push may be late. */
export const answersWithTask: readonly string[] = ['SendMessage', 'GetTask', 'ListTasks', 'CancelTask']

const isAnswer = (operation: string | undefined): boolean => operation !== undefined && answersWithTask.includes(operation)

const roleOf = (attributes: EventAttributes, reading: Reading): ObservationRole => {
  switch (reading.kind) {
    case 'agent-card':
    case 'restart':
    case 'task-list':
      return 'worker-fact'
    case 'conclusion':
      return 'statement'
    case 'dispatch':
      return 'dispatch'
    case 'task':
    case 'status-update':
    case 'artifact-update':
    case 'message':
    case 'error':
    case 'no-answer':
    case 'stream-ended':
    case 'nothing':
      return attributes.type.startsWith('a2a.') ? 'observation' : 'record'
  }
}

/**
 * An internal observation may name the synthetic stream it was asked about; the ladder finds that
 * stream, or the one it was linked to, by itself.
 */
const explicitOf = (
  { correlationid }: EventAttributes,
  role: ObservationRole,
  isInternal: boolean,
): string | undefined =>
  correlationid !== undefined && isInternal && role !== 'record' && isReservedCorrelationId(correlationid)
    ? undefined
    : correlationid

/** The server task that the payload itself names. */
export const namedTaskOf = (reading: Reading): string | undefined => {
  switch (reading.kind) {
    case 'task':
    case 'status-update':
    case 'artifact-update':
    case 'error':
      return reading.taskId
    case 'message':
    case 'dispatch':
      return reading.message.taskId
    case 'task-list':
    case 'agent-card':
    case 'no-answer':
    case 'stream-ended':
    case 'restart':
    case 'conclusion':
    case 'nothing':
      return undefined
  }
}

/**
 * True for the calls whose answer is a stream: what comes on it answers one call. Of pushes and of what
 * a worker reports by itself a witness may name the connection, which tells of many tasks.
 */
export const isStreamed = (operation: string): boolean => operation === 'SendStreamingMessage' || operation === 'SubscribeToTask'

const statedIn = (attributes: EventAttributes, reading: Reading, isOfWork: boolean): Stated => {
  const contextId = contextIdOf(reading)
  return { attributes, metadata: reading.metadata ?? [], ...(contextId === undefined ? {} : { contextId }), isOfWork }
}

const contextIdOf = (reading: Reading): string | undefined => {
  switch (reading.kind) {
    case 'task':
    case 'status-update':
    case 'artifact-update':
      return reading.contextId
    case 'message':
    case 'dispatch':
      return reading.message.contextId
    case 'error':
    case 'task-list':
    case 'agent-card':
    case 'no-answer':
    case 'stream-ended':
    case 'restart':
    case 'conclusion':
    case 'nothing':
      return undefined
  }
}

const isTaskShown = ({ kind }: Reading): boolean =>
  kind === 'task' || kind === 'status-update' || kind === 'artifact-update' || kind === 'message'

const messageIdOf = (
  attributes: EventAttributes,
  reading: Reading,
  taskId: string | undefined,
): string | undefined => {
  if (reading.kind === 'dispatch') return reading.message.messageId ?? attributes.messageid
  if (attributes.messageid !== undefined) return attributes.messageid
  return reading.kind === 'task' ? lastUserMessage(reading.history, taskId)?.messageId : undefined
}

/** K3: a history may hold messages of other tasks of the same context; those say nothing here. */
const lastUserMessage = (
  history: readonly MessageReading[],
  taskId: string | undefined,
): MessageReading | undefined =>
  history.findLast(
    (message) => message.role === 'user' && (message.taskId === undefined || message.taskId === taskId),
  )
