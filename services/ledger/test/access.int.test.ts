/** A database that keeps the ledger out: at start, and while it runs. */
import { createTestDatabase, createTestUser, runService, startService, type TestDatabase, type TestUser } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let user: TestUser
beforeAll(async () => {
  database = await createTestDatabase()
  user = await createTestUser(database.ledgerUrl, 'a2a_ledger_service')
})
afterAll(async () => {
  await database?.drop()
  await user?.drop()
})

test.each([
  ['login', 'not permitted to log in'],
  ['rights', 'permission denied'],
] as const)('who loses its %s while it runs is not ready and says why, until it has it again', async (what, reason) => {
  const ledger = await startService('ledger', { DATABASE_URL: user.url })
  const ask = async (path: string) => {
    const response = await fetch(`${ledger.url}${path}`)
    return { status: response.status, body: await response.json() }
  }
  await user.take(what)
  const keptOut = { status: 503, body: { code: 'store_unavailable', detail: expect.stringContaining(reason) } }
  await expect.poll(() => ask('/readyz')).toMatchObject(keptOut)
  expect(await ask('/v1/events?after=0')).toMatchObject(keptOut)
  expect(ledger.logged.filter((line) => line.includes('request failed'))).toEqual([])
  await user.giveBack(what)
  await expect.poll(async () => (await ask('/readyz')).status).toBe(200)
  const breaksWhileIdle = async () => {
    await ask('/v1/events?after=0')
    await user.disconnect()
    return ledger.logged.some((line) => line.includes('background problem'))
  }
  await expect.poll(breaksWhileIdle).toBe(true)
  expect(ledger.logged.filter((line) => /secretKey|"stack"/.test(line))).toEqual([])
  expect(await ledger.stop()).toBe(0)
})

test('who may not log in from the start is told which variable has the user', async () => {
  await user.take('login')
  const { code, stderr } = await runService('ledger', { DATABASE_URL: user.url, LEDGER_PORT: '0' })
  await user.giveBack('login')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('correct the user and the password in DATABASE_URL') })
})

test('a database that is not there is to be created', async () => {
  const url = Object.assign(new URL(user.url), { pathname: '/no_such_database' }).href
  const { code, stderr } = await runService('ledger', { DATABASE_URL: url, LEDGER_PORT: '0' })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('create it, or correct its name in DATABASE_URL') })
})
