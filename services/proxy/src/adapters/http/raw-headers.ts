/**
 * Headers as they stand on the wire: names and values in turn, in order, repetitions included.
 *
 * Headers of one connection end at each leg of the way (RFC 9110 §7.6.1): those that HTTP names, and
 * those that `Connection` names. Our own (`a2a-ledger-…`) are for us and go no further.
 */
export type RawHeaders = readonly string[]

const ofOneConnection: ReadonlySet<string> = new Set([
  'connection', 'expect', 'http2-settings', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer',
  'transfer-encoding', 'upgrade',
])

export const ownPrefix = 'a2a-ledger-'

/** The first value of a header; `undefined` where it is absent. */
export function headerIn(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at]?.toLowerCase() === name) return headers[at + 1]
  return undefined
}

/** Every value of a header, in order. */
export const headersIn = (headers: RawHeaders, name: string): readonly string[] =>
  headers.flatMap((each, at) => (at % 2 === 0 && each.toLowerCase() === name ? [headers[at + 1] ?? ''] : []))

/** The headers but for those that `isDropped`, by their names in lower case. */
export function without(headers: RawHeaders, isDropped: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2)
    if (!isDropped(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

const namedByConnection = (headers: RawHeaders): ReadonlySet<string> =>
  new Set(headersIn(headers, 'connection').flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())))

/** What a call takes along to the worker: everything but the leg it came over, and the length, which the body tells. */
export function toWorker(headers: RawHeaders, viaName: string): string[] {
  const named = namedByConnection(headers)
  const kept = without(headers, (name) => ofOneConnection.has(name) || named.has(name) || name === 'host' || name === 'content-length' || name.startsWith(ownPrefix))
  return [...kept, 'via', `1.1 ${viaName}`]
}

/** What an answer takes along to the caller. */
export function toCaller(headers: RawHeaders): string[] {
  const named = namedByConnection(headers)
  return without(headers, (name) => ofOneConnection.has(name) || named.has(name))
}

/** Header values are bytes; those that are UTF-8 were meant so. */
export function textOf(value: string | undefined): string | undefined {
  if (value === undefined || !/[\u0080-\u00ff]/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? value : text
}
