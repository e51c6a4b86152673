/**
 * What the feed by position and its leased slots promise beside the contract of every feed (P1, P5,
 * P7): the feed port, wrapped and interrupted, and leases, overtaken.
 */
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApplied } from '../src/app/applied.ts'
import { changeOf } from '../src/app/feed-change.ts'
import { followTail, type TailFollower } from '../src/app/follow-tail.ts'
import { partitionOf, type Acquired, type PartitionLease, type SlotStore } from '../src/app/partition-store.ts'
import type { FactStore, FeedChange, FeedReader, FeedSlice, Timer } from '../src/app/ports.ts'
import { silentLog, testTimer } from './open-test-store.ts'
import { seenTask, type TestEvent } from './ledger-tables.ts'

export interface TailUnderTest {
  readonly feed: FeedReader
  readonly store: FactStore
  /** Another process; a lease is longer than a test, if nothing else is said. */
  readonly openSlots: (options?: {
    readonly foldVersion?: number
    readonly leaseTtlMs?: number
    readonly write?: (client: pg.ClientBase, change: FeedChange) => Promise<void>
  }) => SlotStore
  /** A process that can be killed, as far as the database sees it: its session ends. */
  readonly openMortal: () => { readonly slots: SlotStore; readonly kill: () => Promise<void> }
  /** The sessions of all processes break; they go on, and may open others. */
  readonly breakSessions: () => Promise<void>
  /** Records events and answers the last position. */
  readonly append: (events: readonly TestEvent[]) => Promise<number>
  /** Whatever wakes a waiting reader is dead from now on. */
  readonly breakWakeUp: () => Promise<void>
  /** By the database's clock every lease is over, of members and of slots. */
  readonly expire: () => Promise<void>
  readonly end: () => Promise<void>
}

const slotCount = 12
const all = { countMax: Infinity, held: [] }

export function tailContract(name: string, make: () => Promise<TailUnderTest>): void {
  describe(`the feed by position: ${name}`, () => {
    let it: TailUnderTest
    let followers: TailFollower[]
    beforeEach(async () => {
      it = await make()
      followers = []
    })
    afterEach(async () => {
      await Promise.all(followers.map((follower) => follower.stop()))
      await it.end()
    })

    const follow = (
      { feed = it.feed, slots = it.openSlots(), timer = testTimer }: { readonly feed?: FeedReader; readonly slots?: SlotStore; readonly timer?: Timer } = {},
    ): TailFollower => {
      const follower = followTail(
        { feed, store: slots, timer, log: silentLog, outage: createOutage(), codec: nodeCodec, applied: createApplied(it.store, testTimer), onApplied: () => undefined },
        { member: `member-${followers.length}`, pollMs: 50, batchCountMax: 3 },
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
      expect.poll(appliedPosition, { interval: 20 }).toBe(position)
    const partitionsOf = ({ leases }: Pick<Acquired, 'leases'>): readonly number[] => leases.map(({ partition }) => partition)
    const everySlot = Array.from({ length: slotCount }, (_, slot) => slot)
    const movesOf = (leases: readonly PartitionLease[], completePosition: number) =>
      leases.map((lease) => ({ lease, to: { nextOffset: undefined, completePosition } }))
    /** Everything that is recorded, for one transaction. */
    const everything = async () => {
      const { events, ledger, head } = await it.feed.after(0, 100)
      if (ledger === undefined) throw new Error('the ledger is empty')
      return { change: changeOf(events, ledger, nodeCodec), head }
    }

    test('a reader gets events after a position, ascending, no more than it asks for, and the head', async () => {
      await it.append(seenTask('k1', 5))
      const slice = await it.feed.after(2, 2)
      expect(slice.events.map(({ position }) => position)).toEqual([3, 4])
      expect(slice).toMatchObject({ head: 5, elsewhere: [] })
      expect(await it.feed.head()).toBe(5)
      expect((await it.feed.at([5, 1, 99])).map(({ position }) => position)).toEqual([1, 5])
      expect(await it.feed.after(5, 2)).toMatchObject({ events: [], head: 5, ledger: slice.ledger })
    })

    test('a reader of some partitions gets their events, and the positions of all others', async () => {
      const correlationIds = Array.from({ length: 20 }, (_, n) => `part-${n}`)
      await it.append(correlationIds.flatMap((id) => seenTask(id, 1)))
      const partitions = [0, 3, 4]
      const slice = await it.feed.after(1, 18, { partitions, partitionCount: slotCount })
      const own = correlationIds.flatMap((id, index) => (partitions.includes(partitionOf(id, slotCount, nodeCodec)) ? [index + 1] : []))
      const within = (position: number): boolean => position > 1 && position <= 19
      expect(slice.events.map(({ position }) => position)).toEqual(own.filter(within))
      expect(slice.elsewhere).toEqual(everyPosition(20).filter((position) => within(position) && !own.includes(position)))
      expect(own.filter(within).length).toBeGreaterThan(0)
    })

    test('events that are delivered again change nothing', async () => {
      await it.append(seenTask('k1', 4))
      follow({ feed: { ...it.feed, after: (position, count, share) => it.feed.after(Math.max(0, position - 2), count + 2, share) } })
      await untilApplied(4)
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 4])
    })

    test.each([
      ['alone', 1],
      ['one of two', 2],
    ])('a gap ends the run there, and is read again: %s', async (_name, count) => {
      await it.append(seenTask('k1', 6))
      const withGap = (): FeedReader => {
        let isFirst = true
        return {
          ...it.feed,
          after: async (position, countMax, share): Promise<FeedSlice> => {
            const slice = await it.feed.after(position, countMax, share)
            if (!isFirst || slice.head < 2) return slice
            isFirst = false
            return { ...slice, events: slice.events.filter((event) => event.position !== 2), elsewhere: slice.elsewhere.filter((other) => other !== 2) }
          },
        }
      }
      for (let n = 0; n < count; n += 1) follow({ feed: withGap() })
      await untilApplied(6)
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 4, 5, 6])
    })

    test('a crash before the commit leaves nothing, and the next owner applies the same events', async () => {
      await it.append(seenTask('k1', 3))
      const slots = it.openSlots()
      const { leases } = await slots.take('one', all)
      const { change, head } = await everything()
      // The last entry cannot be stored, so the transaction ends in the middle.
      const last = change.entries.at(-1)
      if (last === undefined) throw new Error('no entry')
      const broken = { ...change, entries: [...change.entries, { ...last, correlationId: 'a\u0000b' }] }
      expect(await slots.apply(movesOf(leases, head), broken)).toMatchObject({ outcome: 'refused' })
      expect(await appliedPosition()).toBe(0)
      expect(await positionsOf('k1')).toEqual([])
      await slots.release(leases)
      follow()
      await untilApplied(3)
      expect(await positionsOf('k1')).toEqual([1, 2, 3])
    })

    test('a crash after the commit applies nothing twice', async () => {
      await it.append(seenTask('k1', 3))
      const slots = it.openSlots()
      const { leases } = await slots.take('one', all)
      const { change, head } = await everything()
      expect(await slots.apply(movesOf(leases, head), change)).toEqual({ outcome: 'applied' })
      expect(await slots.apply(movesOf(leases, head), change)).toEqual({ outcome: 'moved' })
      expect(await positionsOf('k1')).toEqual([1, 2, 3])
    })

    test('a zombie cannot commit after another process took one slot of its own, and changes nothing', async () => {
      await it.append(seenTask('k1', 2))
      const [slots, others] = [it.openSlots(), it.openSlots()]
      const zombie = await slots.take('zombie', all)
      const { change, head } = await everything()
      await it.expire()
      const { leases: [taken] } = await others.take('next', { countMax: 1, held: [] })
      expect(await slots.apply(movesOf(zombie.leases, head), change)).toEqual({ outcome: 'fenced' })
      const left = await slots.beat('zombie', zombie.leases)
      expect(partitionsOf({ leases: left })).toEqual(everySlot.filter((slot) => slot !== taken?.partition))
      await slots.release(zombie.leases)
      expect((await it.openSlots().take('third', all)).leases).toHaveLength(slotCount - 1)
      expect(await appliedPosition()).toBe(0)
      expect(await positionsOf('k1')).toEqual([])
    })

    test('what is leased is not taken, what is free, expired or the own is, and a release frees at once', async () => {
      const slots = it.openSlots()
      expect(await slots.look()).toEqual({ slots: [], members: [] })
      const first = await slots.take('one', { countMax: 5, held: [] })
      expect(first).toMatchObject({ partitionCount: slotCount, ledger: undefined })
      expect(partitionsOf(first)).toEqual([0, 1, 2, 3, 4])
      expect(partitionsOf(await slots.take('other', all))).toEqual([5, 6, 7, 8, 9, 10, 11])
      expect((await slots.take('third', all)).leases).toEqual([])
      const again = await slots.take('one', { countMax: 5, held: [0] })
      expect(again.leases.map(({ partition, fencingEpoch }) => [partition, fencingEpoch])).toEqual([1, 2, 3, 4].map((slot) => [slot, 2]))
      await slots.release(again.leases.slice(2))
      expect((await slots.look()).slots.map(({ owner }) => owner)).toEqual([
        'one', 'one', 'one', undefined, undefined, ...Array.from({ length: 7 }, () => 'other'),
      ])
      expect(partitionsOf(await slots.take('third', all))).toEqual([3, 4])
      await it.expire()
      expect((await slots.look()).slots.every(({ owner }) => owner === undefined)).toBe(true)
      expect(partitionsOf(await slots.take('third', all))).toEqual(everySlot)
      expect((await slots.take('fourth', { ...all, fromOthers: true })).leases).toHaveLength(slotCount)
    })

    test('a member counts until its time is over or it leaves', async () => {
      const slots = it.openSlots()
      await slots.beat('one', [])
      await slots.beat('other', [])
      expect([...(await slots.look()).members].toSorted()).toEqual(['one', 'other'])
      await it.expire()
      expect((await slots.look()).members).toEqual([])
      await slots.beat('one', [])
      expect((await slots.look()).members).toEqual(['one'])
      const { leases } = await slots.take('one', all)
      await slots.leave('one', leases)
      const seen = await slots.look()
      expect(seen.members).toEqual([])
      expect(seen.slots.some(({ owner }) => owner !== undefined)).toBe(false)
    })

    test('the number of slots is what it was first, whoever comes', async () => {
      const slots = it.openSlots()
      await slots.take('one', all)
      await slots.release((await slots.take('one', all)).leases)
      const before = await slots.look()
      expect(await it.openSlots().take('other', all)).toMatchObject({ partitionCount: before.slots.length })
    })

    test('a process that is killed is followed by the others at once, whatever its lease', async () => {
      const { slots: killed, kill } = it.openMortal()
      const { leases } = await killed.take('killed', all)
      await killed.beat('killed', leases)
      const other = follow()
      await expect.poll(async () => (await killed.look()).members).toEqual(expect.arrayContaining(['killed', 'member-0']))
      expect(other.share().partitions).toEqual([])
      await it.append(seenTask('k1', 2))
      await kill()
      await untilApplied(2)
      expect(other.share().partitions).toEqual(everySlot)
      expect(await killed.apply(movesOf(leases, 2), undefined)).toEqual({ outcome: 'fenced' })
      expect(await positionsOf('k1')).toEqual([1, 2])
    })

    test('processes whose sessions break go on, share the slots as before, and apply nothing twice', async () => {
      const [one, other, looking] = [follow(), follow(), it.openSlots()]
      const untilShared = () => expect.poll(() => [one.share().partitions.length, other.share().partitions.length], { interval: 10 }).toEqual([6, 6])
      await untilShared()
      const correlationIds = Array.from({ length: 20 }, (_, n) => `broken-${n}`)
      for (let round = 1; round <= 5; round += 1) {
        await it.breakSessions()
        await untilApplied(await it.append(correlationIds.flatMap((id) => seenTask(id, 1))))
        await expect.poll(async () => (await looking.look()).members.length).toBe(2)
        await untilShared()
      }
      for (const [index, id] of correlationIds.entries()) {
        expect(await positionsOf(id)).toEqual([0, 20, 40, 60, 80].map((before) => before + index + 1))
      }
    })

    test('a process that is stopped is followed by the others when its leases are over, and not before', async () => {
      const stopped = it.openSlots()
      const { leases } = await stopped.take('stopped', { countMax: 6, held: [] })
      await stopped.beat('stopped', leases)
      const other = follow()
      await expect.poll(() => other.share().partitions).toEqual([6, 7, 8, 9, 10, 11])
      await it.append(Array.from({ length: 20 }, (_, n) => seenTask(`stopped-${n}`, 1)).flat())
      await expect.poll(async () => (await stopped.look()).slots.map(({ completePosition }) => completePosition)).toEqual([0, 0, 0, 0, 0, 0, 20, 20, 20, 20, 20, 20])
      expect(await appliedPosition()).toBe(0)
      await it.expire()
      await untilApplied(20)
      expect(other.share().partitions).toEqual(everySlot)
      for (let n = 0; n < 20; n += 1) expect(await positionsOf(`stopped-${n}`)).toEqual([n + 1])
    })

    test('a process that was stopped for longer than its lease knows so by its own clock, and rejoins', async () => {
      let skippedMs = 0
      let resume: () => void = () => undefined
      let isStopped = false
      const stoppable: FeedReader = {
        ...it.feed,
        after: async (...args) => {
          const slice = await it.feed.after(...args)
          if (isStopped) await new Promise<void>((resolve) => (resume = resolve))
          return slice
        },
      }
      const leaseTtlMs = 600_000
      const zombie = follow({ feed: stoppable, slots: it.openSlots({ leaseTtlMs }), timer: { ...testTimer, elapsedMs: () => testTimer.elapsedMs() + skippedMs } })
      await expect.poll(() => zombie.share().partitions).toEqual(everySlot)
      isStopped = true
      await it.append(seenTask('k1', 3))
      await expect.poll(() => String(resume)).not.toBe(String(() => undefined))
      skippedMs = leaseTtlMs
      expect(zombie.share().partitions).toEqual([])
      await it.expire()
      const next = follow()
      await untilApplied(3)
      isStopped = false
      resume()
      await expect.poll(() => [zombie.share().partitions.length, next.share().partitions.length], { interval: 10 }).toEqual([6, 6])
      await untilApplied(await it.append(seenTask('k1', 3)))
      expect(await positionsOf('k1')).toEqual([1, 2, 3, 4, 5, 6])
    })

    test('slots that are not level are made so, and nothing is applied twice', async () => {
      await it.append(Array.from({ length: 10 }, (_, n) => seenTask(`level-${n}`, 1)).flat())
      const [ahead, behind] = [it.openSlots(), it.openSlots()]
      const first = await ahead.take('ahead', { countMax: 6, held: [] })
      const { events, ledger } = await it.feed.after(0, 100, { partitions: partitionsOf(first), partitionCount: slotCount })
      if (ledger === undefined) throw new Error('the ledger is empty')
      expect(await ahead.apply(movesOf(first.leases, 10), changeOf(events, ledger, nodeCodec))).toEqual({ outcome: 'applied' })
      await behind.take('behind', { countMax: 6, held: [] })
      expect(await appliedPosition()).toBe(0)
      await it.expire()
      follow()
      await untilApplied(10)
      for (let n = 0; n < 10; n += 1) expect(await positionsOf(`level-${n}`)).toEqual([n + 1])
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
      const first = follow({ slots: it.openSlots({ foldVersion: 7 }) })
      await untilApplied(2)
      await first.stop()
      await expect(it.openSlots({ foldVersion: 6 }).take('older', all)).rejects.toThrow('newer version')
      expect(await appliedPosition()).toBe(2)
      const newer = await it.openSlots({ foldVersion: 8 }).take('newer', all)
      expect(newer.leases.map(({ completePosition }) => completePosition)).toEqual(everySlot.map(() => 0))
      expect(await positionsOf('k1')).toEqual([])
    })
  })
}

const everyPosition = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)
