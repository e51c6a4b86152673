/** Message, Artifact and TaskStatus of any version (v1.0 §4.1.2, §4.1.4, §4.1.7). */
import type { JsonValue } from '../json/document.ts'
import { readClaim } from './claim.ts'
import { defined } from './defined.ts'
import { excerpt } from './excerpt.ts'
import { partOf } from './part.ts'
import type { ArtifactReading, MessageReading, PartReading, StatusReading } from './reading.ts'
import { isUsableId, type Reader } from './reader.ts'
import { parseTaskState } from './task-state.ts'
import { parseTimestampMs } from './timestamp.ts'
import { artifactOrderName, contextName } from './v0-1/names.ts'

const textLengthMax = 2000

const roles: Readonly<Record<string, MessageReading['role']>> = {
  user: 'user',
  role_user: 'user',
  '1': 'user',
  agent: 'agent',
  role_agent: 'agent',
  '2': 'agent',
}

const roleOf = (reader: Reader, message: JsonValue): MessageReading['role'] => {
  const value = reader.deciding(message, 'role')
  const wire = value?.string ?? value?.raw ?? ''
  if (/^ROLE_/.test(wire)) reader.mark('proto')
  else if (wire === 'user' || wire === 'agent') reader.mark('lower-case')
  const key = wire.toLowerCase()
  return Object.hasOwn(roles, key) ? (roles[key] ?? 'unknown') : 'unknown'
}

/** `parts`, or `content` as the v0.3 proto names it; anything but a list is no parts. */
export const partsOf = (reader: Reader, holder: JsonValue | undefined): readonly PartReading[] => {
  const own = reader.member(holder, 'parts')
  const proto = own === undefined ? holder?.get('content') : undefined
  if (proto?.kind === 'array') {
    reader.mark('0.3')
    reader.note('wire_alias_used')
  }
  const list = own ?? proto
  return reader.entries(list).map((item) => partOf(reader, item))
}

const joinedText = (parts: readonly PartReading[]): string => {
  const texts: string[] = []
  let length = 0
  for (const { content } of parts) {
    if (content.kind !== 'text' || length > textLengthMax) continue
    texts.push(content.text)
    length += content.text.length + 1
  }
  return excerpt(texts.join('\n'), textLengthMax)
}

/** The context of an object; `sessionId` is its v0.1 name. */
export const contextIdOf = (reader: Reader, object: JsonValue): string | undefined => {
  const contextId = reader.id(object, 'contextId')
  if (contextId !== undefined) return contextId
  const sessionId = reader.id(object, contextName)
  if (sessionId !== undefined) reader.mark('0.1')
  return sessionId
}

/** Reads a message; its claim is offered to the reader only by who knows that it counts. */
export const messageOf = (reader: Reader, message: JsonValue): MessageReading => {
  if (message.get('kind')?.string === 'message') reader.mark('0.3')
  const parts = partsOf(reader, message)
  return {
    ...defined({
      messageId: reader.id(message, 'messageId'),
      taskId: reader.id(message, 'taskId'),
      contextId: contextIdOf(reader, message),
    }),
    role: roleOf(reader, message),
    parts,
    referenceTaskIds: (reader.strings(message, 'referenceTaskIds') ?? []).filter(isUsableId),
    text: joinedText(parts),
  }
}

/** Reads an artifact; `ordinal` is its place in its list, which a v0.1 `index` overrides. */
export const artifactOf = (
  reader: Reader,
  artifact: JsonValue | undefined,
  ordinal: number,
): ArtifactReading => {
  readClaim(reader, artifact)
  const artifactId = reader.id(artifact, 'artifactId')
  const index = artifactId === undefined ? artifact?.get(artifactOrderName)?.number : undefined
  if (index !== undefined) reader.mark('0.1')
  return {
    ...defined({ artifactId, name: reader.text(artifact, 'name') }),
    index: index !== undefined && Number.isSafeInteger(index) && index >= 0 ? index : ordinal,
    parts: partsOf(reader, artifact),
    ...defined({ metadataNames: reader.metadataNames(artifact) }),
  }
}

const stateOf = (reader: Reader, status: JsonValue | undefined) => {
  const isWord = status?.kind === 'string'
  if (isWord) reader.note('wire_alias_used')
  const value = isWord ? status : reader.deciding(status, 'state')
  const wire = value?.kind === 'number' ? value.number : (value?.string ?? value?.raw)
  const parsed = parseTaskState(wire)
  // ProtoJSON leaves out an enum that has its zero value, TASK_STATE_UNSPECIFIED.
  if (parsed === undefined) return { state: 'unknown', isStateUnknown: false } as const
  if (parsed.isStateUnknown) reader.note('state_unknown')
  if (/^TASK_STATE_/.test(parsed.stateOnWire)) reader.mark('proto')
  else if (/^[a-z]/.test(parsed.stateOnWire)) reader.mark('lower-case')
  return parsed
}

/** Reads a task's status, and offers the claim of its message; a bare word is its state (noted). */
export const statusOf = (reader: Reader, status: JsonValue | undefined): StatusReading => {
  const timestamp = reader.member(status, 'timestamp')
  const { ms, notes } = parseTimestampMs(
    timestamp === undefined ? undefined : (timestamp.string ?? timestamp.number ?? timestamp.raw),
  )
  reader.note(...notes)
  const message = reader.member(status, 'message')
  if (message?.kind === 'object') readClaim(reader, message)
  return {
    ...stateOf(reader, status),
    ...defined({
      timestampMs: ms,
      message: message?.kind === 'object' ? messageOf(reader, message) : undefined,
    }),
  }
}
