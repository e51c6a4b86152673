/**
 * L7, P3: topics and databases that are not what they were, under processes that run and under ones
 * that start. Each says so in a sentence and stops: nothing is published, nothing applied.
 */
import { createTestDatabase, createTestKafka, withKafkaAdmin, type TestDatabase, type TestKafka } from '@a2a-ledger/test/support'
import kafkajs, { type Admin } from 'kafkajs'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createService, type MortalService } from '../support/mortal-service.ts'

const { ConfigResourceTypes } = kafkajs // CommonJS: Node finds only some of its names by itself

let broker: TestKafka
beforeAll(async () => {
  broker = await createTestKafka()
})

interface Deployment {
  readonly ledger: MortalService
  readonly reconciler: MortalService
  readonly ledgerDatabase: TestDatabase
  readonly viewsDatabase: TestDatabase
  /** Of the feed. */
  readonly topic: string
}

const partitionCount = 4
let deploymentCount = 0
let deployed: Deployment
afterEach(async () => {
  await Promise.all([deployed.ledger.stop(), deployed.reconciler.stop()])
})

async function deploy(): Promise<Deployment> {
  const prefix = `${broker.topicPrefix}${(deploymentCount += 1)}.`
  const [ledgerDatabase, viewsDatabase] = [await createTestDatabase(), await createTestDatabase()]
  const shared = {
    DATABASE_URL: ledgerDatabase.ledgerUrl,
    KAFKA_BROKERS: broker.brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    KAFKA_PARTITIONS: String(partitionCount),
  }
  const ledger = await createService('ledger', shared)
  const views = { RECONCILER_DATABASE_URL: viewsDatabase.reconcilerUrl, LEDGER_URL: ledger.url, LEASE_TTL_MS: '6000' }
  const reconciler = await createService('reconciler', { ...shared, ...views })
  deployed = { ledger, reconciler, ledgerDatabase, viewsDatabase, topic: `${prefix}ledger` }
  await Promise.all([ledger.start(), reconciler.start()])
  return deployed
}

const withAdmin = <Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> => withKafkaAdmin(broker.brokers, work)

let eventCount = 0
/** Sends `count` events about as many tasks; answers what became of them. */
async function send({ ledger }: Deployment, count: number): Promise<{ readonly status: number; readonly body: string }> {
  const events = Array.from({ length: count }, () => {
    eventCount += 1
    const data = { result: { id: `t-${eventCount}`, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }
    return { specversion: '1.0', id: `e-${eventCount}`, source: 'urn:test', type: 'a2a.response', operation: 'GetTask', workerid: 'w', taskid: `t-${eventCount}`, correlationid: `c-${eventCount}`, data }
  })
  const headers = { 'content-type': 'application/cloudevents-batch+json' }
  const response = await fetch(`${ledger.url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(events) })
  return { status: response.status, body: await response.text() }
}

interface Ready {
  readonly status: number
  readonly code?: string
  readonly detail?: string
  readonly head?: number
  readonly feed?: { readonly appliedPosition: number }
}
const ready = async ({ url }: MortalService): Promise<Ready> => {
  const response = await fetch(`${url}/readyz`)
  return { ...((await response.json()) as object), status: response.status }
}
const appliedOf = async ({ viewsDatabase, topic }: Deployment): Promise<number> => {
  const [row] = await query<{ applied: string }>(viewsDatabase.adminUrl, `SELECT min(complete_position) AS applied FROM reconciler.feed_partitions WHERE topic = '${topic}'`)
  return Number(row?.applied)
}
/** Records `count` more, and waits until they are applied. */
async function record(deployment: Deployment, count: number): Promise<void> {
  expect(await send(deployment, count)).toMatchObject({ status: 200 })
  const { head } = await ready(deployment.ledger)
  await expect.poll(() => appliedOf(deployment), { timeout: 60_000 }).toBe(head)
}
/** Waits until more of the topic was read, and is known of after a restart, than a relay writes before it learns of a new one. */
const isRead = ({ viewsDatabase, topic }: Deployment) =>
  expect
    .poll(async () => {
      const [row] = await query<{ read: string }>(viewsDatabase.adminUrl, `SELECT min(coalesce(next_offset, 0)) AS read FROM reconciler.feed_partitions WHERE topic = '${topic}'`)
      return Number(row?.read)
    }, { timeout: 60_000 })
    .toBeGreaterThan(4)

const stopsSaying = async (service: MortalService, detail: RegExp): Promise<void> => {
  const said = { status: 503, code: 'ledger_rewound', detail: expect.stringMatching(detail) }
  try {
    await expect.poll(() => ready(service), { timeout: 60_000 }).toMatchObject(said)
  } catch (cause) {
    throw new Error(service.logged.slice(-30).join('\n'), { cause })
  }
}
const hasLogged = (service: MortalService, message: RegExp) => expect.poll(() => service.logged.join('\n'), { timeout: 60_000 }).toMatch(message)

async function endsOf(topic: string): Promise<readonly number[]> {
  const offsets = await withAdmin((admin) => admin.fetchTopicOffsets(topic))
  return offsets.toSorted((one, other) => one.partition - other.partition).map(({ high }) => Number(high))
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
const server = ({ adminUrl }: TestDatabase, statement: string) => query(Object.assign(new URL(adminUrl), { pathname: '/postgres' }).href, statement)
/** As from a backup. Nobody may be connected: the last backends of a service outlive it by a moment. */
const copy = (database: TestDatabase) =>
  expect.poll(() => server(database, `CREATE DATABASE ${database.name}_copy TEMPLATE ${database.name}`).then(() => 'copied')).toBe('copied')
const restore = async (database: TestDatabase): Promise<void> => {
  await server(database, `DROP DATABASE ${database.name} WITH (FORCE)`)
  await server(database, `ALTER DATABASE ${database.name}_copy RENAME TO ${database.name}`)
}

async function recreate(topic: string, numPartitions: number): Promise<void> {
  await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }))
  await expect.poll(() => withAdmin((admin) => admin.listTopics())).not.toContain(topic)
  // Nobody else makes it; where an answer got lost it is there already.
  await expect.poll(() => withAdmin((admin) => admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false })).then(() => 'there')).toBe('there')
}

describe('a feed topic', { timeout: 400_000 }, () => {
  test('that was deleted and made again', async () => {
    const deployment = await deploy()
    await record(deployment, 12)
    const { ledger, reconciler, topic } = deployment
    await isRead(deployment)
    await recreate(topic, partitionCount)
    await stopsSaying(ledger, /The topic .*ledger was deleted( and made again: partition \d ends at offset \d+, and \d+ was written)?\./)
    await stopsSaying(reconciler, /Partition \d of .*ledger ends at offset \d+, but \d+ was read: the topic was deleted and made again/)
    const ends = await endsOf(topic) // the relay learns by what it writes
    await hasLogged(ledger, /"problems":\["The topic .*ledger was deleted.*"msg":"the feed cannot be relayed"/)
    await hasLogged(reconciler, /"msg":"ledger_rewound: nothing more is applied"/)
    // What is recorded meanwhile is durable, and goes nowhere.
    expect(await send(deployment, 3)).toMatchObject({ status: 200 })
    await Promise.all([ledger.stop(), reconciler.stop()])
    await expect(ledger.start()).rejects.toThrow(/ended with 1 .*The topic .*ledger was deleted and made again: partition \d ends at offset \d+, and \d+ was written\./su)
    await reconciler.start()
    await stopsSaying(reconciler, /ends at offset \d+, but \d+ was read/)
    expect(await endsOf(topic)).toEqual(ends)
    expect(await appliedOf(deployment)).toBe(12)
  })

  test('that has fewer partitions than were published to', async () => {
    const deployment = await deploy()
    await record(deployment, 12)
    const { ledger, reconciler, topic } = deployment
    await isRead(deployment)
    await recreate(topic, partitionCount - 1)
    await stopsSaying(ledger, /has 3 partitions, and 4 were published to|was deleted\./)
    await stopsSaying(reconciler, /ends at offset \d+, but \d+ was read/)
    const ends = await endsOf(topic)
    await Promise.all([ledger.stop(), reconciler.stop()])
    await expect(ledger.start()).rejects.toThrow(/ended with 1 .*The topic .*ledger has 3 partitions, and 4 were published to/su)
    await reconciler.start()
    await stopsSaying(reconciler, /ends at offset \d+, but \d+ was read/)
    expect(await endsOf(topic)).toEqual(ends)
    expect(await appliedOf(deployment)).toBe(12)
  })

  test.each([
    ['is compacted', 'cleanup.policy', 'compact', /The topic .*ledger has cleanup\.policy=compact, which removes events: set it to delete\./su],
    ['takes too little', 'max.message.bytes', '100000', /The topic .*ledger has max\.message\.bytes=100000, and up to 1048576 are sent: raise it\./su],
  ])('that %s', async (_, name, value, sentence) => {
    const deployment = await deploy()
    await record(deployment, 12)
    const { ledger, topic } = deployment
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name, value }] }]
    await withAdmin((admin) => admin.alterConfigs({ validateOnly: false, resources }))
    await stopsSaying(ledger, sentence)
    await hasLogged(ledger, /"msg":"the feed cannot be relayed"/)
    const ends = await endsOf(topic)
    expect(await send(deployment, 3)).toMatchObject({ status: 200 })
    await ledger.stop()
    await expect(ledger.start()).rejects.toThrow(/ended with 1 /u)
    await expect(ledger.start()).rejects.toThrow(sentence)
    expect(await endsOf(topic)).toEqual(ends)
    expect(await appliedOf(deployment)).toBe(12)
  })
})

describe('a database that was restored to an earlier state', { timeout: 400_000 }, () => {
  /** Twelve events, of which the copies have six. */
  async function deployAndCopy(): Promise<Deployment> {
    const deployment = await deploy()
    const { ledger, reconciler, ledgerDatabase, viewsDatabase } = deployment
    await record(deployment, 6)
    await Promise.all([ledger.stop(), reconciler.stop()])
    await copy(ledgerDatabase)
    await copy(viewsDatabase)
    await Promise.all([ledger.start(), reconciler.start()])
    await record(deployment, 6)
    return deployment
  }
  const restored = /The database was restored to an earlier state: the topic .*ledger (has position 12, and the ledger ends at 6|was published to in term \d+, and the ledger knows \d+)/su

  test('the ledger’s, and not that of the views', async () => {
    const deployment = await deployAndCopy()
    const { ledger, reconciler, ledgerDatabase, topic } = deployment
    await restore(ledgerDatabase)
    await stopsSaying(ledger, /Position 12 was recorded and is not there: the database was restored to an earlier state/)
    await stopsSaying(reconciler, /The ledger ends at position 6, but 12 was applied: its database was restored to an earlier state/)
    await hasLogged(reconciler, /"msg":"ledger_rewound: nothing more is applied"/)
    expect(await send(deployment, 3)).toMatchObject({ status: 500, body: expect.stringContaining('ledger_rewound') })
    await hasLogged(ledger, /"msg":"the feed cannot be relayed"/)
    const ends = await endsOf(topic)
    await Promise.all([ledger.stop(), reconciler.stop()])
    await expect(ledger.start()).rejects.toThrow(/ended with 1 /u)
    await expect(ledger.start()).rejects.toThrow(restored)
    await reconciler.start()
    await stopsSaying(reconciler, /The ledger ends at position 6, but 12 was applied/)
    expect(await endsOf(topic)).toEqual(ends)
    expect(await appliedOf(deployment)).toBe(12)
  })

  test('both, and not Kafka', async () => {
    const deployment = await deployAndCopy()
    const { ledger, reconciler, ledgerDatabase, viewsDatabase, topic } = deployment
    await Promise.all([restore(ledgerDatabase), restore(viewsDatabase)])
    await stopsSaying(ledger, /Position 12 was recorded and is not there/)
    await stopsSaying(reconciler, /The ledger ends at position 6, but \d+ was (applied|published)/)
    const ends = await endsOf(topic)
    await Promise.all([ledger.stop(), reconciler.stop()])
    await expect(ledger.start()).rejects.toThrow(restored)
    await reconciler.start()
    await stopsSaying(reconciler, /The ledger ends at position 6, but \d+ was published/)
    expect(await endsOf(topic)).toEqual(ends)
    expect(await appliedOf(deployment)).toBe(6)
  })

  test('that of the views alone takes what it lacks from the topic', async () => {
    const deployment = await deployAndCopy()
    const { reconciler, viewsDatabase } = deployment
    await restore(viewsDatabase)
    await expect.poll(() => appliedOf(deployment), { timeout: 60_000 }).toBe(12)
    await expect.poll(() => ready(reconciler)).toMatchObject({ status: 200 })
  })
})
