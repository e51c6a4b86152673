/** Whether the views can be relied on now. */
import { stormLossesPerMinute, type ErrorCode } from '@a2a-ledger/domain'
import { type App, type Metrics, problemOf, problemSchema, sendProblem } from '@a2a-ledger/service-kit/http'
import type { Edge } from './edge.ts'
import { readySchema } from './schemas.ts'

/** So far behind the ledger views tell the past; once abreast, a burst does not take readiness away. */
const lagMax = 1_000

export function addOperationRoutes(app: App, edge: Edge, metrics: Metrics): void {
  let hasCaughtUp = false
  app.get('/readyz', {
    schema: { summary: 'Whether the views follow the ledger.', response: { 200: readySchema, 503: problemSchema } },
    handler: async (_request, reply) => {
      const notReady = (code: ErrorCode, detail: string) => sendProblem(reply, { ...problemOf(code, detail), status: 503 })
      void reply.header('cache-control', 'no-store')
      const feed = edge.feedHealth()
      if (feed.status === 'rewound') return notReady('ledger_rewound', feed.detail)
      const [{ appliedPosition }, queue, head, storms] = await Promise.all([
        edge.store.progress(),
        edge.store.queue(),
        edge.feed.head(),
        edge.store.storms(stormLossesPerMinute),
      ])
      const lag = Math.max(0, head - appliedPosition)
      hasCaughtUp ||= lag <= lagMax
      if (!hasCaughtUp) return notReady('not_caught_up', `${appliedPosition} of ${head} events are applied.`)
      return {
        ready: true as const,
        feed: { ...feed, appliedPosition, head, lag },
        rechecks: queue.recheckCount,
        incomplete: queue.incompleteCount,
        ...(storms.length > 0 && { storms }),
      }
    },
  })

  metrics.gauge('a2a_ledger_feed_applied_position', 'The last ledger position that was applied.', async () => (await edge.store.progress()).appliedPosition)
  metrics.gauge('a2a_ledger_feed_partitions', 'Partitions of the feed that this process applies; of the Postgres tail they are its slots.', () => {
    const feed = edge.feedHealth()
    return feed.status === 'rewound' ? 0 : feed.partitions.length
  })
  metrics.gauge('a2a_ledger_feed_head_position', 'The last position of the ledger.', () => edge.feed.head())
  metrics.gauge('a2a_ledger_rechecks', 'Tasks that wait to be looked at again.', async () => (await edge.store.queue()).recheckCount)
  metrics.total('a2a_ledger_observer_calls_total', 'Calls of the observer, by what came of them.', 'outcome', () => edge.observerStatus().calls)
  metrics.gauge('a2a_ledger_observer_workers', 'Workers that this process observes.', () => edge.observerStatus().workers)
  metrics.gauge('a2a_ledger_observer_silent_workers', 'Those of them that do not answer at present.', () => edge.observerStatus().silent)
  metrics.gauge('a2a_ledger_observer_streams', 'Streams of tasks that are open.', () => edge.observerStatus().streams)
  metrics.gauge('a2a_ledger_intents_open', 'Claims and permissions to send of which nobody said what became of them.', async () => (await edge.store.heldActs()).openIntents)
  metrics.gauge('a2a_ledger_intents_oldest_seconds', 'Seconds since the oldest of them was recorded.', async () => (await edge.store.heldActs()).oldestIntentSeconds)
  metrics.gauge('a2a_ledger_redispatches_waiting', 'Re-dispatches that are left to the ledger, or to an approver, and not sent.', async () => (await edge.store.heldActs()).waiting)
  metrics.gauge('a2a_ledger_redispatches_oldest_seconds', 'Seconds since the oldest of them was decided.', async () => (await edge.store.heldActs()).oldestWaitingSeconds)
  metrics.gauge('a2a_ledger_feed_rewound', '1 when the ledger is not the one that was read before.', () => (edge.feedHealth().status === 'rewound' ? 1 : 0))
}
