/**
 * Requests held against the zod schemas of their routes; what is wrong is said in sentences.
 *
 * A sentence names where it is (`body member`, `query parameter`, …), which one, what is wrong and
 * what to send instead. Values are never repeated: a body may hold a secret. A message that a
 * schema states itself goes before the ones here.
 */
import { LedgerError } from '@a2a-ledger/domain'
import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'

/** So that an answer about a broken body stays readable. */
const problemsMax = 10

const places: Readonly<Record<string, string>> = {
  body: 'body member',
  querystring: 'query parameter',
  params: 'path parameter',
  headers: 'header',
}

/** The validator of every route; a value that does not fit is `parameter_invalid`. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) =>
    checked(schema, data, httpPart)

/** A body that a route reads itself, held against its schema like any other. Errors: throws `parameter_invalid`. */
export const validBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const result = checked(schema, body)
  if ('error' in result) throw result.error
  return result.value
}

const checked = <Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  httpPart = 'body',
): { readonly value: z.output<Schema> } | { readonly error: LedgerError } => {
  const result = schema.safeParse(data, { error: (issue) => phraseOf(issue, httpPart) })
  if (result.success) return { value: result.data }
  const sentences = result.error.issues.map(({ path, message }) => sentenceOf(httpPart, path, message))
  const more = sentences.length - problemsMax
  const detail = [...sentences.slice(0, problemsMax), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
  return { error: new LedgerError('parameter_invalid', detail) }
}

const sentenceOf = (httpPart: string, path: readonly PropertyKey[], phrase: string): string =>
  path.length === 0
    ? `The ${httpPart === 'querystring' ? 'query' : httpPart} ${phrase}.`
    : `The ${places[httpPart] ?? httpPart} \`${nameOf(path)}\` ${phrase}.`

/** `observe.pollMs`, `substitutes[3]`. */
const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${excerpt(String(step))}`))
    .join('')
    .replace(/^\./, '')

/** What the schema alone knows to say about a value: what it is, and what to send. */
const phraseOf = (issue: z.core.$ZodRawIssue, httpPart: string): string => {
  switch (issue.code) {
    case 'invalid_type':
      return typePhrase(issue.expected, issue.input, httpPart)
    case 'invalid_value':
      return Array.isArray(issue.input) && httpPart === 'querystring'
        ? repeated
        : `${issue.input === undefined ? 'is missing' : 'is not known'}; send ${oneOf(issue.values.map(String))}`
    case 'too_big':
      return `${sizes[issue.origin] ?? 'is more than'} ${issue.maximum}${unitOf(issue.origin)}; send at most that`
    case 'too_small':
      return isEmptiable(issue.origin) && issue.minimum === 1
        ? 'is empty; leave it out, or send something'
        : `is less than ${issue.minimum}${unitOf(issue.origin)}; send at least that`
    case 'unrecognized_keys':
      return unknownPhrase(issue.keys, issue.inst, httpPart)
    case 'invalid_format':
      return formats[issue.format] ?? `is no ${issue.format}`
    case 'invalid_key':
    case 'invalid_element':
      return 'has an entry of a form that is not allowed'
    case 'not_multiple_of':
      return `is no multiple of ${issue.divisor}`
    case 'invalid_union':
    case 'custom':
    default:
      return 'has a form that is not allowed'
  }
}

const repeated = 'comes more than once; send it once'

const typePhrase = (expected: string, input: unknown, httpPart: string): string => {
  if (Array.isArray(input) && httpPart === 'querystring') return repeated
  const wanted = `send ${typeNames[expected] ?? expected}`
  return input === undefined ? `is missing; ${wanted}` : `is ${kindOf(input)}; ${wanted}`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
  record: 'a JSON object',
}

const kindOf = (input: unknown): string => {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'an array'
  return typeof input === 'number' && !Number.isInteger(input) ? 'a fraction' : (kinds[typeof input] ?? typeof input)
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
}

const sizes: Readonly<Record<string, string>> = { string: 'is longer than', array: 'has more than' }

const unitOf = (origin: string): string => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '')

const isEmptiable = (origin: string): boolean => origin === 'string' || origin === 'array'

const formats: Readonly<Record<string, string>> = {
  url: 'is no http or https URL; send one such as https://agents.example/a',
  datetime: 'is no RFC 3339 time; send one such as 2026-11-01T10:00:00Z',
}

/** A misspelt name, and the names there are. */
const unknownPhrase = (keys: readonly string[], schema: unknown, httpPart: string): string => {
  const noun = httpPart === 'querystring' ? 'parameter' : 'member'
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const unknown = keys.slice(0, problemsMax).map((key) => `\`${excerpt(key)}\``)
  return `has no ${noun} ${unknown.join(', ')}; ${known.length === 0 ? 'send none' : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`}`
}

const oneOf = (values: readonly string[]): string => (values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`)

const excerpt = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
