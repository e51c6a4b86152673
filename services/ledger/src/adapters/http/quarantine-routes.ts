/** What could not be understood, kept whole, and the way back in (contract §3, L11). */
import { LedgerError } from '@a2a-ledger/domain'
import { type App, problemSchema } from '@a2a-ledger/service-kit/http'
import type { z } from 'zod'
import type { QuarantineEntry } from '../../app/ports.ts'
import type { Edge } from './edge.ts'
import {
  quarantinedInputSchema,
  type quarantineEntrySchema,
  quarantinePageSchema,
  quarantineParams,
  quarantineQuery,
  resultSchema,
} from './schemas.ts'

const pageLimitDefault = 100

export function addQuarantineRoutes(app: App, { ledger, reader, countInput }: Edge): void {
  app.get('/v1/quarantine', {
    schema: {
      summary: 'Quarantined inputs in the order of arrival.',
      querystring: quarantineQuery,
      response: { 200: quarantinePageSchema, 400: problemSchema },
    },
    handler: async (request) => {
      const { after, limit = pageLimitDefault, reason } = request.query
      const entries = await reader.quarantined(after, limit, reason)
      return {
        entries: entries.map(toWireEntry),
        next: entries.length === limit ? (entries.at(-1)?.id ?? null) : null,
      }
    },
  })

  app.get('/v1/quarantine/:id', {
    schema: {
      summary: 'One quarantined input with its bytes and headers.',
      params: quarantineParams,
      response: { 200: quarantinedInputSchema, '4xx': problemSchema },
    },
    handler: async (request) => {
      const input = await reader.quarantinedInput(request.params.id)
      if (input === undefined) throw notFound(request.params.id)
      return {
        ...toWireEntry(input),
        ...(input.attributes === undefined ? {} : { attributes: definedOnly(input.attributes) }),
        headers: { ...input.headers },
        data_base64: Buffer.from(input.bytes).toString('base64'),
      }
    },
  })

  app.post('/v1/quarantine/:id/replay', {
    schema: {
      summary: "Reads the input again as today's code does, and records what comes of it.",
      params: quarantineParams,
      response: { 200: resultSchema, '4xx': problemSchema },
    },
    handler: async (request) => {
      const outcome = await ledger.replay(request.params.id)
      if (outcome === undefined) throw notFound(request.params.id)
      countInput('internal', outcome.outcome)
      return outcome.outcome === 'conflict' ? { ...outcome, differsIn: [...outcome.differsIn] } : outcome
    },
  })
}

const notFound = (id: string): LedgerError =>
  new LedgerError('quarantine_not_found', `Nothing is in quarantine under ${id}.`)

const toWireEntry = (entry: QuarantineEntry): z.infer<typeof quarantineEntrySchema> => ({
  id: entry.id,
  reason: entry.reason,
  detail: entry.detail,
  via: entry.via,
  source: entry.source,
  receivedat: new Date(entry.receivedAtMs).toISOString(),
  bytes: entry.byteCount,
  replayedAs: entry.replayedAs,
})

const definedOnly = (attributes: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
