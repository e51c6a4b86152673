import { dumpSchema } from '@a2a-ledger/service-kit/schema-dump'
import { createTestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrateReconciler } from '../src/migrate.ts'
import { foldedTables } from '../src/adapters/postgres/feed-places.ts'

test('schema.sql is what the migrations make; without the file, this writes it', async () => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  await expect(await dumpSchema(client, 'reconciler')).toMatchFileSnapshot('../schema.sql')
  await client.end()
  await database.drop()
})

test('migrating again, and by several at once, changes nothing', async () => {
  const { adminUrl, reconcilerUrl, drop } = await createTestDatabase()
  await Promise.all(Array.from({ length: 4 }, () => migrateReconciler(adminUrl, reconcilerUrl)))
  await drop()
})

test('every table is made of the ledger, but for its places in the feed, the identity, the migrations, the permits and the secrets', async () => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'reconciler'::regnamespace AND relkind = 'r'",
  )
  const kept = ['feed_members', 'feed_offsets', 'feed_partitions', 'mesh_permits', 'meta', 'migration', 'worker_secrets']
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...foldedTables, ...kept].toSorted())
  await client.end()
  await database.drop()
})
