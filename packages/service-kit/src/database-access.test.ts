import { describe, expect, test } from 'vitest'
import { isAccessRefused, notReady } from './database-access.ts'

const reported = (code: string, message = 'reported'): Error => Object.assign(new Error(message), { severity: 'FATAL', code })

test.each([
  ['28000', true],
  ['28P01', true],
  ['3D000', true],
  ['42501', true],
  ['42P01', false],
  ['57P03', false],
])('SQLSTATE %s keeps us out: %s', (code, expected) => {
  expect(isAccessRefused(reported(code))).toBe(expected)
})

test('what PostgreSQL did not report keeps nobody out', () => {
  expect(isAccessRefused(Object.assign(new Error('no such file'), { code: '42501' }))).toBe(false)
  expect(isAccessRefused('28P01')).toBe(false)
})

describe('a database that is not ready', () => {
  test.each([
    [reported('28P01', 'wrong password'), '(wrong password): correct the user and the password in RECONCILER_DATABASE_URL, or let this user log in.'],
    [reported('28000', 'no login'), '(no login): correct the user and the password in RECONCILER_DATABASE_URL, or let this user log in.'],
    [reported('3D000', 'no database'), '(no database): create it, or correct its name in RECONCILER_DATABASE_URL; then run npm run migrate.'],
    [
      reported('42501', 'no rights'),
      '(no rights): run npm run migrate with DATABASE_URL and RECONCILER_DATABASE_URL as the services have them, or GRANT a2a_ledger_reconciler to the user of RECONCILER_DATABASE_URL.',
    ],
    [reported('42P01', 'no table'), '(no table): run npm run migrate.'],
    ['it lacks 0003_more.sql', '(it lacks 0003_more.sql): run npm run migrate.'],
  ])('%s', (cause, expected) => {
    const login = { urlVariable: 'RECONCILER_DATABASE_URL', role: 'a2a_ledger_reconciler' }
    expect(notReady('reconciler', login, cause).message).toBe(`The database is not ready for the reconciler ${expected}`)
  })
})
