/** What operators and their tools ask: alive, ready, what is measured. */
import { LedgerError } from '@a2a-ledger/domain'
import { z } from 'zod'
import type { App, Edge } from './app.ts'
import { problemSchema } from './problem.ts'
import { readySchema } from './schemas.ts'

export function addOperationRoutes(app: App, { reader, metrics }: Edge): void {
  app.get('/healthz', {
    schema: {
      summary: 'Answers while the process runs.',
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: async () => ({ status: 'ok' as const }),
  })

  app.get('/readyz', {
    schema: {
      summary: 'Whether events can be recorded now.',
      response: { 200: readySchema, 503: problemSchema },
    },
    handler: async (_request, reply) => {
      const [identity, durability] = await Promise.all([reader.identity(), reader.durability()]).catch(
        (error: unknown) => {
          throw error instanceof LedgerError
            ? error
            : new LedgerError('store_unavailable', 'Postgres does not answer.', { cause: error })
        },
      )
      void reply.header('cache-control', 'no-store')
      return { ready: true as const, ...identity, durability }
    },
  })

  app.get('/metrics', {
    schema: { summary: 'Prometheus exposition.', response: { 200: z.string() } },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  })
}
