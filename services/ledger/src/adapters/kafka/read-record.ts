/**
 * One record of the observations topic → an event to append, or an input to quarantine.
 *
 * Over HTTP an input without a usable envelope is answered and not kept; a Kafka producer hears no
 * answer, so here everything is kept.
 *
 * Source: CloudEvents Kafka Protocol Binding 1.0.2 §3; contract §6; design L11.
 */
import { parseBinary, parseStructured, type Codec, type EnvelopeReading, type QuarantineReason } from '@a2a-ledger/domain'
import type { KafkaRecord } from '@a2a-ledger/service-kit/kafka'
import type { IncomingEvent, QuarantineInput } from '../../app/ports.ts'
import { redactHeaders } from '../../app/redact-headers.ts'

export type Input =
  | { readonly kind: 'event'; readonly event: IncomingEvent }
  | { readonly kind: 'quarantine'; readonly input: QuarantineInput }

export interface RecordPlace {
  readonly topic: string
  readonly partition: number
}

/** An event is at most 8 MiB. */
const valueBytesMax = 8 * 1024 * 1024

type RejectedReading = EnvelopeReading & { readonly outcome: 'rejected' }

/** The envelope is what quarantine has attributes and data for; its reasons say what is wrong with those. */
const reasonOfRejection: Record<RejectedReading['code'] | 'body_malformed' | 'batch_too_large', QuarantineReason> = {
  body_malformed: 'data_malformed',
  envelope_invalid: 'attribute_invalid',
  batch_too_large: 'attribute_invalid',
}

export function readRecord(record: KafkaRecord, place: RecordPlace, codec: Codec): Input {
  const bytes = record.value ?? new Uint8Array()
  const texts = headerTexts(record, codec)
  const headers = keptHeaders(record, place, codec)
  // Two records without a source are two inputs, though their bytes may be the same: often none.
  const here = `kafka:${place.topic}/${place.partition}/${record.offset}`
  const refuse = (reason: QuarantineReason, detail: string, source?: string): Input => ({
    kind: 'quarantine',
    input: { reason, detail, via: 'kafka', source: source ?? texts.get('ce_source')?.[0] ?? here, bytes, headers, attributes: undefined },
  })

  for (const [name, values] of texts) {
    if (values.includes(undefined)) return refuse('attribute_invalid', `The header ${name} is not UTF-8.`)
    if (values.length > 1) return refuse('data_ambiguous', `The header ${name} comes with ${values.length} different values.`)
  }
  if (bytes.length > valueBytesMax) {
    return refuse('data_malformed', `The value has ${bytes.length} bytes; an event has at most ${valueBytesMax}.`)
  }
  const contentType = texts.get('content-type')?.[0]
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const isBinary = !mediaType.startsWith('application/cloudevents') && texts.size > (contentType === undefined ? 0 : 1)
  if (bytes.length === 0 && !isBinary) {
    return refuse('data_missing', record.value === undefined ? 'The value is null: a tombstone is no event.' : 'The value is empty.')
  }
  if (mediaType.startsWith('application/cloudevents') && mediaType !== 'application/cloudevents+json') {
    return refuse('attribute_invalid', `A record of ${mediaType} is not read; send one event a record as application/cloudevents+json.`)
  }
  const reading = isBinary ? parseBinary(asHttpHeaders(texts), bytes, codec) : structured(bytes, codec)
  if (reading.outcome === 'event') {
    return { kind: 'event', event: { via: 'kafka', attributes: reading.attributes, data: reading.data, headers } }
  }
  return refuse(reasonOfRejection[reading.code], reading.detail, reading.source)
}

function structured(bytes: Uint8Array, codec: Codec) {
  const body = parseStructured(bytes, codec)
  if (body.outcome === 'rejected') return { ...body, source: undefined }
  const [event] = body.events
  if (event === undefined) throw new TypeError('a structured body is read as one event')
  return event
}

const bearsMeaning = (name: string): boolean => name === 'content-type' || name.startsWith('ce_')

/** Every different value of the headers that bear meaning; `undefined` for one that is not UTF-8. */
function headerTexts({ headers }: KafkaRecord, codec: Codec): ReadonlyMap<string, readonly (string | undefined)[]> {
  const texts = new Map<string, readonly (string | undefined)[]>()
  for (const [header, value] of headers) {
    const name = header.toLowerCase()
    if (!bearsMeaning(name)) continue
    const text = codec.utf8Decode(value)
    const before = texts.get(name) ?? []
    if (!before.includes(text)) texts.set(name, [...before, text])
  }
  return texts
}

/** Here values are plain UTF-8; there they are percent-encoded, and the domain reads those. */
const asHttpHeaders = (texts: ReadonlyMap<string, readonly (string | undefined)[]>): readonly (readonly [string, string])[] =>
  [...texts].map(([name, [value = '']]) =>
    name === 'content-type' ? [name, value] : [`ce-${name.slice('ce_'.length)}`, encodeURIComponent(value)],
  )

/** What quarantine keeps beside the bytes: every header, and where the record is. */
function keptHeaders(record: KafkaRecord, { topic, partition }: RecordPlace, codec: Codec): Readonly<Record<string, string>> {
  const textOf = (value: Uint8Array): string => codec.utf8Decode(value) ?? `base64:${Buffer.from(value).toString('base64')}`
  const kept = new Map<string, string[]>()
  for (const [name, value] of record.headers) kept.set(name.toLowerCase(), [...(kept.get(name.toLowerCase()) ?? []), textOf(value)])
  return {
    ...redactHeaders(Object.fromEntries(kept)),
    'kafka-topic': topic,
    'kafka-partition': String(partition),
    'kafka-offset': String(record.offset),
    ...(record.key !== undefined && { 'kafka-key': textOf(record.key) }),
  }
}
