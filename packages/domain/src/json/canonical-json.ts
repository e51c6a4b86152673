/** One spelling for equal JSON values, without the losses of `JSON.parse`. */
import { scanJson, type JsonMember, type JsonValue } from './document.ts'
import { canonicalNumber } from './number.ts'
import { endOfString } from './string-token.ts'

const byName = (a: JsonMember, b: JsonMember): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0

/**
 * The canonical text of one value; members of the outermost object named in `without` are left out.
 *
 * Depth is bounded by the scan (64), so recursion is too.
 */
export const canonicalValue = (value: JsonValue, without?: ReadonlySet<string>): string => {
  switch (value.kind) {
    case 'object': {
      const members = [...value.members()].filter(({ name }) => !without?.has(name)).sort(byName)
      const texts = members.map(
        (each) => `${JSON.stringify(each.name)}:${canonicalValue(each.value)}`,
      )
      return `{${texts.join(',')}}`
    }
    case 'array':
      return `[${[...value.items()].map((each) => canonicalValue(each)).join(',')}]`
    case 'string':
      return JSON.stringify(value.string)
    case 'number':
      return canonicalNumber(value.raw)
    case 'boolean':
    case 'null':
      return value.raw
  }
}

/**
 * A text that is equal for two JSON texts exactly when they hold the same value (L2).
 *
 * Shape: members sorted by name (UTF-16), duplicates kept in their order, strings in one escaping,
 * numbers by value where a double holds them and by their text where it does not. A text that is
 * not well-formed, or too deep, stands for itself.
 */
export const canonicalJson = (text: string): string => {
  const scan = scanJson(text)
  return scan.outcome === 'ok' ? canonicalValue(scan.document.root) : text
}

/**
 * The received text of a value without insignificant white space: bytes and digest of a data part.
 *
 * Source: contract §4, `bytes` and `digest`.
 */
export const compactText = (value: JsonValue): string =>
  value.kind === 'object' || value.kind === 'array' ? stripWhiteSpace(value.raw) : value.raw

const stripWhiteSpace = (raw: string): string => {
  const kept: string[] = []
  let from = 0
  for (let at = 0; at < raw.length; ) {
    const code = raw.charCodeAt(at)
    if (code === 34) at = endOfString(raw, at)
    else if (code <= 32) {
      kept.push(raw.slice(from, at))
      at += 1
      from = at
    } else at += 1
  }
  kept.push(raw.slice(from))
  return kept.join('')
}
