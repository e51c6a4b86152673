/**
 * The process that probes dies at every point at which it waits for something outside, right before or
 * right after that has happened, and another one goes on. Enumerated: the points of a whole run are
 * counted first, then each of them is the last one of a process.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeRecordOf, probeStepNames, probeSteps, type ProbeStepName } from '@a2a-ledger/domain'
import { defaultPlan, type ProbePorts, runProbe } from '@a2a-ledger/probe'
import { newJournal, portsOn, type Journal } from './probe-runs.ts'
import { startScriptedWorker, type ScriptedWorker } from './scripted-worker.ts'

interface Mortal {
  readonly ports: ProbePorts
  /** Resolves at the end of the process; what it still waits for never comes. */
  readonly dead: Promise<'dead'>
  readonly points: () => number
}

/** The process ends at the `at`th wait; with `after`, once what it waited for has happened. */
const mortal = (journal: Journal, at: number, isAfter: boolean, skewMs = 0): Mortal => {
  let points = 0
  const never = new Promise<never>(() => undefined)
  const { promise: dead, resolve: end } = Promise.withResolvers<'dead'>()
  const point = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (points >= at) return never
    points += 1
    if (points < at) return work()
    if (isAfter) await work()
    end('dead')
    return never
  }
  const alive = portsOn(journal)
  return {
    points: () => points,
    dead,
    ports: {
      ...alive,
      openClient: () => {
        const { fetch, close } = alive.openClient()
        return { fetch: (input, init) => point(() => fetch(input, init)), close }
      },
      append: (data) => point(() => alive.append(data)),
      witness: (call) => point(() => alive.witness(call)),
      after: (ms, signal) => point(() => alive.after(Math.min(ms, 5), signal)),
      nowMs: () => Date.now() + skewMs,
    },
  }
}

const plan = { ...defaultPlan, park: true }
const live = async (worker: ScriptedWorker, journal: Journal, { ports }: Mortal, owner: string) => {
  const job = { probeId: 'p-1', subject: { cardUrl: worker.url, headers: {} }, plan, entries: [...journal.entries], owner }
  const stop = new AbortController().signal
  const first = await runProbe({ ...job, restart: () => 'unknown' }, ports, stop)
  return first.outcome === 'parked' ? runProbe({ ...job, entries: [...journal.entries], restart: () => 'known' }, ports, stop) : first
}

let pointCount = 0
let worker: ScriptedWorker
beforeAll(async () => {
  worker = await startScriptedWorker({ isDurable: true })
  const journal = newJournal()
  const whole = mortal(journal, Infinity, false)
  expect((await live(worker, journal, whole, 'whole')).outcome).toBe('closed')
  pointCount = whole.points()
})
afterAll(() => worker.close())

/** What each message of one probe is sent for; the same message is sent twice on purpose. */
const deliveries = (sent: ScriptedWorker['sent']): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(sent, ({ messageId }) => messageId)].map(([messageId, all]) => [messageId, all.length]))
const allowed: Readonly<Record<string, number>> = { 'p-1-canary': 2, 'p-1-answer': 1, 'p-1-parked': 1 }

describe('a probe whose process dies', () => {
  it('is one of many points', () => expect(pointCount).toBeGreaterThan(70))

  it.each([
    ['right before', false],
    ['right after', true],
  ])('%s any of its waits is gone on with or given up for all to see, and sends no message again', async (_when, isAfter) => {
    const ends = { done: 0, abandoned: 0 }
    for (let at = 1; at <= pointCount; at += 1) {
      const one = await startScriptedWorker({ isDurable: true })
      const journal = newJournal()
      const first = mortal(journal, at, isAfter)
      expect(await Promise.race([first.dead, live(one, journal, first, 'first')])).toBe('dead')
      // The one that comes next is a day later: nobody holds anything any longer.
      const { outcome } = await live(one, journal, mortal(journal, Infinity, false, 3_600_000), 'second')
      const record = probeRecordOf(journal.entries)
      const told = `killed ${isAfter ? 'after' : 'before'} wait ${at} of ${pointCount}`
      expect(outcome, told).toBe('closed')
      for (const [messageId, count] of Object.entries(deliveries(one.sent))) expect(count, `${told}: ${messageId}`).toBeLessThanOrEqual(allowed[messageId] ?? 0)
      expect(record?.ended.map(({ step }) => step), told).toEqual(probeStepNames)
      const interrupted: readonly ProbeStepName[] = record?.ended.flatMap(({ step, isInterrupted }) => (isInterrupted === true ? [step] : [])) ?? []
      for (const step of interrupted) expect(probeSteps[step].sends, `${told}: ${step}`).toBe(true)
      expect(record?.closed?.state, told).toBe(interrupted.length > 0 ? 'abandoned' : 'done')
      ends[record?.closed?.state ?? 'done'] += 1
      await one.close()
    }
    expect(ends.done).toBeGreaterThan(0)
    expect(ends.abandoned).toBeGreaterThan(0)
  }, 1_800_000)

  it('two processes that probe at once do each step once', async () => {
    const one = await startScriptedWorker({ isDurable: true })
    const journal = newJournal()
    const ends = await Promise.all([live(one, journal, mortal(journal, Infinity, false), 'a'), live(one, journal, mortal(journal, Infinity, false), 'b')])
    expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual(['closed', 'taken'])
    expect(deliveries(one.sent)).toEqual(allowed)
    await one.close()
  })
})
