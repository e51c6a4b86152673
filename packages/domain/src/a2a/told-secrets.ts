/**
 * Credentials in text that is no JSON (L10): a header dump, a form, a log line, JSON that was cut off.
 *
 * There is no place to go by, so they are told by how they look: a value behind a name that bears
 * secrets, a bearer token, a password in an address, a JSON Web Token. What is overwritten too much
 * costs a little evidence; what is left costs a credential.
 *
 * Worst case: linear in the text. Names are looked for without what stands before them, and what stands
 * between a name and its value is at most a few characters.
 */

/** Half-open range of UTF-16 code units. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
}

/**
 * A name that ends in one of these words, quoted or not, and what leads to its value: `=`, `:`, the
 * next item of a list of headers, or the `value` of a header entry.
 */
const named =
  /(authorization|cookie|token|secret|password|passwd|pwd|passphrase|credentials?|api[-_ ]?key|private[-_ ]?key)(?:\\{0,8}["'])?[ \t]{0,8}(?:[:=]|,[ \t]{0,8}(?=\\{0,8}["'])(?:\\{0,8}["']value\\{0,8}["'][ \t]{0,8}:)?)[ \t]{0,8}/gi
/** The value of these goes to the end of the line where nothing quotes it. */
const headerNames: ReadonlySet<string> = new Set(['authorization', 'cookie'])
const others = [
  /\bbearer[ \t]{1,8}([\w.~+/=-]{8,})/gi,
  /\b(?:basic|Basic|BASIC)[ \t]{1,8}(?=[\w+/]{0,400}(?:[\d=]|[a-z][A-Z]))([\w+/]{8,}={0,2})/g,
  /:\/\/[^\s/@:"'\\]{1,256}:([^\s/@"'\\]{1,1024})@/g,
  /(?<![\w-])(eyJ[\w-]{8,}\.[\w-]{2,}(?:\.[\w-]*)?)/g,
]

/** A value that tells nothing: what programs write where there is no secret. */
const empties: ReadonlySet<string> = new Set(['null', 'undefined', 'true', 'false', 'none'])

/** Every secret of `text` by its look, in order, none within another; overwritten ones included. */
export const secretsTold = (text: string): readonly SecretSpan[] => {
  const found = [...namedIn(text), ...others.flatMap((pattern) => matchesOf(pattern, text))]
  const spans: SecretSpan[] = []
  let until = 0
  for (const span of found.sort((left, right) => left.start - right.start)) {
    if (span.start < until) continue
    spans.push(span)
    until = span.end
  }
  return spans
}

const matchesOf = (pattern: RegExp, text: string): readonly SecretSpan[] =>
  [...text.matchAll(pattern)].flatMap((match) => {
    const secret = match[1] ?? ''
    const start = match.index + match[0].lastIndexOf(secret)
    return [{ start, end: start + secret.length }]
  })

const namedIn = (text: string): readonly SecretSpan[] => {
  const spans: SecretSpan[] = []
  named.lastIndex = 0
  for (let found = named.exec(text); found !== null; found = named.exec(text)) {
    const isHeader = headerNames.has(found[1]?.toLowerCase() ?? '')
    for (const span of valuesAt(text, named.lastIndex, isHeader)) {
      spans.push(span)
      named.lastIndex = span.end
    }
  }
  return spans
}

/** The value that begins at `from`: one, or those of a list of strings. */
const valuesAt = (text: string, from: number, isHeader: boolean): readonly SecretSpan[] => {
  const spans: SecretSpan[] = []
  const isList = text.charAt(from) === '['
  let at = isList ? from + 1 : from
  for (;;) {
    const span = quotedAt(text, at) ?? (spans.length === 0 ? bareAt(text, at, isHeader) : undefined)
    if (span === undefined) return spans
    if (span.end > span.start && !empties.has(text.slice(span.start, span.end))) spans.push(span)
    if (!isList) return spans
    const next = /\\{0,8}["'][ \t]{0,8},[ \t]{0,8}/y
    next.lastIndex = span.end
    if (!next.test(text)) return spans
    at = next.lastIndex
  }
}

/**
 * A quoted value without its quotes: up to the next quote of its kind that is escaped no deeper than the
 * first one, or to the end of a text that was cut off.
 */
const quotedAt = (text: string, at: number): SecretSpan | undefined => {
  const opening = /(\\{0,8})(["'])/y
  opening.lastIndex = at
  const [, escape = '', quote] = opening.exec(text) ?? []
  if (quote === undefined) return undefined
  const start = opening.lastIndex
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + 1)) {
    let escapes = 0
    while (text.charAt(end - escapes - 1) === '\\' && end - escapes > start) escapes += 1
    if (escapes <= escape.length) return { start, end: end - escapes }
  }
  return { start, end: text.length }
}

/** A value that nothing quotes: a header's to the end of its line, another one to the next separator. */
const bareAt = (text: string, at: number, isHeader: boolean): SecretSpan => {
  const value = isHeader ? /(?:(?!\\[rn])[^\r\n"'])*/y : /[^\s,;&(){}[\]<>"'\\]*/y
  value.lastIndex = at
  value.test(text)
  return { start: at, end: value.lastIndex }
}

const asterisk = 42
const chunkLength = 8_192

/**
 * The same bytes with every secret overwritten, whatever their encoding: one character is one byte.
 * Without one, the very bytes that came.
 */
export const overwriteToldIn = (bytes: Uint8Array): Uint8Array => {
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += chunkLength) chunks.push(String.fromCharCode(...bytes.subarray(at, at + chunkLength)))
  const spans = secretsTold(chunks.join(''))
  if (spans.length === 0) return bytes
  const overwritten = bytes.slice()
  for (const { start, end } of spans) overwritten.fill(asterisk, start, end)
  return overwritten
}
