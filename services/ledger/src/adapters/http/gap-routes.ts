/**
 * `POST /v1/gaps`: what a witness saw and could not report.
 *
 * A report says what is missing and nothing about any task, so it needs no more trust than an
 * observation. The event is the ledger's own: its type is reserved, its source is the ledger, and
 * its id a hash of witness and id, so that no report takes the place of another event.
 */
import { LedgerError, workerCorrelationId } from '@a2a-ledger/domain'
import { type App, problemSchema, validBody } from '@a2a-ledger/service-kit/http'
import type { z } from 'zod'
import { redactHeaders } from '../../app/redact-headers.ts'
import type { IncomingEvent } from '../../app/ports.ts'
import { appendInputs } from './append-inputs.ts'
import type { Edge } from './edge.ts'
import { bodyOf } from './event-routes.ts'
import { type gapReportSchema, gapsBody, resultsSchema } from './schemas.ts'

const gapSource = 'urn:a2a-ledger:ledger'

export function addGapRoutes(app: App, edge: Edge): void {
  app.post('/v1/gaps', {
    schema: {
      summary: 'Records what a witness saw and could not report, as `ledger.gap` events.',
      response: { 200: resultsSchema, '4xx': problemSchema, 503: problemSchema },
    },
    config: { bodies: { 'application/json': gapsBody } },
    handler: async (request) => {
      const headers = redactHeaders(request.headers)
      const { gaps } = validBody(gapsBody, jsonOf(edge.codec.utf8Decode(bodyOf(request))))
      return { results: [...(await appendInputs(edge, 'internal', gaps.map((gap) => toEvent(edge, gap, headers))))] }
    },
  })
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch (cause) {
    throw new LedgerError('body_malformed', 'Send {"gaps":[…]} as JSON in UTF-8.', { cause })
  }
}

function toEvent({ codec }: Edge, { id, workerId, ...gap }: z.infer<typeof gapReportSchema>, headers: Readonly<Record<string, string>>): IncomingEvent {
  return {
    via: 'internal',
    headers,
    attributes: {
      specversion: '1.0',
      id: codec.sha256Hex(JSON.stringify([gap.witness, id])),
      source: gapSource,
      type: 'ledger.gap',
      time: gap.to,
      workerid: workerId,
      correlationid: workerCorrelationId(workerId),
    },
    data: codec.utf8Encode(JSON.stringify(gap)),
  }
}
