/** The distributed form: ledgers and reconcilers as processes, the feed over a real Kafka. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase, createTestKafka, recordEvents, withKafkaAdmin, type TestDatabase, type TestKafka } from '@a2a-ledger/test/support'
import { Kafka as Client, logLevel, Partitioners } from 'kafkajs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createService, type MortalService } from '../support/mortal-service.ts'
import { foldFeed, readRecords } from '../support/read-feed.ts'

const scenarios = fileURLToPath(new URL('../../../shared/cases/', import.meta.url))

let database: TestDatabase
let broker: TestKafka
let ledgers: readonly MortalService[]
let reconcilers: readonly MortalService[]
let admin: pg.Client

beforeAll(async () => {
  broker = await createTestKafka()
  database = await createTestDatabase()
  admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const kafka = { KAFKA_BROKERS: broker.brokers.join(','), KAFKA_TOPIC_PREFIX: broker.topicPrefix, DATABASE_URL: database.ledgerUrl }
  ledgers = await Promise.all([createService('ledger', kafka), createService('ledger', kafka)])
  const views = { ...kafka, RECONCILER_DATABASE_URL: database.reconcilerUrl, LEDGER_URL: one(ledgers).url, LEASE_TTL_MS: '6000' }
  reconcilers = await Promise.all([createService('reconciler', views), createService('reconciler', views)])
  await one(ledgers).start()
  await one(reconcilers).start()
})

afterAll(async () => {
  await Promise.all((reconcilers ?? []).map((service) => service.stop()))
  await Promise.all((ledgers ?? []).map((service) => service.stop()))
  await admin?.end()
  await database?.drop()
})

const one = (services: readonly MortalService[], index = 0): MortalService => {
  const service = services[index]
  if (service === undefined) throw new Error('no such service')
  return service
}

const longAgoMs = Date.now() - 3_600_000
let eventCount = 0
const envelope = (type: string, more: Readonly<Record<string, string>> & { readonly workerid: string }, data: unknown) => {
  eventCount += 1
  return {
    specversion: '1.0',
    id: `e-${eventCount}`,
    source: 'urn:test:kafka',
    type,
    time: new Date(longAgoMs + eventCount * 1_000).toISOString(),
    ...more,
    data,
  }
}
const sent = (correlationid: string, workerid: string) =>
  envelope('a2a.dispatch', { operation: 'SendMessage', correlationid, workerid }, {
    message: { role: 'ROLE_USER', messageId: `${correlationid}-m`, parts: [{ text: 'work' }] },
  })
const answered = (correlationid: string, workerid: string, taskId: string) =>
  envelope('a2a.response', { operation: 'SendMessage', correlationid, workerid }, {
    result: { task: { id: taskId, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } },
  })
const polled = (workerid: string, taskId: string, state: string) =>
  envelope('a2a.response', { operation: 'GetTask', workerid, taskid: taskId }, { result: { id: taskId, contextId: 'c', status: { state } } })
const notFound = (workerid: string, taskId: string) =>
  envelope('a2a.response', { operation: 'GetTask', workerid, taskid: taskId }, { error: { code: -32001, message: 'Task not found' } })

type Envelope = ReturnType<typeof envelope>

const post = (events: readonly Envelope[], ledger = one(ledgers)): Promise<number> => recordEvents(ledger.url, events)

/** Sends as a witness does that knows only Kafka. */
async function produce(events: readonly Envelope[]): Promise<void> {
  const producer = new Client({ brokers: [...broker.brokers], logLevel: logLevel.NOTHING }).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
  })
  await producer.connect()
  const headers = { 'content-type': 'application/cloudevents+json' }
  await producer.send({
    topic: `${broker.topicPrefix}observations`,
    messages: events.map((event) => ({ key: event.workerid, value: JSON.stringify(event), headers })),
  })
  await producer.disconnect()
}

// A test reads what it expects; what is not there fails the comparison.
async function get(service: MortalService, path: string): Promise<{ readonly status: number; readonly body: any }> { // oxlint-disable-line typescript/no-explicit-any
  const response = await fetch(`${service.url}${path}`)
  return { status: response.status, body: await response.json() }
}
const view = (correlationId: string, atLeast: number, reconciler = one(reconcilers)) =>
  get(reconciler, `/v1/tasks/${correlationId}?atLeast=${atLeast}&timeoutMs=60000`)
const head = async (ledger = one(ledgers)): Promise<number> => (await get(ledger, '/readyz')).body.head
const partitionsOf = async (reconciler: MortalService): Promise<readonly number[]> => (await get(reconciler, '/readyz')).body.feed.partitions

test('what comes over HTTP and what comes over Kafka is one task', async () => {
  await post([sent('k-1', 'w-1'), answered('k-1', 'w-1', 't-1')])
  await produce([polled('w-1', 't-1', 'TASK_STATE_INPUT_REQUIRED')])
  await expect.poll(() => head()).toBe(3)
  const { status, body } = await view('k-1', 3)
  expect(status).toBe(200)
  expect(body).toMatchObject({ state: 'input-required', attempts: [{ workerId: 'w-1', taskId: 't-1' }], appliedPosition: 3 })
  await expect.poll(async () => (await get(one(ledgers), '/readyz')).body.kafka).toMatchObject({ ingest: { status: 'consuming' }, relay: { status: 'leading', position: 3 } })
})

test.skipIf(!existsSync(scenarios))('the scenarios of ../shared/cases hold as they do without Kafka', { timeout: 600_000 }, async () => {
  const runner = `${scenarios}run-scenarios.mjs`
  const args = [runner, '--ledger', one(ledgers).url, '--reconciler', one(reconcilers).url, '--within', '60000', `${scenarios}scenarios`]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: { readonly stdout: string }) => error,
  )
  expect(stdout).toMatch(/^(\d+) of \1 scenarios hold\s*$/u)
})

describe('two reconcilers', { timeout: 300_000 }, () => {
  beforeAll(() => one(reconcilers, 1).start())

  const shares = () => Promise.all(reconcilers.map(partitionsOf))
  const allPartitions = [0, 1, 2, 3, 4, 5]
  /** Each applies three partitions, and together they apply all. */
  async function eachHasHalf(): Promise<void> {
    const shared = async () => {
      const each = await shares()
      return { counts: each.map(({ length }) => length), partitions: each.flat().toSorted() }
    }
    await expect.poll(shared, { timeout: 60_000 }).toEqual({ counts: [3, 3], partitions: allPartitions })
  }

  test('share the partitions, and each answers about every task', async () => {
    await eachHasHalf()
    const correlationIds = Array.from({ length: 12 }, (_, index) => `k-shared-${index}`)
    const position = await post(correlationIds.flatMap((id) => [sent(id, 'w-2'), answered(id, 'w-2', `t-${id}`)]))
    for (const [index, id] of correlationIds.entries()) {
      expect((await view(id, position, one(reconcilers, index % 2))).body).toMatchObject({ state: 'working' })
    }
  })

  test('one is killed and the other takes over; every question is decided once', async () => {
    const correlationIds = Array.from({ length: 24 }, (_, index) => `k-lost-${index}`)
    const begun = correlationIds.flatMap((id) => [sent(id, 'w-3'), answered(id, 'w-3', `t-${id}`)])
    const lost = correlationIds.map((id) => notFound('w-3', `t-${id}`))
    await post([...begun, ...lost.slice(0, 12)])
    await one(reconcilers).kill()
    const position = await post(lost.slice(12))
    for (const id of correlationIds) {
      expect((await view(id, position, one(reconcilers, 1))).body).toMatchObject({ state: 'indeterminate' })
    }
    await expect.poll(() => partitionsOf(one(reconcilers, 1)), { timeout: 60_000 }).toEqual(allPartitions)
    const verdicts = async () => {
      const { rows } = await admin.query<{ correlation_id: string }>(
        "SELECT correlation_id FROM ledger.feed_v1 WHERE attributes->>'type' = 'reconciler.verdict' AND correlation_id LIKE 'k-lost-%' ORDER BY 1",
      )
      return rows.map(({ correlation_id }) => correlation_id)
    }
    await expect.poll(async () => (await verdicts()).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(24)
    expect(await verdicts()).toEqual(correlationIds.toSorted())
    await one(reconcilers).start()
  })

  test('a link that comes late joins two streams, whoever applies them', async () => {
    await eachHasHalf()
    const ids = Array.from({ length: 12 }, (_, index) => index)
    await post(ids.map((index) => polled('w-4', `late-${index}`, 'TASK_STATE_WORKING')))
    await post(ids.flatMap((index) => [sent(`k-late-${index}`, 'w-4'), answered(`k-late-${index}`, 'w-4', `late-${index}`)]))
    const linked = await head()
    for (const index of ids) {
      const { body } = await view(`k-late-${index}`, linked, one(reconcilers, index % 2))
      expect(body).toMatchObject({ attempts: [{ taskId: `late-${index}` }] })
    }
    await eachHasHalf()
    const [ofFirst = []] = await shares()
    const owners = new Map((await readRecords(broker.brokers, `${broker.topicPrefix}ledger`)).map(({ partition, headers }) => [headers['ce_correlationid'], ofFirst.includes(partition)]))
    // Ids always hash alike: however six partitions are halved, some of these pairs are with two processes.
    expect(ids.filter((index) => owners.get(`~w-4/late-${index}`) !== owners.get(`k-late-${index}`))).not.toEqual([])
    const { body } = await get(one(reconcilers), `/v1/tasks?workerId=w-4&atLeast=${linked}&timeoutMs=30000`)
    expect(body.tasks.map((task: { correlationId: string }) => task.correlationId).toSorted()).toEqual(ids.map((index) => `k-late-${index}`).toSorted())
  })
})

describe('two ledgers', { timeout: 300_000 }, () => {
  beforeAll(() => one(ledgers, 1).start())

  test('one relays; killed, the other goes on without a gap and in order', async () => {
    const statusOf = async (ledger: MortalService): Promise<string> => (await get(ledger, '/readyz')).body.kafka.relay.status
    // Usually the first one leads, but a process that is held up longer than its term lasts loses it.
    await expect.poll(async () => (await Promise.all(ledgers.map(statusOf))).toSorted()).toEqual(['leading', 'waiting'])
    const write = async (from: number, ledger: MortalService) => {
      for (let index = from; index < from + 20; index += 1) await post([sent(`k-relay-${index % 7}`, 'w-5')], ledger)
    }
    await Promise.all([write(0, one(ledgers)), write(100, one(ledgers, 1))])
    const leading = (await statusOf(one(ledgers))) === 'leading' ? 0 : 1
    const other = one(ledgers, 1 - leading)
    await one(ledgers, leading).kill()
    await write(200, other)
    await expect.poll(() => statusOf(other)).toBe('leading')
    // Nobody writes any more but the reconcilers, which may still decide on what earlier tests left open.
    const last = await head(other)
    await expect.poll(async () => (await get(other, '/readyz')).body.kafka.relay.position).toBeGreaterThanOrEqual(last)
    const { positions, gaps } = foldFeed(await readRecords(broker.brokers, `${broker.topicPrefix}ledger`))
    expect(positions.length).toBeGreaterThanOrEqual(last)
    expect({ positions, gaps }).toEqual({ positions: positions.map((_, index) => index + 1), gaps: [] })
  })

  test('a topic that is gone ends the start with a sentence', async () => {
    await Promise.all(reconcilers.map((service) => service.stop()))
    await Promise.all(ledgers.map((service) => service.stop()))
    await withKafkaAdmin(broker.brokers, (admin) => admin.deleteTopics({ topics: [`${broker.topicPrefix}ledger`] }))
    await expect(one(ledgers).start()).rejects.toThrow(/ended with 1 .*The topic .*ledger was deleted/su)
  })
})
