import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts'

const root = mkdtempSync(join(tmpdir(), 'a2a-ledger-embedded-'))
chmodSync(root, 0o755) // as root, PostgreSQL runs as somebody else
const dataDir = join(root, 'data')
mkdirSync(dataDir)
let server: EmbeddedPostgres | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
const serverPid = (): number => Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0])

async function query(statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server?.adminUrl })
  await client.connect()
  try {
    return (await client.query<{ value: unknown }>(statement)).rows.map(({ value }) => value)
  } finally {
    await client.end()
  }
}

test('what was committed is there after a stop and a start', async () => {
  server = await startEmbeddedPostgres({ dataDir })
  await query('create table kept as select 1 as value')
  await server.stop()
  server = await startEmbeddedPostgres({ dataDir })
  expect(await query('select value from kept')).toEqual([1])
})

test('a server that outlived its parent is stopped and its data served again', async () => {
  const forgotten = await startEmbeddedPostgres({ dataDir })
  const forgottenPid = serverPid()
  server = await startEmbeddedPostgres({ dataDir })
  await forgotten.exited
  expect(serverPid()).not.toBe(forgottenPid)
  expect(await query('select value from kept')).toEqual([1])
})

test('after SIGKILL of the server the next one recovers what was committed', async () => {
  const killed = await startEmbeddedPostgres({ dataDir })
  process.kill(serverPid(), 'SIGKILL')
  expect(await killed.exited).toMatch(/^exit SIGKILL/)
  server = await startEmbeddedPostgres({ dataDir })
  expect(await query('select value from kept')).toEqual([1])
})

test('a pid file that names a process of somebody else is no obstacle', async () => {
  writeFileSync(pidFile, `${process.pid}\n${join(dataDir, 'postgres', 'cluster')}\n0\n0\n\n\n`)
  server = await startEmbeddedPostgres({ dataDir })
  expect(await query('select value from kept')).toEqual([1])
})

test('an initialization that was cut short is done again', async () => {
  const cutShort = join(root, 'cut-short')
  server = await startEmbeddedPostgres({ dataDir: cutShort })
  await server.stop()
  renameSync(join(cutShort, 'postgres', 'cluster'), join(cutShort, 'postgres', 'unfinished'))
  server = await startEmbeddedPostgres({ dataDir: cutShort })
  expect(await query('select 1 as value')).toEqual([1])
})

test('a setting it refuses is reported in its own words', async () => {
  await expect(startEmbeddedPostgres({ dataDir, settings: { max_connections: 'many' } })).rejects.toThrow(
    /invalid value for parameter "max_connections": "many"/,
  )
})

if (process.getuid?.() === 0) {
  test('below a folder that is closed to others the data moves to one that is not, behind a link', async () => {
    const closed = join(root, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    server = await startEmbeddedPostgres({ dataDir: closed })
    await query('create table kept as select 1 as value')
    await server.stop()
    server = await startEmbeddedPostgres({ dataDir: closed })
    expect(await query('select value from kept')).toEqual([1])
    await server.stop()
    const target = realpathSync(join(closed, 'postgres'))
    expect(target).not.toContain(closed)
    rmSync(target, { recursive: true })
  })
}
