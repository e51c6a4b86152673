import { expect, test } from 'vitest'
import { createApplied } from './applied.ts'
import type { Timer } from './ports.ts'

/** Time passes only while somebody waits. */
function fakeTime(): Timer & { readonly waits: number[] } {
  let nowMs = 0
  const waits: number[] = []
  return {
    waits,
    elapsedMs: () => nowMs,
    after: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
  }
}

const storeAt = (position: () => number) => ({ progress: async () => ({ appliedPosition: position(), ledger: undefined }) })

test('what is applied already is not waited for', async () => {
  const timer = fakeTime()
  const applied = createApplied(storeAt(() => 0), timer)
  applied.advanceTo(7)
  expect(await applied.reaches(7, 1_000)).toBe(true)
  expect(timer.waits).toEqual([])
})

test('what another process applied is found in the store', async () => {
  let position = 3
  const applied = createApplied(storeAt(() => position++), fakeTime())
  expect(await applied.reaches(9, 1_000)).toBe(true)
})

test('what does not come in time is false, after the time that was given', async () => {
  const timer = fakeTime()
  expect(await createApplied(storeAt(() => 1), timer).reaches(2, 120)).toBe(false)
  expect(timer.elapsedMs()).toBe(120)
})

test('the loop of this process wakes whoever waits', async () => {
  const never: Timer = { elapsedMs: () => 0, after: () => new Promise(() => undefined) }
  const applied = createApplied(storeAt(() => 0), never)
  const waiting = applied.reaches(5, 1_000)
  await Promise.resolve()
  setTimeout(() => applied.advanceTo(5), 0)
  expect(await waiting).toBe(true)
})
