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
      void reply.header('cache-control', 'no-store')
      // Such a ledger may be an earlier state of the one that was recorded or published: nobody should write to it.
      const rewound = (detail: string) => sendProblem(reply, { ...problemOf('ledger_rewound', detail), status: 503 })
      const read = await Promise.all([reader.identity(), reader.durability()]).catch((error: unknown) => {
        if (!(error instanceof LedgerError)) throw new LedgerError('store_unavailable', 'Postgres does not answer.', { cause: error })
        if (error.code !== 'ledger_rewound') throw error
        return error
      })
      if (read instanceof LedgerError) return rewound(read.detail)
      const [identity, durability] = read
      const kafka = kafkaHealth()
      if (kafka !== undefined && kafka.problems.length > 0) return rewound(kafka.problems.join(' '))
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
