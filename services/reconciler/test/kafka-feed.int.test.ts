import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { connectKafka, partitionOf, type Kafka } from '@a2a-ledger/service-kit/kafka'
import { createTestKafka, type TestKafka } from '@a2a-ledger/test/support'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { followKafkaFeed, type KafkaFeedFollower } from '../src/adapters/kafka/follow-kafka-feed.ts'
import { createPostgresPartitionStore, partitionCountOf } from '../src/adapters/postgres/partition-store.ts'
import { createPool } from '../src/adapters/postgres/pool.ts'
import { changeOf } from '../src/app/feed-change.ts'
import type { PartitionStore } from '../src/app/partition-store.ts'
import type { Log } from '../src/app/ports.ts'
import { createFeedTopic, type FeedTopic } from './feed-topic.ts'
import { appendEvents, seenTask } from './ledger-tables.ts'
import { openTestStore, silentLog, type TestStore } from './open-test-store.ts'

const partitionCount = 4
const group = 'reconciler'
let broker: TestKafka
let kafka: Kafka
let it: TestStore
let pool: pg.Pool
let topic: string
let feedTopic: FeedTopic
let followers: KafkaFeedFollower[]
let warnings: string[]
const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) }

beforeAll(async () => {
  broker = await createTestKafka()
  kafka = connectKafka({ brokers: broker.brokers, clientId: 'reconciler-test', isTls: false, sasl: undefined }, silentLog)
})
afterAll(() => kafka.close(5_000))

let testCount = 0
beforeEach(async () => {
  warnings = []
  followers = []
  it = await openTestStore()
  await it.admin.query('CREATE TABLE reconciler.applied_events (position bigint, correlation_id text, at timestamptz DEFAULT clock_timestamp())')
  await it.admin.query('GRANT ALL ON reconciler.applied_events TO a2a_ledger_reconciler')
  await it.admin.query('INSERT INTO reconciler.meta (fold_version) VALUES ($1)', [foldVersion])
  pool = createPool({ url: it.database.reconcilerUrl, name: 'kafka-feed-test', connectionsMax: 6, schema: 'reconciler' })
  topic = `${broker.topicPrefix}${(testCount += 1)}.ledger`
  feedTopic = await createFeedTopic(kafka, it.admin, topic, partitionCount)
})
afterEach(async () => {
  await Promise.all(followers.map((follower) => follower.stop(5_000)))
  await pool.end()
  await it.end()
})

const partitionStore = (): PartitionStore =>
  createPostgresPartitionStore({
    pool,
    group,
    topic,
    foldVersion,
    write: async (client, { entries }) => {
      await client.query('INSERT INTO applied_events (position, correlation_id) SELECT * FROM unnest($1::bigint[], $2::text[])', [
        entries.map(({ position }) => position),
        entries.map(({ correlationId }) => correlationId),
      ])
    },
  })
function follow(store: PartitionStore = partitionStore(), feed = it.feed): KafkaFeedFollower {
  const follower = followKafkaFeed(
    { kafka, feed, store, partitionCount: () => partitionCountOf(pool, topic), codec: nodeCodec, log, onApplied: () => undefined },
    { topic, groupId: `${topic}-${group}`, sessionTimeoutMs: 6_000 },
  )
  followers.push(follower)
  return follower
}
const append = (count: number, data?: object) =>
  appendEvents(
    it.admin,
    Array.from({ length: count }, (_, index) => seenTask(`c-${index % 13}`, 1)).flat().map((event) => ({ ...event, ...data })),
  )
const complete = (position: number) =>
  expect.poll(() => partitionStore().completePosition(), { timeout: 20_000, interval: 50 }).toBe(position)
async function applied(): Promise<readonly { position: number; correlation_id: string }[]> {
  const { rows } = await it.admin.query<{ position: string; correlation_id: string }>('SELECT position, correlation_id FROM reconciler.applied_events ORDER BY at, position')
  return rows.map((row) => ({ ...row, position: Number(row.position) }))
}
/** Every event once, and those of one correlation ID in order. */
async function expectEachOnce(head: number): Promise<void> {
  const all = await applied()
  expect(all.map(({ position }) => position).toSorted((one, other) => one - other)).toEqual(Array.from({ length: head }, (_, index) => index + 1))
  for (const correlationId of new Set(all.map(({ correlation_id }) => correlation_id))) {
    const own = all.filter(({ correlation_id }) => correlation_id === correlationId).map(({ position }) => position)
    expect(own).toEqual(own.toSorted((one, other) => one - other))
  }
}
const rewound = (follower: KafkaFeedFollower, detail: RegExp) =>
  expect.poll(follower.status, { timeout: 20_000 }).toEqual({ status: 'rewound', detail: expect.stringMatching(detail) })

test('a new reconciler reads the ledger, then the topic, and every event is applied once', async () => {
  await append(40)
  await feedTopic.publish()
  const silent = await append(10) // recorded, not yet published
  follow()
  await complete(silent)
  await feedTopic.publish()
  const head = await append(30)
  await feedTopic.publish()
  await complete(head)
  await expectEachOnce(head)
  expect(warnings).toEqual([])
})

test('what is published again is left out, a gap is filled from the ledger, a reference is looked up', async () => {
  follow()
  await append(20)
  await feedTopic.publish()
  await complete(20)
  feedTopic.goBackTo(5)
  await feedTopic.publish()
  await append(20)
  await feedTopic.publish([22, 25, 26, 33, 39, 40])
  await complete(40)
  expect(warnings).toContain('a gap in the feed is filled from the ledger')
  await append(3, { data: { text: 'x'.repeat(5_000) } })
  await feedTopic.publish()
  await complete(43)
  await expectEachOnce(43)
})

test('records that no relay wrote are passed over', async () => {
  follow()
  await feedTopic.send([
    { partition: 0, key: undefined, value: Buffer.from('hello'), headers: {} },
    { partition: 1, key: 'c', value: new Uint8Array(), headers: { ce_ledgerid: 'x', ce_epoch: 'NaN', ce_prev: '0', ce_position: '1' } },
  ])
  await append(5)
  await feedTopic.publish()
  await complete(5)
  await expectEachOnce(5)
})

test('P1: a relay whose term is over is not listened to, once a later one was', async () => {
  follow()
  await append(20)
  await feedTopic.publish()
  await complete(20)
  const { rows } = await it.admin.query<{ ledger_id: string }>('SELECT ledger_id FROM ledger.identity')
  const ofEarlierTerm = { ce_ledgerid: rows[0]?.ledger_id ?? '', ce_epoch: '1', ce_relayterm: '0', ce_prev: '20' }
  const everywhere = Array.from({ length: partitionCount }, (_, partition) => partition)
  await feedTopic.send(
    everywhere.map((partition) => ({ partition, key: undefined, value: new Uint8Array(), headers: { ...ofEarlierTerm, ce_type: 'ledger.watermark', ce_through: '99' } })),
  )
  await append(20)
  await feedTopic.publish()
  await complete(40)
  await expectEachOnce(40)
  expect(warnings).toEqual([])
})

test('two processes share the partitions, and one takes over when the other leaves', async () => {
  const [one, other] = [follow(), follow()]
  await append(50)
  await feedTopic.publish()
  await expect.poll(() => [...one.partitions(), ...other.partitions()].toSorted(), { timeout: 30_000 }).toEqual([0, 1, 2, 3])
  expect(one.partitions()).toHaveLength(2)
  await append(50)
  await feedTopic.publish()
  await complete(100)
  await one.stop(5_000)
  await append(50)
  await feedTopic.publish()
  await complete(150)
  expect(other.partitions()).toEqual([0, 1, 2, 3])
  await expectEachOnce(150)
})

test('P5: of 200 leases that are taken over with an event in hand, none writes anything', async () => {
  const roundCount = 200
  await append(roundCount)
  const store = partitionStore()
  let { leases: [zombie] } = await store.acquire([0], partitionCount)
  for (let position = 1; position <= roundCount; position += 1) {
    const { events, ledger } = await it.feed.after(position - 1, 1)
    const { leases: [lease] } = await store.acquire([0], partitionCount)
    if (zombie === undefined || lease === undefined || ledger === undefined) throw new Error('no lease or no ledger')
    const change = changeOf(events, ledger, nodeCodec)
    const to = { nextOffset: position, completePosition: position }
    expect(await store.apply(zombie, to, change)).toEqual({ outcome: 'fenced' })
    expect(await store.apply(lease, to, change)).toEqual({ outcome: 'applied' })
    expect(await store.apply(lease, to, change)).toEqual({ outcome: 'moved' })
    zombie = lease
  }
  await expectEachOnce(roundCount)
})

test('the topic goes on where the tail was; from then on the tail and other topics are refused', async () => {
  await append(10)
  const lease = await it.store.acquire('tail', 60_000)
  const { events, ledger } = await it.feed.after(0, 6)
  if (lease === undefined || ledger === undefined) throw new Error('no lease or no ledger')
  const change = changeOf(events, ledger, nodeCodec)
  expect(await it.store.apply(change, lease)).toEqual({ outcome: 'applied' })
  follow()
  await complete(10)
  expect((await applied()).map(({ position }) => position).toSorted((one, other) => one - other)).toEqual([7, 8, 9, 10])
  expect(await it.store.apply(change, lease)).toEqual({ outcome: 'fenced' })
  await expect(it.store.acquire('tail', 1_000)).rejects.toThrow('applied from topic')
  const other = createPostgresPartitionStore({ pool, group, topic: `${topic}-other`, foldVersion })
  await expect(other.acquire([0], partitionCount)).rejects.toThrow('applied from topic')
})

test('an outage of the store holds the feed up and nothing is lost', async () => {
  const store = partitionStore()
  let isDown = false
  follow({
    ...store,
    apply: async (...args) => {
      if (isDown) throw new Error('the store is away')
      return store.apply(...args)
    },
  })
  await append(10)
  await feedTopic.publish()
  await complete(10)
  isDown = true
  await append(10)
  await feedTopic.publish()
  await expect.poll(() => warnings, { timeout: 10_000 }).toContain('the feed cannot be applied now')
  isDown = false
  await complete(20)
  await expectEachOnce(20)
})

test('another ledger, another epoch, a shorter ledger and a shorter topic stop it with a reason', async () => {
  const first = follow()
  await append(10)
  await feedTopic.publish()
  await complete(10)
  const headers = { ce_ledgerid: 'other', ce_epoch: '1', ce_relayterm: '1', ce_type: 'ledger.watermark', ce_prev: '0', ce_through: '99' }
  await feedTopic.send([{ partition: 0, key: undefined, value: new Uint8Array(), headers }])
  await rewound(first, /is of ledger other epoch 1/)
  await first.stop(5_000)

  const { rows } = await it.admin.query<{ ledger_id: string }>('SELECT ledger_id FROM ledger.identity')
  const ahead = { ...headers, ce_ledgerid: rows[0]?.ledger_id ?? '', ce_through: '11' }
  await feedTopic.send([{ partition: 1, key: undefined, value: new Uint8Array(), headers: ahead }])
  await it.admin.query('UPDATE reconciler.feed_partitions SET next_offset = next_offset + 1 WHERE partition = 0') // behind the other ledger's
  await rewound(follow(), /ends at position 10, but 11 was published/)

  await it.admin.query('UPDATE reconciler.feed_partitions SET complete_position = 1000')
  await rewound(follow(), /ends at position 10, but 1000 was applied/)
  await it.admin.query('UPDATE reconciler.feed_partitions SET complete_position = 10, next_offset = 100000')
  await rewound(follow(), /ends at offset \d+, but 100000 was read/)
  await it.admin.query('UPDATE reconciler.feed_partitions SET next_offset = NULL')
  await it.admin.query('UPDATE ledger.identity SET epoch = 2')
  await rewound(follow(), /epoch 2, but .* epoch 1 was applied/)
  await expectEachOnce(10)
})

test('the partition of a correlation ID is that of the first four bytes of its stream key', async () => {
  const { rows } = await it.admin.query<{ partition: number }>(
    "SELECT (('x' || encode(substr(sha256('c-1'::bytea), 1, 4), 'hex'))::bit(32)::bigint & 4294967295) % 7 AS partition",
  )
  expect(Number(rows[0]?.partition)).toBe(partitionOf('c-1', 7))
})
