/** What this service measures of itself, for `GET /metrics`. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Via } from '../../app/ports.ts'
import type { App } from './app.ts'

export interface Metrics {
  readonly contentType: string
  /** The exposition text. */
  readonly text: () => Promise<string>
  /** Counts one input by what became of it. */
  readonly countInput: (via: Via, outcome: string) => void
  readonly gauge: (name: string, help: string, read: () => number) => void
}

/** Measures every request of `app`; routes by their pattern, so that ids make no new series. */
export function createMetrics(app: App): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const inputs = new Counter({
    name: 'a2a_ledger_inputs_total',
    help: 'Inputs by way of arrival and outcome.',
    labelNames: ['via', 'outcome'],
    registers: [registry],
  })
  const requests = new Histogram({
    name: 'a2a_ledger_http_request_duration_seconds',
    help: 'HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    request.log.debug({ method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime }, 'request')
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countInput: (via, outcome) => inputs.inc({ via, outcome }),
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
  }
}
