/** L9, L12: what the database itself allows, and to whom. */
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLedger } from '../src/adapters/postgres/open-ledger.ts'
import { incoming, message, task } from './incoming.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

let ledger: TestLedger
let service: pg.Client
const forbidden = { code: '42501' }

beforeAll(async () => {
  ledger = await openTestLedger()
  service = new pg.Client({ connectionString: ledger.database.ledgerUrl })
  await service.connect()
  await ledger.ledger.append([
    incoming({ correlationid: 'k', taskid: 't-1' }),
    incoming({ type: 'a2a.dispatch', operation: 'SendMessage', correlationid: 'k', data: { ...message('m'), configuration: { taskPushNotificationConfig: { url: 'https://o.example.com', token: 'x' } } } }),
    incoming({ operation: 'Push', taskid: 't-2', messageid: 'm-2', data: task('t-2') }),
    incoming({ type: 'a2a.worker-restarted', operation: undefined, data: {} }),
    incoming({ taskid: 't-2', correlationid: 'k', data: task('t-2') }),
    incoming({ type: 'no.such.type' }),
  ])
  const quarantined = await ledger.reader.quarantined(undefined, 1, undefined)
  await ledger.admin.query('INSERT INTO ledger.quarantine_replay (id, position) VALUES ($1, 1)', [quarantined[0]?.id])
})
afterAll(async () => {
  await service.end()
  await ledger.end()
})

const appendOnly = [
  'events', 'event_key', 'payloads', 'quarantine', 'quarantine_replay', 'task_link', 'message_link', 'dispatch',
  'open_claim', 'synthetic_stream', 'worker_restart', 'alias', 'push_secret',
] as const
const partitions = ['events_p000000', 'payloads_p000000'] as const

describe.each([...appendOnly, ...partitions])('%s', (table) => {
  test('has a row to break', async () => {
    const { rowCount } = await ledger.admin.query(`SELECT FROM ledger.${table}`)
    expect(rowCount).toBeGreaterThan(0)
  })

  test.each(['the service', 'the owner'])('L12: %s can neither update, delete nor truncate it', async (who) => {
    const client = who === 'the owner' ? ledger.admin : service
    if (who === 'the service') await client.query('SET ROLE a2a_ledger_service')
    const { rows } = await ledger.admin.query<{ name: string }>(
      "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND attidentity = '' LIMIT 1",
      [`ledger.${table}`],
    )
    await expect(client.query(`UPDATE ledger.${table} SET ${rows[0]?.name} = ${rows[0]?.name}`)).rejects.toMatchObject(forbidden)
    await expect(client.query(`DELETE FROM ledger.${table}`)).rejects.toMatchObject(forbidden)
    await expect(client.query(`TRUNCATE ledger.${table}`)).rejects.toMatchObject(forbidden)
  })
})

test.each([
  'CREATE TABLE ledger.mine ()',
  'DROP TABLE ledger.events',
  'ALTER TABLE ledger.events DISABLE TRIGGER ALL',
  'DROP TRIGGER refuse_change ON ledger.events',
  'SET session_replication_role = replica',
  'UPDATE ledger.identity SET epoch = 2',
  'SET ROLE a2a_ledger_eraser',
])('L12: the service owns nothing: %s', async (statement) => {
  await service.query('SET ROLE a2a_ledger_service')
  await expect(service.query(statement)).rejects.toMatchObject(forbidden)
})

test('L3: the service may have partitions made, a bounded number ahead', async () => {
  await service.query('SET ROLE a2a_ledger_service')
  const { rows } = await service.query('SELECT ledger.make_partitions(3000000) AS made')
  expect(rows).toEqual([{ made: '4000000' }])
  await expect(service.query('SELECT ledger.make_partitions(100000000)')).rejects.toThrow('ahead')
  await expect(ledger.admin.query('TRUNCATE ledger.events_p000003')).rejects.toMatchObject(forbidden)
  await service.query("INSERT INTO ledger.payloads VALUES (3000001, '\\x00', '\\x00')")
  await expect(ledger.admin.query('DELETE FROM ledger.payloads_p000003')).rejects.toMatchObject(forbidden)
})

test('P7: the reconciler reads the published views and nothing else', async () => {
  const reader = new pg.Client({ connectionString: ledger.database.reconcilerUrl })
  await reader.connect()
  const { rows } = await reader.query("SELECT position, correlation_id, convert_from(data, 'UTF8') AS data, digest FROM ledger.feed_v1 WHERE position > 0 ORDER BY position LIMIT 1")
  const event = await ledger.reader.event(1)
  expect(rows).toEqual([{ position: '1', correlation_id: 'k', data: Buffer.from(event?.data ?? []).toString(), digest: event?.digest }])
  const { rows: access } = await reader.query('SELECT internal_token FROM ledger.access_v1')
  expect(access).toEqual([{ internal_token: await ledger.reader.internalToken() }])
  await expect(reader.query('SELECT FROM ledger.events')).rejects.toMatchObject(forbidden)
  await expect(reader.query('SELECT FROM ledger.identity')).rejects.toMatchObject(forbidden)
  await reader.end()
})

test('P7: the feed finds a stream by its key', async () => {
  const { rows: keys } = await ledger.admin.query('SELECT correlation_key FROM ledger.feed_v1 WHERE position = 1')
  const { rows } = await ledger.admin.query('EXPLAIN (FORMAT JSON, COSTS OFF) SELECT position FROM ledger.feed_v1 WHERE correlation_key = $1 ORDER BY position', [keys[0].correlation_key])
  expect(keys[0].correlation_key).toHaveLength(16)
  expect(JSON.stringify(rows)).toContain('correlation_hash')
})

test('L9: an erasure removes bytes and digest, works as a role of its own, and the event stays', async () => {
  await ledger.admin.query('SET ROLE a2a_ledger_eraser')
  await expect(ledger.admin.query('DELETE FROM ledger.events')).rejects.toMatchObject(forbidden)
  const { rowCount } = await ledger.admin.query('DELETE FROM ledger.payloads WHERE position = 1')
  await ledger.admin.query('RESET ROLE')
  expect(rowCount).toBe(1)
  expect(await ledger.reader.event(1)).toMatchObject({ data: undefined, digest: undefined, attributes: { correlationid: 'k' } })
  const { rows } = await ledger.admin.query('SELECT digest, data, attributes FROM ledger.feed_v1 WHERE position = 1')
  expect(rows).toMatchObject([{ digest: null, data: null, attributes: { correlationid: 'k' } }])
})

test('L2: an erased event sent again is a duplicate by its hash, and a conflict in other bytes', async () => {
  const event = incoming({ correlationid: 'erased', taskid: 't-e', data: '{"id":"t-e","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}' })
  const [outcome] = await ledger.ledger.append([event])
  await ledger.admin.query('SET ROLE a2a_ledger_eraser')
  await ledger.admin.query('DELETE FROM ledger.payloads WHERE position = $1', [outcome?.outcome === 'recorded' ? outcome.position : 0])
  await ledger.admin.query('RESET ROLE')
  expect(await ledger.ledger.append([event])).toMatchObject([{ outcome: 'duplicate' }])
  const other = { ...event, data: Buffer.from(` ${Buffer.from(event.data ?? []).toString()}`) }
  expect(await ledger.ledger.append([other])).toMatchObject([{ outcome: 'conflict', differsIn: ['data'] }])
})

test('L3: the key of an archived event still makes it a duplicate', async () => {
  const event = incoming({ correlationid: 'archived', taskid: 't-a' })
  const [outcome] = await ledger.ledger.append([event])
  const { head } = await ledger.reader.identity()
  await ledger.ledger.append([incoming({ correlationid: 'after', taskid: 't-after' })])
  await ledger.admin.query('BEGIN; SET LOCAL session_replication_role = replica')
  await ledger.admin.query('DELETE FROM ledger.events WHERE position = $1', [head])
  await ledger.admin.query('COMMIT')
  expect(await ledger.ledger.append([event])).toEqual([{ ...outcome, outcome: 'duplicate' }])
})

test('L13: identical answers share one payload row', async () => {
  const data = '{"id":"t-s","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"shared":true}}'
  const [first] = await ledger.ledger.append([incoming({ correlationid: 's', taskid: 't-s', data }), incoming({ correlationid: 's', taskid: 't-s', data })])
  await ledger.ledger.append([incoming({ correlationid: 's', taskid: 't-s', data })])
  const { rows } = await ledger.admin.query("SELECT DISTINCT payload_position FROM ledger.events WHERE correlation_id = 's'")
  expect(rows).toEqual([{ payload_position: String(first?.outcome === 'recorded' ? first.position : 0) }])
  const events = await ledger.reader.events({ correlationId: 's' }, 0, 10)
  expect(events.map((event) => Buffer.from(event.data ?? []).toString())).toEqual([data, data, data])
})

test('L10: no secret is anywhere in the database', async () => {
  await ledger.ledger.append([
    incoming({ type: 'a2a.dispatch', operation: 'SendMessage', correlationid: 'secret', data: { ...message('m-s'), configuration: { taskPushNotificationConfig: { url: 'https://o.example.com', token: 'very-secret-token' } } } }),
    incoming({ type: 'a2a.dispatch', operation: 'SendMessage', correlationid: '~refused', data: { ...message('m-s'), configuration: { taskPushNotificationConfig: { url: 'https://o.example.com', token: 'very-secret-token' } } } }),
  ])
  const { rows: tables } = await ledger.admin.query<{ name: string }>("SELECT relname AS name FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relkind IN ('r', 'p')")
  const needle = Buffer.from('very-secret-token').toString('hex')
  for (const { name } of tables) {
    const { rowCount } = await ledger.admin.query(`SELECT FROM ledger.${name} AS one WHERE one::text LIKE '%very-secret-token%' OR one::text LIKE '%${needle}%'`)
    expect(rowCount, name).toBe(0)
  }
})

test('a database that is not migrated says what to run', async () => {
  const empty = `${ledger.database.name}_empty`
  await ledger.admin.query(`CREATE DATABASE ${empty}`)
  const databaseUrl = Object.assign(new URL(ledger.database.ledgerUrl), { pathname: `/${empty}` }).href
  await expect(openLedger({ databaseUrl, codec: nodeCodec, report: () => undefined })).rejects.toThrow('run npm run migrate')
  await ledger.admin.query(`DROP DATABASE ${empty}`)
})
