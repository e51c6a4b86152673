import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { connectKafka, partitionOf, type Kafka } from '@a2a-ledger/service-kit/kafka'
import { createTestKafka, type TestKafka } from '@a2a-ledger/test/support'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { followKafkaFeed, type KafkaFeedFollower } from '../src/adapters/kafka/follow-kafka-feed.ts'
import { createPostgresTopicPartitions, partitionCountOf } from '../src/adapters/postgres/partition-store.ts'
import { applyNext, leastOf, type Place } from '../src/app/apply-from-ledger.ts'
import { levelSlots } from '../src/app/follow-tail.ts'
import { partitionOf as partitionBy, type SlotStore, type TopicPartitions } from '../src/app/partition-store.ts'
import type { FeedChange, Log } from '../src/app/ports.ts'
import { createFeedTopic, type FeedTopic } from './feed-topic.ts'
import { appendEvents, seenTask } from './ledger-tables.ts'
import { openTestStore, silentLog, type TestStore } from './open-test-store.ts'

const partitionCount = 4
const group = 'reconciler'
/** Nobody is taken for dead who had to wait for the processor; a change of the group is heard of within a fifth of it. */
const sessionTimeoutMs = 10_000
let broker: TestKafka
let kafka: Kafka
let it: TestStore
let pool: pg.Pool
let slots: SlotStore
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
  pool = it.openPool()
  slots = it.openSlots({ pool, write: noteApplied })
  topic = `${broker.topicPrefix}${(testCount += 1)}.ledger`
  feedTopic = await createFeedTopic(kafka, it.admin, topic, partitionCount)
})
afterEach(async () => {
  await Promise.all(followers.map((follower) => follower.stop(5_000)))
  await it.end()
})

async function noteApplied(client: pg.ClientBase, { entries }: FeedChange): Promise<void> {
  await client.query('INSERT INTO applied_events (position, correlation_id) SELECT * FROM unnest($1::bigint[], $2::text[])', [
    entries.map(({ position }) => position),
    entries.map(({ correlationId }) => correlationId),
  ])
}
const partitionStore = (): TopicPartitions => createPostgresTopicPartitions({ pool, group, topic, foldVersion, write: noteApplied })
const own = () => ({ feed: it.feed, codec: nodeCodec, log, onApplied: () => undefined })
function follow(store: TopicPartitions = partitionStore(), client: Kafka = kafka): KafkaFeedFollower {
  const follower = followKafkaFeed(
    {
      ...own(), kafka: client, store, partitionCount: () => partitionCountOf(pool, topic),
      levelTail: () => levelSlots({ ...own(), store: slots }, { member: 'level', batchCountMax: 3 }),
    },
    { topic, groupId: `${topic}-${group}`, sessionTimeoutMs },
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
  expect.poll(async () => (await it.store.progress()).appliedPosition, { interval: 50 }).toBe(position)
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
  expect.poll(follower.status).toEqual({ status: 'rewound', detail: expect.stringMatching(detail) })

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
  const follower = follow()
  // What was published before it had a place would be read from the ledger, and told it no term.
  await expect.poll(() => follower.share().partitions.length).toBe(partitionCount)
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

test('the topic goes on where the tail was, which its slots are brought to; from then on the tail and other topics are refused', async () => {
  await append(10)
  const { leases, ...tail } = await slots.take('tail', { countMax: Infinity, held: [] })
  const places = leases.map((lease): Place => ({ lease }))
  // The first four are ahead of the others, as where processes that had them ended one after the other.
  const ahead = places.slice(0, 4)
  const step = { partitionCount: tail.partitionCount, applied: tail.ledger, countMax: 100 }
  await applyNext({ ...own(), store: slots }, ahead, { ...step, upTo: 6 })
  await applyNext({ ...own(), store: slots }, places, { ...step, upTo: 2 })
  expect([leastOf(ahead), leastOf(places)]).toEqual([6, 2])
  follow()
  await complete(10)
  await expectEachOnce(10)
  const moves = places.map(({ lease }) => ({ lease, to: { nextOffset: undefined, completePosition: 10 } }))
  expect(await slots.apply(moves, undefined)).toEqual({ outcome: 'fenced' })
  await expect(slots.take('tail', { countMax: 1, held: [] })).rejects.toThrow('applied from topic')
  const other = createPostgresTopicPartitions({ pool, group, topic: `${topic}-other`, foldVersion })
  await expect(other.acquire([0], partitionCount)).rejects.toThrow('applied from topic')
})

test('an outage of the store holds the feed up and nothing is lost', async () => {
  const store = partitionStore()
  let isDown = false
  const follower = follow({
    ...store,
    apply: async (...args) => {
      if (isDown) throw new Error('the store is away')
      return store.apply(...args)
    },
  })
  await append(10)
  await feedTopic.publish()
  await complete(10)
  await expect.poll(() => follower.share().partitions.length).toBe(partitionCount)
  isDown = true
  await append(10)
  await feedTopic.publish()
  await expect.poll(() => warnings).toContain('the feed cannot be applied now')
  isDown = false
  await complete(20)
  await expectEachOnce(20)
})

test('a rebalance is no outage: nobody warns of it or is broken, and no partition is of both', async () => {
  const client = connectKafka({ brokers: broker.brokers, clientId: 'reconciler-test', isTls: false, sasl: undefined }, log)
  const shares = () => followers.map((follower) => follower.share().partitions)
  const statuses = new Set<string>()
  const twice = new Set<number>()
  const watching = setInterval(() => {
    const [first = [], second = []] = shares()
    for (const { status } of followers.map((follower) => follower.status())) statuses.add(status)
    for (const partition of first) if (second.includes(partition)) twice.add(partition)
  }, 2)
  let head = 0
  /** Something is always to be applied, so that the group changes in the middle of it. */
  const untilShared = async (...counts: readonly number[]): Promise<void> => {
    await expect
      .poll(
        async () => {
          head = await append(5)
          await feedTopic.publish()
          return shares().map(({ length }) => length)
        },
        { interval: 20 },
      )
      .toEqual(counts)
  }
  try {
    follow(partitionStore(), client)
    await untilShared(4)
    const second = follow(partitionStore(), client)
    await untilShared(2, 2)
    await second.stop(5_000)
    await untilShared(4, 0)
    await complete(head)
    expect(warnings).toEqual([])
  } finally {
    clearInterval(watching)
    await Promise.all(followers.map((follower) => follower.stop(5_000)))
    await client.close(5_000)
  }
  await expectEachOnce(head)
  expect([...twice]).toEqual([])
  expect([...statuses].toSorted()).toEqual(['following', 'joining', 'stopped'])
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
  const { high } = (await kafka.topics.offsets(topic)).get(0) ?? { high: 0 }
  await it.admin.query('UPDATE reconciler.feed_partitions SET next_offset = $1 WHERE partition = 0', [high]) // behind the other ledger's
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

/** A follower whose topic can be made again without a record on it, and that is told of its partitions by hand. */
function followUntilMadeAgain(lookMs: number) {
  const read = new Map<number, number>()
  let isMadeAgain = false
  let assigned: ((partitions: readonly number[]) => Promise<unknown>) | undefined
  let consumer: ReturnType<Kafka['consume']> | undefined
  const follower = followKafkaFeed(
    {
      ...own(), store: partitionStore(), partitionCount: () => partitionCountOf(pool, topic), levelTail: async () => undefined,
      kafka: {
        topics: { ...kafka.topics, offsets: async (name) => (isMadeAgain ? new Map() : kafka.topics.offsets(name)) },
        consume: (options) => {
          assigned = options.offsets?.assigned
          const onBatch: typeof options.onBatch = async (batch) => {
            await options.onBatch(batch)
            read.set(batch.partition, batch.nextOffset)
          }
          consumer = kafka.consume({ ...options, onBatch })
          return consumer
        },
      },
    },
    { topic, groupId: `${topic}-${group}`, sessionTimeoutMs, lookMs },
  )
  followers.push(follower)
  return {
    follower,
    /** Partitions that something was read of. */
    readCount: () => read.size,
    /** Nothing more is read. */
    leave: async () => consumer?.stop(5_000),
    makeAgain: () => {
      isMadeAgain = true
    },
    assign: async (partitions: readonly number[]) => assigned?.(partitions),
  }
}

test('a topic that is gone is assigned to nobody; made again, it is held against what was read before', async () => {
  await append(20)
  await feedTopic.publish()
  const { follower, leave, assign, makeAgain } = followUntilMadeAgain(50)
  await complete(20)
  await leave() // nothing comes of a topic that is gone
  await assign([])
  makeAgain()
  await rewound(follower, /ends at offset 0, but \d+ was read/)
})

test('what was read is held against a topic that was made again, also where it said nothing new and no place was stored', async () => {
  await append(20)
  const { follower, readCount, leave, assign, makeAgain } = followUntilMadeAgain(3_600_000)
  await complete(20) // from the ledger: nothing is on the topic so far
  await feedTopic.publish()
  await expect.poll(readCount).toBe(partitionCount)
  await leave()
  makeAgain()
  await assign(Array.from({ length: partitionCount }, (_, partition) => partition))
  await rewound(follower, /ends at offset 0, but \d+ was read/)
})

test.each(['absent', 'empty'])('tables of another topic are told of also while the own one is %s: at the start, and when they become so', async (own) => {
  const other = `${topic}-${own}`
  if (own === 'empty') await kafka.topics.create(other, partitionCount, {})
  let looks = 0
  const followOther = (lookMs: number): KafkaFeedFollower => {
    const partitions = createPostgresTopicPartitions({ pool, group, topic: other, foldVersion })
    const requireOwn = async (): Promise<void> => {
      await partitions.requireOwn()
      looks += 1
    }
    const store = { ...partitions, requireOwn }
    const ports = { feed: it.feed, codec: nodeCodec, log, onApplied: () => undefined, kafka, store, levelTail: async () => undefined }
    const options = { topic: other, groupId: `${other}-${group}`, sessionTimeoutMs, lookMs }
    const follower = followKafkaFeed({ ...ports, partitionCount: () => partitionCountOf(pool, other) }, options)
    followers.push(follower)
    return follower
  }
  const of = new RegExp(`applied from topic ${topic} in ${partitionCount} partitions`)
  const early = followOther(50)
  await expect.poll(() => looks).toBeGreaterThan(2)
  expect(early.status().status).not.toBe('rewound') // nobody applied anything so far
  await partitionStore().acquire([], partitionCount)
  await rewound(early, of)
  await rewound(followOther(3_600_000), of)
})

test('the partition of a correlation ID is that of the first four bytes of its stream key', async () => {
  const { rows } = await it.admin.query<{ partition: number }>(
    "SELECT (('x' || encode(substr(sha256('c-1'::bytea), 1, 4), 'hex'))::bit(32)::bigint & 4294967295) % 7 AS partition",
  )
  expect(Number(rows[0]?.partition)).toBe(partitionOf('c-1', 7))
  expect(partitionBy('c-1', 7, nodeCodec)).toBe(partitionOf('c-1', 7))
})
