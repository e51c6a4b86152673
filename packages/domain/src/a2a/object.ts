/** Task, Message and the two update events as readings (v1.0 §4.1.1, §4.2.1, §4.2.2). */
import type { JsonValue } from '../json/document.ts'
import { readClaim } from './claim.ts'
import { defined } from './defined.ts'
import { artifactOf, contextIdOf, messageOf, statusOf } from './message.ts'
import type { ArtifactReading, StatusReading } from './reading.ts'
import type { Draft, Reader } from './reader.ts'
import type { ObjectKind } from './told.ts'
import { eventTaskName } from './v0-1/names.ts'
import { generationOf } from './v1-0/generation.ts'
import { readTimeline } from './v1-0/timeline.ts'
import { profileOf, toldVersion } from './version.ts'

const answersAboutOneTask: ReadonlySet<string> = new Set([
  'GetTask',
  'CancelTask',
  'SubscribeToTask',
  'SendMessage',
  'SendStreamingMessage',
])

/**
 * The task an object is about: its own id, else the envelope's `taskid`. An id of a kind that no id
 * has is not replaced by the envelope's: the payload names something, only nothing we can read.
 */
const taskIdOf = (reader: Reader, object: JsonValue, name: 'id' | 'taskId'): string | undefined => {
  const own = reader.id(object, name)
  const isNamed =
    reader.member(object, name)?.string !== '' && reader.member(object, name) !== undefined
  const asked = reader.context.taskId
  const taskId = own ?? (isNamed ? undefined : asked)
  if (taskId === undefined) reader.note('task_id_missing')
  const isAnswer = answersAboutOneTask.has(reader.context.operation ?? '')
  if (own !== undefined && asked !== undefined && own !== asked && isAnswer) {
    reader.note('task_id_mismatch')
  }
  return taskId
}

const contextOf = (reader: Reader, object: JsonValue): string | undefined => {
  const contextId = contextIdOf(reader, object)
  if (contextId !== undefined) return contextId
  const version = toldVersion(reader.marks, reader.context)
  if (profileOf(version)?.requiresContextId === true) reader.note('context_missing')
  return undefined
}

/** Only versions that have a timeline tell one; elsewhere a member of that name is the worker's own. */
const timelineOf = (reader: Reader, task: JsonValue) =>
  profileOf(toldVersion(reader.marks, reader.context))?.hasTimeline === true
    ? readTimeline(reader, task)
    : undefined

const noteStatusMessage = (
  reader: Reader,
  taskId: string | undefined,
  status: StatusReading,
): void => {
  const named = status.message?.taskId
  if (named !== undefined && taskId !== undefined && named !== taskId)
    reader.note('task_id_changed')
}

const artifactsOf = (reader: Reader, task: JsonValue): readonly ArtifactReading[] => {
  const artifacts = reader.objects(task, 'artifacts').map((each, n) => artifactOf(reader, each, n))
  const ids = artifacts.map(({ artifactId, index }) => artifactId ?? `#${index}`) // v0.1 knows them by their index
  if (new Set(ids).size < ids.length) reader.note('artifact_id_repeated')
  return artifacts
}

const taskDraft = (reader: Reader, task: JsonValue) => {
  readClaim(reader, task)
  const status = statusOf(reader, reader.deciding(task, 'status'))
  const artifacts = artifactsOf(reader, task)
  const history = reader.objects(task, 'history').map((each) => messageOf(reader, each))
  const idName = reader.member(task, 'id') === undefined ? 'taskId' : 'id'
  const taskId = taskIdOf(reader, task, idName)
  noteStatusMessage(reader, taskId, status)
  return {
    kind: 'task',
    ...defined({
      taskId,
      contextId: contextOf(reader, task),
      generation: generationOf(task),
      timeline: timelineOf(reader, task),
      metadataNames: reader.metadataNames(task),
    }),
    status,
    artifacts,
    history,
  } as const
}

/** v0.1 events name their task `id`; every later version `taskId`. */
const eventTaskId = (reader: Reader, event: JsonValue): string | undefined => {
  const isOld =
    reader.member(event, 'taskId') === undefined &&
    reader.member(event, eventTaskName) !== undefined
  if (isOld) reader.mark('0.1')
  return taskIdOf(reader, event, isOld ? eventTaskName : 'taskId')
}

const statusUpdateDraft = (reader: Reader, event: JsonValue) => {
  readClaim(reader, event)
  const status = statusOf(reader, reader.deciding(event, 'status'))
  const taskId = eventTaskId(reader, event)
  noteStatusMessage(reader, taskId, status)
  return {
    kind: 'status-update',
    ...defined({
      taskId,
      contextId: contextOf(reader, event),
      generation: generationOf(event),
      metadataNames: reader.metadataNames(event),
    }),
    status,
  } as const
}

const artifactUpdateDraft = (reader: Reader, event: JsonValue) => {
  readClaim(reader, event)
  const wire = reader.deciding(event, 'artifact')
  const artifact = artifactOf(reader, wire, 0)
  const taskId = eventTaskId(reader, event)
  const flag = (name: string): boolean =>
    (reader.member(event, name) ?? reader.member(wire, name))?.boolean === true
  return {
    kind: 'artifact-update',
    ...defined({ taskId, contextId: contextOf(reader, event), generation: generationOf(event) }),
    artifact,
    append: flag('append'),
    lastChunk: flag('lastChunk'),
  } as const
}

/** Reads one object that is known to be of this kind. */
export const readObject = (reader: Reader, kind: ObjectKind, object: JsonValue): Draft => {
  switch (kind) {
    case 'task':
      return taskDraft(reader, object)
    case 'status-update':
      return statusUpdateDraft(reader, object)
    case 'artifact-update':
      return artifactUpdateDraft(reader, object)
    case 'message':
      readClaim(reader, object)
      return { kind: 'message', message: messageOf(reader, object) } as const
  }
}
