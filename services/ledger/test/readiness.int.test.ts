/** Ready means that events can be recorded, not that the database answers. */
import { createTestDatabase, startService, type ServiceProcess, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let ledger: ServiceProcess
let admin: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
  admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
})
afterAll(async () => {
  await admin?.end()
  await ledger?.stop()
  await database?.drop()
})

let eventCount = 0
const record = async (): Promise<number> => {
  const event = { specversion: '1.0', id: `e-${(eventCount += 1)}`, source: 'urn:test', type: 'a2a.task', workerid: 'w', data: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }
  const response = await fetch(`${ledger.url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/cloudevents+json' }, body: JSON.stringify(event) })
  return response.status
}
const ready = async () => {
  const response = await fetch(`${ledger.url}/readyz`)
  return { status: response.status, body: (await response.json()) as { code?: string; detail?: string } }
}

test('a full database answers and is not ready, until an event is recorded again', async () => {
  expect([await record(), (await ready()).status]).toEqual([200, 200])
  await admin.query(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`)
  await admin.query('CREATE TRIGGER disk_full BEFORE INSERT ON ledger.event_key FOR EACH STATEMENT EXECUTE FUNCTION disk_full()')
  expect(await record()).toBe(503)
  expect(await ready()).toMatchObject({ status: 503, body: { code: 'store_unavailable', detail: expect.stringContaining('No space left') } })
  await admin.query('DROP TRIGGER disk_full ON ledger.event_key')
  expect([await record(), (await ready()).status]).toEqual([200, 200])
})

test('a database that became read-only answers and is not ready', async () => {
  const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name')
  const name = pg.escapeIdentifier(rows[0]?.name ?? '')
  const switchTo = async (mode: 'on' | 'off'): Promise<void> => {
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${mode}`)
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
  }
  await switchTo('on')
  await expect.poll(ready).toMatchObject({ status: 503, body: { code: 'store_unavailable', detail: expect.stringContaining('read-only') } })
  expect(await record()).toBe(503)
  await switchTo('off')
  await expect.poll(record).toBe(200)
  await expect.poll(async () => (await ready()).status).toBe(200)
})
