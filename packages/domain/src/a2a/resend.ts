/**
 * A send that was recorded, made again for another worker: the same content under the same correlation
 * ID, with all that was said in the lost attempt since, in one message (ADR 82).
 *
 * Where both speak the same version of A2A every part is given as it stood, to the letter; else content,
 * media type, file name and metadata of each are given in the other version's form. What is left out:
 * ids of the lost task, push configurations with an overwritten secret or of the other version, and how
 * the first sender wanted to be answered.
 */
import { scanJson, type JsonValue } from '../json/document.ts'
import { continuityUri } from './claim.ts'
import { credentialsIn, isOverwritten } from './credentials.ts'
import { isPushConfigName, secretsOf } from './push-config.ts'
import { readPayload } from './read.ts'
import type { MessageReading, PartContent, PartReading } from './reading.ts'
import { majorMinor } from './version.ts'

/** Versions in which a message can be sent. */
export type SendVersion = '1.0' | '0.3'

export interface Resend {
  /** The data of the `a2a.dispatch` that began the lost attempt. */
  readonly original: string
  /** What was sent into it later, in order, each with what it had asked for. */
  readonly turns: readonly { readonly asked?: string | undefined; readonly sent: string }[]
  readonly messageId: string
  readonly correlationId: string
  readonly version: SendVersion
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
}

/** How a message is written: v0.3 has other names for it over HTTP+JSON, those of its protobuf. */
type Form = SendVersion | '0.3 protobuf'

export type ResendResult =
  /** The SendMessageRequest, as JSON. */
  | { readonly outcome: 'ok'; readonly request: string }
  /** The recorded send cannot be read, or has no content. */
  | { readonly outcome: 'no-message' }
  /** It bears a credential that was overwritten when it was recorded (L10). */
  | { readonly outcome: 'credentials' }

/** Makes the request. Pure; total on whatever was recorded. */
export const resendOf = ({ original, turns, messageId, correlationId, version, binding }: Resend): ResendResult => {
  const form: Form = version === '0.3' && binding === 'HTTP+JSON' ? '0.3 protobuf' : version
  const first = sendIn(original)
  const later = turns.map(({ asked, sent }) => ({ asked, send: sendIn(sent) }))
  if (first === undefined) return { outcome: 'no-message' }
  const parts = [
    ...partsFor(first, form),
    ...later.flatMap(({ asked, send }) => [
      ...(asked === undefined || asked === '' ? [] : [askedPart(asked, form)]),
      ...(send === undefined ? [] : partsFor(send, form)),
    ]),
  ]
  if (parts.length === 0) return { outcome: 'no-message' }
  const message = objectOf([
    ...(form === '0.3' ? [['kind', '"message"'] as const] : []),
    ['messageId', JSON.stringify(messageId)],
    ['role', form === '0.3' ? '"user"' : '"ROLE_USER"'],
    [form === '0.3 protobuf' ? 'content' : 'parts', `[${parts.join(',')}]`],
    ...(first.reading.contextId === undefined ? [] : [['contextId', JSON.stringify(first.reading.contextId)] as const]),
    ['metadata', metadataFor(first.message.get('metadata'), correlationId)],
  ])
  const metadata = first.message === first.params ? undefined : first.params.get('metadata')
  const request = objectOf([
    ['message', message],
    ['configuration', configurationFor(first, form)],
    ...(metadata?.kind === 'object' ? [['metadata', metadata.raw] as const] : []),
  ])
  return hasOverwritten(request) ? { outcome: 'credentials' } : { outcome: 'ok', request }
}

/** A recorded send, and where its parts stand. */
interface Send {
  readonly params: JsonValue
  readonly message: JsonValue
  readonly items: readonly JsonValue[]
  readonly reading: MessageReading
  readonly version: string | undefined
}

const sendIn = (text: string): Send | undefined => {
  const read = readPayload({ type: 'a2a.dispatch' }, text)
  const scan = scanJson(text)
  if (read.outcome !== 'read' || read.reading.kind !== 'dispatch' || scan.outcome !== 'ok') return undefined
  const { root } = scan.document
  const params = root.get('params') ?? root
  const message = params.get('message') ?? params.get('request') ?? params
  const items = [...(message.get('parts') ?? message.get('content'))?.items() ?? []]
  const { reading } = read
  return { params, message, items, reading: reading.message, version: majorMinor(reading.protocolVersion) }
}

/** True where the parts can be given as they stood: v1.0 is told by the absence of a kind. */
const speaks = (send: Send, form: Form): boolean => {
  if (form === '0.3 protobuf') return false
  const kinds = send.items.filter((item) => item.get('kind') !== undefined).length
  if (send.items.some((item) => item.get('root') !== undefined || item.get('type') !== undefined)) return false
  return form === '0.3' ? kinds === send.items.length : kinds === 0 && send.items.every((item) => item.get('file') === undefined)
}

const partsFor = (send: Send, form: Form): readonly string[] =>
  speaks(send, form)
    ? send.items.map(({ raw }) => raw)
    : send.reading.parts.flatMap((part, index) => partFor(part, send.items[index], form) ?? [])

/** One part in that form; nothing where it has no content. */
const partFor = (part: PartReading, item: JsonValue | undefined, form: Form): string | undefined => {
  const { content } = part
  const mediaType = part.mediaTypeImplied ? undefined : JSON.stringify(part.mediaType)
  const name = item?.get('filename')?.raw ?? item?.get('file')?.get('name')?.raw
  const metadata = item?.get('metadata')
  const rest: readonly Member[] = metadata?.kind === 'object' ? [['metadata', metadata.raw]] : []
  if (content.kind === 'none') return undefined
  if (form === '0.3 protobuf') return protobufPart(content, [...member('mimeType', mediaType), ...member('name', name)])
  if (form === '1.0') {
    const own: readonly Member[] = [...member('mediaType', mediaType), ...member('filename', name), ...rest]
    if (content.kind === 'data') return objectOf([['data', content.json], ...own])
    const value = content.kind === 'text' ? content.text : content.kind === 'raw' ? content.base64 : content.url
    return objectOf([[content.kind, JSON.stringify(value)], ...own])
  }
  if (content.kind === 'text') return objectOf([['kind', '"text"'], ['text', JSON.stringify(content.text)], ...rest])
  if (content.kind === 'data') return objectOf([['kind', '"data"'], ['data', content.json], ...rest])
  const where: Member = content.kind === 'raw' ? ['bytes', JSON.stringify(content.base64)] : ['uri', JSON.stringify(content.url)]
  return objectOf([['kind', '"file"'], ['file', objectOf([where, ...member('mimeType', mediaType), ...member('name', name)])], ...rest])
}

/** A `Part` of v0.3's protobuf: it has no metadata in every release, and its data is an object. */
const protobufPart = (content: Exclude<PartContent, { kind: 'none' }>, ofFile: readonly Member[]): string => {
  if (content.kind === 'text') return objectOf([['text', JSON.stringify(content.text)]])
  if (content.kind === 'data') return objectOf([['data', objectOf([['data', content.json.startsWith('{') ? content.json : objectOf([['value', content.json]])]])]])
  const where: Member = content.kind === 'raw' ? ['fileWithBytes', JSON.stringify(content.base64)] : ['fileWithUri', JSON.stringify(content.url)]
  return objectOf([['file', objectOf([where, ...ofFile])]])
}

/** What the lost worker had asked for: an answer says little without its question. */
const askedPart = (asked: string, form: Form): string =>
  objectOf([
    ...(form === '0.3' ? [['kind', '"text"'] as const] : []),
    ['text', JSON.stringify(asked)],
    ...(form === '0.3 protobuf' ? [] : [['metadata', JSON.stringify({ [continuityUri]: { role: 'agent' } })] as const]),
  ])

type Member = readonly [name: string, json: string]

const member = (name: string, json: string | undefined): readonly Member[] => (json === undefined ? [] : [[name, json]])

const objectOf = (members: readonly Member[]): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`

/** What the first message bore, and the correlation ID for certain. */
const metadataFor = (metadata: JsonValue | undefined, correlationId: string): string => {
  const members = [...(metadata?.members() ?? [])]
  const claim = members.findLast(({ name }) => name === continuityUri)?.value
  const kept = [...(claim?.members() ?? [])].filter(({ name }) => name !== 'correlationId')
  return objectOf([
    ...members.filter(({ name }) => name !== continuityUri).map(({ name, value }): Member => [name, value.raw]),
    [continuityUri, objectOf([['correlationId', JSON.stringify(correlationId)], ...kept.map(({ name, value }): Member => [name, value.raw])])],
  ])
}

/** Accepted modes as they were, and a push configuration that can still be used; the answer is wanted at once. */
const configurationFor = (send: Send, form: Form): string => {
  const given = send.params.get('configuration')
  const modes = (given ?? send.params).get('acceptedOutputModes')
  const isSame = form === send.version
  const configs = [...(given?.members() ?? [])].filter(
    ({ name, value }) => isSame && isPushConfigName(name) && value.kind === 'object' && !secretsOf(value).some((each) => isOverwritten(each.string ?? '')),
  )
  return objectOf([
    ...(modes?.kind === 'array' ? [['acceptedOutputModes', modes.raw] as const] : []),
    ...configs.map(({ name, value }): Member => [name, value.raw]),
    form === '1.0' ? ['returnImmediately', 'true'] : ['blocking', 'false'],
  ])
}

const hasOverwritten = (request: string): boolean => {
  const scan = scanJson(request)
  return (
    scan.outcome === 'ok' &&
    credentialsIn({ type: 'a2a.dispatch' }, scan.document.root, request).some(({ secret }) => isOverwritten(secret))
  )
}
