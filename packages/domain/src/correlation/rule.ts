/**
 * Correlation rules of a mesh: where its messages, tasks and calls name the work, when they do not
 * speak of correlation IDs (ADR 40).
 *
 * A rule reads one text; the first rule of the mesh that finds a usable one gives the correlation ID.
 * Nothing is guessed: a value that could be no correlation ID of a client is none, and the next rule
 * is asked.
 */
import { z } from 'zod'
import { scanJson, type JsonValue } from '../json/document.ts'
import { encodeSyntheticPart, isReservedCorrelationId } from './correlation-id.ts'

/** Attributes with a meaning of their own, and credentials (L10): none of them names one piece of work. */
const ownMeaning: ReadonlySet<string> = new Set([
  'specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'dataschema', 'subject',
  'correlationid', 'workerid', 'taskid', 'operation', 'protocolversion', 'binding', 'httpstatus',
  'scope', 'messageid', 'instance', 'parentcorrelationid', 'sequence', 'sequencetype', 'streamid',
  'lastobserved', 'traceparent', 'tracestate', 'cachecontrol', 'etag', 'dataref', 'ifstreamposition',
  'questiondigest', 'authorization', 'proxyauthorization', 'cookie', 'setcookie',
])

const hasNoControls = (text: string): boolean => !/[\p{Cc}\p{Surrogate}]/u.test(text)

const prefix = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !isReservedCorrelationId(text), 'begins with ~: such IDs are the ledger\'s; choose another prefix')
  .refine(hasNoControls, 'has control characters')
  .optional()

/** One rule; an unknown member is refused, since it would be a rule that silently does something else. */
export const correlationRuleSchema = z.discriminatedUnion('from', [
  z.strictObject({
    from: z.literal('metadata'),
    pointer: z
      .string()
      .max(500)
      .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'is no JSON pointer (RFC 6901) to a member: write it like /order/id'),
    prefix,
  }),
  z.strictObject({
    from: z.literal('attribute'),
    name: z
      .string()
      .regex(/^[a-zA-Z0-9-]{1,100}$/, 'is no attribute name: letters, digits, and the dashes of a header name')
      .transform((name) => name.toLowerCase().replaceAll('-', ''))
      .refine((name) => name !== '' && !ownMeaning.has(name), 'has a meaning of its own; name the attribute that your witnesses record the header under'),
    prefix,
  }),
  z.strictObject({ from: z.literal('trace'), prefix }),
  z.strictObject({ from: z.literal('context'), acrossWorkers: z.boolean().optional(), prefix }),
])

export type CorrelationRule = z.infer<typeof correlationRuleSchema>

/** What one observation offers to rules. */
export interface Stated {
  readonly attributes: Readonly<Record<string, string | undefined>>
  /** Texts of the `metadata` objects of message, task, update, status message and artifacts, in that order. */
  readonly metadata: readonly string[]
  readonly contextId?: string
  /** A send, an answer to one, or the worker's own report: its trace is that of the work, not of a question about it. */
  readonly isOfWork: boolean
}

const correlationIdMax = 1024

/** The correlation ID that `rule` finds in what an observation of `workerId` states; `undefined`: none. */
export const applyRule = (rule: CorrelationRule, stated: Stated, workerId: string): string | undefined => {
  const value = valueOf(rule, stated, workerId)
  if (value === undefined || value === '') return undefined
  const correlationId = `${rule.prefix ?? ''}${value}`
  const isUsable =
    correlationId.length <= correlationIdMax && hasNoControls(correlationId) && !isReservedCorrelationId(correlationId)
  return isUsable ? correlationId : undefined
}

const valueOf = (rule: CorrelationRule, stated: Stated, workerId: string): string | undefined => {
  switch (rule.from) {
    case 'metadata':
      return firstOf(stated.metadata, (text) => textAt(text, rule.pointer))
    case 'attribute':
      return stated.attributes[rule.name]
    case 'trace':
      return stated.isOfWork ? traceIdOf(stated.attributes['traceparent']) : undefined
    case 'context':
      if (stated.contextId === undefined || rule.acrossWorkers === true) return stated.contextId
      return `${encodeSyntheticPart(workerId)}/${encodeSyntheticPart(stated.contextId)}`
  }
}

const firstOf = <T>(items: readonly T[], read: (item: T) => string | undefined): string | undefined => {
  for (const item of items) {
    const value = read(item)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** The string or whole number that a JSON pointer leads to. */
const textAt = (json: string, pointer: string): string | undefined => {
  const scan = scanJson(json)
  if (scan.outcome !== 'ok') return undefined
  let value: JsonValue | undefined = scan.document.root
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    value = value.kind === 'array' ? itemAt(value, name) : value.get(name)
    if (value === undefined) return undefined
  }
  return value.kind === 'number' && /^-?\d+$/.test(value.raw) ? value.raw : value.string
}

const itemAt = (array: JsonValue, token: string): JsonValue | undefined => {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(token)) return undefined
  let left = Number(token)
  for (const item of array.items()) {
    if (left === 0) return item
    left -= 1
  }
  return undefined
}

/** W3C trace context, any version but `ff`; an id of zeros is none. */
const traceIdOf = (traceparent: string | undefined): string | undefined => {
  const traceId = /^(?!ff)[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/.exec(traceparent ?? '')?.[1]
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : traceId
}
