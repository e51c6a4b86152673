/**
 * From what came over the wire to an envelope (contract §2): CloudEvents 1.0 in structured, batch
 * and binary mode.
 *
 * Two lines are drawn here. An input without a usable envelope is `rejected`: nobody could find
 * it again, so nothing is kept and the sender is told which member to change. An envelope that can
 * be used, with an attribute that breaks the contract, passes; `validateAttributes` then says why
 * it has to be quarantined.
 *
 * Source: CloudEvents 1.0.2, JSON Event Format §2–4, HTTP Protocol Binding §3.
 */
import { z } from 'zod'
import type { Codec } from '../codec.ts'
import type { QuarantineReason } from '../error.ts'
import type { EventAttributes } from './envelope.ts'
import { type JsonChild, jsonChildren } from './json-children.ts'
import { rfc3339Ms } from './rfc3339.ts'
import { checkJson } from '../json/check-json.ts'
import { findEventType } from './types/index.ts'

export type EnvelopeReading =
  | {
      readonly outcome: 'event'
      readonly attributes: EventAttributes
      /** Contract §3 "Raw data bytes"; absent when the event has no data. */
      readonly data: Uint8Array | undefined
    }
  | {
      readonly outcome: 'rejected'
      readonly code: 'envelope_invalid'
      readonly detail: string
      /** As far as they could be read, so that the sender knows which event is meant. */
      readonly id: string | undefined
      readonly source: string | undefined
    }

export type BatchReading =
  | { readonly outcome: 'read'; readonly events: readonly EnvelopeReading[] }
  | {
      readonly outcome: 'rejected'
      readonly code: 'body_malformed' | 'envelope_invalid' | 'batch_too_large'
      readonly detail: string
    }

/**
 * Reads an `application/cloudevents+json` body: one event.
 *
 * The result has exactly one event, or says why the body is none.
 */
export function parseStructured(body: Uint8Array, codec: Codec): BatchReading {
  const text = parseText(body, codec)
  if (text.outcome === 'rejected') return text
  if (firstCharacter(text.json) === '[') {
    return {
      outcome: 'rejected',
      code: 'envelope_invalid',
      detail: 'The body is an array; send it as application/cloudevents-batch+json.',
    }
  }
  return { outcome: 'read', events: [parseEvent(text.json, codec)] }
}

/** Reads an `application/cloudevents-batch+json` body: at most `eventsMax` events, in order. */
export function parseBatch(body: Uint8Array, eventsMax: number, codec: Codec): BatchReading {
  const text = parseText(body, codec)
  if (text.outcome === 'rejected') return text
  if (firstCharacter(text.json) !== '[') {
    return {
      outcome: 'rejected',
      code: 'envelope_invalid',
      detail: 'The body is not an array; send one event as application/cloudevents+json.',
    }
  }
  const elements = jsonChildren(text.json)
  if (elements.length > eventsMax) {
    return {
      outcome: 'rejected',
      code: 'batch_too_large',
      detail: `The batch has ${elements.length} events; send at most ${eventsMax} at once.`,
    }
  }
  return { outcome: 'read', events: elements.map((element) => parseEvent(element.json, codec)) }
}

/**
 * Reads an HTTP request in binary mode: attributes from `ce-…` headers, the body is the data.
 *
 * `headers` are name and value as received, in order, repetitions included. Values are taken apart
 * as the HTTP binding says (§3.1.3.2): double quotes first, then one round of percent-decoding;
 * bytes above 0x7F, which it does not allow, are taken as UTF-8.
 */
export function parseBinary(
  headers: readonly (readonly [name: string, value: string])[],
  body: Uint8Array,
  codec: Codec,
): EnvelopeReading {
  const attributes = new Map<string, string>()
  const faults: string[] = []
  for (const [header, value] of headers) {
    const name = header.toLowerCase()
    const attribute = name === 'content-type' ? 'datacontenttype' : name.slice('ce-'.length)
    if (name !== 'content-type' && !name.startsWith('ce-')) continue
    if (name === 'ce-datacontenttype') {
      faults.push('The header ce-datacontenttype is not used; send Content-Type.')
    } else if (attributes.has(attribute)) {
      faults.push(`The header ${name} comes more than once; send it once.`)
    } else {
      const decoded = name === 'content-type' ? value : decodeHeader(value, codec)
      if (decoded === undefined) {
        faults.push(
          `The header ${name} cannot be decoded; write % as %25 and other than ASCII as percent-encoded UTF-8.`,
        )
      } else attributes.set(attribute, decoded)
    }
  }
  return toEvent(attributes, body.length > 0 ? body : undefined, faults)
}

/**
 * Why an event with these attributes has to be quarantined; `undefined` when it may be recorded.
 *
 * `maker`: `deployment` for events that services of this deployment send; only they may use
 * reserved types and synthetic correlation IDs.
 * Order: the first that applies of `reserved_type`, `unknown_type`, `reserved_id`,
 * `attribute_invalid`.
 * Source: contract §2; design K4.
 */
export function validateAttributes(
  attributes: EventAttributes,
  maker: 'witness' | 'deployment' = 'witness',
): { readonly reason: QuarantineReason; readonly detail: string } | undefined {
  const { correlationid } = attributes
  const isWitness = maker === 'witness'
  const type = findEventType(attributes.type)
  if (isWitness && /^(?:ledger|reconciler)\./.test(attributes.type)) {
    return { reason: 'reserved_type', detail: `Only this deployment makes ${quote(attributes.type)}.` }
  }
  if (type === undefined) {
    return { reason: 'unknown_type', detail: `${quote(attributes.type)} is not a type of the contract.` }
  }
  if (isWitness && correlationid?.startsWith('~')) {
    return {
      reason: 'reserved_id',
      detail: `correlationid ${quote(correlationid)} begins with ~; choose another, or leave it out.`,
    }
  }
  const ours = isWitness ? ownNames.find((name) => attributes[name] !== undefined) : undefined
  if (ours !== undefined) return invalid(`${ours} is set by the ledger alone; leave it out.`)
  for (const [name, value] of Object.entries(attributes)) {
    if (!/^[a-z0-9]{1,64}$/.test(name)) {
      return invalid(`${quote(name)} is no attribute name: use up to 64 lower-case letters and digits.`)
    }
    const parsed = (attributeSchemas.get(name) ?? freeText).safeParse(value)
    if (!parsed.success) return invalid(`${name} ${parsed.error.issues[0]?.message}.`)
  }
  if (type.isWorkerRequired && attributes.workerid === undefined) {
    return invalid('workerid is missing; name the A2A server concerned.')
  }
  if (type.isCorrelationRequired && correlationid === undefined) {
    return invalid('correlationid is missing; name the task that this is about.')
  }
  return undefined
}

const idLengthMax = 1024
const textLengthMax = 8192

const hasNoControls = (text: string): boolean => !/[\u0000-\u001f\u007f-\u009f]/.test(text)
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** With `u` a dot is a character, not half of one. */
const isAtMost = (length: number): ((text: string) => boolean) => {
  const form = new RegExp(`^.{0,${length}}$`, 'su')
  return (text) => form.test(text)
}

const attributeText = (lengthMax: number) =>
  z
    .string()
    .refine(isAtMost(lengthMax), `is longer than ${lengthMax} characters`)
    .refine(isWellFormed, 'has half a surrogate pair, which is no character')
    .refine(hasNoControls, 'has control characters')

const idText = attributeText(idLengthMax).min(1, 'is empty; leave it out, or name something').meta({ maxLength: idLengthMax })
const freeText = attributeText(textLengthMax).meta({ maxLength: textLengthMax })

/**
 * The attributes of an event as the contract allows them, in the form of the API description.
 *
 * Extensions not named here are kept when their names are lower-case letters and digits.
 */
export const eventAttributesSchema = z
  .object({
    specversion: z.literal('1.0', 'is not "1.0"'),
    id: idText.describe('Unique for its source; sending the same again is safe.'),
    source: idText.describe('The witness: who saw it. A URI reference.'),
    type: idText,
    time: freeText
      .refine((text) => rfc3339Ms(text) !== undefined, 'is not an RFC 3339 timestamp, such as 2026-11-01T10:00:00Z')
      .meta({ format: 'date-time' })
      .describe('When the witness saw it; absent: the time of arrival.')
      .optional(),
    datacontenttype: freeText
      .regex(
        /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[ -~\t]*)?$/,
        'is not a media type, such as application/json',
      )
      .describe('Media type of the data; absent: application/json.')
      .optional(),
    correlationid: idText.describe('The logical task. May not begin with `~`.').optional(),
    workerid: idText.describe('The A2A server concerned; required for every `a2a.*` type.').optional(),
    taskid: idText.describe('The server task that the call was about.').optional(),
    operation: idText.describe('A2A v1.0 operation name, or Push, or Emit.').optional(),
    protocolversion: idText.describe('A2A version; absent: told by the payload.').optional(),
    binding: z
      .enum(['JSONRPC', 'HTTP+JSON', 'GRPC'], 'is none of JSONRPC, HTTP+JSON, GRPC')
      .optional(),
    httpstatus: z.string().regex(/^[1-9]\d\d$/, 'is not an HTTP status, such as 404').optional(),
    scope: freeText.describe('Opaque: which tenant or credential made the call.').optional(),
    messageid: idText.describe('On answers: the client message that is answered.').optional(),
    instance: idText.describe('Which replica of the worker answered or restarted.').optional(),
    parentcorrelationid: idText.describe('The logical task on whose behalf this one was sent.').optional(),
    sequence: freeText.describe('The order of the source itself.').optional(),
    streamid: idText.describe('One id per stream or connection.').optional(),
    lastobserved: freeText.describe('The state that the orchestrator itself believed in.').optional(),
    traceparent: freeText.optional(),
    tracestate: freeText.optional(),
    cachecontrol: freeText.optional(),
    etag: freeText.optional(),
  })
  .catchall(freeText)

const attributeSchemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(eventAttributesSchema.shape),
)

/** Names that the ledger gives to what it adds: an event that brings one would read as ours. */
const ownNames = [
  'position',
  'recordedat',
  'digest',
  'canonical',
  'data',
  'ledgerid',
  'epoch',
  'relayterm',
  'prev',
  'through',
  'dataref',
  'ifstreamposition',
] as const

const invalid = (detail: string) => ({ reason: 'attribute_invalid', detail }) as const

const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text)

const firstCharacter = (json: string): string | undefined => json.trimStart()[0]

function parseText(
  body: Uint8Array,
  codec: Codec,
): { readonly outcome: 'text'; readonly json: string } | (BatchReading & { readonly outcome: 'rejected' }) {
  const malformed = (detail: string) => ({ outcome: 'rejected', code: 'body_malformed', detail }) as const
  if (body.length === 0) return malformed('The body is empty; send a CloudEvent as JSON.')
  const json = codec.utf8Decode(body)
  if (json === undefined) return malformed('The body is not well-formed UTF-8.')
  const check = checkJson(json)
  return check.outcome === 'malformed' ? malformed(`The body is not JSON: ${check.detail}.`) : { outcome: 'text', json }
}

function parseEvent(json: string, codec: Codec): EnvelopeReading {
  if (firstCharacter(json) !== '{') {
    return rejected('The event is not a JSON object.', new Map())
  }
  const attributes = new Map<string, string>()
  const faults: string[] = []
  const seen = new Set<string | undefined>()
  let data: Uint8Array | undefined
  const members = jsonChildren(json)
  if (members.length > membersMax) {
    const detail = `The event has ${members.length} members; send at most ${membersMax}.`
    return rejected(detail, attributes)
  }
  for (const member of members) {
    if (seen.has(member.name)) {
      faults.push(`The member ${quote(member.name ?? '')} comes more than once; send it once.`)
    } else if (member.name === 'data') {
      data = codec.utf8Encode(member.json)
    } else if (member.name === 'data_base64') {
      if (member.json === 'null') continue
      const value: unknown = member.depth === 0 ? JSON.parse(member.json) : undefined
      const bytes = typeof value === 'string' ? codec.base64Decode(value) : undefined
      if (bytes === undefined) faults.push('data_base64 is not a string in base64.')
      data = bytes
    } else readAttribute(member, attributes, faults)
    seen.add(member.name)
  }
  if (seen.has('data') && seen.has('data_base64')) {
    faults.push('The event has data and data_base64; send one of them.')
  }
  return toEvent(attributes, data, faults)
}

function readAttribute(member: JsonChild, attributes: Map<string, string>, faults: string[]): void {
  const name = member.name ?? ''
  const value: unknown = member.depth === 0 ? JSON.parse(member.json) : undefined
  if (value === null) return
  if (typeof value === 'string') attributes.set(name, value)
  else if (value === undefined) {
    faults.push(`The member ${quote(name)} is an object or an array; attributes are strings.`)
  } else attributes.set(name, member.json)
}

/** Far more than any witness has to say; each costs a column entry for as long as the ledger lives. */
const membersMax = 200

/** So that an answer about a broken event stays readable. */
const problemsMax = 10

const envelopeSchema = z.object({
  specversion: z.literal('1.0', 'specversion is not "1.0"; send a CloudEvent of version 1.0.'),
  id: z.string('id is missing; name the event.').min(1, 'id is empty; name the event.'),
  source: z
    .string('source is missing; name the witness.')
    .min(1, 'source is empty; name the witness.'),
  type: z
    .string('type is missing; say what kind of event it is.')
    .min(1, 'type is empty; say what kind of event it is.'),
})

function toEvent(
  attributes: ReadonlyMap<string, string>,
  data: Uint8Array | undefined,
  faults: readonly string[],
): EnvelopeReading {
  // Object.fromEntries makes own properties of every name, `__proto__` included.
  const record = Object.fromEntries(attributes)
  const envelope = envelopeSchema.safeParse(record)
  const problems = [...faults, ...(envelope.error?.issues.map((issue) => issue.message) ?? [])]
  if (!envelope.success || problems.length > 0) {
    return rejected(problems.slice(0, problemsMax).join(' '), attributes)
  }
  return { outcome: 'event', attributes: { ...record, ...envelope.data }, data }
}

const rejected = (detail: string, attributes: ReadonlyMap<string, string>): EnvelopeReading => ({
  outcome: 'rejected',
  code: 'envelope_invalid',
  detail,
  id: attributes.get('id'),
  source: attributes.get('source'),
})

function decodeHeader(value: string, codec: Codec): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value.trim())
  const plain = quoted?.[1] === undefined ? value.trim() : quoted[1].replaceAll(/\\(.)/g, '$1')
  if (/%(?![0-9a-f]{2})/i.test(plain)) return undefined
  const bytes: number[] = []
  for (let at = 0; at < plain.length; at += 1) {
    if (plain[at] === '%') {
      bytes.push(Number.parseInt(plain.slice(at + 1, at + 3), 16))
      at += 2
    } else bytes.push(plain.charCodeAt(at))
  }
  return codec.utf8Decode(Uint8Array.from(bytes))
}
