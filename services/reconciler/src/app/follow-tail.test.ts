import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import { expect, test, vi } from 'vitest'
import { followTail } from './follow-tail.ts'
import type { SlotStore } from './partition-store.ts'
import type { FeedReader } from './ports.ts'

/** Nothing of ours, and nobody else. */
const emptyStore = {
  leaseTtlMs: 10_000,
  beat: async () => [],
  look: async () => ({ slots: [], members: ['me'] }),
  take: async () => ({ ledger: undefined, partitionCount: 12, leases: [] }),
  release: async () => undefined,
  leave: async () => undefined,
}

const unused = (): never => {
  throw new Error('is not asked for')
}

test('an outage that lasts is told at first and every ten seconds, and its end once', async () => {
  let nowMs = 0
  let failuresLeft = 30
  const told: string[] = []
  const tell = (_details: object, message: string): void => void told.push(`${nowMs} ${message}`)
  const idle = Promise.withResolvers<void>()
  const neverMore = Promise.withResolvers<void>()
  const store: SlotStore = {
    ...emptyStore,
    beat: async () => {
      if (failuresLeft > 0) {
        failuresLeft -= 1
        throw new Error('away')
      }
      return []
    },
    apply: unused,
  }
  const feed: FeedReader = {
    after: unused,
    head: unused,
    at: unused,
    more: async () => {
      idle.resolve()
      await neverMore.promise
    },
  }
  const timer = {
    elapsedMs: () => nowMs,
    after: async (ms: number) => {
      nowMs += ms
    },
  }
  const tail = followTail(
    { feed, store, timer, codec: nodeCodec, log: { info: tell, warn: tell, error: tell }, outage: createOutage(timer.elapsedMs), applied: { advanceTo: unused, reaches: unused }, onApplied: unused },
    { member: 'me', pollMs: 50, batchCountMax: 10 },
  )
  await idle.promise
  await tail.stop()
  expect(told).toEqual([
    '0 the feed cannot be read or applied now',
    '10000 the feed cannot be read or applied now',
    '15000 the feed is read and applied again',
  ])
})

test('polls for days leave nothing in memory: no promise is raced twice', async () => {
  const race = vi.spyOn(Promise, 'race')
  const idle = Promise.withResolvers<void>()
  let pollsLeft = 100
  const feed: FeedReader = {
    after: unused,
    head: unused,
    at: unused,
    more: async () => {
      pollsLeft -= 1
      if (pollsLeft === 0) idle.resolve()
    },
  }
  const log = { info: () => undefined, warn: unused, error: unused }
  const tail = followTail(
    { feed, store: { ...emptyStore, apply: unused }, timer: { elapsedMs: () => 0, after: unused }, codec: nodeCodec, log, outage: createOutage(), applied: { advanceTo: unused, reaches: unused }, onApplied: unused },
    { member: 'me', pollMs: 50, batchCountMax: 10 },
  )
  await idle.promise
  await tail.stop()
  const raced = race.mock.calls.flatMap(([promises]) => [...promises])
  expect(raced.length).toBeGreaterThanOrEqual(200)
  expect(new Set(raced).size).toBe(raced.length)
  race.mockRestore()
})
