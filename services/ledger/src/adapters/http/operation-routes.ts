/** What operators and their tools ask: is it ready. */
import { LedgerError } from '@a2a-ledger/domain'
import { type App, problemSchema } from '@a2a-ledger/service-kit/http'
import type { Edge } from './edge.ts'
import { readySchema } from './schemas.ts'

export function addOperationRoutes(app: App, { reader }: Edge): void {
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
}
