/** What a service measures of itself, for `GET /metrics`. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { App } from './app.ts'

export interface Metrics {
  readonly contentType: string
  /** The exposition text. */
  readonly text: () => Promise<string>
  readonly counter: (name: string, help: string, labelNames: readonly string[]) => (...labels: readonly string[]) => void
  /** A counter that somebody else counts: `read` answers what each value of the label has come to. */
  readonly total: (name: string, help: string, labelName: string, read: () => Readonly<Record<string, number>>) => void
  readonly histogram: (name: string, help: string, labelNames: readonly string[]) => (labels: readonly string[], value: number) => void
  readonly gauge: (name: string, help: string, read: () => number | Promise<number>) => void
}

const secondBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Measures every request of `app`; routes by their pattern, so that ids make no new series. */
export function createMetrics(app: App): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'a2a_ledger_http_request_duration_seconds',
    help: 'HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondBuckets,
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
    counter: (name, help, labelNames) => {
      const counter = new Counter({ name, help, labelNames: [...labelNames], registers: [registry] })
      return (...labels) => counter.labels(...labels).inc()
    },
    total: (name, help, labelName, read) => {
      new Counter({
        name,
        help,
        labelNames: [labelName],
        registers: [registry],
        collect() {
          this.reset()
          for (const [label, value] of Object.entries(read())) this.inc({ [labelName]: label }, value)
        },
      })
    },
    histogram: (name, help, labelNames) => {
      const histogram = new Histogram({ name, help, labelNames: [...labelNames], buckets: secondBuckets, registers: [registry] })
      return (labels, value) => histogram.labels(...labels).observe(value)
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
  }
}
