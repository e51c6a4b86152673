import type { JsonSpan } from './document.ts'

/** `text` with other strings where some of its values stand; every other character stays. */
export const spliced = (text: string, strings: readonly { readonly at: JsonSpan; readonly value: string }[]): string => {
  const pieces: string[] = []
  let end = 0
  for (const { at, value } of strings.toSorted((left, right) => left.at.start - right.at.start)) {
    pieces.push(text.slice(end, at.start), JSON.stringify(value))
    end = at.end
  }
  return [...pieces, text.slice(end)].join('')
}
