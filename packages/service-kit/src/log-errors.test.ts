import { LedgerError } from '@a2a-ledger/domain'
import { expect, test } from 'vitest'
import { tellError } from './log-errors.ts'

test('of a lost connection its client is not written: it has the key that cancels its queries', () => {
  const client = { secretKey: 4711, connectionParameters: { password: 'secret' } }
  const lost = Object.assign(new Error('Connection terminated unexpectedly'), { client })
  expect(tellError(lost)).toEqual({ type: 'Error', message: 'Connection terminated unexpectedly' })
  const ended = Object.assign(new Error('terminating connection'), { code: '57P01', client, where: 'here' })
  expect(tellError(ended)).toEqual({ type: 'Error', message: 'terminating connection', code: '57P01' })
})

test('an error of ours that something from outside caused has its code, and the cause without more', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', socket: {} })
  expect(tellError(new LedgerError('ledger_unavailable', 'It does not answer.', { cause }))).toEqual({
    type: 'LedgerError',
    message: 'ledger_unavailable: It does not answer.',
    code: 'ledger_unavailable',
    cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
  })
})

test('a fault of ours has its stack', () => {
  const fault = new TypeError('x is not a function')
  expect(tellError(fault)).toEqual({ type: 'TypeError', message: 'x is not a function', stack: fault.stack })
  expect(tellError(new LedgerError('internal', 'odd'))).toMatchObject({ stack: expect.stringContaining('log-errors.test.ts') })
})

test('several addresses that did not answer are all told, and what is no error is told as text', () => {
  expect(tellError(new AggregateError([new Error('one'), 'two'], '')).message).toBe('one; two')
  expect(tellError('odd')).toEqual({ type: 'string', message: 'odd' })
})
