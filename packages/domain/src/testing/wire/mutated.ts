/**
 * Structure-aware mutations of JSON bodies, for property tests and fuzzing: the structure of the
 * body is kept, and one to three places of it are changed to what no sender should send.
 */
import fc from 'fast-check'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** One change at one place; `at` picks the place among all values of the body, in order. */
interface Mutation {
  readonly how: 'drop' | 'empty' | 'duplicate' | 'repeat' | 'swap' | 'exchange' | 'nest' | 'rename' | 'escape' | 'respell'
  readonly at: number
  /** JSON text, so that what no parser keeps can be written: numbers out of range, escapes, duplicates. */
  readonly value: string
  readonly name: string
  readonly times: number
}

const names = [
  'id',
  'taskId',
  'kind',
  'type',
  'status',
  'state',
  'result',
  'error',
  'code',
  'parts',
  'url',
  'token',
  'message',
  'task',
  'metadata',
  'authorization',
  '__proto__',
  'constructor',
]

/** Values that readers trip over, as they are written. */
const oddities = [
  'null', '""', '"task"', '"TASK_STATE_FAILED"', '404', '-32001', '{}', '[]', '[[]]', '{"":{}}', 'true',
  // Numbers: out of range of a double, of an integer, of a date; negative zero.
  '1e308', '1e999', '-1e999', '1e-999', '-0', '12345678901234567890123', '0.1000000000000000055', '8640000000000001',
  // Text: half a surrogate pair, NUL, right-to-left, line separators, combining marks, a byte order mark.
  '"\\u0000"', '"\\ud83d"', '"\\ude00\\ud83d"', '"\\u202etxet"', '"\\u2028"', '"\ufeff"', '"e\\u0301\\u0301\\u0301"', '"\ud83d\ude00"', '"\u00e9\u4e2d"',
  '{"a":1,"a":2}', '{"\\u0069d":"t"}',
]

const odd: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddities) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
)

/** A string of up to `lengthMax` characters; most are short. */
const long = (lengthMax: number): fc.Arbitrary<string> =>
  fc
    .record({ unit: fc.constantFrom('x', '\u4e2d', '\\u0000', '\\"', '\\ud83d'), length: fc.integer({ min: 1, max: lengthMax }) })
    .map(({ unit, length }) => `"${unit.repeat(Math.max(1, Math.floor(length / unit.length)))}"`)

const mutationUpTo = (lengthMax: number): fc.Arbitrary<Mutation> =>
  fc.record({
    how: fc.constantFrom('drop', 'empty', 'duplicate', 'repeat', 'swap', 'exchange', 'nest', 'rename', 'escape', 'respell'),
    at: fc.nat(10_000),
    value: fc.oneof({ weight: 30, arbitrary: odd }, { weight: 1, arbitrary: long(lengthMax) }),
    name: fc.constantFrom(...names),
    times: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.integer({ min: 60, max: 300 }) }),
  })

const countValues = (value: Json): number =>
  value === null || typeof value !== 'object'
    ? 1
    : Object.values(value).reduce((sum: number, child: Json) => sum + countValues(child), 1)

/** Every character as its escape, so that a name or a word is spelled as nobody spells it. */
const escaped = (text: string): string =>
  `"${text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

/** The other case and the other separators: `TASK_STATE_WORKING` for `task-state-working` and back. */
const respelled = (text: string): string =>
  /[A-Z]/.test(text) ? text.toLowerCase().replaceAll('_', '-') : text.toUpperCase().replaceAll('-', '_')

/** Writes a value as JSON, each mutation at its place. */
const write = (value: Json, mutations: readonly Mutation[]): string => {
  const total = countValues(value)
  let count = -1
  const walk = (each: Json): string => {
    count += 1
    const here = mutations.filter(({ at }) => at % total === count)
    return here.reduce((text, mutation) => around(text, each, mutation), inner(each, here))
  }
  const around = (text: string, each: Json, { how, value: other, name, times }: Mutation): string => {
    if (how === 'swap') return other
    if (how === 'nest') return `${`{${JSON.stringify(name)}:`.repeat(times)}${text}${'}'.repeat(times)}`
    if (how === 'escape' && typeof each === 'string') return escaped(each)
    return how === 'respell' && typeof each === 'string' ? JSON.stringify(respelled(each)) : text
  }
  const inner = (each: Json, here: readonly Mutation[]): string => {
    if (each === null || typeof each !== 'object') return JSON.stringify(each)
    const children = Object.entries(each).map(([key, child]) => ({ key, text: walk(child) }))
    const changed = here.reduce((list, mutation) => changeChildren(list, mutation), children)
    return Array.isArray(each)
      ? `[${changed.map(({ text }) => text).join(',')}]`
      : `{${changed.map(({ key, text }) => `${key.startsWith('"') ? key : JSON.stringify(key)}:${text}`).join(',')}}`
  }
  return walk(value)
}

/** One of the members or items is changed; a key that begins with a quote is already written. */
const changeChildren = (
  children: readonly { readonly key: string; readonly text: string }[],
  { how, at, value, name, times }: Mutation,
): { readonly key: string; readonly text: string }[] => {
  const chosen = at % Math.max(1, children.length)
  return children.flatMap((child, index) => {
    if (how === 'empty') return []
    if (how === 'exchange') return [{ key: child.key, text: children.at(-1 - index)?.text ?? child.text }]
    if (index !== chosen) return [child]
    if (how === 'drop') return []
    if (how === 'rename') return [{ ...child, key: name }]
    if (how === 'duplicate') return [child, { ...child, text: value }]
    if (how === 'repeat') return Array.from({ length: 1 + times }, () => child)
    return how === 'escape' ? [{ ...child, key: escaped(child.key) }] : [child]
  })
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/**
 * A function that changes a body in one to three places, and may cut its end off. A text that is no
 * JSON is only cut.
 *
 * `lengthMax`: characters of the longest string that is put in.
 */
export const mutatedUpTo = (lengthMax: number): fc.Arbitrary<(text: string) => string> =>
  fc
    .record({
      mutations: fc.array(mutationUpTo(lengthMax), { minLength: 1, maxLength: 3 }),
      keep: fc.oneof(
        { weight: 9, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
      ),
    })
    .map(({ mutations, keep }) => (text) => {
      const value = parsed(text)
      const changed = value === undefined ? text : write(value, mutations)
      return keep === null ? changed : changed.slice(0, Math.floor(changed.length * keep))
    })

export const mutated = mutatedUpTo(2_000)
