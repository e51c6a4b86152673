/**
 * The body of a stream of server-sent events, as one text (WHATWG HTML, §9.2.6).
 *
 * What a line means is told by its field; `data` lines of one event are joined by newlines, comments
 * and other fields say nothing here. The last event counts without the blank line behind it as well: a
 * witness may have cut the body there.
 */

/** Where one line stands, without its end; half-open, in UTF-16 code units. */
export interface Line {
  readonly start: number
  readonly end: number
}

const byteOrderMark = '\uFEFF'
const fieldNames: ReadonlySet<string> = new Set(['', 'data', 'event', 'id', 'retry'])
const fieldNameMax = 6

/** The lines of `text` that are not blank, and the blank ones between them. */
export function* linesOf(text: string): Generator<Line> {
  let start = text.startsWith(byteOrderMark) ? 1 : 0
  const ends = /\r\n|\r|\n/g
  for (let found = ends.exec(text); found !== null; found = ends.exec(text)) {
    yield { start, end: found.index }
    start = ends.lastIndex
  }
  if (start < text.length) yield { start, end: text.length }
}

/** The field of a line: the empty name for a comment; `undefined` where it has none. */
const fieldOf = (text: string, { start, end }: Line): string | undefined => {
  const head = text.slice(start, Math.min(end, start + fieldNameMax))
  const colon = head.indexOf(':')
  return colon < 0 ? undefined : head.slice(0, colon)
}

/** Where the value of a `data` line begins: behind the colon, and behind one space. */
export const dataStart = (text: string, line: Line): number | undefined => {
  if (fieldOf(text, line) !== 'data') return undefined
  const at = line.start + 'data:'.length
  return text.charAt(at) === ' ' ? at + 1 : at
}

/** True for a text whose first line that is not blank is a field or a comment of an event stream. */
export const isEventStream = (text: string): boolean => {
  for (const line of linesOf(text)) {
    if (line.start === line.end) continue
    const field = fieldOf(text, line)
    return field !== undefined && fieldNames.has(field)
  }
  return false
}

/** The data of every event that has any, in order; linear in the text. */
export function* eventsIn(text: string): Generator<string> {
  let data: string[] = []
  for (const line of linesOf(text)) {
    const at = dataStart(text, line)
    if (at !== undefined) data.push(text.slice(at, line.end))
    if (line.start < line.end) continue
    if (data.length > 0) yield data.join('\n')
    data = []
  }
  if (data.length > 0) yield data.join('\n')
}
