import { dumpSchema } from '@a2a-ledger/service-kit/schema-dump'
import { createTestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrateLedger } from '../src/adapters/postgres/migrate-ledger.ts'

test('schema.sql is what the migrations make; without the file, this writes it', async () => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  await expect(await dumpSchema(client, 'ledger')).toMatchFileSnapshot('../schema.sql')
  await client.end()
  await database.drop()
})

test('migrating again, and by several at once, changes nothing', async () => {
  const { adminUrl, ledgerUrl, reconcilerUrl, drop } = await createTestDatabase()
  await Promise.all(Array.from({ length: 4 }, () => migrateLedger(adminUrl, ledgerUrl, reconcilerUrl)))
  await drop()
})

test('a migration that was edited after it ran stops everything', async () => {
  const { adminUrl, ledgerUrl, drop } = await createTestDatabase()
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query("UPDATE ledger.migration SET checksum = 'other' WHERE version = 2")
  await expect(migrateLedger(adminUrl, ledgerUrl)).rejects.toThrow('never edited')
  await client.end()
  await drop()
})
