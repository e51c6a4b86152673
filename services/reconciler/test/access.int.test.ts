/** A database that keeps the reconciler out: at start, and while it runs. */
import { createTestDatabase, createTestUser, runService, startService, type TestDatabase, type TestUser } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let user: TestUser
let environment: Readonly<Record<string, string>>
beforeAll(async () => {
  database = await createTestDatabase()
  user = await createTestUser(database.reconcilerUrl, 'a2a_ledger_reconciler')
  environment = { DATABASE_URL: database.ledgerUrl, RECONCILER_DATABASE_URL: user.url, RECONCILER_PORT: '0' }
})
afterAll(async () => {
  await database?.drop()
  await user?.drop()
})

test.each([
  ['login', 'not permitted to log in'],
  ['rights', 'does not exist'],
] as const)('who loses its %s while it runs answers 503 and says why, until it has it again', async (what, reason) => {
  const reconciler = await startService('reconciler', environment)
  const ask = async (path: string) => {
    const response = await fetch(`${reconciler.url}${path}`)
    return { status: response.status, body: await response.json() }
  }
  await user.take(what)
  const keptOut = { status: 503, body: { code: 'store_unavailable', detail: expect.stringContaining(reason) } }
  await expect.poll(() => ask('/readyz')).toMatchObject(keptOut)
  expect(await ask('/v1/tasks')).toMatchObject(keptOut)
  expect(reconciler.logged.filter((line) => line.includes('request failed'))).toEqual([])
  await user.giveBack(what)
  await expect.poll(async () => (await ask('/readyz')).status).toBe(200)
  expect(await reconciler.stop()).toBe(0)
})

test.each([
  ['login', 'correct the user and the password in RECONCILER_DATABASE_URL'],
  ['rights', 'run npm run migrate with DATABASE_URL and RECONCILER_DATABASE_URL'],
] as const)('who has no %s from the start is told what to do', async (what, advice) => {
  await user.take(what)
  const { code, stderr } = await runService('reconciler', environment)
  await user.giveBack(what)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(advice) })
})

test('who may not read what the ledger publishes is told which role lacks, and starts once it is granted', async () => {
  const reader = await createTestUser(database.ledgerUrl, 'a2a_ledger_reader')
  const withPassword = (password: string) => ({ ...environment, DATABASE_URL: Object.assign(new URL(reader.url), { password }).href })
  try {
    await reader.take('rights')
    const refused = await runService('reconciler', withPassword('right'))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/permission denied.*GRANT a2a_ledger_reader to the user of DATABASE_URL\./) })
    const wrong = await runService('reconciler', withPassword('wrong'))
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('correct the user and the password in DATABASE_URL, ') })
    await reader.giveBack('rights')
    const reconciler = await startService('reconciler', withPassword('right'))
    await expect.poll(async () => (await fetch(`${reconciler.url}/readyz`)).status).toBe(200)
    expect(await reconciler.stop()).toBe(0)
  } finally {
    await reader.drop()
  }
})
