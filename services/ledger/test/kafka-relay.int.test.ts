import { partitionOf, type Kafka, type KafkaProducer } from '@a2a-ledger/service-kit/kafka'
import { createTestKafka, withKafkaAdmin, type TestKafka } from '@a2a-ledger/test/support'
import { ConfigResourceTypes, type Admin } from 'kafkajs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startRelay, type Relay, type RelayOptions } from '../src/adapters/kafka/relay.ts'
import { prepareTopics, topicNames } from '../src/adapters/kafka/topics.ts'
import { openRelayStore, type OpenRelayStore } from '../src/adapters/postgres/relay-store.ts'
import { createFreezer } from './freezer.ts'
import { incoming, task } from './incoming.ts'
import { connectTestKafka, createTestLog, eventually, readTopic, type ReadRecord } from './kafka.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

const partitionCount = 4
let broker: TestKafka
let kafka: Kafka
let store: TestLedger
let relayStore: OpenRelayStore
let prefix: string
let prefixCount = 0
const log = createTestLog()

beforeAll(async () => {
  broker = await createTestKafka()
  kafka = connectTestKafka(broker.brokers, log)
  store = await openTestLedger()
  relayStore = openRelayStore(store.database.ledgerUrl, () => undefined)
  await append(60)
})

beforeEach(() => {
  prefix = `${broker.topicPrefix}${(prefixCount += 1)}.`
})

afterAll(async () => {
  await kafka.close(5_000)
  await relayStore.close()
  await store.end()
})

const names = () => topicNames(prefix)
const settings = () => ({ prefix, partitionCount, isCreating: true })
const append = (count: number) =>
  store.ledger.append(Array.from({ length: count }, (_, index) => incoming({ correlationid: `c-${index % 20}`, taskid: `t-${index % 20}` })))
const head = async (): Promise<number> => (await store.reader.identity()).head
const start = (options: Partial<RelayOptions> = {}): Relay =>
  startRelay({ kafka, store: relayStore, reader: store.reader, log, settings: settings(), owner: 'one', ...options })
const published = (relay: Relay, position: number) => eventually(() => relay.status(), (status) => status.position >= position)
const refusedBy = async (options: Partial<RelayOptions> = {}): Promise<string> => {
  const relay = start(options)
  const status = await eventually(() => relay.status(), (now) => now.status === 'refused')
  await relay.stop(5_000)
  return status.status === 'refused' ? status.problems.join(' ') : ''
}

/** What a reader sees that goes by `ce_prev` alone: positions per partition, gaps as a failure. */
function fold(records: readonly ReadRecord[]): { readonly positions: readonly number[]; readonly duplicates: number } {
  const applied = new Map<number, number>()
  const positions: number[] = []
  let duplicates = 0
  for (const { partition, headers, offset } of records) {
    const before = applied.get(partition) ?? 0
    const position = Number(headers['ce_position'] ?? headers['ce_through'])
    if (Number(headers['ce_prev']) > before) throw new Error(`a gap at ${partition}/${offset}: ${headers['ce_prev']} after ${before}`)
    if (position <= before && headers['ce_position'] !== undefined) duplicates += 1
    if (position > before && headers['ce_position'] !== undefined) positions.push(position)
    applied.set(partition, Math.max(before, position))
  }
  return { positions: positions.toSorted((one, other) => one - other), duplicates }
}
const upTo = (position: number): readonly number[] => Array.from({ length: position }, (_, index) => index + 1)

test('every event is published once, in its partition, with what a reader needs, and watermarks follow', async () => {
  const relay = start()
  const last = await head()
  await published(relay, last)
  const before = await readTopic(kafka, names().ledger)
  expect(fold(before)).toEqual({ positions: upTo(last), duplicates: 0 })
  const [event] = await store.reader.events({}, last - 1, 1)
  const { ledgerId } = await store.reader.identity()
  expect(before.find(({ headers }) => headers['ce_position'] === String(last))).toMatchObject({
    key: event?.correlationId,
    partition: partitionOf(event?.correlationId ?? '', partitionCount),
    headers: {
      ce_specversion: '1.0',
      ce_id: event?.attributes.id,
      ce_source: 'urn:test:witness',
      ce_type: 'a2a.response',
      ce_workerid: 'w-1',
      ce_ledgerid: ledgerId,
      ce_epoch: '1',
      ce_relayterm: '1',
      ce_recordedat: new Date(event?.recordedAtMs ?? 0).toISOString(),
      ledger_rung: 'explicit',
    },
  })
  const marks = before.filter(({ headers }) => headers['ce_type'] === 'ledger.watermark' && headers['ce_through'] === String(last))
  expect(new Set(marks.map(({ partition }) => partition)).size).toBe(partitionCount)
  await eventually(async () => (await kafka.topics.offsets(names().ledger)).get(0)?.high ?? 0, (high) => high > before.filter((each) => each.partition === 0).length + 1)
  await relay.stop(5_000)
})

test('a large event travels by reference, and so does one of which only the attributes are large', async () => {
  const long = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`extra${index}`, 'ü'.repeat(8_000)]))
  await store.ledger.append([
    incoming({ correlationid: 'large', id: 'large-data', data: task('t-1', 'TASK_STATE_WORKING', { metadata: { text: 'x'.repeat(600_000) } }) }),
    incoming({ correlationid: 'large', id: 'large-attributes', ...long }),
  ])
  const last = await head()
  const relay = start()
  await published(relay, last)
  await relay.stop(5_000)
  const records = await readTopic(kafka, names().ledger)
  const byId = (id: string) => records.find(({ headers }) => headers['ce_id'] === id)
  expect(byId('large-data')).toMatchObject({ headers: { ce_dataref: `/v1/events/${last - 1}/data`, ce_workerid: 'w-1' } })
  expect(byId('large-data')?.value).toHaveLength(0)
  expect(byId('large-attributes')).toMatchObject({ headers: { ce_dataref: `/v1/events/${last}/data` } })
  expect(byId('large-attributes')?.headers['ce_extra0']).toBeUndefined()
  expect(fold(records)).toEqual({ positions: upTo(last), duplicates: 0 })
})

test('a relay that dies between publish and cursor leaves duplicates, no gap and no disorder', async () => {
  const last = await head()
  const killed = start({ store: { ...relayStore, commit: () => new Promise(() => undefined) } })
  const highs = async (): Promise<number> => Math.max(...[...(await kafka.topics.offsets(names().ledger)).values()].map(({ high }) => high))
  await eventually(() => highs().catch(() => 0), (high) => high > 0)
  await killed.stop(10)
  const next = start({ owner: 'two', termTtlMs: 1_000 })
  await published(next, last)
  await append(30)
  await published(next, last + 30)
  await next.stop(5_000)
  const { positions, duplicates } = fold(await readTopic(kafka, names().ledger))
  expect(positions).toEqual(upTo(last + 30))
  expect(duplicates).toBeGreaterThan(0)
})

test('an outage is told once for several attempts, and its end once', async () => {
  let failures = 0
  const before = log.lines.length
  const acquire: OpenRelayStore['acquire'] = (...args) => {
    if (failures === 4) return relayStore.acquire(...args)
    failures += 1
    return Promise.reject(new Error('the store is away'))
  }
  const relay = start({ store: { ...relayStore, acquire } })
  const own = () => log.lines.slice(before).filter(({ message }) => /^the feed can(not)? be relayed/.test(message))
  const told = await eventually(own, (lines) => lines.at(-1)?.level === 'info')
  await relay.stop(5_000)
  expect(told.at(0)).toEqual({ level: 'warn', message: 'the feed cannot be relayed now', details: { topic: names().ledger, detail: 'the store is away' } })
  expect(told.length).toBeLessThan(1 + failures)
  expect(own().filter(({ level }) => level === 'info')).toEqual([
    { level: 'info', message: 'the feed can be relayed again', details: { topic: names().ledger, status: expect.any(String), position: expect.any(Number) } },
  ])
})

test('a zombie publishes what is already known and cannot move the cursor', async () => {
  const last = await head()
  let isFrozen = false
  let thaw: () => void = () => undefined
  const thawed = new Promise<void>((resolve) => (thaw = resolve))
  const frozen: KafkaProducer = {
    send: async (topic, records) => {
      if (isFrozen) await thawed
      return kafka.producer.send(topic, records)
    },
  }
  const zombie = start({ kafka: { topics: kafka.topics, producer: frozen }, termTtlMs: 1_000 })
  await published(zombie, last)
  isFrozen = true
  await append(10)
  const next = start({ owner: 'two', termTtlMs: 600_000 }) // what it has the zombie cannot get back
  const takeOver = async () => {
    await store.admin.query("UPDATE ledger.relay SET lease_until = '-infinity' WHERE topic = $1 AND owner = 'one'", [names().ledger])
    next.wake()
    return next.status()
  }
  await eventually(takeOver, ({ position }) => position >= last + 10)
  await append(10)
  await published(next, last + 20)
  thaw()
  await eventually(() => zombie.status().status, (status) => status === 'waiting')
  expect(next.status()).toMatchObject({ status: 'leading', position: last + 20 })
  await Promise.all([zombie.stop(5_000), next.stop(5_000)])
  expect(fold(await readTopic(kafka, names().ledger)).positions).toEqual(upTo(last + 20))
})

test('a verdict is a structured event of the decisions topic', async () => {
  const data = { kind: 'unreconcilable', because: [1], text: '\\u0000 1e400 kept as written' }
  const [outcome] = await store.ledger.append([
    incoming({ via: 'internal', type: 'reconciler.verdict', correlationid: 'c-1', id: 'decision-1', workerid: undefined, operation: undefined, source: 'urn:a2a-ledger:reconciler', data }),
  ])
  expect(outcome).toMatchObject({ outcome: 'recorded' })
  const last = await head()
  const relay = start()
  await published(relay, last)
  await relay.stop(5_000)
  const [record, ...rest] = await readTopic(kafka, names().decisions)
  expect(rest).toEqual([])
  expect(record).toMatchObject({ key: 'c-1', partition: partitionOf('c-1', partitionCount), headers: { 'content-type': 'application/cloudevents+json' } })
  expect(JSON.parse(Buffer.from(record?.value ?? []).toString())).toMatchObject({ specversion: '1.0', type: 'reconciler.verdict', correlationid: 'c-1', position: last, data })
})

test('topics that are not fit are refused: absent, compacted, too small a message', async () => {
  expect(await prepareTopics(kafka.topics, { ...settings(), isCreating: false })).toEqual(
    Object.values(names()).map((topic) => `The topic ${topic} does not exist, and KAFKA_CREATE_TOPICS is false: create it.`),
  )
  await kafka.topics.create(names().observations, 1, { 'cleanup.policy': 'delete,compact' })
  await kafka.topics.create(names().ledger, 1, { 'cleanup.policy': 'compact' })
  await kafka.topics.create(names().decisions, 1, { 'max.message.bytes': '100000' })
  const problems = await refusedBy()
  expect(problems).toMatch(/observations has cleanup\.policy=delete,compact/)
  expect(problems).toMatch(/ledger has cleanup\.policy=compact/)
  expect(problems).toMatch(/decisions has max\.message\.bytes=100000/)
})

const withAdmin = <Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> => withKafkaAdmin(broker.brokers, work)
const recreate = async (topic: string, count: number): Promise<void> => {
  await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }))
  await eventually(() => kafka.topics.describe(topic), (description) => description === undefined)
  await eventually(() => kafka.topics.create(topic, count, {}).then(() => true, () => false), Boolean)
}

test('a topic with fewer partitions than were published to, one made again and one deleted are refused', async () => {
  const first = start()
  await published(first, await head())
  await first.stop(5_000)
  await recreate(names().ledger, partitionCount - 1)
  expect(await refusedBy()).toMatch(/ledger has 3 partitions, and 4 were published to/)
  await recreate(names().ledger, partitionCount)
  expect(await refusedBy()).toMatch(/ledger was deleted and made again: partition \d ends at offset 0/)
  await withAdmin((admin) => admin.deleteTopics({ topics: [names().ledger] }))
  await eventually(() => kafka.topics.describe(names().ledger), (description) => description === undefined)
  expect(await refusedBy()).toMatch(/ledger was deleted\./)
  expect(await kafka.topics.describe(names().ledger)).toBeUndefined()
})

test('a topic that is made again under a relay stops it', async () => {
  const relay = start()
  await published(relay, await head())
  await recreate(names().ledger, partitionCount)
  const status = await eventually(() => relay.status(), (now) => now.status === 'refused')
  expect(status).toMatchObject({ problems: [expect.stringMatching(/made again|was deleted/)] })
  await relay.stop(5_000)
})

const compact = (topic: string): Promise<unknown> =>
  withAdmin((admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name: 'cleanup.policy', value: 'compact' }] }],
    }),
  )

test('a topic that becomes unfit under a relay stops it', async () => {
  const relay = start({ lookMs: 100 })
  await published(relay, await head())
  await compact(names().decisions)
  const status = await eventually(() => relay.status(), (now) => now.status === 'refused')
  expect(status).toMatchObject({ problems: [expect.stringMatching(/decisions has cleanup\.policy=compact, which removes events/)] })
  await relay.stop(5_000)
})

test('a leader that was stopped for as long as its term lasts looks at everything again before it goes on', async () => {
  const freezer = createFreezer()
  const relay = start({ store: freezer.watch('store', relayStore), termTtlMs: 500 })
  const last = await head()
  await published(relay, last)
  await freezer.freezeAt('store.commit', 'after')
  await compact(names().ledger)
  const isExpired = async (): Promise<boolean> => {
    const { rows } = await store.admin.query('SELECT lease_until < clock_timestamp() AS is_expired FROM ledger.relay WHERE topic = $1', [names().ledger])
    return rows[0].is_expired
  }
  await eventually(isExpired, Boolean)
  await append(1)
  freezer.thaw()
  const status = await eventually(() => relay.status(), (now) => now.status === 'refused')
  expect(status).toMatchObject({ position: last, problems: [expect.stringMatching(/ledger has cleanup\.policy=compact/)] })
  await relay.stop(5_000)
})

test('a ledger that was restored to an earlier state does not go on in the topic that knows more', async () => {
  const relay = start()
  await append(5)
  const last = await head()
  await published(relay, last)
  await relay.stop(5_000)
  const topic = names().ledger
  await store.admin.query('UPDATE ledger.relay SET position = position - 5 WHERE topic = $1', [topic])
  await store.admin.query('UPDATE ledger.relay_partition SET next_offset = 0, last_position = 0 WHERE topic = $1', [topic])
  const shorter = { identity: async () => ({ ...(await store.reader.identity()), head: last - 5 }) }
  expect(await refusedBy({ reader: shorter })).toMatch(new RegExp(`has position ${last}, and the ledger ends at ${last - 5}`))
  const other = { ...relayStore, events: async (after: number, bytesMax: number) => (await relayStore.events(after, bytesMax)).map((event) => ({ ...event, recordedAtMs: event.recordedAtMs + 1 })) }
  expect(await refusedBy({ store: other })).toMatch(/has position \d+ recorded at/)
  const foreign = { identity: async () => ({ ...(await store.reader.identity()), ledgerId: 'other' }) }
  expect(await refusedBy({ reader: foreign })).toMatch(/is of ledger .* and this is other/)
  await store.admin.query('UPDATE ledger.relay SET term = -100 WHERE topic = $1', [topic])
  expect(await refusedBy()).toMatch(/was published to in term \d+, and the ledger knows -\d+/)
})
