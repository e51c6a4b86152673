import { expect, test } from 'vitest'
import { keepRunning, type Running } from './keep-running.ts'

/** Instances that the test lets die, and what was said about them. */
function scene(overrides: { quickDeathsMax?: number; startFails?: (count: number) => boolean } = {}) {
  const instances: { die(reason: string): void; isStopped: boolean }[] = []
  const said: string[] = []
  const givenUp: string[] = []
  let startCount = 0
  const kept = keepRunning({
    name: 'it',
    start: async (): Promise<Running> => {
      startCount += 1
      if (overrides.startFails?.(startCount) === true) throw new Error('no port')
      const { promise: exited, resolve } = Promise.withResolvers<string>()
      const instance = { die: resolve, isStopped: false }
      instances.push(instance)
      return {
        exited,
        stop: async () => {
          instance.isStopped = true
          resolve('stopped')
        },
      }
    },
    say: (line) => said.push(line),
    giveUp: (reason) => givenUp.push(reason),
    backoffMsMin: 1,
    quickDeathMs: 3_600_000, // however slow the machine is
    quickDeathsMax: overrides.quickDeathsMax ?? 3,
  })
  return { kept, instances, said, givenUp }
}

test('a first start that fails is told to the caller and not repeated', async () => {
  const { kept, instances, givenUp } = scene({ startFails: () => true })
  await expect(kept.started).rejects.toThrow('no port')
  await kept.stop()
  expect(instances).toEqual([])
  expect(givenUp).toEqual([])
})

test('a death is named with its reason and followed by a new start', async () => {
  const { kept, instances, said } = scene()
  await kept.started
  instances[0]?.die('exit 7')
  await expect.poll(() => instances.length).toBe(2)
  expect(said).toEqual(['it died: exit 7', 'it starts again in 2 ms'])
  await kept.stop()
  expect(instances[1]?.isStopped).toBe(true)
})

test('quick deaths in a row are given up on, once', async () => {
  const { kept, instances, givenUp } = scene({ quickDeathsMax: 2 })
  await kept.started
  instances[0]?.die('exit 1')
  await expect.poll(() => instances.length).toBe(2)
  instances[1]?.die('exit 1')
  await expect.poll(() => givenUp).toEqual(['it died 2 times in a row'])
  expect(instances.length).toBe(2)
})

test('a restart that fails is given up on', async () => {
  const { kept, instances, givenUp } = scene({ startFails: (count) => count === 2 })
  await kept.started
  instances[0]?.die('exit 1')
  await expect.poll(() => givenUp).toEqual(['it does not start again: Error: no port'])
})

test('stopping is not a death', async () => {
  const { kept, instances, said } = scene()
  await kept.started
  await kept.stop()
  expect(instances.map(({ isStopped }) => isStopped)).toEqual([true])
  expect(said).toEqual([])
})

test('stopping before the start has finished stops what then has started', async () => {
  const { kept, instances } = scene()
  await kept.stop()
  expect(instances.map(({ isStopped }) => isStopped)).toEqual([true])
})
