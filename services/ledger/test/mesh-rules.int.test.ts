/** Rules are remembered between appends, and never past what another ledger has recorded. */
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { applyMigrationFiles } from '@a2a-ledger/service-kit/migrations'
import { createTestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLedger, type OpenLedger } from '../src/adapters/postgres/open-ledger.ts'
import { incoming, task, type Sent } from './incoming.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

let one: TestLedger
let other: OpenLedger
beforeAll(async () => {
  one = await openTestLedger()
  other = await openLedger({ databaseUrl: one.database.ledgerUrl, codec: nodeCodec, report: () => undefined })
})
afterAll(async () => {
  await other?.close()
  await one?.end()
})

const policy = (correlation: readonly object[]): Sent => ({ via: 'internal', type: 'reconciler.mesh-policy', correlationid: '~', data: { mesh: 'default', correlation } })
let orders = 0
const placedBy = async ({ ledger }: OpenLedger): Promise<string> => {
  const order = `o-${(orders += 1)}`
  const [outcome] = await ledger.append([incoming({ workerid: 'w-1', data: task(`t-${orders}`, 'TASK_STATE_WORKING', { metadata: { a: order, b: `b-${order}` } }) })])
  if (outcome?.outcome !== 'recorded') throw new Error(JSON.stringify(outcome))
  return outcome.correlationId.replace(order, '')
}

test('a rule that one ledger records counts at once for the other, which had placed without it', async () => {
  expect([await placedBy(one), await placedBy(other)]).toEqual(['~w-1/t-1', '~w-1/t-2'])
  await one.ledger.append([incoming(policy([{ from: 'metadata', pointer: '/a' }]))])
  expect([await placedBy(other), await placedBy(one)]).toEqual(['', ''])
  await other.ledger.append([incoming(policy([{ from: 'metadata', pointer: '/b' }]))])
  expect([await placedBy(one), await placedBy(other)]).toEqual(['b-', 'b-'])
})

test('so does an enrolment into a mesh with other rules', async () => {
  await other.ledger.append([
    incoming({ via: 'internal', type: 'reconciler.worker-enrolled', workerid: 'w-1', correlationid: '~w-1', data: { mesh: 'quiet' } }),
  ])
  expect([await placedBy(one), await placedBy(other)]).toEqual(['~w-1/t-7', '~w-1/t-8'])
})

test('an enrolment from before there were rules counts after the migration; one that cannot be read says no mesh', async () => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const folder = join(import.meta.dirname, '../migrations')
  const before = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const name of (await readdir(folder)).filter((file) => file < '0007')) await copyFile(join(folder, name), join(before, name))
  await client.query('DROP SCHEMA ledger CASCADE')
  await applyMigrationFiles(client, 'ledger', before)
  for (const [position, data] of ['{"mesh":"a"}', '{"trust":"card"}', '{"mesh":"b","probe":{"message":"\\u0000"}}'].entries()) {
    await client.query("INSERT INTO ledger.payloads VALUES ($1, '\\x', $2)", [position + 1, Buffer.from(data)])
    await client.query(
      `INSERT INTO ledger.events (position, recorded_at, tenant, event_type, attributes, correlation_id, correlation_hash, rung, worker_hash, canonical, payload_position)
       VALUES ($1, now(), 'default', 'reconciler.worker-enrolled', '{}', '~w', '\\x', 'explicit', $2, '{}', $1)`,
      [position + 1, Buffer.from([position])],
    )
  }
  await applyMigrationFiles(client, 'ledger', folder)
  const { rows } = await client.query('SELECT mesh, position FROM ledger.worker_mesh')
  expect(rows).toEqual([{ mesh: 'a', position: '1' }])
  await client.end()
  await rm(before, { recursive: true })
  await database.drop()
})
