/** The Fastify instance of a service, with what all answer alike: problems, request ids, size limits. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { answerClientError, answerError, answerUnknownRoute } from './errors.ts'
import { validatorCompiler } from './validate.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export interface AppOptions {
  readonly logger: FastifyBaseLogger
  readonly bodyBytesMax: number
  readonly divert?: Diversion
}

/** Requests that go past Fastify, as they are. */
export interface Diversion {
  /** Handles the request and says true, or leaves it to the routes. */
  readonly take: (request: IncomingMessage, response: ServerResponse) => boolean
  /** For a request to arrive whole. */
  readonly requestTimeoutMs: number
  /** How long a connection may wait for its next request. */
  readonly keepAliveMs: number
}

/** An id of 1,024 characters of four bytes is 12 KiB in a header or in a path. */
const headerBytesMax = 128 * 1024

/** For a request to arrive whole: what a slow sender holds, others cannot have. */
const requestTimeoutMs = 60_000

/** Of routes of the API that name no query parameter: one that is sent anyway would silently do nothing. */
const noQuery = z.strictObject({})

/** An instance without routes, not yet listening. */
export function createApp({ logger, bodyBytesMax, divert }: AppOptions): App {
  const app: App = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    routerOptions: { maxParamLength: headerBytesMax },
    http: { maxHeaderSize: headerBytesMax },
    return503OnClosing: false, // what is accepted is answered; the listener is closed first
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
    ...(divert && { serverFactory: (handler: RequestListener) => divertingServer(handler, divert) }),
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(answerUnknownRoute)
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/')) route.schema = { querystring: noQuery, ...route.schema }
  })
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
  })
  return app
}

function divertingServer(handler: RequestListener, { take, requestTimeoutMs: requestTimeout, keepAliveMs: keepAliveTimeout }: Diversion): Server {
  return createServer({ maxHeaderSize: headerBytesMax, requestTimeout, keepAliveTimeout }, (request, response) => {
    if (!take(request, response)) handler(request, response)
  })
}

/** Sends `content` as it is, past the serializer: text that was spliced, bytes, streams. */
export const sendAsIs = (
  reply: FastifyReply,
  contentType: string,
  content: string | Uint8Array | Readable,
): FastifyReply => reply.type(contentType).send(content)

export const jsonType = 'application/json; charset=utf-8'
