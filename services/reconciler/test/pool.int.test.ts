import { createTestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createPool, withStoreErrors } from '../src/adapters/postgres/pool.ts'

test('a connection that is lost between two queries of a transaction fails the second, and nothing else', async () => {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const pool = createPool({ url: database.reconcilerUrl, name: 'pool-test', connectionsMax: 1 })
  const client = await pool.connect()
  await client.query('BEGIN')
  const lost = new Promise((resolve) => client.once('end', resolve))
  await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pool-test' AND datname = current_database()")
  await lost
  await expect(client.query('SELECT 1')).rejects.toThrow()
  client.release(true)
  expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await pool.end()
  await admin.end()
  await database.drop()
})

test.each([
  ['a session that the server ended while its process was stopped within a transaction', '25P03', { code: 'store_unavailable', kind: 'unavailable' }],
  ['a server that shuts down', '57P01', { code: 'store_unavailable', kind: 'unavailable' }],
  ['a server that was made read-only', '25006', { code: 'store_unavailable', detail: 'Postgres: no' }],
  ['a password that is another one now', '28P01', { code: 'store_unavailable', detail: 'Postgres: no' }],
  ['a database that was dropped', '3D000', { code: 'store_unavailable', detail: 'Postgres: no' }],
  ['rights that were taken', '42501', { code: 'store_unavailable', detail: 'Postgres: no' }],
  ['a statement that is wrong', '42703', { code: '42703' }],
])('%s: %s', async (_name, sqlState, expected) => {
  const database = await createTestDatabase()
  const pool = createPool({ url: database.reconcilerUrl, name: 'pool-test', connectionsMax: 1 })
  const failing = withStoreErrors(() => pool.query(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${sqlState}'; END $$`))
  await expect(failing).rejects.toMatchObject(expected)
  await pool.end()
  await database.drop()
})
