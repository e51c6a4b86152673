/** What every service answers its operators: alive, and what it measures. */
import { z } from 'zod'
import type { App } from './app.ts'
import type { Metrics } from './metrics.ts'

/** `GET /healthz` and `GET /metrics`; what ready means is each service's own. */
export function addOperations(app: App, metrics: Metrics): void {
  app.get('/healthz', {
    schema: {
      summary: 'Answers while the process runs.',
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: async () => ({ status: 'ok' as const }),
  })

  app.get('/metrics', {
    schema: { summary: 'Prometheus exposition.', response: { 200: z.string() } },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  })
}
