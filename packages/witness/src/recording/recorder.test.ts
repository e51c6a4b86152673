import { LedgerError } from '@a2a-ledger/domain'
import { afterEach, describe, expect, test } from 'vitest'
import type { GapReport, LedgerWriter, Spool, SpoolEntry, SpoolNotes, Told, WitnessedEvent } from './ports.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const event = (id: string, type = 'a2a.response', workerid = 'w1'): WitnessedEvent => ({
  attributes: { specversion: '1.0', id, source: 's', type, workerid },
  data: new Uint8Array(),
})

/** A spool of so many entries, in memory. */
function memorySpool(roomFor: number) {
  const entries: SpoolEntry[] = []
  let wake = (): void => undefined
  const held = { notes: undefined as SpoolNotes | undefined, room: roomFor, entries, peeks: 0, isHeldBack: false }
  const spool: Spool = {
    append: (entry) => {
      if (entries.length >= held.room) return false
      entries.push(entry)
      wake()
      return true
    },
    note: (notes) => (held.notes = notes),
    peek: async (count) => {
      held.peeks += 1
      return held.isHeldBack ? [] : entries.slice(0, count)
    },
    advance: async (count) => void entries.splice(0, count),
    more: (atMostMs) =>
      new Promise((resolve) => {
        const timeout = setTimeout(resolve, atMostMs)
        wake = () => {
          clearTimeout(timeout)
          resolve()
        }
      }),
    status: () => ({ entries: entries.length, bytes: 0 }),
    close: async () => undefined,
  }
  return { spool, held }
}

/** A ledger that remembers what it is told, in order, and does with each what the test says. */
function memoryLedger() {
  const told: (string | GapReport)[] = []
  const ledger = {
    told,
    isAway: false,
    refuses: new Set<string>(),
    writer: undefined as unknown as LedgerWriter,
  }
  const answer = (id: string): Told => (ledger.refuses.has(id) ? { outcome: 'refused', detail: 'no' } : { outcome: 'kept' })
  ledger.writer = {
    events: async (events) => {
      if (ledger.isAway) throw new LedgerError('ledger_unavailable', 'away')
      told.push(...events.map(({ attributes }) => attributes.id))
      return events.map(({ attributes }) => answer(attributes.id))
    },
    gaps: async (reports) => {
      if (ledger.isAway) throw new LedgerError('ledger_unavailable', 'away')
      told.push(...reports)
      return reports.map(({ id }) => answer(id))
    },
  }
  return ledger
}

const recorders: Recorder[] = []
afterEach(async () => {
  await Promise.all(recorders.splice(0).map((each) => each.stop(0)))
})

function scene(roomFor = 1000, left?: Parameters<typeof createRecorder>[1]) {
  const { spool, held } = memorySpool(roomFor)
  const ledger = memoryLedger()
  const logged: string[] = []
  let ids = 0
  let nowMs = Date.parse('2026-03-01T10:00:00Z')
  const log = { warn: (_fields: object, text: string) => void logged.push(text), error: (_fields: object, text: string) => void logged.push(text) }
  const recorder = createRecorder(
    {
      source: 'urn:a2a-ledger:proxy',
      spool,
      ledger: { events: (events) => ledger.writer.events(events), gaps: (reports) => ledger.writer.gaps(reports) },
      timer: { after: (ms) => new Promise((resolve) => void setTimeout(resolve, ms > 10_000 ? ms : Math.min(ms, 2)).unref()), elapsedMs: () => 0 },
      clock: () => (nowMs += 1000),
      log,
      newId: () => `gap-${(ids += 1)}`,
      chance: () => 0,
    },
    left,
  )
  recorders.push(recorder)
  return { recorder, ledger, held, logged }
}

describe('while the ledger is there', () => {
  test('everything is told once, in order', async () => {
    const { recorder, ledger } = scene(2000)
    for (let at = 0; at < 1200; at += 1) recorder.record(event(`e-${at}`))
    await expect.poll(() => ledger.told.length).toBe(1200)
    expect(ledger.told).toEqual(Array.from({ length: 1200 }, (_, at) => `e-${at}`))
    expect(recorder.status()).toEqual({ isLedgerAnswering: true, toldEvents: 1200, missedEvents: 0, untoldGaps: 0 })
  })

  test('an event that it refuses is reported as missing, and harms no other', async () => {
    const { recorder, ledger, logged } = scene()
    ledger.refuses.add('e-2')
    for (const id of ['e-1', 'e-2', 'e-3']) recorder.record(event(id))
    await expect.poll(() => ledger.told.length).toBe(4)
    expect(ledger.told.slice(0, 3)).toEqual(['e-1', 'e-2', 'e-3'])
    expect(ledger.told[3]).toMatchObject({ workerId: 'w1', reason: 'rejected', events: 1, byType: { 'a2a.response': 1 }, isExact: true })
    expect(logged).toEqual(['the ledger does not take an event'])
  })

  test('a report that it refuses is not sent for ever', async () => {
    const { recorder, ledger, logged } = scene()
    ledger.refuses.add('gap-1')
    recorder.miss({ workerId: 'w1', reason: 'too_large', byType: { 'a2a.response': 1 } })
    await expect.poll(() => logged).toEqual(['the ledger does not take a report of a gap'])
    expect(ledger.told).toHaveLength(1)
  })
})

describe('while the ledger is away', () => {
  test('what is seen waits and is told afterwards, in order; once it says so', async () => {
    const { recorder, ledger, logged } = scene()
    ledger.isAway = true
    for (const id of ['e-1', 'e-2']) recorder.record(event(id))
    await expect.poll(() => recorder.status().isLedgerAnswering).toBe(false)
    recorder.record(event('e-3'))
    ledger.isAway = false
    await expect.poll(() => ledger.told).toEqual(['e-1', 'e-2', 'e-3'])
    expect(recorder.status().isLedgerAnswering).toBe(true)
    expect(logged).toEqual(['the ledger is away; what is seen waits in the spool'])
  })

  test('what finds no room is counted, by worker and type, and reported where it would have stood', async () => {
    const { recorder, ledger, held } = scene(2)
    ledger.isAway = true
    for (const id of ['e-1', 'e-2']) recorder.record(event(id))
    recorder.record(event('e-3', 'a2a.dispatch'))
    recorder.record(event('e-4', 'a2a.response'))
    recorder.record(event('e-5', 'a2a.response', 'w2'))
    recorder.record(event('e-6', 'a2a.response'))
    expect(recorder.status()).toMatchObject({ missedEvents: 4, untoldGaps: 2 })
    held.room = 10
    recorder.record(event('e-7'))
    ledger.isAway = false
    await expect.poll(() => ledger.told.length).toBe(5)
    expect(ledger.told).toMatchObject([
      'e-1', 'e-2',
      { workerId: 'w1', witness: 'urn:a2a-ledger:proxy', reason: 'spool_full', events: 3, byType: { 'a2a.dispatch': 1, 'a2a.response': 2 }, isExact: true, from: expect.stringMatching(/^2026-03-01T10:00/) },
      { workerId: 'w2', events: 1 },
      'e-7',
    ])
    expect(recorder.status()).toMatchObject({ missedEvents: 4, untoldGaps: 0 })
    const gap = ledger.told[2] as GapReport
    expect(Date.parse(gap.to)).toBeGreaterThan(Date.parse(gap.from))
  })

  test('a count is reported when there is room, also where nothing is seen any more', async () => {
    const { recorder, ledger } = scene(1)
    ledger.isAway = true
    recorder.record(event('e-1'))
    recorder.record(event('e-2'))
    ledger.isAway = false
    await expect.poll(() => ledger.told).toMatchObject(['e-1', { reason: 'spool_full', events: 1 }])
  })

  test('two gaps are two reports', async () => {
    const { recorder, ledger, held } = scene(1)
    ledger.isAway = true
    for (const id of ['e-1', 'e-2']) recorder.record(event(id))
    held.room = 3
    recorder.record(event('e-3'))
    recorder.record(event('e-4'))
    held.room = 10
    recorder.record(event('e-5'))
    ledger.isAway = false
    await expect.poll(() => ledger.told).toMatchObject(['e-1', { id: 'gap-1', events: 1 }, 'e-3', { id: expect.not.stringMatching(/^gap-1$/), events: 1 }, 'e-5'])
  })
})

test('stopping waits for what the spool has taken and not written yet', async () => {
  const { recorder, ledger, held } = scene()
  await expect.poll(() => held.peeks).toBeGreaterThan(0)
  held.isHeldBack = true
  recorder.record(event('e-1'))
  const stopped = recorder.stop(60_000)
  const before = held.peeks
  await expect.poll(() => held.peeks).toBeGreaterThan(before + 1)
  expect(ledger.told).toEqual([])
  held.isHeldBack = false
  await stopped
  expect(ledger.told).toEqual(['e-1'])
})

describe('what would be lost is noted', () => {
  test('calls that run, and counts that are not reported', () => {
    const { recorder, held, ledger } = scene(0)
    ledger.isAway = true
    const ended = [recorder.callRuns('w1'), recorder.callRuns('w1'), recorder.callRuns('__proto__')]
    expect(JSON.parse(JSON.stringify(held.notes?.runningCalls))).toEqual(JSON.parse('{"w1":2,"__proto__":1}'))
    ended[0]?.()
    ended[0]?.()
    ended[2]?.()
    expect(held.notes?.runningCalls).toEqual({ w1: 1 })
    recorder.record(event('e-1'))
    expect(held.notes?.gaps).toMatchObject([{ workerId: 'w1', reason: 'spool_full', events: 1 }])
  })

  test('entries that could not be written are counted, reports among them are kept', async () => {
    const { recorder, ledger } = scene()
    const report: GapReport = { id: 'g', workerId: 'w1', witness: 'urn:a2a-ledger:proxy', reason: 'too_large', from: '2026-03-01T09:00:00Z', to: '2026-03-01T09:00:01Z', events: 2, byType: { 'a2a.response': 2 }, isExact: true }
    recorder.lost([{ kind: 'event', event: event('e-1', 'a2a.dispatch') }, { kind: 'gap', report }])
    recorder.record(event('e-2'))
    await expect.poll(() => ledger.told).toMatchObject([{ reason: 'spool_failed', byType: { 'a2a.dispatch': 1 } }, report, 'e-2'])
  })
})

describe('what an earlier process left', () => {
  const gap: GapReport = { id: 'old', workerId: 'w1', witness: 'urn:a2a-ledger:proxy', reason: 'spool_full', from: '2026-03-01T09:00:00Z', to: '2026-03-01T09:00:01Z', events: 5, byType: { 'a2a.response': 5 }, isExact: true }
  const notes: SpoolNotes = { gaps: [gap], runningCalls: { w1: 2 }, at: '2026-03-01T09:00:02Z' }

  test('is reported, and the calls that died with it too', async () => {
    const { recorder, ledger } = scene(1000, { notes, wasKilled: true })
    recorder.record(event('e-1'))
    await expect.poll(() => ledger.told.length).toBe(3)
    expect(ledger.told).toMatchObject([gap, { workerId: 'w1', reason: 'killed', events: 0, byType: {}, calls: 2, isExact: false, from: notes.at }, 'e-1'])
  })

  test('of a process that ended properly there are only counts', async () => {
    const { ledger, held } = scene(1000, { notes, wasKilled: false })
    await expect.poll(() => ledger.told).toEqual([gap])
    expect(held.notes?.gaps).toEqual([])
  })
})
