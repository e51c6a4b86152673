/**
 * The ledger's HTTP server: one Fastify instance with every route, not yet listening.
 *
 * Bodies are taken as bytes and read by the routes, since their bytes are evidence (L9).
 * Back-pressure is bounded: bodies beyond `ingestBytesInFlightMax` are refused before they are
 * read, so that memory does not grow with the number of callers.
 */
import type { Codec } from '@a2a-ledger/domain'
import { addOperations, type App, createApp, createMetrics, describeApi } from '@a2a-ledger/service-kit/http'
import type { Logger } from 'pino'
import type { Ledger, LedgerReader } from '../../app/ports.ts'
import type { Edge } from './edge.ts'
import { addEventRoutes } from './event-routes.ts'
import { limitBytesInFlight } from './in-flight.ts'
import { addGapRoutes } from './gap-routes.ts'
import { addInternalRoutes } from './internal-routes.ts'
import { addOperationRoutes } from './operation-routes.ts'
import { addPushRoutes } from './push-routes.ts'
import { addQuarantineRoutes } from './quarantine-routes.ts'
import { readBody } from './read-body.ts'
import { addReadRoutes } from './read-routes.ts'
import { bodyBytesMax } from './schemas.ts'

export interface HttpServerOptions {
  readonly ledger: Ledger
  readonly reader: LedgerReader
  readonly codec: Codec
  readonly logger: Logger
  readonly ingestBytesInFlightMax: number
  readonly kafkaHealth: Edge['kafkaHealth']
}

export interface HttpServer {
  readonly app: App
  /** For inputs that come another way. */
  readonly countInput: Edge['countInput']
}

export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const app = createApp({ logger: options.logger, bodyBytesMax })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: unknown, body: AsyncIterable<Buffer>) => readBody(body))

  const metrics = createMetrics(app)
  limitBytesInFlight(app, options.ingestBytesInFlightMax, metrics)
  await describeApi(
    app,
    'a2a-ledger: the ledger',
    'Records what was seen of A2A tasks, once, in order, and hands it out again.',
  )
  const countInput = metrics.counter('a2a_ledger_inputs_total', 'Inputs by way of arrival and outcome.', ['via', 'outcome'])
  const edge: Edge = { ...options, metrics, countInput }
  addEventRoutes(app, edge)
  addGapRoutes(app, edge)
  addInternalRoutes(app, edge)
  addPushRoutes(app, edge)
  addReadRoutes(app, edge)
  addQuarantineRoutes(app, edge)
  addOperationRoutes(app, edge)
  addOperations(app, metrics)
  return { app, countInput }
}
