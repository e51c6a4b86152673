import { expect, it } from 'vitest'
import { retryAfterMsOf } from './retry-after.ts'

const nowMs = Date.UTC(2026, 0, 1)

it.each([
  ['seconds', '30', 30_000],
  ['a date', 'Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['a date that is over', 'Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['a date that is none', 'Thu, 99 Jan 2026 00:01:00 GMT', undefined],
  ['a date in a form that HTTP does not have', '2026-01-01T00:01:00Z', undefined],
  ['a negative number', '-1', undefined],
  ['a word', 'soon', undefined],
])('%s', (_form, stated, expected) => {
  expect(retryAfterMsOf(stated, nowMs)).toBe(expected)
})
