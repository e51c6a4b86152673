/**
 * P1, P3: a relay that was stopped at one of its calls, lost its term meanwhile, and goes on.
 *
 * What it sends from there on is marked: its events say that their task failed. A reconciler that
 * reads the topic all along shows every such record that it applies, since a failed task stays so.
 */
import { createTestKafka, seededRandom, startService, type ServiceProcess, type TestKafka } from '@a2a-ledger/test/support'
import type { Kafka, KafkaProducer, KafkaTopics, OutgoingRecord, TopicDescription } from '@a2a-ledger/service-kit/kafka'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRelay, type Relay } from '../src/adapters/kafka/relay.ts'
import { topicNames, type TopicNames } from '../src/adapters/kafka/topics.ts'
import { openRelayStore, type OpenRelayStore } from '../src/adapters/postgres/relay-store.ts'
import type { RelayStore } from '../src/app/relay-store.ts'
import { createFreezer, type Freezer, type Side } from './freezer.ts'
import { incoming, task } from './incoming.ts'
import { connectTestKafka, createTestLog, eventually, readTopic } from './kafka.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000)
const roundCount = Number(process.env['FAULT_ROUNDS'] ?? 200)
/** Deployments side by side, each with topics and relays of its own. */
const laneCount = 4
const partitionCount = 3
const taskCount = 12
/** Nobody's term runs out by itself: a test says when. */
const termTtlMs = 600_000

let broker: TestKafka
let kafka: Kafka
let store: TestLedger
let relayStore: OpenRelayStore
let admin: pg.Pool
let reconciler: ServiceProcess
const log = createTestLog()

beforeAll(async () => {
  broker = await createTestKafka()
  kafka = connectTestKafka(broker.brokers, log)
  store = await openTestLedger()
  admin = new pg.Pool({ connectionString: store.database.adminUrl })
  relayStore = openRelayStore(store.database.ledgerUrl, () => undefined)
})
afterAll(async () => {
  await reconciler?.stop()
  await kafka.close(5_000)
  await relayStore.close()
  await admin.end()
  await store.end()
})

const correlationIdOf = (number: number): string => `c-${number % taskCount}`
let appendedCount = 0
/** Answers the last position. */
async function append(count: number): Promise<number> {
  const events = Array.from({ length: count }, () => {
    appendedCount += 1
    return incoming({ correlationid: correlationIdOf(appendedCount), taskid: correlationIdOf(appendedCount) })
  })
  const verdict = incoming({
    via: 'internal', type: 'reconciler.verdict', correlationid: 'decided', id: `verdict-${appendedCount}`, workerid: undefined,
    operation: undefined, source: 'urn:a2a-ledger:reconciler', data: { kind: 'resume', because: [] },
  })
  const outcomes = await store.ledger.append([...events, verdict])
  return Math.max(...outcomes.map((outcome) => (outcome.outcome === 'recorded' ? outcome.position : 0)))
}

/** What a topic is like does not change here, and every take-over asks. */
const described = new Map<string, TopicDescription>()
const describe: KafkaTopics['describe'] = async (topic) => {
  const description = described.get(topic) ?? (await kafka.topics.describe(topic))
  if (description !== undefined) described.set(topic, description)
  return description
}

interface Member {
  readonly relay: Relay
  readonly freezer: Freezer
  /** From now on what it sends is marked, and whether its cursor moved is noted. */
  readonly mark: () => void
  /** Answers whether a cursor of its own moved since it was marked. */
  readonly unmark: () => boolean
  /** Resolves when it is told that the term is another's. */
  readonly isOut: () => Promise<void>
}

const failed = (record: OutgoingRecord): OutgoingRecord => {
  const { ce_taskid: taskId } = record.headers
  return taskId === undefined ? record : { ...record, value: Buffer.from(JSON.stringify(task(taskId, 'TASK_STATE_FAILED'))) }
}

function join(names: TopicNames, prefix: string, owner: string): Member {
  const freezer = createFreezer()
  let isMarked = false
  let hasMoved = false
  let out: () => void = () => undefined
  const producer: KafkaProducer = {
    send: (topic, records) => kafka.producer.send(topic, isMarked && topic === names.ledger ? records.map(failed) : records),
  }
  const byTopic: KafkaProducer = {
    send: (topic, records) => (topic === names.ledger ? feed : decisions).send(topic, records),
  }
  const feed = freezer.watch('feed', producer)
  const decisions = freezer.watch('decisions', producer)
  const watched: RelayStore = {
    ...relayStore,
    acquire: async (...input) => {
      const held = await relayStore.acquire(...input)
      if (held === undefined) out()
      return held
    },
    commit: async (...input) => {
      const isHeld = await relayStore.commit(...input)
      hasMoved ||= isHeld
      return isHeld
    },
  }
  const relay = startRelay({
    kafka: { topics: freezer.watch('topics', { ...kafka.topics, describe }), producer: byTopic },
    store: freezer.watch('store', watched),
    reader: freezer.watch('reader', store.reader),
    log,
    settings: { prefix, partitionCount, isCreating: true },
    owner,
    termTtlMs,
  })
  return {
    relay,
    freezer,
    mark: () => {
      isMarked = true
      hasMoved = false
    },
    unmark: () => {
      isMarked = false
      return hasMoved
    },
    isOut: () => new Promise((resolve) => (out = resolve)),
  }
}

const whileLeading = ['store.events', 'feed.send', 'decisions.send', 'store.commit']
const whileTakingOver = [
  'store.acquire', 'store.partitions', 'topics.describe', 'topics.offsets', 'topics.recordsAt', 'reader.identity',
  'store.fixPartitions', 'store.events', 'feed.send', 'store.commit',
]

/** A deployment with two relays, one of which leads. */
interface Lane {
  /** The two of them take turns as the zombie. */
  readonly run: (rounds: number) => Promise<void>
  /** Resolves when everything up to `position` is published and both are stopped. */
  readonly end: (position: number) => Promise<void>
}

async function openLane(lane: number): Promise<Lane> {
  const prefix = `${broker.topicPrefix}${lane}.`
  const names = topicNames(prefix)
  const random = seededRandom(seed + lane)
  const oneOf = <Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const expire = () => admin.query("UPDATE ledger.relay SET lease_until = '-infinity' WHERE topic = $1", [names.ledger])
  const cursors = async (): Promise<unknown> => {
    const { rows } = await admin.query(
      `SELECT relay.term, relay.position, relay.owner, cursor.* FROM ledger.relay JOIN ledger.relay_partition AS cursor
         ON cursor.topic IN ($1, $2) WHERE relay.topic = $1 ORDER BY cursor.topic, cursor.partition`,
      [names.ledger, names.decisions],
    )
    return rows
  }
  const leads = ({ relay }: Member, position: number) =>
    eventually(() => (relay.wake(), relay.status()), (status) => status.status === 'leading' && status.position >= position, 60_000, 5)
  const hold = async ({ relay, freezer }: Member, call: string, side: Side): Promise<void> => {
    const frozen = freezer.freezeAt(call, side)
    const waking = setInterval(relay.wake, 5)
    await frozen.finally(() => clearInterval(waking))
  }

  let leader = join(names, prefix, `${lane}-one`)
  await leads(leader, await append(5))
  let other = join(names, prefix, `${lane}-two`)
  const round = async (): Promise<void> => {
    const side = oneOf<Side>(['before', 'after'])
    let zombie = leader
    let heir = other
    if (random() < 0.5) {
      const isFrozen = hold(zombie, oneOf(whileLeading), side)
      await append(1 + Math.floor(random() * 8))
      await isFrozen
      await expire()
    } else {
      ;[zombie, heir] = [other, leader]
      await hold(heir, 'store.events', 'before')
      await expire()
      await hold(zombie, oneOf(whileTakingOver), side)
      await expire()
      heir.freezer.thaw()
    }
    await leads(heir, await append(1 + Math.floor(random() * 8)))
    // The heir looks away while the zombie wakes, and meanwhile there is more than it published.
    await hold(heir, 'store.events', 'before')
    const head = await append(1 + Math.floor(random() * 8))
    const before = await cursors()
    const isOut = zombie.isOut()
    zombie.mark()
    zombie.freezer.thaw()
    await isOut
    expect({ hasMoved: zombie.unmark(), cursors: await cursors() }).toEqual({ hasMoved: false, cursors: before })
    heir.freezer.thaw()
    await leads(heir, head)
    ;[leader, other] = [heir, zombie]
  }
  return {
    run: async (rounds) => {
      for (let done = 0; done < rounds; done += 1) await round()
    },
    end: async (position) => {
      await leads(leader, position)
      await Promise.all([leader, other].map(({ relay }) => relay.stop(5_000)))
    },
  }
}

/** What a reader applies who goes by term, position and `prev`: each position once, or the reason why not. */
async function appliedFrom(topic: string): Promise<{ readonly positions: readonly number[]; readonly marked: number; readonly voidCount: number }> {
  const places = new Map<number, { readonly term: number; readonly complete: number }>()
  const positions: number[] = []
  let [marked, voidCount] = [0, 0]
  for (const { partition, offset, headers, value } of await readTopic(kafka, topic)) {
    const { term, complete } = places.get(partition) ?? { term: 0, complete: 0 }
    const [ofTerm, prev] = [Number(headers['ce_relayterm']), Number(headers['ce_prev'])]
    const position = Number(headers['ce_position'] ?? 0)
    if (ofTerm < term) {
      voidCount += 1
      continue
    }
    if (prev > complete) throw new Error(`a gap at ${partition}/${offset}: ${prev} after ${complete}`)
    if (position > complete) {
      positions.push(position)
      if (Buffer.from(value ?? []).includes('TASK_STATE_FAILED')) marked += 1
    }
    places.set(partition, { term: ofTerm, complete: Math.max(complete, position) })
  }
  return { positions: positions.toSorted((one, two) => one - two), marked, voidCount }
}

async function appliedPartitions(): Promise<readonly number[] | undefined> {
  const response = await fetch(`${reconciler.url}/readyz`)
  return ((await response.json()) as { readonly feed?: { readonly partitions?: readonly number[] } }).feed?.partitions
}

/** Its state of every task, and what could not be folded, once everything up to `head` is applied. */
const readByReconciler = (head: number): Promise<readonly unknown[]> =>
  Promise.all(
    Array.from({ length: taskCount }, async (_, number) => {
      const response = await fetch(`${reconciler.url}/v1/tasks/${correlationIdOf(number)}?atLeast=${head}&timeoutMs=60000`)
      const { state, incomplete } = (await response.json()) as { readonly state?: string; readonly incomplete?: readonly number[] }
      return { state, incomplete }
    }),
  )

test(`no write of a relay counts that lost its term while it was stopped, ${roundCount} times (FAULT_SEED=${seed})`, { timeout: 1_800_000 }, async () => {
  const lanes = await Promise.all(Array.from({ length: laneCount }, (_, lane) => openLane(lane)))
  reconciler = await startService('reconciler', {
    DATABASE_URL: store.database.ledgerUrl,
    RECONCILER_DATABASE_URL: store.database.reconcilerUrl,
    LEDGER_URL: 'http://127.0.0.1:1',
    KAFKA_BROKERS: broker.brokers.join(','),
    KAFKA_TOPIC_PREFIX: `${broker.topicPrefix}0.`,
  })
  await eventually(appliedPartitions, (partitions) => partitions?.length === partitionCount)
  await Promise.all(lanes.map(({ run }, lane) => run(Math.ceil((roundCount - lane) / laneCount))))
  const { head } = await store.reader.identity()
  await Promise.all(lanes.map(({ end }) => end(head)))
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])

  const everyPosition = Array.from({ length: head }, (_, index) => index + 1)
  expect(await readByReconciler(head)).toEqual(Array.from({ length: taskCount }, () => ({ state: 'working' })))
  expect(reconciler.logged.filter((line) => line.includes('a gap in the feed'))).toEqual([])
  for (let lane = 0; lane < laneCount; lane += 1) {
    const applied = await appliedFrom(topicNames(`${broker.topicPrefix}${lane}.`).ledger)
    expect(applied).toMatchObject({ positions: everyPosition, marked: 0 })
    expect(applied.voidCount).toBeGreaterThan(0)
  }
})
