/**
 * One row in COPY's text format (PostgreSQL manual, COPY, "Text Format").
 *
 * Tab between columns, newline behind the row, `\N` for null; backslash, tab, newline and carriage
 * return inside a value are escaped with a backslash. Text has to be well-formed and free of NUL.
 */
export type CopyValue = string | number | boolean | Uint8Array | null

const escaped: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const toText = (value: CopyValue): string => {
  if (value === null) return '\\N'
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (character) => escaped[character] ?? character)
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
  return String(value)
}

/** The text of one row, newline included. */
export const copyRow = (values: readonly CopyValue[]): string => `${values.map(toText).join('\t')}\n`
