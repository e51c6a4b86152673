import { LedgerError } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import type { Kafka } from '@a2a-ledger/service-kit/kafka'
import { createTestKafka, startOwnKafka, type TestKafka } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consumeObservations, type ObservationsConsumer } from '../src/adapters/kafka/consume-observations.ts'
import { prepareTopics, topicNames } from '../src/adapters/kafka/topics.ts'
import type { Ledger } from '../src/app/ports.ts'
import { task } from './incoming.ts'
import { committedOffsets, connectTestKafka, createTestLog, eventually, sendAsWitness } from './kafka.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

let broker: TestKafka
let kafka: Kafka
let store: TestLedger
let consumer: ObservationsConsumer
let outage: LedgerError | undefined
const log = createTestLog()

beforeAll(async () => {
  broker = await createTestKafka()
  kafka = connectTestKafka(broker.brokers, log)
  store = await openTestLedger()
  const settings = { prefix: broker.topicPrefix, partitionCount: 2, isCreating: true }
  expect(await prepareTopics(kafka.topics, settings)).toEqual([])
  const ledger: Pick<Ledger, 'append' | 'quarantine'> = {
    append: async (events) => {
      if (outage !== undefined) throw outage
      return store.ledger.append(events)
    },
    quarantine: (input) => store.ledger.quarantine(input),
  }
  consumer = consumeObservations({ kafka, ledger, codec: nodeCodec, log, topicPrefix: broker.topicPrefix, sessionTimeoutMs: 6_000 })
})

afterAll(async () => {
  await consumer.stop(5_000)
  await kafka.close(5_000)
  await store.end()
})

const observations = (): string => topicNames(broker.topicPrefix).observations
const structured = (id: string, more: object = {}) => ({
  key: 'c-1',
  value: JSON.stringify({ specversion: '1.0', id, source: 'urn:test:kafka', type: 'a2a.task', workerid: 'w-1', correlationid: 'c-1', data: task(), ...more }),
  headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
})
const binaryHeaders = (id: string) => ({
  ce_specversion: '1.0',
  ce_id: id,
  ce_source: 'urn:test:kafka',
  ce_type: 'a2a.task',
  ce_workerid: 'w-1',
  'content-type': 'application/a2a+json',
})
const recordedIds = async (): Promise<readonly string[]> => {
  const events = await store.reader.events({}, 0, 1_000)
  return events.map(({ attributes }) => attributes.id)
}
const send = (...messages: Parameters<typeof sendAsWitness>[2][number][]) => sendAsWitness(broker.brokers, observations(), messages)

test('structured and binary records are recorded with what they say', async () => {
  await send(structured('structured'), {
    value: JSON.stringify(task('t-2')),
    headers: { ...binaryHeaders('binary 50% ü "x"'), ce_correlationid: ['c-2', 'c-2'] },
  })
  await eventually(recordedIds, (ids) => ids.length === 2)
  const events = await store.reader.events({}, 0, 10)
  expect(events.find(({ attributes }) => attributes.id === 'structured')).toMatchObject({ correlationId: 'c-1' })
  expect(events.find(({ attributes }) => attributes.id === 'binary 50% ü "x"')).toMatchObject({
    correlationId: 'c-2',
    attributes: { datacontenttype: 'application/a2a+json', workerid: 'w-1' },
  })
})

test('poison goes to quarantine with bytes, headers and offset, and the partition goes on', async () => {
  const before = (await recordedIds()).length
  const value = JSON.stringify(task())
  await send(
    { partition: 0, value: '{"specversion":', headers: { 'content-type': 'application/cloudevents+json' } },
    { partition: 0, value: '' },
    { partition: 0, value: null },
    { partition: 0, value: 'no JSON, no headers' },
    { partition: 0, value, headers: { ...binaryHeaders('two'), ce_correlationid: ['c-1', 'c-2'] } },
    { partition: 0, value, headers: { ...binaryHeaders('bytes'), ce_correlationid: Buffer.from([0xff, 0xfe]) } },
    { partition: 0, value, headers: { ...binaryHeaders('no-worker'), ce_workerid: '', authorization: 'Bearer secret' } },
    { partition: 0, value, headers: { ce_specversion: '1.0', ce_id: 'no-source', ce_type: 'a2a.task', constructor: 'c' } },
    { partition: 0, value: `[${structured('in-batch').value}]`, headers: { 'content-type': 'application/cloudevents-batch+json' } },
    { partition: 0, value: Buffer.alloc(8 * 1024 * 1024 + 1, 0x20), headers: binaryHeaders('oversized') },
    { partition: 0, value: '{"foreign":true}', headers: binaryHeaders('foreign') },
    { partition: 0, value: `{"specversion":"1.0","id":"deep","source":"urn:w","type":"a2a.task","workerid":"w-1","data":${'['.repeat(1000)}${']'.repeat(1000)}}`, headers: { 'content-type': 'application/cloudevents+json' } },
    { ...structured('after-poison'), partition: 0 },
  )
  await eventually(recordedIds, (ids) => ids.includes('after-poison'))
  const entries = await store.reader.quarantined(undefined, 100, undefined)
  const inputs = await Promise.all(entries.map(({ id }) => store.reader.quarantinedInput(id)))
  const byOffset = new Map(inputs.map((input) => [Number(input?.headers['kafka-offset']), input]))
  const base = Math.min(...byOffset.keys())
  expect([...byOffset].toSorted(([one], [other]) => one - other).map(([offset, input]) => [offset - base, input?.reason])).toEqual([
    [0, 'data_malformed'],
    [1, 'data_missing'],
    [2, 'data_missing'],
    [3, 'data_malformed'],
    [4, 'data_ambiguous'],
    [5, 'attribute_invalid'],
    [6, 'attribute_invalid'],
    [7, 'attribute_invalid'],
    [8, 'attribute_invalid'],
    [9, 'data_malformed'],
    [10, 'data_foreign'],
    [11, 'data_malformed'],
  ])
  expect(byOffset.get(base + 5)?.headers).toMatchObject({ 'ce_correlationid': 'base64://4=', 'kafka-topic': observations(), 'kafka-partition': '0' })
  expect(byOffset.get(base + 11)?.attributes).toMatchObject({ id: 'deep', source: 'urn:w' }) // so that it can be replayed
  expect(byOffset.get(base + 6)?.headers.authorization).toBe('*'.repeat('Bearer secret'.length))
  expect(Buffer.from(byOffset.get(base)?.bytes ?? [])).toEqual(Buffer.from('{"specversion":'))
  expect(await recordedIds()).toHaveLength(before + 1)
  const group = `${broker.topicPrefix}ledger-ingest`
  const { high } = (await kafka.topics.offsets(observations())).get(0) ?? { high: -1 }
  await eventually(() => committedOffsets(broker.brokers, group, observations()), ([first]) => first === high)
})

test('an outage pauses, quarantines nothing, and everything is recorded once when it ends', async () => {
  const quarantinedBefore = (await store.reader.quarantined(undefined, 1_000, undefined)).length
  for (const code of ['store_unavailable', 'overloaded', 'outcome_unknown'] as const) {
    outage = new LedgerError(code, 'as the test wants it')
    const ids = Array.from({ length: 20 }, (_, index) => `${code}-${index}`)
    await send(...ids.map((id) => structured(id)))
    await eventually(() => consumer.status(), ({ status }) => status === 'blocked')
    expect((await recordedIds()).filter((id) => id.startsWith(code))).toEqual([])
    outage = undefined
    await eventually(recordedIds, (recorded) => ids.every((id) => recorded.includes(id)))
    await eventually(() => consumer.status(), ({ status }) => status === 'consuming')
  }
  expect((await store.reader.quarantined(undefined, 1_000, undefined)).length).toBe(quarantinedBefore)
  const recorded = await recordedIds()
  expect(new Set(recorded).size).toBe(recorded.length)
})

test('a consumer whose broker is gone joins again, and stops in time while it is gone', { timeout: 120_000 }, async () => {
  const own = await startOwnKafka()
  const client = connectTestKafka(own.brokers)
  const topicPrefix = own.topicPrefix
  await prepareTopics(client.topics, { prefix: topicPrefix, partitionCount: 1, isCreating: true })
  const ingest = consumeObservations({ kafka: client, ledger: store.ledger, codec: nodeCodec, log, topicPrefix, sessionTimeoutMs: 6_000 })
  const topic = topicNames(topicPrefix).observations
  await sendAsWitness(own.brokers, topic, [structured('before-the-outage')])
  await eventually(recordedIds, (ids) => ids.includes('before-the-outage'))
  await own.kill()
  await eventually(() => ingest.status(), ({ status }) => status === 'broken', 60_000)
  await own.start()
  await sendAsWitness(own.brokers, topic, [structured('after-the-outage')])
  await eventually(recordedIds, (ids) => ids.includes('after-the-outage'), 60_000)
  await own.kill()
  const startedMs = Date.now()
  await ingest.stop(1_000)
  await client.close(1_000)
  expect(Date.now() - startedMs).toBeLessThan(30_000)
  await own.remove()
})
