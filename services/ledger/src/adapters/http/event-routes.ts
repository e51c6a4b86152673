/** `POST /v1/events`: CloudEvents in structured, batch and binary mode (contract §3). */
import { LedgerError, parseBatch, parseBinary, parseStructured } from '@a2a-ledger/domain'
import { type App, problemSchema, sendProblem } from '@a2a-ledger/service-kit/http'
import type { FastifyRequest } from 'fastify'
import type { Edge } from './edge.ts'
import { appendInputs, toInput } from './append-inputs.ts'
import { redactHeaders } from '../../app/redact-headers.ts'
import { batchEventsMax, batchSchema, resultsSchema, structuredEventSchema } from './schemas.ts'

export const structuredType = 'application/cloudevents+json'
export const batchType = 'application/cloudevents-batch+json'

const whatToSend =
  `Send one event as ${structuredType}, several as ${batchType}, ` +
  'or one in binary mode: its attributes in ce-… headers, its data as the body.'

export function addEventRoutes(app: App, edge: Edge): void {
  app.post('/v1/events', {
    schema: {
      summary: 'Records events; the answer is durable.',
      description: 'Binary mode: attributes in `ce-…` headers, the data as body, of any other content type.',
      response: { 200: resultsSchema, '4xx': problemSchema, 503: problemSchema },
    },
    config: { bodies: { [structuredType]: structuredEventSchema, [batchType]: batchSchema } },
    handler: async (request, reply) => {
      const transport = { via: 'http', headers: redactHeaders(request.headers) } as const
      const body = bodyOf(request)
      const mode = modeOf(request)
      const reading = readBody(mode, request, body, edge)
      const results = await appendInputs(
        edge,
        'http',
        reading.map((event) => toInput(event, transport)),
      )
      const [first] = results
      if (mode !== 'batch' && first?.outcome === 'rejected') return sendProblem(reply, first.problem)
      return { results: [...results] }
    },
  })
}

/** The body as received; empty where there is none. */
export const bodyOf = (request: FastifyRequest): Uint8Array =>
  Buffer.isBuffer(request.body) ? request.body : new Uint8Array()

type Mode = 'structured' | 'batch' | 'binary'

/** Which of the three modes a request is in; throws `content_type_unsupported`. */
export function modeOf(request: FastifyRequest): Mode {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new LedgerError('content_type_unsupported', 'Send the body without a Content-Encoding.')
  }
  const contentType = request.headers['content-type'] ?? ''
  const essence = contentType.split(';', 1)[0]?.trim().toLowerCase()
  if (essence === structuredType || essence === batchType) {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1] ?? 'utf-8'
    if (!/^utf-?8$/i.test(charset)) {
      throw new LedgerError('content_type_unsupported', 'Send JSON in UTF-8.')
    }
    return essence === structuredType ? 'structured' : 'batch'
  }
  const hasAttributes = Object.keys(request.headers).some((name) => name.startsWith('ce-'))
  if (hasAttributes && !essence?.startsWith('application/cloudevents')) return 'binary'
  throw new LedgerError('content_type_unsupported', whatToSend)
}

function readBody(mode: Mode, request: FastifyRequest, body: Uint8Array, { codec }: Edge) {
  if (mode === 'binary') return [parseBinary(headerPairs(request.raw.rawHeaders), body, codec)]
  const reading =
    mode === 'structured' ? parseStructured(body, codec) : parseBatch(body, batchEventsMax, codec)
  if (reading.outcome === 'rejected') throw new LedgerError(reading.code, reading.detail)
  return reading.events
}

const headerPairs = (rawHeaders: readonly string[]): readonly (readonly [string, string])[] =>
  rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []))
