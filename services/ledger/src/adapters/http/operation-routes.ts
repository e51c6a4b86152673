/** What operators and their tools ask: is it ready. */
import { LedgerError } from '@a2a-ledger/domain'
import { type App, problemOf, problemSchema, sendProblem } from '@a2a-ledger/service-kit/http'
import type { Edge } from './edge.ts'
import { readySchema } from './schemas.ts'

export function addOperationRoutes(app: App, { reader, metrics, kafkaHealth }: Edge): void {
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
      const kafka = kafkaHealth()
      // Such a ledger may be an earlier state of the one that was published: nobody should write to it.
      if (kafka !== undefined && kafka.problems.length > 0) {
        return sendProblem(reply, { ...problemOf('ledger_rewound', kafka.problems.join(' ')), status: 503 })
      }
      const ready = { ready: true as const, ...identity, durability }
      return kafka === undefined ? ready : { ...ready, kafka: { ingest: kafka.ingest, relay: kafka.relay } }
    },
  })
  const relay = () => kafkaHealth()?.relay
  metrics.gauge('a2a_ledger_relay_position', 'The last position that was published to Kafka.', () => relay()?.position ?? 0)
  metrics.gauge('a2a_ledger_relay_leading', '1 when this process publishes the feed.', () => (relay()?.status === 'leading' ? 1 : 0))
  metrics.gauge('a2a_ledger_relay_refused', '1 when the topics or the ledger are not those that were published.', () =>
    (kafkaHealth()?.problems ?? []).length > 0 ? 1 : 0,
  )
}
