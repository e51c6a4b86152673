import { workerCorrelationId } from '@a2a-ledger/domain'
import { testCodec } from '@a2a-ledger/domain/testing'
import { expect, onTestFinished, test } from 'vitest'
import { keepObserving } from './keep-observing.ts'
import { partitionOf } from './partition-store.ts'
import type { ObservedWorker, WorkShare } from './ports.ts'

const partitionCount = 2
const inPartition = (partition: number): string => {
  for (let n = 0; ; n += 1) {
    const workerId = `w${n}`
    if (partitionOf(workerCorrelationId(workerId), partitionCount, testCodec) === partition) return workerId
  }
}
const [first, second] = [inPartition(0), inPartition(1)]

/** An observer whose surroundings are changed while it runs; `began`: whose observation began, in order. */
function observe(workers: readonly string[], share: WorkShare) {
  const world = { workers, share, isActive: true }
  const began: string[] = []
  let looks = 0
  const silent = (): void => undefined
  const unused = (): never => {
    throw new Error('is not asked for')
  }
  const observer = keepObserving(
    {
      store: {
        observedWorkers: async () => world.workers.map((workerId): ObservedWorker => ({ workerId, enrolledPosition: 1 })),
        worker: async (workerId) => {
          began.push(workerId)
          return { appliedPosition: 1, asOfMs: 0, content: undefined }
        },
        openTasks: unused,
        silentSends: unused,
        tasks: unused,
        secretHeaders: unused,
      },
      feed: { at: unused },
      lines: { open: unused },
      witness: { observeAll: unused },
      fold: { codec: testCodec, settings: { graceMs: 0, silentAfterMs: 0 } },
      timer: {
        elapsedMs: () => 0,
        after: () => {
          looks += 1
          return new Promise((resolve) => setImmediate(resolve))
        },
      },
      log: { info: silent, warn: silent, error: silent },
      share: () => world.share,
      nowMs: () => 0,
      random: () => 0,
      backOff: () => () => 0,
      callsPerMinuteMax: 60,
    },
    () => world.isActive,
  )
  onTestFinished(() => observer.stop())
  const seen = async (): Promise<number> => {
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 20)
    return observer.status().workers
  }
  return { world, began, seen, observer }
}

test('a process observes those whose stream it applies, and those that another one gives up', async () => {
  const { world, began, seen } = observe([first, second], { partitions: [0], partitionCount })
  expect(await seen()).toBe(1)
  expect(new Set(began)).toEqual(new Set([first]))
  world.share = { partitions: [0, 1], partitionCount }
  expect(await seen()).toBe(2)
  world.share = { partitions: [], partitionCount }
  expect(await seen()).toBe(0)
})

test('one that is not to be observed any more is not', async () => {
  const { world, seen } = observe([first], { partitions: [0, 1], partitionCount })
  expect(await seen()).toBe(1)
  world.workers = []
  expect(await seen()).toBe(0)
})

test('a process that is behind begins with nobody, and lets those be that it observes', async () => {
  const { world, began, seen } = observe([first], { partitions: [0, 1], partitionCount })
  expect(await seen()).toBe(1)
  world.isActive = false
  world.workers = [first, second]
  expect([await seen(), new Set(began)]).toEqual([1, new Set([first])])
  world.isActive = true
  expect([await seen(), new Set(began)]).toEqual([2, new Set([first, second])])
})

test('a process that applies nothing yet observes nobody', async () => {
  const { seen } = observe([first, second], { partitions: [], partitionCount: 0 })
  expect(await seen()).toBe(0)
})
