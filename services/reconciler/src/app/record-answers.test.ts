import { LedgerError } from '@a2a-ledger/domain'
import { expect, test } from 'vitest'
import type { AppendOutcome, WitnessedEvent } from './ports.ts'
import { recordAnswers } from './record-answers.ts'

const event: WitnessedEvent = { attributes: { specversion: '1.0', id: 'e', source: 'urn:o', type: 'a2a.response' }, bytes: new Uint8Array() }
const recorded: AppendOutcome = { outcome: 'recorded', position: 1, correlationId: 'k' }
const away = (): never => {
  throw new LedgerError('ledger_unavailable', 'away')
}

/** `answers`: of one attempt after the other; the last one again and again. */
const record = async (answers: readonly (() => readonly AppendOutcome[])[], stopping = new AbortController(), onPause = (): void => undefined, events = [event]) => {
  const sent: number[] = []
  const pausesMs: number[] = []
  const logged: string[] = []
  const log = (_details: object, message: string): void => void logged.push(message)
  let count = 0
  await recordAnswers(
    {
      witness: {
        observeAll: async (given) => {
          sent.push(given.length)
          return (answers[Math.min(count++, answers.length - 1)] ?? away)()
        },
      },
      timer: {
        elapsedMs: () => 0,
        after: async (ms) => {
          pausesMs.push(ms)
          onPause()
          if (stopping.signal.aborted) await new Promise(() => undefined) // nobody waits so long
        },
      },
      log: { info: log, warn: log, error: log },
      backOff: () => {
        let ms = 1_000
        return () => (ms *= 3)
      },
    },
    'w',
    events,
    stopping.signal,
  )
  return { pausesMs, logged, sent }
}

test('what was answered waits for the ledger, at growing distances that stay short', async () => {
  expect(await record([away, away, away, () => [recorded]])).toEqual({ pausesMs: [3_000, 9_000, 10_000], logged: [], sent: [1, 1, 1, 1] })
})

test('what is too much at once goes in parts, each as often as it takes', async () => {
  const events = Array.from({ length: 1_200 }, () => event)
  const { sent, pausesMs } = await record([() => [recorded], away, () => [recorded]], undefined, undefined, events)
  expect([sent, pausesMs]).toEqual([[500, 500, 500, 200], [3_000]])
})

test('what the ledger does not understand is told, and not sent again', async () => {
  const { pausesMs, logged } = await record([() => [{ outcome: 'quarantined', reason: 'x', detail: 'y' }]])
  expect([pausesMs, logged]).toEqual([[], ['the ledger does not understand what an observed worker answered']])
})

test('who is told to stop does not wait for a ledger that is away', async () => {
  const stopping = new AbortController()
  await expect(record([away], stopping, () => stopping.abort())).rejects.toMatchObject({ code: 'ledger_unavailable' })
})

test('what is no outage ends it', async () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  await expect(record([broken])).rejects.toThrow('broken')
})
