import { expect, test } from 'vitest'
import { failureKindOf } from './sqlstate.ts'

const reported = (code: string, constraint?: string): Error =>
  Object.assign(new Error('reported'), { severity: 'ERROR', code, constraint })

test.each([
  ['22P02', undefined, 'poison'],
  ['22003', undefined, 'poison'],
  ['23502', undefined, 'poison'],
  ['23514', 'events_check', 'poison'],
  ['54000', undefined, 'poison'],
  ['23514', undefined, 'partition-missing'],
  ['23505', 'events_pkey', 'defect'],
  ['42P01', undefined, 'defect'],
  ['XX000', undefined, 'defect'],
  ['55P03', undefined, 'lock-timeout'],
  ['08006', undefined, 'unavailable'],
  ['25006', undefined, 'unavailable'],
  ['28000', undefined, 'unavailable'],
  ['28P01', undefined, 'unavailable'],
  ['3D000', undefined, 'unavailable'],
  ['42501', undefined, 'unavailable'],
  ['53300', undefined, 'unavailable'],
  ['57P03', undefined, 'unavailable'],
  ['25P03', undefined, 'unavailable'],
  ['40P01', undefined, 'unavailable'],
  ['53100', undefined, 'unavailable'],
  ['57P01', undefined, 'unavailable'],
  ['58030', undefined, 'unavailable'],
])('L6: SQLSTATE %s with constraint %s is %s', (code, constraint, kind) => {
  expect(failureKindOf(reported(code, constraint))).toBe(kind)
})

test('L6: a connection that broke is an outage', () => {
  expect(failureKindOf(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))).toBe('unavailable')
  expect(failureKindOf(new Error('Connection terminated unexpectedly'))).toBe('unavailable')
})

test('L6: a mistake of ours is no outage', () => {
  expect(failureKindOf(new TypeError('x is not a function'))).toBe('defect')
})
