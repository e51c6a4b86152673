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

const code = { quote: 34, comma: 44, openArray: 91, closeArray: 93, openObject: 123, closeObject: 125 }

export function jsonChildren(text: string): readonly JsonChild[] {
  const children: JsonChild[] = []
  const start = skipSpace(text, 0)
  const isObject = text.charCodeAt(start) === code.openObject
  let at = skipSpace(text, start + 1)
  while (at < text.length && !isClosing(text.charCodeAt(at))) {
    let name: string | undefined
    if (isObject) {
      const end = endOfString(text, at)
      name = decodeString(text.slice(at, end))
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    const value = measureValue(text, at)
    children.push({ name, json: text.slice(at, value.end), depth: value.depth })
    at = skipSpace(text, value.end)
    if (text.charCodeAt(at) === code.comma) at = skipSpace(text, at + 1)
  }
  return children
}

function measureValue(text: string, start: number): { readonly end: number; readonly depth: number } {
  let level = 0
  let depth = 0
  let at = start
  do {
    const character = text.charCodeAt(at)
    if (character === code.quote) at = endOfString(text, at)
    else if (isOpening(character)) {
      level += 1
      if (level > depth) depth = level
      at += 1
    } else if (isClosing(character)) {
      level -= 1
      at += 1
    } else at = level === 0 ? endOfLiteral(text, at) : at + 1
  } while (level > 0)
  return { end: at, depth }
}

const isOpening = (character: number): boolean =>
  character === code.openObject || character === code.openArray

const isClosing = (character: number): boolean =>
  character === code.closeObject || character === code.closeArray

/** Control characters count as white space: well-formed JSON has no others outside strings. */
const isSpace = (character: number): boolean => character <= 32

function endOfLiteral(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const character = text.charCodeAt(at)
    if (character === code.comma || isClosing(character) || isSpace(character)) break
    at += 1
  }
  return at
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}
