/**
 * `POST /internal/v1/events`: how the services of this deployment record decisions.
 *
 * The same batch as outside, with two differences: reserved types and synthetic correlation IDs
 * are theirs to use, and `ifstreamposition` makes an append conditional (L14).
 */
import { timingSafeEqual } from 'node:crypto'
import { type EnvelopeReading, LedgerError, parseBatch } from '@a2a-ledger/domain'
import { type App, problemSchema } from '@a2a-ledger/service-kit/http'
import type { Edge } from './edge.ts'
import { appendInputs, type Input, toInput } from './append-inputs.ts'
import { batchType, bodyOf, modeOf } from './event-routes.ts'
import { redactHeaders } from '../../app/redact-headers.ts'
import { batchEventsMax, batchSchema, resultsSchema } from './schemas.ts'

export function addInternalRoutes(app: App, edge: Edge): void {
  app.post('/internal/v1/events', {
    schema: {
      summary: 'Records events of the services of this deployment.',
      response: { 200: resultsSchema, '4xx': problemSchema, 503: problemSchema },
    },
    config: { bodies: { [batchType]: batchSchema } },
    onRequest: async (request) => {
      const token = await edge.reader.internalToken()
      if (!isSame(edge, request.headers.authorization ?? '', `Bearer ${token}`)) {
        throw new LedgerError('internal_only', 'Witnesses send to POST /v1/events.')
      }
    },
    handler: async (request) => {
      if (modeOf(request) !== 'batch') {
        throw new LedgerError('content_type_unsupported', `Send a batch as ${batchType}.`)
      }
      const reading = parseBatch(bodyOf(request), batchEventsMax, edge.codec)
      if (reading.outcome === 'rejected') throw new LedgerError(reading.code, reading.detail)
      const headers = redactHeaders(request.headers)
      const inputs = reading.events.map((event) => toInternalInput(event, headers))
      return { results: [...(await appendInputs(edge, 'internal', inputs))] }
    },
  })
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
const isSame = ({ codec }: Edge, presented: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(codec.sha256Hex(presented)), Buffer.from(codec.sha256Hex(expected)))

function toInternalInput(reading: EnvelopeReading, headers: Readonly<Record<string, string>>): Input {
  const input = toInput(reading, { via: 'internal', headers })
  if (!('via' in input)) return input
  const { ifstreamposition, ...attributes } = input.attributes
  if (ifstreamposition === undefined) return input
  if (!/^\d{1,15}$/.test(ifstreamposition)) {
    return {
      outcome: 'rejected',
      code: 'envelope_invalid',
      detail: 'ifstreamposition is not a position.',
      id: attributes.id,
      source: attributes.source,
    }
  }
  return { ...input, attributes, ifStreamPosition: Number(ifstreamposition) }
}
