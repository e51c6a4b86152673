import { expect, test, vi } from 'vitest'
import { keepGoing } from './keep-going.ts'
import type { Timer } from './ports.ts'

/** A clock that is moved by hand. */
function createClock() {
  const waiting: { readonly ms: number; readonly resolve: () => void }[] = []
  const timer: Timer = { after: (ms) => new Promise((resolve) => waiting.push({ ms, resolve })), elapsedMs: () => 0 }
  return { timer, waits: () => waiting.map(({ ms }) => ms), ring: () => waiting.splice(0).forEach(({ resolve }) => resolve()) }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function start(answers: readonly (number | Error)[]) {
  const clock = createClock()
  const failures: unknown[] = []
  let turns = 0
  const going = keepGoing(
    async () => {
      const answer = answers[turns] ?? 1_000
      turns += 1
      if (answer instanceof Error) throw answer
      return answer
    },
    { timer: clock.timer, retryMs: 500, onFailure: (error) => failures.push(error) },
  )
  return { ...clock, going, failures, turns: () => turns }
}

test('while there is something to do turn follows turn, then it rests as long as it was told', async () => {
  const { going, waits, ring, turns } = start([0, 0, 70])
  await settled()
  expect({ turns: turns(), waits: waits() }).toEqual({ turns: 3, waits: [70] })
  ring()
  await settled()
  expect(turns()).toBe(4)
  await going.stop()
})

test('it is woken from its rest, and what wakes it within a turn is not missed', async () => {
  const { going, turns } = start([1_000, 1_000])
  going.wake()
  await settled()
  expect(turns()).toBe(2)
  going.wake()
  await settled()
  expect(turns()).toBe(3)
  await going.stop()
})

test('a turn that fails is told, and nobody makes it go faster', async () => {
  const failure = new Error('the database is away')
  const { going, failures, waits, ring, turns } = start([failure])
  await settled()
  going.wake()
  await settled()
  expect({ failures, waits: waits(), turns: turns() }).toEqual({ failures: [failure], waits: [500], turns: 1 })
  ring()
  await settled()
  expect(turns()).toBe(2)
  await going.stop()
})

test.each([['its rest', 1_000], ['the pause behind a failure', new Error('away')]])('stopping does not wait for the end of %s', async (_what, answer) => {
  const { going, turns } = start([answer])
  await settled()
  await going.stop()
  expect(turns()).toBe(1)
})

test('rests for days leave nothing in memory: no promise is raced twice', async () => {
  const race = vi.spyOn(Promise, 'race')
  const { going, ring } = start([1, new Error('away'), 1])
  for (let n = 0; n < 4; n += 1) {
    await settled()
    ring()
  }
  await going.stop()
  const raced = race.mock.calls.flatMap(([promises]) => [...promises])
  expect(raced.length).toBeGreaterThanOrEqual(8)
  expect(new Set(raced).size).toBe(raced.length)
  race.mockRestore()
})
