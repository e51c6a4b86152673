import { LedgerError } from '@a2a-ledger/domain'
import { describe, expect, test } from 'vitest'
import { createKafkaWriter, type ObservationRecord } from './kafka-writer.ts'
import type { GapReport, LedgerWriter, WitnessedEvent } from './recording/ports.ts'

const event = (id: string, bytes = 2): WitnessedEvent => ({
  attributes: { specversion: '1.0', id, source: 's', type: 'a2a.task', workerid: 'w1' }, data: Buffer.from(`"${'x'.repeat(bytes - 2)}"`),
})
const gap: GapReport = { id: 'g', workerId: 'w1', witness: 's', reason: 'spool_full', from: '2026-03-01T10:00:00Z', to: '2026-03-01T10:00:00Z', events: 1, byType: { x: 1 }, isExact: true }

function scene(fails: (messages: readonly ObservationRecord[]) => Error | undefined = () => undefined, withHttp = true) {
  const sent: string[][] = []
  const overHttp: unknown[] = []
  const http: LedgerWriter = {
    events: async (events) => (overHttp.push(...events.map(({ attributes }) => attributes.id)), events.map(() => ({ outcome: 'kept' }))),
    gaps: async (reports) => (overHttp.push(...reports), reports.map(() => ({ outcome: 'kept' }))),
  }
  const writer = createKafkaWriter({
    topic: 'a2a.observations',
    http: withHttp ? http : undefined,
    producer: {
      send: async ({ topic, messages }) => {
        const error = fails(messages)
        if (error !== undefined) throw error
        expect([topic, ...messages.map(({ key, headers }) => [key, headers])]).toEqual(['a2a.observations', ...messages.map(() => ['w1', { 'content-type': 'application/cloudevents+json' }])])
        sent.push(messages.map(({ value }) => (JSON.parse(value.toString()) as { id: string }).id))
      },
    },
  })
  return { writer, sent, overHttp }
}
const kept = { outcome: 'kept' }
const tooLarge = Object.assign(new Error('The request included a message larger than the max message size'), { type: 'MESSAGE_TOO_LARGE' })

describe('over Kafka', () => {
  test('events go in order, as many as a batch may hold', async () => {
    const { writer, sent } = scene()
    const events = [event('a', 400_000), event('b', 400_000), event('c', 400_000)]
    expect(await writer.events(events)).toEqual([kept, kept])
    expect(await writer.events(events.slice(2))).toEqual([kept])
    expect(sent).toEqual([['a', 'b'], ['c']])
  })

  test('what is too large for a record goes over HTTP', async () => {
    const { writer, sent, overHttp } = scene()
    expect(await writer.events([event('a', 1_000_000), event('b')])).toEqual([kept])
    expect([sent, overHttp]).toEqual([[], ['a']])
  })

  test('a broker that takes less gets less', async () => {
    const { writer, sent, overHttp } = scene((messages) => (messages.length > 1 ? tooLarge : undefined))
    expect(await writer.events(['a', 'b', 'c', 'd'].map((id) => event(id)))).toEqual([kept])
    expect([sent, overHttp]).toEqual([[['a']], []])
  })

  test('an event that the broker does not take at all goes over HTTP, and is refused where there is none', async () => {
    const { writer, overHttp } = scene(() => tooLarge)
    expect(await writer.events([event('a')])).toEqual([kept])
    expect(overHttp).toEqual(['a'])
    expect(await scene(() => tooLarge, false).writer.events([event('a')])).toMatchObject([{ outcome: 'refused' }])
  })

  test('gaps go over HTTP, and are refused where there is none', async () => {
    const { writer, overHttp } = scene()
    expect(await writer.gaps([gap])).toEqual([kept])
    expect(overHttp).toEqual([gap])
    expect(await scene(undefined, false).writer.gaps([gap])).toMatchObject([{ outcome: 'refused' }])
  })

  test('a cluster that is away is a ledger that is away', async () => {
    const { writer } = scene(() => new Error('no broker'))
    const error: unknown = await writer.events([event('a')]).catch((thrown: unknown) => thrown)
    expect(error instanceof LedgerError && error.kind).toBe('unavailable')
  })
})
