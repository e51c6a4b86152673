/**
 * Everything that happens to an input before the database is asked: admitted or not, read,
 * credentials overwritten (L10), hashed. What comes out is complete; the transaction only looks
 * up, decides and copies (L4).
 */
import {
  canonicalOf,
  derivedFrom,
  hashOfParts,
  isReservedCorrelationId,
  observationOf,
  readPayload,
  readingsIn,
  overwriteToldIn,
  redactCredentials,
  redactKept,
  rfc3339Ms,
  validateAttributes,
  type Codec,
  type DerivedEvent,
  type EventAttributes,
  type QuarantineReason,
  type Reading,
  type Redacted,
} from '@a2a-ledger/domain'
import { contentHashOf } from './content-difference.ts'
import { overwriteEnrolledToken } from './enrolled-token.ts'
import type { IncomingEvent, QuarantineInput } from './ports.ts'
import type {
  DerivedContent,
  EventContent,
  Prepared,
  PreparedQuarantine,
  PushSecret,
  PushSubject,
  QuarantineRow,
} from './prepared.ts'

/** Nobody tells tenants apart yet; the key and the rows are ready for it. */
export const tenant = 'default'

/** Derived and internal events have key spaces that no caller reaches (K5, V4). */
type KeySpace = 'outside' | 'internal' | 'derived'

export interface Preparation {
  /** `replayOf`: the quarantined input that this is; once recorded, its entry says `replayedAs`. */
  readonly event: (incoming: IncomingEvent, replayOf?: string) => Prepared
  readonly quarantine: (input: QuarantineInput) => PreparedQuarantine
  /** Salted hash of a secret that a push presents or a configuration holds (L10). */
  readonly secretHash: (secret: string) => string
}

/** `secretSalt`: hex, of this ledger alone, so that hashes of tokens are worth nothing elsewhere. */
export const createPreparation = (codec: Codec, secretSalt: string): Preparation => {
  const secretHash = (secret: string): string => codec.sha256Hex(`${secretSalt}:${secret}`)

  const event = (incoming: IncomingEvent, replayOf?: string): Prepared => {
    const { attributes, via, headers = {} } = incoming
    const isInternal = via === 'internal'
    const received = codec.utf8Decode(incoming.data ?? new Uint8Array())
    const refused = (reason: QuarantineReason, detail: string): PreparedQuarantine =>
      quarantine({
        reason,
        detail,
        via,
        source: attributes.source,
        bytes: incoming.data ?? new Uint8Array(),
        headers,
        attributes,
      })
    const invalid = validateAttributes(attributes, isInternal ? 'deployment' : 'witness')
    if (invalid !== undefined) return refused(invalid.reason, invalid.detail)
    if (received === undefined) return refused('data_malformed', 'The data is not well-formed UTF-8.')
    const redacted = redactAll(attributes, received)
    const read = readPayload(contextOf(attributes), redacted.isTold ? redacted.text : received)
    if (read.outcome === 'quarantined') return refused(read.reason, read.detail)
    const { reading } = read
    const reserved = isInternal ? undefined : reservedClaim(reading)
    if (reserved !== undefined) {
      return refused('reserved_id', `The metadata claims ${JSON.stringify(reserved)}; only the ledger gives such IDs.`)
    }
    const content = contentOf({
      keySpace: isInternal ? 'internal' : 'outside',
      attributes,
      reading,
      redacted,
      bytes: incoming.data,
    })
    const derived = derivedFrom(attributes, reading).map(derivedContent)
    return {
      ...content,
      kind: 'event',
      via,
      headers,
      ifStreamPosition: isInternal ? incoming.ifStreamPosition : undefined,
      replayOf,
      pushSecrets: pushSecretsOf(attributes, reading, received),
      derived,
      byteCount: [content, ...derived].reduce((sum, one) => sum + byteCountOf(one), 0),
    }
  }

  const contentOf = (input: {
    readonly keySpace: KeySpace
    readonly attributes: EventAttributes
    readonly reading: Reading
    readonly redacted: Redacted
    /** As received; absent: those of the text. */
    readonly bytes: Uint8Array | undefined
  }): EventContent => {
    const { attributes, reading, redacted } = input
    const data =
      redacted.isRedacted || input.bytes === undefined ? codec.utf8Encode(redacted.text) : input.bytes
    const digest = codec.sha256Hex(data)
    const canonical = canonicalOf(reading)
    const notes = new Set(canonical.notes)
    if (redacted.isRedacted) notes.add('credentials_redacted')
    return {
      key: hashOfParts(codec, `key:${input.keySpace}`, [tenant, attributes.source, attributes.id]),
      contentHash: contentHashOf(codec, attributes, digest),
      attributes,
      observation: observationOf(attributes, reading, input.keySpace === 'internal'),
      canonicalJson: JSON.stringify(notes.size === 0 ? canonical : { ...canonical, notes: [...notes] }),
      data,
      digest,
      statedMs: attributes.time === undefined ? undefined : rfc3339Ms(attributes.time),
    }
  }

  const derivedContent = ({ attributes, item, isStreamed }: DerivedEvent): DerivedContent => ({
    ...contentOf({ keySpace: 'derived', attributes, reading: item.reading, redacted: redactAll(attributes, item.json), bytes: undefined }),
    isStreamed,
  })

  const quarantine = (input: QuarantineInput): PreparedQuarantine => {
    const text = codec.utf8Decode(input.bytes)
    const bytes = text === undefined ? overwriteToldIn(input.bytes) : keptBytes(input, text)
    const id = hashOfParts(codec, 'quarantine', [
      input.reason,
      input.via,
      input.source ?? '',
      JSON.stringify(input.attributes ?? {}),
      codec.sha256Hex(bytes),
    ])
    const row: QuarantineRow = { ...input, id, bytes }
    return { kind: 'quarantine', row, byteCount: bytes.length + overheadBytes }
  }

  const keptBytes = ({ attributes, bytes }: QuarantineInput, text: string): Uint8Array => {
    const redacted = redactAll(attributes, text, redactKept)
    return redacted.isRedacted ? codec.utf8Encode(redacted.text) : bytes
  }

  const pushSecretsOf = (
    { workerid, taskid, type }: EventAttributes,
    reading: Reading,
    text: string,
  ): readonly PushSecret[] => {
    if (workerid === undefined) return []
    if (type === 'reconciler.worker-enrolled') {
      const token = overwriteEnrolledToken(text).token
      return token === undefined
        ? []
        : [{ subject: { kind: 'worker', workerId: workerid }, secretHash: secretHash(token) }]
    }
    const namedTask = reading.kind === 'dispatch' ? reading.message.taskId : undefined
    return (reading.pushConfigs ?? []).flatMap((config) => {
      const taskId = config.taskId ?? namedTask ?? taskid
      const subjects: readonly PushSubject[] = [
        { kind: 'logical-task', workerId: workerid },
        ...(taskId === undefined ? [] : [{ kind: 'task', workerId: workerid, taskId } as const]),
      ]
      const secrets = config.secrets.filter((secret) => !/^\**$/.test(secret))
      return secrets.flatMap((secret) =>
        subjects.map((subject) => ({ subject, secretHash: secretHash(secret) })),
      )
    })
  }

  return { event, quarantine, secretHash }
}

/** What an input weighs in a queue beside its bytes: attributes, hashes, the objects around them. */
const overheadBytes = 512

const byteCountOf = ({ data, canonicalJson }: EventContent): number =>
  data.length + canonicalJson.length + overheadBytes

const redactAll = (
  attributes: EventAttributes | undefined,
  text: string,
  redact = redactCredentials,
): Redacted => {
  const redacted = redact(attributes === undefined ? { type: '' } : contextOf(attributes), text)
  if (attributes?.type !== 'reconciler.worker-enrolled') return redacted
  const enrolled = overwriteEnrolledToken(redacted.text)
  return { ...redacted, text: enrolled.text, isRedacted: redacted.isRedacted || enrolled.token !== undefined }
}

const reservedClaim = (reading: Reading): string | undefined =>
  readingsIn(reading)
    .map(({ claim }) => claim?.correlationId)
    .find((claim) => claim !== undefined && isReservedCorrelationId(claim))

const contextOf = (attributes: EventAttributes) => ({
  type: attributes.type,
  ...(attributes.operation === undefined ? {} : { operation: attributes.operation }),
  ...(attributes.protocolversion === undefined ? {} : { protocolVersion: attributes.protocolversion }),
  ...(attributes.binding === undefined ? {} : { binding: attributes.binding }),
  ...(attributes.httpstatus === undefined ? {} : { httpStatus: Number(attributes.httpstatus) }),
  ...(attributes.taskid === undefined ? {} : { taskId: attributes.taskid }),
})
