/** A database that keeps the ledger out: at start, and while it runs. */
import { createTestDatabase, runService, startService, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let admin: pg.Client
let role: string
let databaseUrl: string
beforeAll(async () => {
  database = await createTestDatabase()
  admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  role = `${database.name}_kept_out`
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right' IN ROLE a2a_ledger_service`)
  databaseUrl = Object.assign(new URL(database.ledgerUrl), { username: role, password: 'right' }).href
})
afterAll(async () => {
  await admin?.end()
  await database?.drop()
  const server = new pg.Client({ connectionString: database.adminUrl.replace(/\/[^/]*$/, '/postgres') })
  await server.connect()
  await server.query(`DROP ROLE ${role}`)
  await server.end()
})
const cutConnections = (): Promise<unknown> =>
  admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])

test.each([
  ['login', () => admin.query(`ALTER ROLE ${role} NOLOGIN`), () => admin.query(`ALTER ROLE ${role} LOGIN`), 'not permitted to log in'],
  ['role of the service', () => admin.query(`REVOKE a2a_ledger_service FROM ${role}`), () => admin.query(`GRANT a2a_ledger_service TO ${role}`), 'permission denied'],
])('who loses its %s while it runs is not ready and says why, until it has it again', async (_what, take, giveBack, reason) => {
  const ledger = await startService('ledger', { DATABASE_URL: databaseUrl })
  const ask = async (path: string) => {
    const response = await fetch(`${ledger.url}${path}`)
    return { status: response.status, body: await response.json() }
  }
  await take()
  await cutConnections()
  const keptOut = { status: 503, body: { code: 'store_unavailable', detail: expect.stringContaining(reason) } }
  await expect.poll(() => ask('/readyz')).toMatchObject(keptOut)
  expect(await ask('/v1/events?after=0')).toMatchObject(keptOut)
  expect(ledger.logged.filter((line) => line.includes('request failed'))).toEqual([])
  await expect.poll(() => ledger.logged.some((line) => line.includes('background problem')), { timeout: 10_000 }).toBe(true)
  expect(ledger.logged.filter((line) => /secretKey|"stack"/.test(line))).toEqual([])
  await giveBack()
  await expect.poll(async () => (await ask('/readyz')).status).toBe(200)
  expect(await ledger.stop()).toBe(0)
})

test('who may not log in from the start is told which variable has the user', async () => {
  await admin.query(`ALTER ROLE ${role} NOLOGIN`)
  const { code, stderr } = await runService('ledger', { DATABASE_URL: databaseUrl, LEDGER_PORT: '0' })
  await admin.query(`ALTER ROLE ${role} LOGIN`)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('correct the user and the password in DATABASE_URL') })
})

test('a database that is not there is to be created', async () => {
  const url = Object.assign(new URL(databaseUrl), { pathname: '/no_such_database' }).href
  const { code, stderr } = await runService('ledger', { DATABASE_URL: url, LEDGER_PORT: '0' })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('create it, or correct its name in DATABASE_URL') })
})
