/**
 * What the feed by position and its one lease promise beside the contract of every feed (P1, P5, P7):
 * the feed port, wrapped and interrupted, and the lease, overtaken.
 */
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApplied } from '../src/app/applied.ts'
import { changeOf } from '../src/app/feed-change.ts'
import { followFeed, type FeedFollower } from '../src/app/follow-feed.ts'
import type { FactStore, FeedReader, FeedSlice, Lease } from '../src/app/ports.ts'
import { silentLog, testTimer } from './open-test-store.ts'
import { seenTask, type TestEvent } from './ledger-tables.ts'

export interface TailUnderTest {
  readonly feed: FeedReader
  readonly store: FactStore
  readonly openStore: (foldVersion?: number) => FactStore
  /** Records events and answers the last position. */
  readonly append: (events: readonly TestEvent[]) => Promise<number>
  /** Whatever wakes a waiting reader is dead from now on. */
  readonly breakWakeUp: () => Promise<void>
  readonly end: () => Promise<void>
}

export function tailContract(name: string, make: () => Promise<TailUnderTest>): void {
  describe(`the feed by position: ${name}`, () => {
    let it: TailUnderTest
    let followers: FeedFollower[]
    beforeEach(async () => {
      it = await make()
      followers = []
    })
    afterEach(async () => {
      await Promise.all(followers.map((follower) => follower.stop()))
      await it.end()
    })

    const follow = (feed: FeedReader = it.feed, options: { readonly leaseTtlMs?: number; readonly store?: FactStore } = {}): FeedFollower => {
      const store = options.store ?? it.store
      const follower = followFeed(
        { feed, store, timer: testTimer, log: silentLog, codec: nodeCodec, applied: createApplied(store, testTimer), onApplied: () => undefined },
        { owner: `owner-${followers.length}`, leaseTtlMs: options.leaseTtlMs ?? 5_000, pollMs: 50, batchCountMax: 3 },
      )
      followers.push(follower)
      return follower
    }
    const appliedPosition = async (): Promise<number> => (await it.store.progress()).appliedPosition
    const positionsOf = async (correlationId: string): Promise<readonly number[]> => {
      const lookup = (await it.store.wholeTasks([correlationId])).content.get(correlationId)
      return lookup?.outcome === 'found' ? lookup.record.facts.map(({ position }) => position) : []
    }
    const untilApplied = (position: number): Promise<void> =>
      expect.poll(appliedPosition, { timeout: 10_000, interval: 20 }).toBe(position)
    const acquire = async (store: FactStore, owner: string, ttlMs: number): Promise<Lease> => {
      const lease = await store.acquire(owner, ttlMs)
      if (lease === undefined) throw new Error('the lease is held by another process')
      return lease
    }
    const changeAt = async (lease: Lease) => {
      const { events, ledger } = await it.feed.after(lease.nextPosition - 1, 100)
      if (ledger === undefined) throw new Error('the ledger is empty')
      return changeOf(events, ledger, nodeCodec)
    }

    test('a reader gets events after a position, ascending, no more than it asks for, and the head', async () => {
      await it.append(seenTask('k1', 5))
      const slice = await it.feed.after(2, 2)
      expect(slice.events.map(({ position }) => position)).toEqual([3, 4])
      expect(slice.head).toBe(5)
      expect(await it.feed.head()).toBe(5)
      expect((await it.feed.at([5, 1, 99])).map(({ position }) => position)).toEqual([1, 5])
      expect((await it.feed.after(5, 2)).events).toEqual([])
    })

    test('events that are delivered again change nothing', async () => {
      await it.append(seenTask('k1', 4))
      const again: FeedReader = { ...it.feed, after: (position, count) => it.feed.after(Math.max(0, position - 2), count + 2) }
      follow(again)
      await untilApplied(4)
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 4])
    })

    test('a gap ends the run there, and is read again', async () => {
      await it.append(seenTask('k1', 6))
      let isFirst = true
      const withGap = async (position: number, count: number): Promise<FeedSlice> => {
        const slice = await it.feed.after(position, count)
        if (!isFirst) return slice
        isFirst = false
        return { ...slice, events: slice.events.filter((event) => event.position !== 2) }
      }
      follow({ ...it.feed, after: withGap })
      await untilApplied(6)
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 4, 5, 6])
    })

    test('a crash before the commit leaves nothing, and the next owner applies the same events', async () => {
      await it.append(seenTask('k1', 3))
      const change = await changeAt(await acquire(it.store, 'one', 100))
      // The last entry cannot be stored, so the transaction ends in the middle.
      const last = change.entries.at(-1)
      if (last === undefined) throw new Error('no entry')
      const broken = { ...change, entries: [...change.entries, { ...last, correlationId: 'a\u0000b' }] }
      expect(await it.store.apply(broken, await acquire(it.store, 'one', 100))).toMatchObject({ outcome: 'refused' })
      expect(await appliedPosition()).toBe(0)
      expect(await positionsOf('k1')).toEqual([])
      follow()
      await untilApplied(3)
      expect(await positionsOf('k1')).toEqual([1, 2, 3])
    })

    test('a crash after the commit applies nothing twice', async () => {
      await it.append(seenTask('k1', 3))
      const lease = await acquire(it.store, 'one', 100)
      const change = await changeAt(lease)
      expect(await it.store.apply(change, lease)).toEqual({ outcome: 'applied' })
      expect(await it.store.apply(change, lease)).toEqual({ outcome: 'moved' })
      expect(await positionsOf('k1')).toEqual([1, 2, 3])
    })

    test('a zombie cannot commit after another process took over, and changes nothing', async () => {
      await it.append(seenTask('k1', 2))
      const zombie = await acquire(it.store, 'zombie', 1)
      const change = await changeAt(zombie)
      const other = it.openStore()
      await expect.poll(() => other.acquire('next', 5_000)).toBeDefined()
      expect(await it.store.apply(change, zombie)).toEqual({ outcome: 'fenced' })
      expect(await it.store.renew(zombie, 5_000)).toBe(false)
      expect(await appliedPosition()).toBe(0)
    })

    test('one process applies while others wait, and one of them goes on when it is gone', async () => {
      await it.append(seenTask('k1', 1))
      const first = follow()
      await untilApplied(1)
      const second = follow(it.feed, { store: it.openStore() })
      await it.append(seenTask('k1', 1))
      await untilApplied(2)
      expect(second.status().status).toBe('waiting')
      await first.stop()
      await it.append(seenTask('k1', 1))
      await untilApplied(3)
      expect(await positionsOf('k1')).toEqual([1, 2, 3])
    })

    test('a dead wake-up only makes it slower', async () => {
      follow()
      await it.append(seenTask('k1', 1))
      await untilApplied(1)
      await it.breakWakeUp()
      await it.append(seenTask('k1', 1))
      await untilApplied(2)
    })


    test('what an older fold made is folded again, what a newer one made is left alone', async () => {
      await it.append(seenTask('k1', 2))
      const first = follow(it.feed, { store: it.openStore(7) })
      await untilApplied(2)
      await first.stop()
      await expect(it.openStore(6).acquire('older', 1_000)).rejects.toThrow('newer version')
      expect(await appliedPosition()).toBe(2)
      const newer = await acquire(it.openStore(8), 'newer', 1_000)
      expect(newer.nextPosition).toBe(1)
      expect(await positionsOf('k1')).toEqual([])
    })
  })
}
