import { randomUUID } from 'node:crypto'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { connectKafka } from '@a2a-ledger/service-kit/kafka'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import { createTestKafka } from '@a2a-ledger/test/support'
import type pg from 'pg'
import { followKafkaFeed } from '../src/adapters/kafka/follow-kafka-feed.ts'
import { createPostgresTopicPartitions, partitionCountOf } from '../src/adapters/postgres/partition-store.ts'
import { createApplied } from '../src/app/applied.ts'
import { followTail } from '../src/app/follow-tail.ts'
import { feedContract, type FeedUnderTest } from './feed-contract.ts'
import { createFeedTopic } from './feed-topic.ts'
import { appendEvents, inTurn } from './ledger-tables.ts'
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
  const end = async (name: string): Promise<void> => {
    await test.admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()', [name])
  }
  return {
    ...test,
    append: inTurn(async (events: Parameters<FeedUnderTest['append']>[0]) => {
      const position = await appendEvents(test.admin, events)
      await test.admin.query('NOTIFY a2a_ledger_head')
      return position
    }),
    expire: async () => {
      await test.admin.query("UPDATE reconciler.feed_partitions SET lease_until = '-infinity' WHERE lease_until IS NOT NULL")
      await test.admin.query("UPDATE reconciler.feed_members SET lease_until = '-infinity'")
    },
    openMortal: () => {
      const session = test.openSession()
      return { slots: test.openSlots({ session }), kill: () => session.end() }
    },
    breakSessions: () => end('reconciler-test-member'),
    breakWakeUp: () => end('a2a-ledger-reconciler-listen'),
  }
}

tailContract('the Postgres tail', openTail)

feedContract('the Postgres tail', async () => {
  const tail = await openTail()
  return {
    ...tail,
    partitionCount: 12,
    rewind: rewindBy(tail.admin),
    follow: (foldVersion) =>
      followTail(
        {
          feed: tail.feed, store: tail.openSlots({ foldVersion }), timer: testTimer, log: silentLog, outage: createOutage(), codec: nodeCodec,
          applied: createApplied(tail.store, testTimer), onApplied: () => undefined,
        },
        { member: randomUUID(), pollMs: 50, batchCountMax: 3 },
      ),
  }
})

feedContract('a Kafka topic', async () => {
  const test = await openTestStore()
  const { brokers, topicPrefix } = await createTestKafka()
  const kafka = connectKafka({ brokers, clientId: 'feed-contract', isTls: false, sasl: undefined }, silentLog)
  const topic = `${topicPrefix}ledger`
  const partitionCount = 3
  const published = await createFeedTopic(kafka, test.admin, topic, partitionCount)
  return {
    ...test,
    partitionCount,
    append: inTurn(async (events) => {
      const position = await appendEvents(test.admin, events)
      await published.publish()
      return position
    }),
    rewind: rewindBy(test.admin),
    follow: (foldVersion) => {
      const pool = test.openPool()
      const { status, share, stop } = followKafkaFeed(
        {
          kafka, feed: test.feed, store: createPostgresTopicPartitions({ pool, group: 'reconciler', topic, foldVersion }),
          levelTail: async () => undefined, partitionCount: () => partitionCountOf(pool, topic), codec: nodeCodec, log: silentLog, onApplied: () => undefined,
        },
        { topic, groupId: `${topicPrefix}reconciler`, sessionTimeoutMs: 10_000 },
      )
      return { status, share, stop: () => stop(5_000) }
    },
    end: async () => {
      await kafka.close(5_000)
      await test.end()
    },
  }
})
