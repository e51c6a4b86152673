/** The shapes of the HTTP API. What validates a request is what `/openapi.json` shows. */
import { eventAttributesSchema, eventTypes, gapSchema, quarantineReasons, type QuarantineReason } from '@a2a-ledger/domain'
import { idText, optional, problemSchema, wholeNumber } from '@a2a-ledger/service-kit/http'
import { z } from 'zod'

export const bodyBytesMax = 8 * 1024 * 1024
export const batchEventsMax = 1000
export const pageLimitMax = 1000

export const positionParams = z.object({ position: wholeNumber(1, Number.MAX_SAFE_INTEGER) })

export const eventsQuery = z.strictObject({
  after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)).describe('Only later positions; default 0.'),
  limit: optional(wholeNumber(1, pageLimitMax)).describe('Default 100; without limit for NDJSON.'),
  correlationId: optional(idText).describe('One logical task, with the streams linked to it.'),
  workerId: optional(idText),
  type: optional(z.enum(eventTypes.map(({ type }) => type))).describe('One of docs/reference/events.md.'),
})

const quarantineId = z.string().regex(/^[\w-]{1,128}$/, 'is no quarantine id')

export const quarantineQuery = z.strictObject({
  after: optional(quarantineId).describe('Only entries that arrived after this one.'),
  limit: optional(wholeNumber(1, pageLimitMax)).describe('Default 100.'),
  reason: optional(z.enum(Object.keys(quarantineReasons) as QuarantineReason[])),
})

export const quarantineParams = z.object({ id: quarantineId })

/** The address of a webhook may bear what its owner likes; nothing of it is read here. */
export const pushQuery = z.looseObject({})

export const pushParams = z.object({ workerId: z.string().min(1), correlationId: z.string().min(1).optional() })

/** A report of what a witness missed; the ledger makes the event of it. */
export const gapReportSchema = gapSchema.safeExtend({
  id: z.string().min(1).max(1024).describe('Unique for its witness; sending the same again is safe.'),
  workerId: z.string().min(1).max(1024).describe('The worker whose events are missing.'),
})

export const gapsBody = z.strictObject({ gaps: z.array(gapReportSchema).min(1).max(batchEventsMax) })

const position = z.int().min(1).describe('Dense, gapless, in commit order.')

/** One event in structured mode: the attributes, and its data. */
export const structuredEventSchema = eventAttributesSchema.extend({
  data: z.unknown().optional().describe('The A2A payload, verbatim.'),
  data_base64: z.string().optional().describe('Instead of `data`: its bytes in base64.'),
})

export const batchSchema = z.array(structuredEventSchema).max(batchEventsMax)

const named = { source: z.string().optional(), id: z.string().optional() }

export const resultSchema = z.discriminatedUnion('outcome', [
  z.object({ ...named, outcome: z.literal('recorded'), position, correlationId: z.string() }),
  z.object({ ...named, outcome: z.literal('duplicate'), position, correlationId: z.string() }),
  z.object({
    ...named,
    outcome: z.literal('conflict'),
    differsIn: z.array(z.string()).describe('Attribute names, or `data`.'),
    quarantineId: z.string(),
  }),
  z.object({
    ...named,
    outcome: z.literal('quarantined'),
    quarantineId: z.string(),
    reason: z.string().describe('One of docs/reference/errors.md.'),
    detail: z.string().describe('What was not understood.'),
  }),
  z.object({ ...named, outcome: z.literal('rejected'), problem: problemSchema }),
  z.object({
    ...named,
    outcome: z.literal('stale').describe('Internal appends only: the stream has newer events.'),
    position: z.int().min(0),
  }),
])

export type Result = z.infer<typeof resultSchema>

export const resultsSchema = z.object({ results: z.array(resultSchema) })

export const canonicalSchema = z.looseObject({
  kind: z.string(),
  protocolVersion: z.string().optional(),
  taskId: z.string().optional(),
  contextId: z.string().optional(),
  messageId: z.string().optional(),
  state: z.string().optional(),
  stateOnWire: z.string().optional(),
  mediaTypes: z.array(z.string()).optional(),
  mediaTypesImplied: z.array(z.string()).optional(),
  tasks: z
    .array(z.object({ taskId: z.string().optional(), state: z.string().optional() }))
    .optional(),
  error: z
    .object({
      name: z.string(),
      codeSpace: z.enum(['jsonrpc', 'http', 'grpc']),
      code: z.number().optional(),
      evidence: z.enum(['strong', 'weak', 'none']),
    })
    .optional(),
  missing: z.array(z.string()).optional(),
  notes: z.array(z.string()).optional(),
})

/** An event as it is read back: its attributes as received, and what the ledger adds. */
export const recordedEventSchema = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  position,
  recordedat: z.iso.datetime().describe("The database's clock."),
  correlationId: z
    .string()
    .describe('The logical task it counts for; `correlationid` is what the sender wrote.'),
  rung: z.string().describe('How the correlation ID was found (design §5).'),
  derivedFrom: position.optional().describe('The answer about many tasks, or the body of a stream, that it was taken from.'),
  canonical: canonicalSchema,
  digest: z.string().optional().describe('`sha256:` and hex, of the raw data bytes.'),
  data: z.unknown().optional().describe('The data exactly as received, where it is JSON.'),
  data_base64: z.string().optional().describe('The data, where it is not JSON.'),
  erased: z.literal(true).optional().describe('The data was erased.'),
})

export const eventPageSchema = z.object({
  events: z.array(recordedEventSchema),
  next: position.nullable().describe('Pass as `after` for more; null: there was no more.'),
})

const entryShape = {
  id: z.string(),
  reason: z.string().describe('One of docs/reference/errors.md.'),
  detail: z.string(),
  via: z.string(),
  source: z.string().optional(),
  receivedat: z.iso.datetime(),
  bytes: z.int().min(0),
  replayedAs: position.optional(),
}

export const quarantineEntrySchema = z.object(entryShape)

export const quarantinePageSchema = z.object({
  entries: z.array(quarantineEntrySchema),
  next: z.string().nullable(),
})

export const quarantinedInputSchema = z.object({
  ...entryShape,
  attributes: z.record(z.string(), z.string()).optional(),
  headers: z.record(z.string(), z.string()),
  data_base64: z.string().describe('The bytes as received, credentials overwritten.'),
})

export const readySchema = z.object({
  ready: z.literal(true),
  ledgerId: z.string(),
  epoch: z.int(),
  head: z.int().min(0),
  durability: z.enum(['local', 'replicated']),
  kafka: z
    .object({
      ingest: z.object({ status: z.string(), detail: z.string().optional() }),
      relay: z.object({ status: z.string(), position: z.int().min(0).describe('Everything up to here is published.') }),
    })
    .optional()
    .describe('Absent: this ledger has no Kafka.'),
})
