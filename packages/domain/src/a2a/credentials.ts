/**
 * Credentials in payloads (L10): in JSON found by where they stand, never by how they look; in any other
 * text by how they look, since nothing else is known there.
 *
 * The places: `token` of a push configuration, `authentication.credentials` of anything, and members
 * (or header entries) named like a header that bears credentials, anywhere. A `token` elsewhere is
 * content and stays. Overwriting keeps every byte position, so spans and lengths stay true.
 */
import { scanJson, type JsonMember, type JsonValue } from '../json/document.ts'
import { dataStart, isEventStream, linesOf } from './event-stream.ts'
import { isPushConfigName, secretsOf, topConfigs } from './push-config.ts'
import type { ReadContext } from './reader.ts'
import { secretsTold } from './told-secrets.ts'

const headerNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-a2a-notification-token',
  'a2a-notification-token',
])

/** One string that bears a secret: its place between the quotes, and the secret in clear. */
export interface Credential {
  readonly start: number
  readonly end: number
  readonly secret: string
}

/** Names of members that may hold one, as they stand in JSON; a name written with escapes may be any. */
const anyName = /"(?:token|credentials|(?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?a2a-notification-token)"|\\u/i

/** True for a string that is nothing but asterisks: already overwritten. */
export const isOverwritten = (secret: string): boolean => /^\*+$/.test(secret)

const stringsOf = (value: JsonValue): readonly JsonValue[] =>
  value.kind === 'array'
    ? [...value.items()].filter((item) => item.kind === 'string')
    : value.kind === 'string'
      ? [value]
      : []

/** `{"name" | "key": "Authorization", "value": "…"}`, as header lists are written. */
const headerEntry = (members: readonly JsonMember[]): readonly JsonValue[] => {
  const last = (wanted: string) => members.findLast(({ name }) => name === wanted)?.value
  const value = last('value')
  if (value === undefined) return []
  const name = last('name')?.string ?? last('key')?.string
  return headerNames.has(name?.toLowerCase() ?? '') ? stringsOf(value) : []
}

/**
 * Every credential of a document, in order of the text, overwritten ones included; a place that is
 * found twice is there once.
 */
export const credentialsIn = (
  context: ReadContext,
  root: JsonValue,
  text: string,
): readonly Credential[] => {
  if (!anyName.test(text)) return []
  const found = new Map<number, JsonValue>()
  const add = (values: readonly JsonValue[]): void => {
    for (const each of values) found.set(each.start, each)
  }
  for (const config of topConfigs(root, context.operation)) add(secretsOf(config))
  for (const object of root.objects()) {
    let isEntry = false
    for (const { name, value } of object.members()) {
      if (headerNames.has(name.toLowerCase())) add(stringsOf(value))
      if (isPushConfigName(name)) add(secretsOf(value))
      if (name === 'authentication') add(value.all('credentials').flatMap(stringsOf))
      if (name === 'value') isEntry = true
    }
    if (isEntry) add(headerEntry([...object.members()]))
  }
  return [...found.values()]
    .filter((each) => each.end - each.start > 2)
    .sort((a, b) => a.start - b.start)
    .map((each) => ({ start: each.start + 1, end: each.end - 1, secret: each.string ?? '' }))
}

/** UTF-8 bytes of well-formed text; a lone surrogate counts as the three bytes of U+FFFD. */
const utf8Length = (text: string): number => {
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}

/** Credentials of a text that is no JSON value; the events of a stream are JSON, each by itself. */
const credentialsTold = (context: ReadContext, text: string): readonly Credential[] => {
  const told = (from: number, end: number): readonly Credential[] =>
    secretsTold(text.slice(from, end)).map((span) => {
      const [start, stop] = [from + span.start, from + span.end]
      return { start, end: stop, secret: text.slice(start, stop) }
    })
  if (!isEventStream(text)) return told(0, text.length)
  return [...linesOf(text)].flatMap((line) => {
    const from = dataStart(text, line)
    const data = from === undefined ? '' : text.slice(from, line.end)
    const scan = data.startsWith('{') || data.startsWith('[') ? scanJson(data, {}) : undefined
    if (from === undefined || scan?.outcome !== 'ok') return told(line.start, line.end)
    return credentialsIn(context, scan.document.root, data).map(({ start, end, secret }) => ({ start: from + start, end: from + end, secret }))
  })
}

/** Credentials of a page that stands in a JSON string, by their places in the text of the string. */
const credentialsInPage = (context: ReadContext, page: JsonValue): readonly Credential[] => {
  const found = credentialsTold(context, page.string ?? '')
  if (found.length === 0) return []
  const places = placesIn(page.raw)
  return found.map(({ start, end, secret }) => ({
    start: page.start + (places[start] ?? 0),
    end: page.start + (places[end] ?? 0),
    secret,
  }))
}

/** Where each character of a JSON string stands in its text, and where the closing quote does. */
const placesIn = (raw: string): readonly number[] => {
  const places: number[] = []
  for (let at = 1; at < raw.length; at += raw.charAt(at) !== '\\' ? 1 : raw.charAt(at + 1) === 'u' ? 6 : 2) places.push(at)
  return places
}

/** Told from its first and last character alone: what begins and ends so is seldom anything else. */
const looksLikeJson = (text: string): boolean => /^[\t\n\r ]{0,64}[[{]/.test(text) && /[\]}][\t\n\r ]{0,64}$/.test(text.slice(-65))

/** A text with its credentials overwritten. */
export interface Redacted {
  readonly text: string
  /** In clear and in order, without those already overwritten. */
  readonly secrets: readonly string[]
  readonly isRedacted: boolean
  /** True where they were told by how they look: the text is no JSON value but a string. */
  readonly isTold: boolean
}

const untouched = (text: string): Redacted => ({ text, secrets: [], isRedacted: false, isTold: false })

/**
 * The same text with every credential overwritten by as many `*` as it had UTF-8 bytes.
 *
 * Text too deep or too long to be read is searched all the same, since quarantine keeps it. Idempotent:
 * what was redacted is not changed again.
 * Source: L10.
 */
export const redactCredentials = (context: ReadContext, text: string): Redacted =>
  looksLikeJson(text) && !anyName.test(text) ? untouched(text) : redactKept(context, text)

/** `redactCredentials` for text that goes to quarantine: it is taken for nothing by its first look. */
export const redactKept = (context: ReadContext, text: string): Redacted => {
  const scan = scanJson(text, {})
  const root = scan.outcome === 'ok' ? scan.document.root : undefined
  const isTold = root === undefined || root.kind === 'string'
  const found =
    root === undefined
      ? credentialsTold(context, text)
      : isTold
        ? credentialsInPage(context, root)
        : credentialsIn(context, root, text)
  const credentials = found.filter(({ secret }) => !isOverwritten(secret))
  if (credentials.length === 0) return untouched(text)
  const pieces: string[] = []
  let at = 0
  for (const { start, end } of credentials) {
    pieces.push(text.slice(at, start), '*'.repeat(utf8Length(text.slice(start, end))))
    at = end
  }
  pieces.push(text.slice(at))
  return { text: pieces.join(''), secrets: credentials.map(({ secret }) => secret), isRedacted: true, isTold }
}
