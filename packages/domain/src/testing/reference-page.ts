import { z } from 'zod'

/** Pages of `docs/reference` as text: what tests hold against the code. The caller reads the file. */

/** What stands under a heading (`## Codes`) up to the next one of its level or above; `''` when there is none. */
export const sectionOf = (page: string, heading: string): string => {
  const [, rest] = `\n${page}`.split(`\n${heading}\n`)
  const level = heading.indexOf(' ')
  return rest?.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? ''
}

/** Titles of the headings that begin with `marks` (`##`), without backticks, in order. */
export const titlesOf = (page: string, marks: string): readonly string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`${marks} `))
    .map((line) => line.slice(marks.length + 1).replaceAll('`', ''))

/** The cells of every table row whose first cell begins with code. */
export const rowsOf = (section: string): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()))

/** The names in code of the first cell of every row: `traceparent`, `tracestate` may share one. */
export const namesOf = (section: string): readonly string[] =>
  rowsOf(section).flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''))

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** Every member of an object by its path (`feed.status`); of an object within, its members alone. */
export const memberPathsOf = (schema: z.ZodType): readonly string[] => pathsOf(z.toJSONSchema(schema) as JsonSchema)

const pathsOf = ({ properties = {} }: JsonSchema): readonly string[] =>
  Object.entries(properties).flatMap(([name, member]) =>
    member.properties === undefined ? [name] : pathsOf(member).map((path) => `${name}.${path}`),
  )
