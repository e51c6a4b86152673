import { randomUUID } from 'node:crypto'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { connectKafka } from '@a2a-ledger/service-kit/kafka'
import { createTestKafka } from '@a2a-ledger/test/support'
import type pg from 'pg'
import { followKafkaFeed } from '../src/adapters/kafka/follow-kafka-feed.ts'
import { createPostgresPartitionStore, partitionCountOf } from '../src/adapters/postgres/partition-store.ts'
import { createPool } from '../src/adapters/postgres/pool.ts'
import { createApplied } from '../src/app/applied.ts'
import { followFeed } from '../src/app/follow-feed.ts'
import { feedContract, type FeedUnderTest } from './feed-contract.ts'
import { createFeedTopic } from './feed-topic.ts'
import { appendEvents } from './ledger-tables.ts'
import { openTestStore, silentLog, testTimer } from './open-test-store.ts'
import { tailContract } from './tail-contract.ts'

const rewindBy =
  (admin: pg.Client): FeedUnderTest['rewind'] =>
  async (how) => {
    if ('to' in how) {
      const change = how.to === 'other-ledger' ? 'ledger_id = gen_random_uuid()' : 'epoch = epoch + 1'
      await admin.query(`UPDATE ledger.identity SET ${change}`)
      return
    }
    await admin.query('ALTER TABLE ledger.events DISABLE TRIGGER ALL')
    await admin.query('DELETE FROM ledger.events WHERE position > $1', [how.head])
  }

async function openTail() {
  const test = await openTestStore()
  return {
    ...test,
    append: async (events: Parameters<FeedUnderTest['append']>[0]) => {
      const position = await appendEvents(test.admin, events)
      await test.admin.query('NOTIFY a2a_ledger_head')
      return position
    },
    breakWakeUp: async () => {
      await test.admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'a2a-ledger-reconciler-listen' AND datname = current_database()",
      )
    },
  }
}

tailContract('the Postgres tail', openTail)

feedContract('the Postgres tail', async () => {
  const { feed, openStore, ...tail } = await openTail()
  return {
    ...tail,
    rewind: rewindBy(tail.admin),
    follow: (foldVersion) => {
      const store = openStore(foldVersion)
      return followFeed(
        { feed, store, timer: testTimer, log: silentLog, codec: nodeCodec, applied: createApplied(store, testTimer), onApplied: () => undefined },
        { owner: randomUUID(), leaseTtlMs: 5_000, pollMs: 50, batchCountMax: 3 },
      )
    },
  }
})

feedContract('a Kafka topic', async () => {
  const test = await openTestStore()
  const { brokers, topicPrefix } = await createTestKafka()
  const kafka = connectKafka({ brokers, clientId: 'feed-contract', isTls: false, sasl: undefined }, silentLog)
  const pool = createPool({ url: test.database.reconcilerUrl, name: 'feed-contract', connectionsMax: 6, schema: 'reconciler' })
  const topic = `${topicPrefix}ledger`
  const published = await createFeedTopic(kafka, test.admin, topic, 3)
  return {
    store: test.store,
    append: async (events) => {
      const position = await appendEvents(test.admin, events)
      await published.publish()
      return position
    },
    rewind: rewindBy(test.admin),
    follow: (foldVersion) => {
      const store = createPostgresPartitionStore({ pool, group: 'reconciler', topic, foldVersion })
      const partitionCount = () => partitionCountOf(pool, topic)
      const follower = followKafkaFeed(
        { kafka, feed: test.feed, store, partitionCount, codec: nodeCodec, log: silentLog, onApplied: () => undefined },
        { topic, groupId: `${topicPrefix}reconciler`, sessionTimeoutMs: 6_000 },
      )
      return { status: follower.status, stop: () => follower.stop(5_000) }
    },
    end: async () => {
      await kafka.close(5_000)
      await pool.end()
      await test.end()
    },
  }
})
