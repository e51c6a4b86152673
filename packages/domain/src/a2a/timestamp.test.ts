import { describe, expect, test } from 'vitest'
import { parseTimestampMs } from './timestamp.ts'

describe('status timestamps (F3; C134, C136)', () => {
  test.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', []],
    ['2026-01-01t00:00:00z', '2026-01-01T00:00:00.000Z', []],
    ['2026-01-01T05:30:00+05:30', '2026-01-01T00:00:00.000Z', []],
    ['2026-01-01T05:00:00-0500', '2026-01-01T10:00:00.000Z', []],
    ['2026-01-01 00:00:00.5+00', '2026-01-01T00:00:00.500Z', []],
    ['2026-11-29T21:04:53.704316289Z', '2026-11-29T21:04:53.704Z', []],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z', []],
    ['2024-02-29T12:00Z', '2024-02-29T12:00:00.000Z', []],
    ['2025-04-16T13:38:21.503444', '2025-04-16T13:38:21.503Z', ['timestamp_zone_assumed']],
    ['2999-01-01T00:00:00Z', '2999-01-01T00:00:00.000Z', []],
  ])('%s is %s', (wire, iso, notes) => {
    expect(parseTimestampMs(wire)).toEqual({ ms: Date.parse(iso), notes })
  })

  test.each([
    ['not-a-timestamp'],
    [''],
    ['2026-01-01'],
    ['Mon Jun 24 2024'],
    ['2026-02-29T00:00:00Z'],
    ['2026-13-01T00:00:00Z'],
    ['2026-01-01T24:00:00Z'],
    ['2026-01-01T00:00:61Z'],
    ['2026-01-01T00:00:00+24:00'],
    ['0001-01-01T00:00:00Z'],
    [12345],
    [1767225600000],
    [true],
    [{ seconds: '1', nanos: 0 }],
  ])('%s is unusable and noted', (wire) => {
    expect(parseTimestampMs(wire)).toEqual({ notes: ['timestamp_invalid'] })
  })

  test.each([[undefined], [null]])('%s is absent and notes nothing', (wire) => {
    expect(parseTimestampMs(wire)).toEqual({ notes: [] })
  })
})
