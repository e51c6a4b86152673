/** K5: what is taken out of an answer about many tasks, or out of the body of a stream, as events of their own. */
import type { ListItem, Reading } from '../a2a/reading.ts'
import { operationOf } from '../a2a/operation.ts'
import type { EventAttributes } from '../event/envelope.ts'
import { isStreamed as isStreamedCall, namedTaskOf } from './observation.ts'

/** One event to be recorded beside the answer that it was taken from. */
export interface DerivedEvent {
  readonly attributes: EventAttributes
  readonly item: ListItem
  /** One of a stream: recorded whatever it repeats, unlike an entry of a listing (L13). */
  readonly isStreamed: boolean
}

/** What an observation taken out of an answer has in common with it. */
const ofAnswer = ['time', 'operation', 'protocolversion', 'scope', 'binding', 'instance', 'workerid'] as const

/** An event of a stream answers the same call, so it is of the same logical task and message. */
const ofCall = [
  ...ofAnswer,
  'correlationid',
  'parentcorrelationid',
  'messageid',
  'taskid',
  'streamid',
  'sequence',
  'httpstatus',
  'lastobserved',
  'traceparent',
  'tracestate',
] as const

/**
 * The events in an answer, in order; none for any other answer.
 *
 * An entry of a listing that names no task stays evidence in the answer alone, and so does an event of a
 * stream that cannot be read. The events of a stream are of one stream, and numbered, so that chunks are
 * put together in their order whatever their times; a stream and a number of the witness come first.
 */
export const derivedFrom = (parent: EventAttributes, reading: Reading): readonly DerivedEvent[] =>
  itemsOf(reading).flatMap(({ item, isStreamed }, index) => {
    const attributes = isStreamed ? streamedAttributes(parent, item, index) : listedAttributes(parent, item)
    return attributes === undefined
      ? []
      : [{ attributes: { ...attributes, specversion: '1.0', source: parent.source, id: `${parent.id}#${index + 1}` }, item, isStreamed }]
  })

/** Everything that an answer says, the readings of its entries and events included. */
export const readingsIn = (reading: Reading): readonly Reading[] => [reading, ...itemsOf(reading).map(({ item }) => item.reading)]

type OwnAttributes = Partial<EventAttributes> & Pick<EventAttributes, 'type'>

const listedAttributes = (parent: EventAttributes, { reading }: ListItem): OwnAttributes | undefined => {
  const taskid = namedTaskOf(reading)
  return taskid === undefined
    ? undefined
    : { ...inherited(parent, ofAnswer), type: reading.kind === 'error' ? 'a2a.response' : 'a2a.task', taskid }
}

const streamedAttributes = (parent: EventAttributes, { isUnread }: ListItem, index: number): OwnAttributes | undefined => {
  if (isUnread === true) return undefined
  const type = isPlainAnswer(parent) ? parent.type : 'a2a.stream-response'
  return { streamid: parent.id, sequence: String(index + 1), ...inherited(parent, ofCall), type }
}

/** A call that has one answer got it on a stream: it is that answer all the same (F9). */
const isPlainAnswer = ({ type, operation }: EventAttributes): boolean =>
  type === 'a2a.response' && operation !== undefined && !isStreamedCall(operationOf(operation))

const inherited = (parent: EventAttributes, names: readonly (keyof EventAttributes & string)[]): Partial<EventAttributes> =>
  Object.fromEntries(names.flatMap((name) => (parent[name] === undefined ? [] : [[name, parent[name]]])))

/** An answer in a JSON-RPC batch may itself be about many tasks. */
const itemsOf = (reading: Reading): readonly { readonly item: ListItem; readonly isStreamed: boolean }[] =>
  reading.kind === 'task-list'
    ? reading.items.flatMap((item) =>
        item.reading.kind === 'task-list' ? itemsOf(item.reading) : [{ item, isStreamed: reading.isStream === true }],
      )
    : []
