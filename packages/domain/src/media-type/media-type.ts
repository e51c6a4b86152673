/**
 * Media types and ranges (F19): type and subtype in any case, parameters apart.
 *
 * Early A2A versions wrote bare words where a media type belongs (`"text"`, `"file"`, `"data"`);
 * they are read as the ranges they meant, so that a card of that age is no broken promise.
 */

export interface MediaType {
  /** Lower case; `*` in a range. */
  readonly type: string
  /** Lower case; `*` in a range. */
  readonly subtype: string
  /** `type/subtype`. */
  readonly essence: string
  /** The text after the first `;`, as received; empty when there is none. */
  readonly parameters: string
}

const token = /^[a-z0-9!#$%&'*+.^_`|~-]+$/

/** RFC 9110 §8.3.1 `type "/" subtype *( OWS ";" OWS parameter )`; `undefined` for anything else. */
export const parseMediaType = (text: string): MediaType | undefined => {
  const semicolon = `${text};`.indexOf(';')
  const essence = text.slice(0, semicolon).trim().toLowerCase()
  const parameters = text.slice(semicolon + 1).trim()
  const [type = '', subtype = '', ...more] = essence.split('/')
  if (more.length > 0 || !token.test(type) || !token.test(subtype)) return undefined
  return { type, subtype, essence, parameters }
}

/** Lower-case `type/subtype`; a text that is no media type is kept, trimmed and in lower case. */
export const essenceOf = (text: string): string =>
  parseMediaType(text)?.essence ?? text.trim().toLowerCase()

const legacyRanges: Readonly<Record<string, string>> = {
  text: 'text/*',
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  data: 'application/json',
  json: 'application/json',
  file: '*/*',
  '*': '*/*',
}

const asRange = (text: string): string => {
  const essence = essenceOf(text)
  return legacyRanges[essence] ?? essence
}

/**
 * True when `mediaType` lies in `range`.
 *
 * Shape: `range` is a media type, `type/*`, `*\/*` or a bare word of A2A v0.1; parameters of
 * either do not matter.
 * Source: F19; RFC 9110 §12.5.1.
 */
export const matchesMediaRange = (mediaType: string, range: string): boolean => {
  const wanted = asRange(range)
  const given = asRange(mediaType)
  if (wanted === '*/*' || wanted === given) return true
  return wanted.endsWith('/*') && given.startsWith(wanted.slice(0, -1))
}
