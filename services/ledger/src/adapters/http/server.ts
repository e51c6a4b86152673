/**
 * The ledger's HTTP server: one Fastify instance with every route, not yet listening.
 *
 * Bodies are taken as bytes and read by the routes, since their bytes are evidence (L9).
 * Back-pressure is bounded: bodies beyond `ingestBytesInFlightMax` are refused before they are
 * read, so that memory does not grow with the number of callers.
 */
import { randomUUID } from 'node:crypto'
import type { Codec } from '@a2a-ledger/domain'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Logger } from 'pino'
import type { Ledger, LedgerReader } from '../../app/ports.ts'
import type { App } from './app.ts'
import { answerClientError, answerError, answerUnknownRoute } from './errors.ts'
import { addEventRoutes } from './event-routes.ts'
import { limitBytesInFlight } from './in-flight.ts'
import { addInternalRoutes } from './internal-routes.ts'
import { createMetrics } from './metrics.ts'
import { describeApi } from './openapi.ts'
import { addOperationRoutes } from './operation-routes.ts'
import { addPushRoutes } from './push-routes.ts'
import { addQuarantineRoutes } from './quarantine-routes.ts'
import { addReadRoutes } from './read-routes.ts'
import { bodyBytesMax } from './schemas.ts'

export interface HttpServerOptions {
  readonly ledger: Ledger
  readonly reader: LedgerReader
  readonly codec: Codec
  readonly logger: Logger
  readonly ingestBytesInFlightMax: number
}

/** An id of 1,024 characters of four bytes is 12 KiB in a header or in a path. */
const headerBytesMax = 128 * 1024

export async function createHttpServer(options: HttpServerOptions): Promise<App> {
  const loggerInstance: FastifyBaseLogger = options.logger
  const app: App = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: headerBytesMax },
    http: { maxHeaderSize: headerBytesMax },
    return503OnClosing: false, // what is accepted is answered; the listener is closed first
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
  }).withTypeProvider<ZodTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(answerUnknownRoute)
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
  })

  const metrics = createMetrics(app)
  limitBytesInFlight(app, options.ingestBytesInFlightMax, metrics)
  await describeApi(app)
  const edge = { ...options, metrics }
  addEventRoutes(app, edge)
  addInternalRoutes(app, edge)
  addPushRoutes(app, edge)
  addReadRoutes(app, edge)
  addQuarantineRoutes(app, edge)
  addOperationRoutes(app, edge)
  return app
}
