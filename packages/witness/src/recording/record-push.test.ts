import { testCodec } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import type { WitnessedEvent } from './ports.ts'
import type { Missed } from './recorder.ts'
import { createPushRecorder, type WitnessedPush } from './record-push.ts'

function scene() {
  const recorded: WitnessedEvent[] = []
  const missed: Missed[] = []
  let nowMs = Date.parse('2026-03-01T10:00:00Z')
  const recordPush = createPushRecorder({ source: 'urn:test:proxy', record: (event) => recorded.push(event), miss: (each) => missed.push(each), clock: () => (nowMs += 1000), codec: testCodec })
  const push = (body: string, more: Partial<WitnessedPush> = {}): void =>
    recordPush({ workerId: 'w1', correlationId: undefined, contentType: 'application/json', traceparent: undefined, tracestate: undefined, ...more }, { bytes: testCodec.utf8Encode(body) })
  return { push, recordPush, recorded, missed, ids: () => recorded.map(({ attributes: { id } }) => id) }
}

describe('a push that comes by', () => {
  test('is told as the receiver tells it, with the time at which it came', () => {
    const { push, recorded } = scene()
    push('{}', { correlationId: 'order-42', traceparent: '00-1-2-01', tracestate: 'a=b' })
    expect(recorded[0]?.attributes).toEqual({
      specversion: '1.0', id: expect.any(String) as string, source: 'urn:test:proxy', type: 'a2a.stream-response', operation: 'Push', time: '2026-03-01T10:00:01.000Z',
      workerid: 'w1', correlationid: 'order-42', datacontenttype: 'application/json', traceparent: '00-1-2-01', tracestate: 'a=b',
    })
    expect(testCodec.utf8Decode(recorded[0]?.data ?? new Uint8Array())).toBe('{}')
  })

  test('and comes again is the same event, at the time of the first', () => {
    const { push, recorded, ids } = scene()
    push('{}')
    push('{ }')
    push('{}')
    expect(ids()[2]).toBe(ids()[0])
    expect(recorded.map(({ attributes: { time } }) => time)).toEqual(['2026-03-01T10:00:01.000Z', '2026-03-01T10:00:02.000Z', '2026-03-01T10:00:01.000Z'])
  })

  test('is another event for another worker, logical task or body', () => {
    const { push, ids } = scene()
    push('{}')
    push('{}', { workerId: 'w2' })
    push('{}', { correlationId: 'k' })
    push('{ }')
    expect(new Set(ids()).size).toBe(4)
  })

  test('is remembered while a thousand others come, and not for ever', () => {
    const { push, ids } = scene()
    push('first')
    for (let at = 0; at < 999; at += 1) push(`other ${at}`)
    push('first')
    expect(ids().at(-1)).toBe(ids()[0])
    for (let at = 0; at < 1000; at += 1) push(`another ${at}`)
    push('first')
    expect(ids().at(-1)).not.toBe(ids()[0])
  })

  test('and could not be kept is counted', () => {
    const { recordPush, missed, recorded } = scene()
    recordPush({ workerId: 'w1', correlationId: undefined, contentType: undefined, traceparent: undefined, tracestate: undefined }, { missing: 'too_large' })
    expect([recorded, missed]).toEqual([[], [{ workerId: 'w1', reason: 'too_large', byType: { 'a2a.stream-response': 1 } }]])
  })
})
