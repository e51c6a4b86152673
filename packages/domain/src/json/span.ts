/** Cutting single values out of a JSON text without touching a byte of them (L9). */
import { scanJson, type JsonSpan } from './document.ts'

/**
 * Where the value of one top-level member stands in an object text.
 *
 * Shape: half-open range of UTF-16 code units, quotes included for a string; the last one where
 * the name is duplicated. `undefined` when the text is no well-formed object or lacks the member.
 */
export const memberSpan = (text: string, name: string): JsonSpan | undefined => {
  const scan = scanJson(text)
  if (scan.outcome !== 'ok') return undefined
  const value = scan.document.root.get(name)
  return value === undefined ? undefined : { start: value.start, end: value.end }
}

/**
 * Where each element of an array text stands.
 *
 * Shape: in order; `undefined` when the text is no well-formed array.
 */
export const itemSpans = (text: string): readonly JsonSpan[] | undefined => {
  const scan = scanJson(text)
  if (scan.outcome !== 'ok' || scan.document.root.kind !== 'array') return undefined
  return [...scan.document.root.items()].map(({ start, end }) => ({ start, end }))
}
