/**
 * The members of an object, or the elements of an array, as spans of its JSON text.
 *
 * Reads well-formed JSON only (the caller has checked), one level, without recursion. Unlike
 * `scanJson` it measures text of any depth instead of refusing it, so that one event that is
 * nested too deep is told from its neighbours in a batch (L6).
 */
import { decodeString, endOfString } from '../json/string-token.ts'

export interface JsonChild {
  /** The decoded member name; `undefined` for an element of an array. */
  readonly name: string | undefined
  /** The value exactly as it stands in the text, without the white space around it. */
  readonly json: string
  /** Levels of objects and arrays in the value: 0 for a scalar, 1 for `{}`. */
  readonly depth: number
}

export function jsonChildren(text: string): readonly JsonChild[] {
  const children: JsonChild[] = []
  const isObject = text[skipSpace(text, 0)] === '{'
  let at = skipSpace(text, skipSpace(text, 0) + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let name: string | undefined
    if (isObject) {
      const end = endOfString(text, at)
      name = decodeString(text.slice(at, end))
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    const value = measureValue(text, at)
    children.push({ name, json: text.slice(at, value.end), depth: value.depth })
    at = skipSpace(text, value.end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return children
}

function measureValue(text: string, start: number): { readonly end: number; readonly depth: number } {
  let level = 0
  let depth = 0
  let at = start
  while (at < text.length) {
    const character = text[at]
    if (character === '"') {
      at = endOfString(text, at)
    } else if (character === '{' || character === '[') {
      level += 1
      depth = Math.max(depth, level)
      at += 1
    } else if (character === '}' || character === ']') {
      if (level === 0) break
      level -= 1
      at += 1
    } else if (level === 0 && (character === ',' || isSpace(character))) {
      break
    } else {
      at += 1
      continue
    }
    if (level === 0) break
  }
  return { end: at, depth }
}

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t'

function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text[at])) at += 1
  return at
}
