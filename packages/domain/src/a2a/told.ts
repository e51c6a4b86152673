/**
 * What a bare object is: by its discriminator, else by its members (case C119).
 *
 * | members | it is |
 * | --- | --- |
 * | `kind` (v0.2, v0.3) or `type` (v0.1) that names an object | that object |
 * | another non-empty `kind` | foreign |
 * | `status` or `artifact` beside `role`/`parts`/`messageId`; `status` beside `artifact` | ambiguous |
 * | `taskId`, `status` (no `history`/`artifacts`) | status update |
 * | `artifact` with `taskId` or `id` | artifact update |
 * | `id`, `status`, `final` and nothing else a task has | status update (v0.1) |
 * | `id` with `status`, `artifacts`, `history` or a context | task |
 * | `messageId`, or `role` with `parts` | message |
 * | fewer | what the event type says, if the object has a member of it; else foreign |
 */
import type { JsonValue } from '../json/document.ts'
import type { Reader } from './reader.ts'
import { contextName, discriminatorName } from './v0-1/names.ts'

export type ObjectKind = 'task' | 'message' | 'status-update' | 'artifact-update'

const discriminators: Readonly<Record<string, ObjectKind>> = {
  task: 'task',
  message: 'message',
  statusupdate: 'status-update',
  taskstatusupdateevent: 'status-update',
  artifactupdate: 'artifact-update',
  taskartifactupdateevent: 'artifact-update',
}

/** What a discriminator says, in any spelling. */
export const discriminatedKind = (word: string | undefined): ObjectKind | undefined => {
  const key = word?.replace(/[-_]/g, '').toLowerCase() ?? ''
  return Object.hasOwn(discriminators, key) ? discriminators[key] : undefined
}

const discriminated = (reader: Reader, object: JsonValue): ObjectKind | 'foreign' | undefined => {
  const kind = reader.word(object, 'kind')
  const type = kind === undefined ? object.get(discriminatorName)?.string : undefined
  const word = kind ?? type
  if (word === undefined) return undefined
  const told = discriminatedKind(word)
  if (told !== undefined) reader.mark(kind === undefined ? '0.1' : '0.3')
  return told ?? (kind === undefined ? undefined : 'foreign')
}

const byMembers = (
  reader: Reader,
  object: JsonValue,
  expected: ObjectKind | undefined,
): ObjectKind | 'foreign' | 'ambiguous' => {
  const has = (name: string): boolean => reader.member(object, name) !== undefined
  const isMessage = has('messageId') || has('role') || has('parts') || has('content')
  const hasStatus = has('status')
  const hasArtifact = has('artifact')
  if ((hasStatus && hasArtifact) || (isMessage && (hasStatus || hasArtifact))) return 'ambiguous'
  const isSnapshot = has('history') || has('artifacts')
  const hasContext = has('contextId') || has(contextName)
  if (hasArtifact) {
    const isEvent = has('taskId') || has('id') || expected === 'artifact-update'
    return isEvent ? 'artifact-update' : 'foreign'
  }
  if (hasStatus && has('taskId') && !isSnapshot) return 'status-update'
  if (has('id') && (hasStatus || isSnapshot || hasContext) && !isMessage) {
    const isUpdate = hasStatus && !isSnapshot && !hasContext
    return isUpdate && (has('final') || expected === 'status-update') ? 'status-update' : 'task'
  }
  if (has('messageId') || (has('role') && (has('parts') || has('content')))) return 'message'
  if (expected === 'message') return isMessage ? 'message' : 'foreign'
  if (hasStatus) return expected ?? (isSnapshot ? 'task' : 'ambiguous')
  return expected === 'task' && (isSnapshot || has('id')) ? 'task' : 'foreign'
}

/**
 * Tells what `object` is; `expected` is what the event type or the operation says it should be.
 *
 * A discriminator wins over `expected`: the envelope's type is a label, the payload says what it is.
 * `undefined` after a refusal.
 */
export const tellObject = (
  reader: Reader,
  object: JsonValue,
  expected?: ObjectKind,
): ObjectKind | undefined => {
  const told = discriminated(reader, object) ?? byMembers(reader, object, expected)
  if (told === 'foreign') {
    reader.refuse('data_foreign', 'the object has the members of no A2A object')
    return undefined
  }
  if (told === 'ambiguous') {
    reader.refuse(
      'data_ambiguous',
      'the members of the object are those of more than one A2A object',
    )
    return undefined
  }
  return told
}
