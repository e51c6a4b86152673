/**
 * Whole answers: JSON-RPC responses and batches, REST bodies, gRPC as JSON, stream frames, pushes.
 *
 * An envelope is taken off first (JSON-RPC, then the StreamResponse wrapper), what is left is told
 * by its discriminator or its members. Nothing here trusts the event type over the payload.
 */
import { scanJson, type JsonValue } from '../json/document.ts'
import { eventsIn } from './event-stream.ts'
import { cardOf } from './card/card.ts'
import { noteDocument } from './document-notes.ts'
import { readError } from './error/classify.ts'
import { grpcCodeOf, nameOfType } from './error/names.ts'
import { heldStatusOf } from './error/shape.ts'
import { readObject } from './object.ts'
import { isCardOperation, isPushConfigOperation, isVoidOperation } from './operation.ts'
import { isPushConfigShape, secretsOf, topConfigs } from './push-config.ts'
import type { ListItem, PushConfigReading } from './reading.ts'
import { entriesMax, Reader, type Draft, type ReadContext } from './reader.ts'
import { discriminatedKind, tellObject, type ObjectKind } from './told.ts'
import { contextName } from './v0-1/names.ts'
import { wrapperNames } from './v1-0/profile.ts'

/** What the caller knows the payload to be: one object, a stream frame, or any answer. */
export interface Expected {
  readonly kind?: ObjectKind
  /** True where `{}` as a whole is no answer: a StreamResponse must have a member (§3.2.3). */
  readonly isFrame?: boolean
}

const refuseForeign = (reader: Reader, detail: string): undefined => {
  reader.refuse('data_foreign', detail)
  return undefined
}

/** What a Python object of one member, `root`, stands for: SDKs of v0.2 and v0.3 leak it, as they do in parts. */
export const peeled = (value: JsonValue): JsonValue => {
  const inner = value.get('root')
  return inner?.kind === 'object' && [...value.members()].length === 1 ? inner : value
}

/** Reads an answer, JSON-RPC or not. `undefined` after a refusal. */
export const readAnswer = (
  reader: Reader,
  whole: JsonValue,
  expected: Expected = {},
): Draft | undefined => {
  const root = peeled(whole)
  if (root.kind === 'array') return readBatch(reader, root)
  if (root.isNull) return nothing(reader)
  if (root.kind !== 'object') return refuseForeign(reader, `a ${root.kind} is no A2A object`)
  const error = reader.deciding(root, 'error')
  const result = reader.deciding(root, 'result')
  if (error !== undefined && result !== undefined) {
    reader.refuse('data_ambiguous', 'both result and error are there')
    return undefined
  }
  if (error !== undefined) return readError(reader, root, root.raw)
  if (result !== undefined) return readResult(reader, peeled(result), expected)
  const isEnvelope = root.get('jsonrpc') !== undefined || root.get('result') !== undefined
  if (isEnvelope) {
    return root.get('method') === undefined
      ? nothing(reader)
      : refuseForeign(reader, 'a request is no answer')
  }
  if (isErrorBody(reader, root)) return readError(reader, root, root.raw)
  if (expected.isFrame === true && root.isEmpty) return refuseForeign(reader, 'the frame has no member')
  return readResult(reader, root, expected)
}

/** A `null` or `{}` where a result belongs; for operations without a result it is one. */
const nothing = (reader: Reader): Draft => {
  const { operation } = reader.context
  if (!isVoidOperation(operation)) reader.note('result_missing')
  return { kind: 'nothing' }
}

/** True for a body without `error` and `jsonrpc` that is an error all the same (F6). */
const isErrorBody = (reader: Reader, root: JsonValue): boolean => {
  if ((reader.context.httpStatus ?? 200) >= 400) return true
  const code = root.get('code')
  const status = root.get('status')?.number ?? 0
  const isCoded =
    code?.kind === 'number' ||
    (code?.kind === 'string' && (/^-?[\dA-Z_]+$/.test(code.raw.slice(1, -1)) || grpcCodeOf(code.string ?? '') !== undefined))
  const isNamed = nameOfType(root.get('type')?.string ?? '') !== undefined
  const hasText = ['message', 'details', 'detail'].some((name) => root.get(name) !== undefined)
  const isHeld = heldStatusOf(root) !== undefined && isOfNoTask(root)
  return isNamed || isHeld || ((isCoded || isGrpcStatus(reader, root)) && hasText) || (status >= 400 && status <= 599)
}

/** True for a status of gRPC that has no `code`: what it is about has no id, as a task has. */
const isGrpcStatus = (reader: Reader, root: JsonValue): boolean => {
  const status = root.get('status')
  const code = status?.number ?? grpcCodeOf(status?.string ?? '')
  return reader.context.binding === 'GRPC' && code !== undefined && isOfNoTask(root)
}

const isOfNoTask = (root: JsonValue): boolean => ['id', 'taskId', 'task_id'].every((name) => root.get(name) === undefined)

const readResult = (reader: Reader, result: JsonValue, expected: Expected): Draft | undefined => {
  const { operation } = reader.context
  if (isPushConfigOperation(operation)) return readPushConfigs(reader, result)
  if (result.kind === 'array') return readTasks(reader, result)
  if (result.kind !== 'object') return refuseForeign(reader, `a ${result.kind} is no A2A object`)
  if (isCardOperation(operation)) return cardOf(reader, result)
  if (result.isEmpty) return operation === 'ListTasks' ? { kind: 'nothing' } : nothing(reader)
  const wrapped = unwrap(reader, result)
  if (wrapped === 'ambiguous') return undefined
  if (wrapped !== undefined) return readWrapped(reader, wrapped)
  const tasks = reader.member(result, 'tasks')
  if (tasks?.kind === 'array') return readTasks(reader, tasks)
  if (operation === 'ListTasks' && reader.member(result, 'status') === undefined)
    return { kind: 'nothing' }
  if (isPushConfigShape(result)) return readPushConfigs(reader, result)
  if (isCardShape(result)) return cardOf(reader, result)
  const kind = tellObject(reader, result, expected.kind ?? expectedOf(reader, result))
  return kind === undefined ? undefined : readObject(reader, kind, result)
}

/**
 * A task answers GetTask and CancelTask, but only what has something of a task is taken for one: a server
 * that says `{"status": "error"}` has told nothing of it, and must not be read as a sign of its life.
 */
const expectedOf = (reader: Reader, result: JsonValue): ObjectKind | undefined => {
  const { operation } = reader.context
  const isAsked = operation === 'GetTask' || operation === 'CancelTask'
  const has = (holder: JsonValue | undefined, name: string): boolean => reader.member(holder, name) !== undefined
  const isTask = taskMembers.some((name) => has(result, name)) || has(reader.member(result, 'status'), 'state')
  return isAsked && isTask ? 'task' : undefined
}

const taskMembers = ['id', 'taskId', 'contextId', contextName, 'artifacts', 'history'] as const

const isCardShape = (object: JsonValue): boolean =>
  object.get('skills')?.kind === 'array' && object.get('capabilities') !== undefined

interface Wrapped {
  readonly kind: ObjectKind
  readonly object: JsonValue
}

const wrapperKinds = Object.keys(wrapperNames) as ObjectKind[]

/** The one set member of a StreamResponse or SendMessageResponse; `undefined` where it is none. */
const unwrap = (reader: Reader, body: JsonValue): Wrapped | 'ambiguous' | undefined => {
  const kinds = body.get('kind')?.kind === 'string' ? kindsBeside(reader, body) : wrapperKinds
  if (kinds.length === 0 || body.get('status') !== undefined) return undefined
  const found = kinds.flatMap((kind) =>
    wrapperNames[kind].flatMap((name) => {
      const object = reader.deciding(body, name)
      return object?.kind === 'object' ? [{ kind, object }] : []
    }),
  )
  if (found.length > 1) {
    reader.refuse('data_ambiguous', 'more than one member of the frame is set')
    return 'ambiguous'
  }
  return found[0]
}

/** `{kind: "task", task: {…}}`: the discriminator of v0.3 beside the member of v1.0 that says the same. No object holds itself. */
const kindsBeside = (reader: Reader, body: JsonValue): readonly ObjectKind[] => {
  const told = discriminatedKind(reader.word(body, 'kind'))
  return told === undefined ? [] : [told]
}

const readWrapped = (reader: Reader, { kind, object }: Wrapped): Draft | undefined => {
  if (object.isEmpty) return refuseForeign(reader, `the ${kind} in the frame is empty`)
  const own = object.get('kind')?.kind === 'string' ? tellObject(reader, object, kind) : kind
  if (own !== undefined && own !== kind) {
    reader.refuse('data_ambiguous', `the frame says ${kind}, the object in it ${own}`)
    return undefined
  }
  reader.mark('proto')
  return readObject(reader, kind, object)
}

/** Reads what an operation on push configurations answers: it says nothing about the task. */
const readPushConfigs = (reader: Reader, result: JsonValue): Draft => {
  const configs = topConfigs(result, reader.context.operation)
  if (configs.length > entriesMax) reader.refuse('data_malformed', `more than ${entriesMax} push configurations`)
  for (const config of configs.slice(0, entriesMax)) {
    const inner = [...config.members()].flatMap(({ value }) =>
      isPushConfigShape(value) ? [value] : [],
    )
    const secrets = [config, ...inner].flatMap(secretsOf).flatMap((each) => each.string || [])
    const taskId =
      reader.id(config, 'taskId') ?? (inner.length > 0 ? reader.id(config, 'id') : undefined)
    const reading: PushConfigReading = { ...(taskId === undefined ? {} : { taskId }), secrets }
    reader.pushConfigs.push(reading)
  }
  return { kind: 'nothing' }
}

/**
 * One item of an answer about many: read from its own text, as the derived observation will be
 * (K5). An item that cannot be read is listed as `nothing` with `result_missing`, so that it harms
 * none of the others.
 */
const readItem = (reader: Reader, json: string, expected: Expected, context: ReadContext): ListItem => {
  const own = new Reader(context)
  const scan = scanJson(json)
  const draft = scan.outcome === 'ok' ? readAnswer(own, scan.document.root, expected) : undefined
  if (scan.outcome !== 'ok' || draft === undefined || own.refusal !== undefined) {
    return { json, reading: { kind: 'nothing', notes: ['result_missing'] }, isUnread: true }
  }
  noteDocument(own, scan.document)
  for (const mark of own.marks) reader.mark(mark)
  return { json, reading: own.finish(draft) }
}

/** One entry about one of many tasks: the envelope's task is not its own. */
const readEntry = (reader: Reader, item: JsonValue, expected: Expected): ListItem => {
  const { taskId: _, ...context } = reader.context
  return readItem(reader, item.raw, expected, context)
}

/**
 * The whole body of an event stream, reported as one answer: its events, each an answer of its own
 * to the same call (K5). `undefined` where none of them is one, after a refusal that says so.
 */
export const readEventStream = (reader: Reader, text: string): Draft | undefined => {
  const items: ListItem[] = []
  for (const data of eventsIn(text)) {
    if (items.length === entriesMax) {
      reader.refuse('data_malformed', `an event stream of more than ${entriesMax} events: report them one by one, as a2a.stream-response`)
      return undefined
    }
    items.push(readItem(reader, data, { isFrame: true }, reader.context))
  }
  const isUnread = (item: ListItem) => item.isUnread === true
  if (items.length === 0 || items.some(isUnread)) reader.note('result_missing')
  if (items.length > 0 && items.every(isUnread)) return refuseForeign(reader, 'no event of the stream is an A2A object or error')
  return items.length === 0 ? { kind: 'nothing' } : { kind: 'task-list', items, isStream: true }
}

/** A JSON-RPC batch, or a bare list of tasks. */
const readBatch = (reader: Reader, root: JsonValue): Draft | undefined => {
  const items = reader.entries(root)
  const isBatch = items.some((item) =>
    ['jsonrpc', 'result', 'error'].some((name) => item.get(name) !== undefined),
  )
  if (!isBatch) return readTasks(reader, root)
  return { kind: 'task-list', items: items.map((item) => readEntry(reader, item, {})) }
}

const readTasks = (reader: Reader, list: JsonValue): Draft | undefined => {
  const items = reader.entries(list)
  if (items.length === 0) return { kind: 'nothing' }
  const read = items.map((item) => readEntry(reader, item, { kind: 'task', isFrame: true }))
  if (read.every(({ reading }) => reading.kind === 'nothing')) {
    return refuseForeign(reader, 'no item of the list is an A2A object')
  }
  return { kind: 'task-list', items: read }
}
