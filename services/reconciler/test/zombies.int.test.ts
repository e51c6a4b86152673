/**
 * A process that is stopped between reading and committing, loses its place and is resumed: nothing
 * that it writes then counts, neither rows nor places in the feed nor verdicts (P5, V4, L14).
 *
 * Round by round one of two processes is stopped at an await. The other one takes over, applies and
 * decides; what stands then stands when the first one has come back. The seed draws the order.
 */
import { randomInt } from 'node:crypto'
import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { followKafkaFeed } from '../src/adapters/kafka/follow-kafka-feed.ts'
import { writeChange } from '../src/adapters/postgres/apply-change.ts'
import { createPostgresFactStore } from '../src/adapters/postgres/fact-store.ts'
import { foldedTables } from '../src/adapters/postgres/feed-places.ts'
import { createPostgresTopicPartitions, partitionCountOf } from '../src/adapters/postgres/partition-store.ts'
import { createApplied } from '../src/app/applied.ts'
import { followTail } from '../src/app/follow-tail.ts'
import { changeOf } from '../src/app/feed-change.ts'
import { isInShare, type PartitionLease, type PartitionStore } from '../src/app/partition-store.ts'
import type { FactStore, FeedChange, LedgerClient, WorkShare } from '../src/app/ports.ts'
import { keepSettling } from '../src/app/settle-tasks.ts'
import { createFeedTopic } from './feed-topic.ts'
import { createDecidingLedger, type DecidingLedger } from './ledger-double.ts'
import { appendEvents, inTurn, lost, seenTask, type TestEvent } from './ledger-tables.ts'
import { createMemoryKafka } from './memory-kafka.ts'
import { openTestStore, silentLog, testFold, type TestStore } from './open-test-store.ts'
import { createStoppable, shuffled, type Stoppable } from './stoppable.ts'

const seed = Number(process.env['ZOMBIE_SEED'] ?? randomInt(1_000_000))
const roundCount = 200
const leaseTtlMs = 600_000
const topicPartitionCount = 4
/** So soon the server frees what a process holds that was stopped within a transaction. */
const idleInTransactionMsMax = 100

/** Where a process is stopped: applying, in the transaction, settling, and on the way to a verdict. */
const points = [
  'places.apply before', 'in the transaction', 'before its commit', 'places.apply behind', 'feed.head behind', 'store.takeWork behind',
  'store.tasks behind', 'store.saveSettled before', 'store.saveSettled behind', 'store.candidates behind', 'ledger.append before',
  'the verdict is on its way',
]

interface Round {
  readonly who: 0 | 1
  readonly where: string
  /** The streams move on before it is resumed. */
  readonly moves: boolean
  /** Its own clock went on, so that it can know; else it was others who shut it out. */
  readonly leapMs: number
}

const roundsAt = (where: string): readonly Round[] =>
  ([0, 1] as const).flatMap((who) => [true, false].flatMap((moves) => [0, leaseTtlMs].map((leapMs) => ({ who, where, moves, leapMs }))))

interface SharedFeed {
  readonly append: (events: readonly TestEvent[]) => Promise<number>
  readonly follow: (process: Stoppable, pool: pg.Pool, onApplied: () => void) => { readonly share: () => WorkShare; readonly stop: () => Promise<void> }
  /** By what tells who lives this one does not any more; what it had sent before it was stopped may say once more that it does. */
  readonly shutOut: (process: Stoppable) => Promise<void>
  /** Who waits for something new looks now. */
  readonly wake: () => Promise<void>
}

interface Running {
  readonly process: Stoppable
  readonly share: () => WorkShare
  /** How often it looked for work. */
  readonly looks: () => number
  readonly wake: () => void
  /** What came of its attempts to apply or to decide. */
  readonly outcomes: string[]
  readonly stop: () => Promise<void>
}

async function tailOf({ admin, feed, store, openSlots }: TestStore): Promise<SharedFeed> {
  const wake = async (): Promise<void> => void (await admin.query('NOTIFY a2a_ledger_head'))
  return {
    append: inTurn(async (events) => {
      const position = await appendEvents(admin, events)
      await wake()
      return position
    }),
    wake,
    follow: (process, pool, onApplied) =>
      followTail(
        {
          feed: process.gated('feed', feed), store: process.gated('places', openSlots({ pool, leaseTtlMs, write: stoppableWrite(process) })),
          timer: process.timer, codec: nodeCodec, log: silentLog, outage: createOutage(), applied: createApplied(store, process.timer), onApplied,
        },
        { member: process.name, pollMs: 100, batchCountMax: 10 },
      ),
    shutOut: async ({ name }) => {
      await admin.query("UPDATE reconciler.feed_partitions SET lease_until = '-infinity' WHERE owner = $1", [name])
      await admin.query("UPDATE reconciler.feed_members SET lease_until = '-infinity' WHERE member = $1", [name])
    },
  }
}

async function topicOf({ admin, feed }: TestStore): Promise<SharedFeed> {
  const kafka = createMemoryKafka(topicPartitionCount)
  const topic = 'a2a.ledger'
  const published = await createFeedTopic(kafka, admin, topic, topicPartitionCount)
  return {
    append: inTurn(async (events) => {
      const position = await appendEvents(admin, events)
      await published.publish()
      return position
    }),
    follow: (process, pool, onApplied) => {
      const store = createPostgresTopicPartitions({ pool, group: 'reconciler', topic, foldVersion, write: stoppableWrite(process) })
      let heardMs = process.timer.elapsedMs()
      const own = {
        pass: async (point: string) => {
          await process.pass(point)
          heardMs = process.timer.elapsedMs()
        },
        isMember: () => process.timer.elapsedMs() - heardMs < leaseTtlMs,
      }
      const { share, stop } = followKafkaFeed(
        {
          kafka: kafka.connect(process.name, own), feed: process.gated('feed', feed), store: process.gated('places', store),
          levelTail: async () => undefined, partitionCount: () => partitionCountOf(pool, topic), codec: nodeCodec, log: silentLog, onApplied,
        },
        { topic, groupId: 'reconciler', sessionTimeoutMs: leaseTtlMs },
      )
      return { share, stop: () => stop(5_000) }
    },
    shutOut: async ({ name }) => kafka.evict(name),
    wake: async () => undefined,
  }
}

const stoppableWrite =
  (process: Stoppable) =>
  async (client: pg.ClientBase, change: FeedChange): Promise<void> => {
    await process.pass('in the transaction')
    await writeChange(client, change)
    await process.pass('before its commit')
  }

/** A process with everything that a reconciler has running: it applies its share and settles it. */
function start(it: TestStore, shared: SharedFeed, ledger: DecidingLedger, name: string): Running {
  const process = createStoppable(name)
  const pool = it.openPool({ name, idleInTransactionMsMax })
  const outcomes: string[] = []
  let lookCount = 0
  const factStore = createPostgresFactStore(pool)
  const counted: FactStore = {
    ...factStore,
    takeWork: (...values) => {
      lookCount += 1
      return factStore.takeWork(...values)
    },
  }
  const client = process.gated('ledger', ledger.clientOf(name, () => process.pass('the verdict is on its way')))
  const noted: LedgerClient = {
    ...client,
    append: async (...values) => {
      const outcome = await client.append(...values)
      outcomes.push(outcome.outcome)
      return outcome
    },
  }
  const following = shared.follow(process, pool, () => settler.wake())
  const settler = keepSettling(
    { feed: process.gated('feed', it.feed), store: process.gated('store', counted), ledger: noted, log: silentLog, fold: testFold, share: following.share },
    createApplied(it.store, process.timer),
    process.timer,
    () => following.share().partitions.length > 0,
  )
  return {
    process,
    share: following.share,
    looks: () => lookCount,
    wake: settler.wake,
    outcomes,
    stop: async () => {
      await settler.stop()
      await following.stop()
    },
  }
}

describe.concurrent.each([
  ['the Postgres tail', 12, ['feed.after before', 'feed.after behind'], tailOf],
  ['a Kafka topic', topicPartitionCount, ['kafka.fetch', 'kafka.heartbeat'], topicOf],
])('a process that was stopped, on %s', (_name, partitionCount, readingPoints, open) => {
  const every = [...readingPoints, ...points].flatMap(roundsAt)
  const rounds = [...shuffled(every, seed), ...shuffled(every, seed + 1)].slice(0, roundCount)
  let it: TestStore
  let shared: SharedFeed
  let ledger: DecidingLedger
  let all: readonly Running[]
  beforeAll(async () => {
    it = await openQuick()
    shared = await open(it)
    ledger = createDecidingLedger(it.admin, shared.append)
    await shared.append(seenTask('first', 1))
    all = ['one', 'other'].map((name) => start(it, shared, ledger, name))
  })
  afterAll(async () => {
    for (const { process } of all) process.resume(0)
    await Promise.all(all.map((running) => running.stop()))
    await it.end()
  })

  let now = ''
  const until = (look: () => unknown, expected: unknown) =>
    vi.waitFor(async () => expect(await look(), now).toEqual(expected), { timeout: 60_000, interval: 25 })
  const sharesOf = () => all.map(({ share }) => share().partitions.length)
  const untilShared = () =>
    until(async () => {
      await shared.wake()
      return [Math.max(...sharesOf()) - Math.min(...sharesOf()), sharesOf().reduce((sum, count) => sum + count, 0)]
    }, [0, partitionCount])
  /** Everything that is recorded is applied and looked at, and these questions are decided: what is to be tried again later is due now. */
  const untilSettled = (correlationIds: readonly string[], by: Running) =>
    until(async () => {
      const decided = new Set(ledger.recorded.map(({ correlationId }) => correlationId))
      const left = correlationIds.filter((id) => !decided.has(id))
      if (left.length > 0) {
        const { rowCount } = await it.admin.query('UPDATE reconciler.task_list SET due_at_ms = 0 WHERE due_at_ms > 0')
        if (rowCount !== 0) by.wake()
        return { left }
      }
      const [{ appliedPosition }, { recheckCount, settledPosition }, head] = [await it.store.progress(), await it.store.queue(), await it.feed.head()]
      return { left, recheckCount, applied: head - appliedPosition, settled: head - settledPosition }
    }, { left: [], recheckCount: 0, applied: 0, settled: 0 })
  /**
   * Every folded row and every place in the feed, but for whose it is, and for how new the look at a
   * task is: one that found its work before it was stopped may look at it anew, and finds the same.
   * Rows that nobody wrote since the transaction `since` are counted.
   */
  const everything = async (since: string): Promise<ReadonlyMap<string, string>> => {
    const digests = foldedTables.map((table) => {
      const told = table === 'task_list' ? "(to_jsonb(row) - 'settled_position')::text" : 'row::text'
      const isNew = `row.xmin::text::bigint >= ${since}`
      return `SELECT '${table}' AS name, count(*) || ' ' || coalesce(sum(hashtextextended(${told}, 0)) FILTER (WHERE ${isNew}), 0)
                || ' ' || count(*) FILTER (WHERE ${isNew}) AS digest FROM reconciler.${table} AS row`
    })
    const { rows } = await it.admin.query<{ name: string; digest: string }>(
      [...digests, "SELECT 'places', string_agg(partition || ':' || complete_position, ' ' ORDER BY partition) FROM reconciler.feed_partitions"].join(' UNION ALL '),
    )
    return new Map([...rows.map(({ name, digest }): [string, string] => [name, digest]), ['verdicts', JSON.stringify(ledger.recorded)]])
  }
  const correlationIdsIn = (running: Running, prefix: string, count: number): readonly string[] =>
    Array.from({ length: 100 }, (_, n) => `${prefix}-${n}`).filter((id) => isInShare(running.share(), id, nodeCodec)).slice(0, count)

  const play = async ({ who, where, moves, leapMs }: Round, n: number): Promise<void> => {
    const [zombie, next] = [all[who], all[1 - who]]
    if (zombie === undefined || next === undefined) throw new Error('two are there')
    now = `round ${n}: ${JSON.stringify({ who, where, moves, leapMs })}`
    await untilShared()
    const { rows: [begun] } = await it.admin.query<{ since: string }>('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS since')
    const since = begun?.since ?? '0'
    const own = correlationIdsIn(zombie, `r${n}-own`, 2)
    const others = correlationIdsIn(next, `r${n}-other`, 1)
    const stopped = zombie.process.stopAt(where)
    await shared.append([...own, ...others].flatMap(lost))
    await stopped
    const takenOver = async (): Promise<number> => {
      await shared.shutOut(zombie.process)
      await shared.wake()
      return next.share().partitions.length
    }
    await until(takenOver, partitionCount)
    await untilSettled([...own, ...others], next)
    if (moves) {
      await shared.append(own.flatMap((id) => seenTask(id, 1, 'TASK_STATE_COMPLETED')))
      await untilSettled([], next)
    }
    const before = await everything(since)
    const looks = zombie.looks()
    zombie.process.resume(leapMs)
    await untilShared()
    zombie.wake()
    await until(() => zombie.looks() > looks, true)
    expect(await everything(since), now).toEqual(before)
  }

  test(`in ${roundCount} rounds nothing that it writes when it is resumed counts (ZOMBIE_SEED=${seed})`, { timeout: 1_800_000 }, async () => {
    for (const [n, round] of rounds.entries()) await play(round, n)
    await expectEachOnce(it)
    const decisions = ledger.recorded.map(({ id }) => id)
    expect(new Set(decisions).size).toBe(decisions.length)
    // Some of them came too late with a verdict: that was tried, and refused.
    expect(all.flatMap(({ outcomes }) => outcomes)).toEqual(expect.arrayContaining(['recorded', 'duplicate', 'stale']))
  })
})

/** A store whose server keeps running: no commit waits for the disk. */
async function openQuick(): Promise<TestStore> {
  const it = await openTestStore()
  await it.admin.query(`ALTER DATABASE ${it.database.name} SET synchronous_commit = off`)
  return it
}

/** Takes one and the same place over, whoever had it. */
interface SharedPlace {
  readonly store: PartitionStore
  readonly acquire: () => Promise<readonly PartitionLease[]>
}

const slotOf = ({ openSlots }: TestStore): SharedPlace => {
  const slots = openSlots()
  return { store: slots, acquire: async () => (await slots.take('any', { countMax: 1, held: [], fromOthers: true })).leases }
}

const partitionIn = ({ openPool }: TestStore): SharedPlace => {
  const store = createPostgresTopicPartitions({ pool: openPool(), group: 'reconciler', topic: 'a2a.ledger', foldVersion })
  return { store, acquire: async () => (await store.acquire([0], topicPartitionCount)).leases }
}

test.concurrent.each([
  ['a slot of the Postgres tail', slotOf],
  ['a partition of a Kafka topic', partitionIn],
])(`of ${roundCount} leases of %s that are taken over with an event in hand, none writes anything`, async (_name, open) => {
  const it = await openQuick()
  const { store, acquire } = open(it)
  await appendEvents(it.admin, Array.from({ length: roundCount }, (_, n) => seenTask(`c-${n % 13}`, 1)).flat())
  let [zombie] = await acquire()
  for (let position = 1; position <= roundCount; position += 1) {
    const { events, ledger } = await it.feed.after(position - 1, 1)
    const [lease] = await acquire()
    if (zombie === undefined || lease === undefined || ledger === undefined) throw new Error('no lease or no ledger')
    const applyBy = (own: PartitionLease) =>
      store.apply([{ lease: own, to: { nextOffset: position, completePosition: position } }], changeOf(events, ledger, nodeCodec))
    expect(await applyBy(zombie)).toEqual({ outcome: 'fenced' })
    expect(await applyBy(lease)).toEqual({ outcome: 'applied' })
    expect(await applyBy(lease)).toEqual({ outcome: 'moved' })
    zombie = lease
  }
  await expectEachOnce(it)
  await it.end()
})

/** Every event that is recorded is folded, and none of them twice. */
async function expectEachOnce({ admin }: TestStore): Promise<void> {
  const { rows } = await admin.query<{ recorded: string; folded: string; positions: string }>(
    `SELECT (SELECT count(*) FROM ledger.events) AS recorded, count(*) AS folded, count(DISTINCT position) AS positions
       FROM (SELECT position FROM reconciler.facts UNION ALL SELECT position FROM reconciler.inside_facts) AS fact`,
  )
  expect(rows[0]).toEqual({ recorded: rows[0]?.recorded, folded: rows[0]?.recorded, positions: rows[0]?.recorded })
}
