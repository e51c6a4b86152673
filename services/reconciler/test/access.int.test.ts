/** A database that keeps the reconciler out: at start, and while it runs. */
import { createTestDatabase, runService, startService, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let admin: pg.Client
let role: string
let environment: Readonly<Record<string, string>>
beforeAll(async () => {
  database = await createTestDatabase()
  admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  role = `${database.name}_views`
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right' IN ROLE a2a_ledger_reconciler`)
  environment = {
    DATABASE_URL: database.ledgerUrl,
    RECONCILER_DATABASE_URL: Object.assign(new URL(database.reconcilerUrl), { username: role, password: 'right' }).href,
    RECONCILER_PORT: '0',
  }
})
afterAll(async () => {
  await admin?.end()
  await database?.drop()
  const server = new pg.Client({ connectionString: database.adminUrl.replace(/\/[^/]*$/, '/postgres') })
  await server.connect()
  await server.query(`DROP ROLE ${role}`)
  await server.end()
})

const changes = {
  login: { take: () => `ALTER ROLE ${role} NOLOGIN`, giveBack: () => `ALTER ROLE ${role} LOGIN`, reason: 'not permitted to log in' },
  rights: { take: () => `REVOKE a2a_ledger_reconciler FROM ${role}`, giveBack: () => `GRANT a2a_ledger_reconciler TO ${role}`, reason: 'does not exist' },
}

test.each(['login', 'rights'] as const)('who loses its %s while it runs answers 503 and says why, until it has it again', async (what) => {
  const { take, giveBack, reason } = changes[what]
  const reconciler = await startService('reconciler', environment)
  const ask = async (path: string) => {
    const response = await fetch(`${reconciler.url}${path}`)
    return { status: response.status, body: await response.json() }
  }
  await admin.query(take())
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
  const keptOut = { status: 503, body: { code: 'store_unavailable', detail: expect.stringContaining(reason) } }
  await expect.poll(() => ask('/readyz')).toMatchObject(keptOut)
  expect(await ask('/v1/tasks')).toMatchObject(keptOut)
  expect(reconciler.logged.filter((line) => line.includes('request failed'))).toEqual([])
  await admin.query(giveBack())
  await expect.poll(async () => (await ask('/readyz')).status).toBe(200)
  expect(await reconciler.stop()).toBe(0)
})

test.each([
  ['login', 'correct the user and the password in RECONCILER_DATABASE_URL'],
  ['rights', 'run npm run migrate with DATABASE_URL and RECONCILER_DATABASE_URL'],
] as const)('who has no %s from the start is told what to do', async (what, advice) => {
  await admin.query(changes[what].take())
  const { code, stderr } = await runService('reconciler', environment)
  await admin.query(changes[what].giveBack())
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(advice) })
})

test('who may not read what the ledger publishes is told which role lacks, and starts once it is granted', async () => {
  const reader = `${role}_feed`
  await admin.query(`CREATE ROLE ${reader} LOGIN PASSWORD 'right'`)
  const withPassword = (password: string) => ({
    ...environment, DATABASE_URL: Object.assign(new URL(database.ledgerUrl), { username: reader, password }).href,
  })
  try {
    const refused = await runService('reconciler', withPassword('right'))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/permission denied.*GRANT a2a_ledger_reader to the user of DATABASE_URL\./) })
    const wrong = await runService('reconciler', withPassword('wrong'))
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('correct the user and the password in DATABASE_URL, ') })
    await admin.query(`GRANT a2a_ledger_reader TO ${reader}`)
    const reconciler = await startService('reconciler', withPassword('right'))
    await expect.poll(async () => (await fetch(`${reconciler.url}/readyz`)).status).toBe(200)
    expect(await reconciler.stop()).toBe(0)
  } finally {
    await admin.query(`DROP ROLE ${reader}`)
  }
})
