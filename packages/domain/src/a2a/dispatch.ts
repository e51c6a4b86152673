/** SendMessageRequest of any version, bare or inside a JSON-RPC request (v1.0 §3.2.1). */
import type { JsonValue } from '../json/document.ts'
import { essenceOf } from '../media-type/media-type.ts'
import { readClaim } from './claim.ts'
import { defined } from './defined.ts'
import { excerpt } from './excerpt.ts'
import { contextIdOf, messageOf } from './message.ts'
import { isSend, operationOf } from './operation.ts'
import { isPushConfigName } from './push-config.ts'
import type { Draft, Reader } from './reader.ts'
import type { MessageReading } from './reading.ts'
import { eventTaskName } from './v0-1/names.ts'

/** The params of a JSON-RPC request to send; another method is no dispatch. */
const paramsOf = (reader: Reader, root: JsonValue): JsonValue | undefined => {
  const method = reader.word(root, 'method')
  if (method === undefined) return root
  if (!isSend(operationOf(method))) {
    reader.refuse('data_foreign', `the method ${method.slice(0, 60)} sends no message`)
  }
  return reader.deciding(root, 'params')
}

/** The message of a request: `message`, v0.3 proto `request`, or the message itself. */
const messageIn = (reader: Reader, params: JsonValue | undefined): JsonValue | undefined => {
  const named = reader.deciding(params, 'message') ?? reader.deciding(params, 'request')
  if (named !== undefined) return named
  const isMessage =
    reader.member(params, 'parts') !== undefined && reader.member(params, 'role') !== undefined
  return isMessage ? params : undefined
}

/** v0.1 names task and session beside the message, later versions inside it. */
const withTask = (reader: Reader, params: JsonValue, message: MessageReading): MessageReading => {
  const contextId = message.contextId ?? contextIdOf(reader, params)
  const oldTaskId = message.taskId === undefined ? reader.id(params, eventTaskName) : undefined
  if (oldTaskId !== undefined) reader.mark('0.1')
  const taskId = message.taskId ?? reader.id(params, 'taskId') ?? oldTaskId
  return { ...message, ...defined({ taskId, contextId }) }
}

const modesOf = (reader: Reader, params: JsonValue): readonly string[] | undefined => {
  const holder = reader.member(params, 'configuration') ?? params
  const modes = reader.strings(holder, 'acceptedOutputModes')
  return modes === undefined || modes.length === 0
    ? undefined
    : modes.map((mode) => excerpt(essenceOf(mode), 256))
}

const hasPushConfig = (reader: Reader, params: JsonValue): boolean =>
  [params, reader.member(params, 'configuration')].some((holder) =>
    [...(holder?.members() ?? [])].some(
      ({ name, value }) => isPushConfigName(name) && !value.isNull,
    ),
  )

/** Reads a dispatch; a request without a message is foreign. */
export const readDispatch = (reader: Reader, root: JsonValue): Draft | undefined => {
  const params = paramsOf(reader, root)
  const wire = messageIn(reader, params)
  if (params?.kind !== 'object' || wire?.kind !== 'object') {
    reader.refuse('data_foreign', 'the request holds no message')
    return undefined
  }
  readClaim(reader, wire)
  readClaim(reader, params)
  const message = messageOf(reader, wire)
  return {
    kind: 'dispatch',
    message: params === wire ? message : withTask(reader, params, message),
    ...defined({ acceptedOutputModes: modesOf(reader, params) }),
    hasPushConfig: hasPushConfig(reader, params),
  }
}
