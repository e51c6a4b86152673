/**
 * What a feed and its projection promise together (P1, P5, P7, L7): every event is applied once and
 * in order, whoever applies it, and another ledger is noticed.
 *
 * Runs for every feed; `make` gives a fresh one on an empty ledger.
 */
import { foldVersion } from '@a2a-ledger/domain'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FactStore } from '../src/app/ports.ts'
import { enrolled, seenTask, type TestEvent } from './ledger-tables.ts'

export interface RunningFeed {
  readonly status: () => { readonly status: string; readonly detail?: string }
  readonly stop: () => Promise<void>
}

export interface FeedUnderTest {
  readonly store: FactStore
  /** A process that applies, or stands by. */
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
      expect.poll(appliedPosition, { timeout: 20_000, interval: 20 }).toBe(position)

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
      await expect.poll(() => follower.status().status, { timeout: 20_000 }).toBe('rewound')
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
