/**
 * Credentials in payloads (L10): found by where they stand, never by how they look.
 *
 * The places: `token` of a push configuration, `authentication.credentials` of anything, and members
 * (or header entries) named like a header that bears credentials, anywhere. A `token` elsewhere is
 * content and stays. Overwriting keeps every byte position, so spans and lengths stay true.
 */
import { scanJson, type JsonMember, type JsonValue } from '../json/document.ts'
import { isPushConfigName, secretsOf, topConfigs } from './push-config.ts'
import type { ReadContext } from './reader.ts'

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

const anyName = /token|credentials|authorization|cookie|\\u/i

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
  const pending: JsonValue[] = [root]
  const add = (values: readonly JsonValue[]): void => {
    for (const each of values) found.set(each.start, each)
  }
  const visit = (each: JsonValue): void => {
    if (each.kind === 'object' || each.kind === 'array') pending.push(each)
  }
  for (const config of topConfigs(root, context.operation)) add(secretsOf(config))
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const item of value.items()) visit(item)
    if (value.kind !== 'object') continue
    const members = [...value.members()]
    add(headerEntry(members))
    for (const member of members) {
      if (headerNames.has(member.name.toLowerCase())) add(stringsOf(member.value))
      if (isPushConfigName(member.name)) add(secretsOf(member.value))
      if (member.name === 'authentication') add(member.value.all('credentials').flatMap(stringsOf))
      visit(member.value)
    }
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

/**
 * The same text with every credential overwritten by as many `*` as it had UTF-8 bytes.
 *
 * Shape: `secrets` are in clear and in order, without those already overwritten. Text that is not
 * well-formed JSON stays as it is; text too deep or too long to be read is searched all the same, since
 * quarantine keeps it. Idempotent: what was redacted is not changed again.
 * Source: L10.
 */
export const redactCredentials = (
  context: ReadContext,
  text: string,
): { readonly text: string; readonly secrets: readonly string[]; readonly isRedacted: boolean } => {
  const scan = anyName.test(text) ? scanJson(text, {}) : undefined
  if (scan?.outcome !== 'ok') return { text, secrets: [], isRedacted: false }
  const credentials = credentialsIn(context, scan.document.root, text).filter(
    ({ secret }) => !isOverwritten(secret),
  )
  const pieces: string[] = []
  let at = 0
  for (const { start, end } of credentials) {
    pieces.push(text.slice(at, start), '*'.repeat(utf8Length(text.slice(start, end))))
    at = end
  }
  pieces.push(text.slice(at))
  return {
    text: pieces.join(''),
    secrets: credentials.map(({ secret }) => secret),
    isRedacted: credentials.length > 0,
  }
}
