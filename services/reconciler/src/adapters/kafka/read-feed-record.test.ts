import { correlationRungs } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import type { KafkaRecord } from '@a2a-ledger/service-kit/kafka'
import { expect, test } from 'vitest'
import { readFeedRecord } from './read-feed-record.ts'

const origin = { ce_ledgerid: 'l', ce_epoch: '1', ce_relayterm: '3', ce_prev: '6' }
const event = {
  ...origin,
  ce_specversion: '1.0',
  ce_id: 'e',
  ce_source: 's',
  ce_type: 'a2a.task',
  ce_rung: 'an attribute of the witness',
  'content-type': 'application/json',
  ce_position: '7',
  ce_recordedat: '2026-11-01T10:00:00.000Z',
  ce_digest: 'sha256:00',
  ledger_rung: 'claim',
  ledger_derivedfrom: '5',
  ledger_refused: 'correlation_conflict',
  ledger_refusedcorrelationid: 'c-9',
}
const read = (headers: Record<string, string>, more: Partial<KafkaRecord> = {}) =>
  readFeedRecord(
    {
      offset: 0,
      key: Buffer.from('c-1'),
      value: Buffer.from('{"a":1}'),
      headers: Object.entries(headers).map(([name, value]) => [name, Buffer.from(value)] as const),
      ...more,
    },
    nodeCodec.utf8Decode,
  )
const without = (name: keyof typeof event) => Object.fromEntries(Object.entries(event).filter(([each]) => each !== name))

test.each(correlationRungs)('an event that was placed by %s is read', (rung) => {
  expect(read({ ...event, ledger_rung: rung })).toMatchObject({ event: { rung } })
})

test('an event is what the ledger recorded, attributes apart from what the relay adds', () => {
  expect(read(event)).toEqual({
    kind: 'event',
    ledger: { ledgerId: 'l', epoch: 1 },
    term: 3,
    prev: 6,
    position: 7,
    event: {
      position: 7,
      recordedAtMs: Date.parse('2026-11-01T10:00:00.000Z'),
      attributes: {
        specversion: '1.0',
        id: 'e',
        source: 's',
        type: 'a2a.task',
        rung: 'an attribute of the witness',
        datacontenttype: 'application/json',
      },
      correlationId: 'c-1',
      rung: 'claim',
      derivedFrom: 5,
      refused: { code: 'correlation_conflict', correlationId: 'c-9' },
      data: '{"a":1}',
      digest: 'sha256:00',
    },
  })
})

test.each([
  ['a reference', { ...event, ce_dataref: '/v1/events/7/data' }],
  ['no time', without('ce_recordedat')],
  ['an unknown rung', { ...event, ledger_rung: 'seventh' }],
  ['no source', without('ce_source')],
])('%s is looked up in the ledger', (_, headers) => {
  expect(read(headers)).toMatchObject({ kind: 'event', position: 7, prev: 6, event: undefined })
})

test('a watermark says how far its partition is complete', () => {
  expect(read({ ...origin, ce_type: 'ledger.watermark', ce_through: '8' }, { value: new Uint8Array(), key: undefined })).toEqual({
    kind: 'watermark',
    ledger: { ledgerId: 'l', epoch: 1 },
    term: 3,
    prev: 6,
    through: 8,
  })
})

test.each([
  ['no headers', {}],
  ['no ledger', without('ce_ledgerid')],
  ['no position', without('ce_position')],
  ['a position that is none', { ...event, ce_position: '7.5' }],
  ['an epoch that is none', { ...event, ce_epoch: 'x' }],
  ['a watermark of nothing', { ...origin, ce_type: 'ledger.watermark' }],
])('%s is nothing of a relay', (_, headers) => {
  expect(read(headers)).toEqual({ kind: 'foreign' })
})
