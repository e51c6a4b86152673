/**
 * The proxy's HTTP server: what operators ask is answered by Fastify, everything else is a call and
 * goes past it, as bytes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addOperations, type App, createApp, createMetrics, describeApi, problemOf, problemSchema, sendProblem } from '@a2a-ledger/service-kit/http'
import type { Recorder, Spool } from '@a2a-ledger/witness/recording'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Edge } from './edge.ts'
import { passOn } from './pass-on.ts'

export interface HttpServerOptions {
  readonly edge: Omit<Edge, 'observed' | 'streamOpens'>
  readonly recorder: Recorder
  readonly spool: Spool
  readonly logger: Logger
}

export interface HttpServer {
  readonly app: App
  /** Resolves when no call is running any more. */
  readonly idle: () => Promise<void>
}

/** A caller may take long over a large body; it is the worker who waits for it. */
const requestTimeoutMs = 3_600_000
/** Longer than clients keep a connection for the next call, so that none is closed under one. */
const keepAliveMs = 75_000

const ownPaths: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', '/metrics', '/openapi.json'])

const readySchema = z.object({
  ready: z.literal(true),
  ledger: z.object({ answering: z.boolean() }),
  spool: z.object({ entries: z.int().min(0), bytes: z.int().min(0), missedEvents: z.int().min(0) }),
})

export async function createHttpServer({ edge: given, recorder, spool, logger }: HttpServerOptions): Promise<HttpServer> {
  const running = new Set<Promise<void>>()
  let openStreams = 0
  const divert = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (ownPaths.has((request.url ?? '').split('?')[0] ?? '') && (request.method === 'GET' || request.method === 'HEAD')) return false
    const call = passOn(edge, request, response)
    running.add(call)
    void call.finally(() => running.delete(call))
    return true
  }
  const app = createApp({ logger, bodyBytesMax: 1024, divert: { take: divert, requestTimeoutMs, keepAliveMs } })
  const metrics = createMetrics(app)
  const callSeconds = metrics.histogram(
    'a2a_ledger_proxy_call_duration_seconds',
    'Calls that were passed on, by what they were and what became of them; of a stream, to its end.',
    ['binding', 'operation', 'outcome'],
  )
  const edge: Edge = {
    ...given,
    observed: ({ binding, operation, outcome, seconds }) => callSeconds([binding, knownOperations.has(operation) ? operation : '', outcome], seconds),
    streamOpens: () => {
      openStreams += 1
      return () => (openStreams -= 1)
    },
  }
  /** A count that found no room in the spool waits as well. */
  const waiting = () => {
    const { entries, bytes } = spool.status()
    return { entries: entries + recorder.status().untoldGaps, bytes }
  }
  metrics.gauge('a2a_ledger_proxy_calls_running', 'Calls on their way.', () => running.size)
  metrics.gauge('a2a_ledger_proxy_streams_open', 'Streams of events on their way.', () => openStreams)
  metrics.gauge('a2a_ledger_proxy_body_bytes_held', 'Bytes of bodies held to be recorded.', () => given.budget.used())
  metrics.gauge('a2a_ledger_proxy_spool_entries', 'Events, and counts of what was not kept, that wait for the ledger.', () => waiting().entries)
  metrics.gauge('a2a_ledger_proxy_spool_bytes', 'Bytes that wait for the ledger.', () => spool.status().bytes)
  metrics.gauge('a2a_ledger_proxy_told_events', 'Events that the ledger has, since the start.', () => recorder.status().toldEvents)
  metrics.gauge('a2a_ledger_proxy_missed_events', 'Events that were counted instead of kept, since the start.', () => recorder.status().missedEvents)
  metrics.gauge('a2a_ledger_proxy_ledger_answering', '1 while the ledger takes what is told.', () => (recorder.status().isLedgerAnswering ? 1 : 0))

  await describeApi(
    app,
    'a2a-ledger: the proxy',
    'Every call to /{workerId} and below goes to the enrolled interface of that worker, and is reported to the ledger with its answer. ' +
      'The header a2a-ledger-correlation-id names the logical task.',
  )
  app.get('/readyz', {
    schema: { summary: 'Whether calls can be passed on.', response: { 200: readySchema, 503: problemSchema } },
    handler: async (_request, reply) => {
      void reply.header('cache-control', 'no-store')
      if (!given.directory.isLoaded()) return sendProblem(reply, problemOf('ledger_unavailable', 'The ledger was not reached yet, so no worker is known.'))
      const { isLedgerAnswering, missedEvents } = recorder.status()
      return { ready: true as const, ledger: { answering: isLedgerAnswering }, spool: { ...waiting(), missedEvents } }
    },
  })
  addOperations(app, metrics)
  return {
    app,
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** Only names that we know become values of a label: the others are callers' texts. */
const knownOperations: ReadonlySet<string> = new Set([
  'SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask', 'GetAgentCard', 'GetExtendedAgentCard',
  'Push', 'CreateTaskPushNotificationConfig', 'GetTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig',
])
