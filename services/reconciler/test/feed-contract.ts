/**
 * What a feed and its projection promise together (P1, P5, P6, P7, L7, V4): every event is applied
 * once and in order, whoever applies it; processes share the partitions; a question is decided once;
 * another ledger is noticed.
 *
 * Runs for every feed; `make` gives a fresh one on an empty ledger.
 */
import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApplied } from '../src/app/applied.ts'
import { isInShare } from '../src/app/partition-store.ts'
import type { FactStore, FeedReader, WorkShare } from '../src/app/ports.ts'
import { keepSettling, settleNext, type SettlePorts } from '../src/app/settle-tasks.ts'
import { createDecidingLedger } from './ledger-double.ts'
import { enrolled, lost, seenTask, type TestEvent } from './ledger-tables.ts'
import { silentLog, testFold, testTimer } from './open-test-store.ts'

export interface RunningFeed {
  readonly status: () => { readonly status: string; readonly detail?: string }
  readonly share: () => WorkShare
  readonly stop: () => Promise<void>
}

export interface FeedUnderTest {
  readonly admin: pg.ClientBase
  readonly store: FactStore
  readonly feed: FeedReader
  readonly partitionCount: number
  /** A process that applies its share. Its leases are longer than a test: what it leaves is given back. */
  readonly follow: (foldVersion: number) => RunningFeed
  /** Records events, so that the feed shows them, and answers the last position. */
  readonly append: (events: readonly TestEvent[]) => Promise<number>
  /** The ledger begins a new life, or ends at `position`. */
  readonly rewind: (how: { readonly to: 'other-ledger' | 'other-epoch' } | { readonly head: number }) => Promise<void>
  readonly end: () => Promise<void>
}

export function feedContract(name: string, make: () => Promise<FeedUnderTest>): void {
  describe(`the feed: ${name}`, () => {
    let it: FeedUnderTest
    let running: RunningFeed[]
    beforeEach(async () => {
      it = await make()
      running = []
    })
    afterEach(async () => {
      await Promise.all(running.map((feed) => feed.stop()))
      await it.end()
    })

    const follow = (version = foldVersion): RunningFeed => {
      const feed = it.follow(version)
      running.push(feed)
      return feed
    }
    const appliedPosition = async (): Promise<number> => (await it.store.progress()).appliedPosition
    const positionsOf = async (correlationId: string): Promise<readonly number[]> => {
      const lookup = (await it.store.wholeTasks([correlationId])).content.get(correlationId)
      return lookup?.outcome === 'found' ? lookup.record.facts.map(({ position }) => position) : []
    }
    const untilApplied = (position: number): Promise<void> =>
      expect.poll(appliedPosition, { interval: 20 }).toBe(position)
    const partitionsOf = (feeds: readonly RunningFeed[]): readonly number[] =>
      feeds.flatMap((feed) => feed.share().partitions).toSorted((one, other) => one - other)
    const everyPartition = (): readonly number[] => Array.from({ length: it.partitionCount }, (_, partition) => partition)
    /** Each partition is of one of them, and none has more than one more than another. */
    const untilShared = (feeds: readonly RunningFeed[]): Promise<void> =>
      expect
        .poll(
          () => {
            const counts = feeds.map((feed) => feed.share().partitions.length)
            return { partitions: partitionsOf(feeds), isEven: Math.max(...counts) - Math.min(...counts) <= 1 }
          },
          { interval: 20 },
        )
        .toEqual({ partitions: everyPartition(), isEven: true })
    /** Two processes, and a correlation ID that begins with `prefix` in the share of each. */
    const two = async (prefix: string): Promise<readonly { readonly feed: RunningFeed; readonly correlationId: string }[]> => {
      await it.append(seenTask('first', 1)) // a topic has partitions once something was relayed
      const feeds = [follow(), follow()]
      await untilShared(feeds)
      return feeds.map((feed) => {
        const correlationId = Array.from({ length: 100 }, (_, n) => `${prefix}${n}`).find((id) => isInShare(feed.share(), id, nodeCodec))
        if (correlationId === undefined) throw new Error('no such correlation ID')
        return { feed, correlationId }
      })
    }

    test('every event is applied once and in order, what is there already and what comes later', async () => {
      await it.append(seenTask('k1', 5))
      follow()
      await untilApplied(5)
      await it.append([...seenTask('k2', 2), ...seenTask('k1', 1)])
      await untilApplied(8)
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 4, 5, 8])
      expect(await positionsOf('k2')).toEqual([6, 7])
    })

    test('a second process goes on where the first one ended, and nothing is applied twice', async () => {
      await it.append(seenTask('k1', 2))
      const first = follow()
      await untilApplied(2)
      follow()
      await it.append([...seenTask('k1', 1), ...seenTask('k2', 1)])
      await untilApplied(4)
      await first.stop()
      await it.append([...seenTask('k1', 1), ...seenTask('k2', 1)])
      await untilApplied(6)
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 5])
      expect(await positionsOf('k2')).toEqual([4, 6])
    })

    test('processes that start at once share the partitions, and everything is applied once, whoever comes and goes', async () => {
      const correlationIds = Array.from({ length: 20 }, (_, n) => `shared-${n}`)
      const expected = new Map(correlationIds.map((id) => [id, [] as number[]]))
      const record = async (): Promise<number> => {
        const events = correlationIds.flatMap((id) => seenTask(id, 1))
        const last = await it.append(events)
        for (const [index, id] of correlationIds.entries()) expected.get(id)?.push(last - events.length + index + 1)
        return last
      }
      await record()
      const [one, other] = [follow(), follow()]
      await untilShared([one, other])
      await untilApplied(await record())
      const third = follow()
      await untilShared([one, other, third])
      await untilApplied(await record())
      await one.stop()
      await untilShared([other, third])
      await untilApplied(await record())
      await other.stop()
      await untilApplied(await record())
      await untilShared([third])
      for (const [id, positions] of expected) expect(await positionsOf(id)).toEqual(positions)
    })

    test('a link that comes late joins two streams of two processes', async () => {
      const [real, synthetic] = await two('late-')
      if (real === undefined || synthetic === undefined) throw new Error('two are there')
      const [to] = [real.correlationId]
      // Its name decides whose it is, so the name of the task is looked for.
      const from = Array.from({ length: 100 }, (_, n) => `~w1/t${n}`).find((id) => isInShare(synthetic.feed.share(), id, nodeCodec)) ?? ''
      await it.append([...seenTask(from, 2), ...seenTask(to, 1)])
      await untilApplied(4)
      await it.append([{ type: 'ledger.correlation-linked', correlationId: to, data: { from, to } }, ...seenTask(to, 1)])
      await untilApplied(6)
      expect(await positionsOf(to)).toEqual([2, 3, 4, 5, 6])
      expect((await it.store.tasks([from])).content.get(from)).toEqual({ outcome: 'merged', into: to })
    })

    test('a change of a worker has the tasks of every process looked at again, each by its own', async () => {
      const both = await two('recheck-')
      const correlationIds = both.map(({ correlationId }) => correlationId)
      await untilApplied(await it.append(correlationIds.flatMap((id) => seenTask(id, 1))))
      const ledger = createDecidingLedger(it.admin, it.append)
      const portsOf = ({ feed }: (typeof both)[number]): SettlePorts => ({
        feed: it.feed, store: it.store, ledger: ledger.clientOf('any'), log: silentLog, fold: testFold, share: feed.share,
      })
      const settleAll = async (): Promise<void> => {
        for (const each of both) while (await settleNext(portsOf(each), createApplied(it.store, testTimer))) continue
      }
      await settleAll()
      expect(await it.store.queue()).toMatchObject({ recheckCount: 0, settledPosition: 3 })
      await untilApplied(await it.append([enrolled('w1', { mesh: 'm' })]))
      while (await it.store.spreadWorkerRechecks(10)) continue
      for (const { feed, correlationId } of both) {
        const own = await it.store.takeWork(10, false, feed.share())
        expect(own).toContain(correlationId)
        expect(correlationIds.filter((id) => own.includes(id))).toEqual([correlationId])
      }
      await settleAll()
      expect(await it.store.queue()).toMatchObject({ recheckCount: 0, settledPosition: 4 })
    })

    test('every question is decided once, by the process whose task it is, on everything that is recorded', async () => {
      const both = await two('decide-')
      const ledger = createDecidingLedger(it.admin, it.append)
      const settlers = both.map(({ feed, correlationId }) =>
        keepSettling(
          { feed: it.feed, store: it.store, ledger: ledger.clientOf(correlationId), log: silentLog, fold: testFold, share: feed.share },
          createApplied(it.store, testTimer),
          testTimer,
          () => true,
        ),
      )
      const correlationIds = Array.from({ length: 12 }, (_, n) => `question-${n}`)
      for (const id of correlationIds) await it.append(lost(id))
      for (const settler of settlers) settler.wake()
      await expect.poll(() => ledger.recorded.length, { interval: 20 }).toBe(correlationIds.length)
      await untilApplied(1 + 3 * correlationIds.length)
      await expect.poll(async () => (await it.store.queue()).settledPosition, { interval: 20 }).toBe(1 + 3 * correlationIds.length)
      await Promise.all(settlers.map((settler) => settler.stop()))
      expect(ledger.recorded.map(({ correlationId }) => correlationId).toSorted()).toEqual(correlationIds.toSorted())
      for (const { by, correlationId } of ledger.recorded) {
        expect(by).toBe(both.find(({ feed }) => isInShare(feed.share(), correlationId, nodeCodec))?.correlationId)
      }
    })

    test.each([
      ['another ledger', { to: 'other-ledger' as const }, /ledger/],
      ['another epoch', { to: 'other-epoch' as const }, /epoch/],
      ['an end before what was applied', { head: 1 }, /ends at position 1/],
    ])('%s stops it and says so', async (_name, how, detail) => {
      await it.append(seenTask('k1', 3))
      const before = follow()
      await untilApplied(3)
      await before.stop()
      await it.rewind(how)
      if ('to' in how) await it.append(seenTask('k1', 1))
      const follower = follow()
      await expect.poll(() => follower.status().status).toBe('rewound')
      expect(follower.status()).toMatchObject({ detail: expect.stringMatching(detail) })
      expect(await appliedPosition()).toBe(3)
    })

    test('an event that cannot be read leaves its task incomplete, and the others go on', async () => {
      await it.append([...seenTask('k1', 1), { type: 'reconciler.verdict', correlationId: 'k1', data: '{"kind":1}' }, ...seenTask('k2', 1)])
      follow()
      await untilApplied(3)
      const lookup = (await it.store.tasks(['k1'])).content.get('k1')
      const kinds = lookup?.outcome === 'found' ? lookup.record.facts.map(({ kind }) => kind) : []
      expect(kinds).toEqual(['report', 'unreadable'])
      expect(await positionsOf('k2')).toEqual([3])
    })

    test('an event whose facts cannot be stored does not hold up the others', async () => {
      await it.append([...seenTask('k1', 1), enrolled('w9', { mesh: 'a\u0000b' }), ...seenTask('k2', 3)])
      follow()
      await untilApplied(5)
      expect(await positionsOf('k2')).toEqual([3, 4, 5])
    })

    test('what an older fold made is folded again', async () => {
      await it.append([...seenTask('k1', 2), ...seenTask('k2', 1)])
      const first = follow(7)
      await untilApplied(3)
      await first.stop()
      await it.append(seenTask('k1', 1))
      follow(8)
      await untilApplied(4)
      expect(await positionsOf('k1')).toEqual([1, 2, 4])
      expect(await positionsOf('k2')).toEqual([3])
    })
  })
}
