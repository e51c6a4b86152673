import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from './index.ts'

test('two test databases share nothing', async () => {
  const [one, other] = [await createTestDatabase(), await createTestDatabase()]
  await query(one.adminUrl, 'create table only_here ()')
  const { rows } = await query(other.adminUrl, "select to_regclass('only_here') as found")
  expect(rows).toEqual([{ found: null }])
  await one.drop()
  await other.drop()
})

test('the roles of the services can log in and create nothing', async () => {
  const database = await createTestDatabase()
  for (const url of [database.ledgerUrl, database.reconcilerUrl]) {
    await expect(query(url, 'create table public.mine ()')).rejects.toMatchObject({ code: '42501' })
  }
})

async function query(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
