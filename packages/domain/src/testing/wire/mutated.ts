/** Structure-aware mutations of JSON bodies, for property tests and fuzzing. */
import fc from 'fast-check'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** One change at one place; `at` picks the place among all values, in order. */
interface Mutation {
  readonly how: 'drop' | 'duplicate' | 'swap' | 'nest' | 'rename'
  readonly at: number
  readonly value: Json
  readonly name: string
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
]

const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    '',
    'task',
    'TASK_STATE_FAILED',
    404,
    -32001,
    1e308,
    {},
    [],
    [[]],
    { '': {} },
    '\u0000',
    '\ud83d',
  ),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
)

const mutation: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom('drop', 'duplicate', 'swap', 'nest', 'rename'),
  at: fc.nat(60),
  value: odd,
  name: fc.constantFrom(...names),
})

/** Writes a value as JSON, with the mutation at its place; a duplicate is written twice. */
const write = (value: Json, { how, at, value: other, name }: Mutation): string => {
  let count = -1
  const walk = (each: Json): string => {
    count += 1
    const isHere = count === at
    if (isHere && how === 'swap') return JSON.stringify(other)
    const text = inner(each, isHere)
    return isHere && how === 'nest' ? `{${JSON.stringify(name)}:${text}}` : text
  }
  const inner = (each: Json, isHere: boolean): string => {
    if (Array.isArray(each)) return `[${each.map(walk).join(',')}]`
    if (each === null || typeof each !== 'object') return JSON.stringify(each)
    const members = Object.entries(each).flatMap(([key, child], n) => {
      const isChosen = isHere && n === 0
      if (isChosen && how === 'drop') return []
      const written = `${JSON.stringify(isChosen && how === 'rename' ? name : key)}:${walk(child)}`
      return isChosen && how === 'duplicate'
        ? [written, `${JSON.stringify(key)}:${JSON.stringify(other)}`]
        : [written]
    })
    return `{${members.join(',')}}`
  }
  return walk(value)
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A function that changes a body in one to three places, and may cut its end off. */
export const mutated: fc.Arbitrary<(text: string) => string> = fc
  .record({
    mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
    keep: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    ),
  })
  .map(({ mutations, keep }) => (text) => {
    const changed = mutations.reduce((each, one) => {
      const value = parsed(each)
      return value === undefined ? each : write(value, one)
    }, text)
    return keep === null ? changed : changed.slice(0, Math.floor(changed.length * keep))
  })
