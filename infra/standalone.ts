// `npm start`: PostgreSQL, ledger, reconciler and proxy under one roof.
//
// starting: PostgreSQL, then the migrations, then the services. Leaves to running (`ready`), or
//           to stopping when anything fails.
// running:  leaves to stopping on SIGTERM, SIGINT, SIGHUP, when npm is gone, or when a part died
//           so often that starting it again does not help.
// stopping: services first, PostgreSQL last, because they drain into it. A second signal changes
//           nothing.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { readConfig as readLedgerConfig } from '@a2a-ledger/ledger/config'
import { readConfig as readProxyConfig } from '@a2a-ledger/proxy/config'
import { readConfig as readReconcilerConfig } from '@a2a-ledger/reconciler/config'
import { workspaceRoot } from './launch/node24.cjs'
import { migrate, type DatabaseUrls } from './migrate.ts'
import { startEmbeddedPostgres } from './postgres/embedded-postgres.ts'
import { claimDataDir } from './standalone/claim-data-dir.ts'
import { keepRunning } from './standalone/keep-running.ts'
import { startService } from './standalone/service-process.ts'

const databaseName = 'a2a_ledger'

requireValidEnvironment()
const host = process.env['HOST'] ?? '127.0.0.1'
const ports = {
  LEDGER_PORT: Number(process.env['LEDGER_PORT'] ?? 4100),
  RECONCILER_PORT: Number(process.env['RECONCILER_PORT'] ?? 4200),
  PROXY_PORT: Number(process.env['PROXY_PORT'] ?? 4300),
}
const dataDir = resolve(workspaceRoot, process.env['DATA_DIR'] ?? '.data')

const say = (line: string): void => console.log(line)

/** What has to be undone, latest last. */
const undo: (() => Promise<void> | void)[] = []
let stopping: Promise<void> | undefined

function stop(reason: string, exitCode: number): Promise<void> {
  stopping ??= (async () => {
    say(`stopping: ${reason}`)
    for (const step of undo.reverse()) {
      try {
        await step()
      } catch (error) {
        console.error(error)
      }
    }
    say('stopped')
    process.exit(exitCode)
  })()
  return stopping
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(signal, 0))
}
if (process.env['npm_lifecycle_event'] !== undefined) {
  const parentPid = process.ppid
  setInterval(() => {
    if (process.ppid !== parentPid) void stop('npm is gone', 0)
  }, 500).unref()
}

async function start(): Promise<void> {
  await requireFreePorts()
  const databaseUrls = process.env['DATABASE_URL'] ? ownDatabase(process.env['DATABASE_URL']) : await embeddedDatabase()
  if (stopping !== undefined) return
  say('Applying migrations …')
  await migrate(databaseUrls)
  if (stopping !== undefined) return

  const urls = {
    ledger: `http://${reachableHost()}:${ports.LEDGER_PORT}`,
    reconciler: `http://${reachableHost()}:${ports.RECONCILER_PORT}`,
    proxy: `http://${reachableHost()}:${ports.PROXY_PORT}`,
  }
  const { DATABASE_ADMIN_URL: _notForServices, ...inherited } = process.env
  const env = {
    LOG_LEVEL: 'warn',
    LEDGER_URL: urls.ledger,
    PUBLIC_URL: urls.proxy,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    ...inherited,
    HOST: host,
    LEDGER_PORT: String(ports.LEDGER_PORT),
    RECONCILER_PORT: String(ports.RECONCILER_PORT),
    PROXY_PORT: String(ports.PROXY_PORT),
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrls.ledgerUrl,
    RECONCILER_DATABASE_URL: databaseUrls.reconcilerUrl,
  }
  for (const name of ['ledger', 'reconciler', 'proxy'] as const) {
    say(`Starting the ${name} …`)
    const service = keepRunning({
      name,
      start: (signal) => startService({ name, url: urls[name], env }, signal),
      say,
      giveUp: (reason) => void stop(reason, 1),
    })
    undo.push(() => service.stop())
    await service.started
    if (stopping !== undefined) return
  }
  say(`ledger      ${urls.ledger}`)
  say(`reconciler  ${urls.reconciler}`)
  say(`proxy       ${urls.proxy}`)
  say('ready')
}

/** Says all that is wrong with the environment of the services at once, before anything is started. */
function requireValidEnvironment(): void {
  // Where there is no database yet, one will be brought along.
  const env = { ...process.env, DATABASE_URL: process.env['DATABASE_URL'] || 'postgres://embedded/a2a_ledger' }
  const readings = [readLedgerConfig(env), readReconcilerConfig(env), readProxyConfig({ PUBLIC_URL: 'http://127.0.0.1', ...env })]
  const problems = new Set(readings.flatMap((reading) => (reading.outcome === 'invalid' ? reading.problems : [])))
  if (problems.size === 0) return
  for (const problem of problems) console.error(problem)
  process.exit(1)
}

async function requireFreePorts(): Promise<void> {
  const taken: string[] = []
  for (const [port, same] of Map.groupBy(Object.entries(ports), ([, each]) => each)) {
    if (same.length > 1 && port !== 0) throw new Error(`${same.map(([name]) => name).join(' and ')} are all ${port}: they must differ.`)
  }
  for (const [name, port] of Object.entries(ports)) {
    const server = createServer()
    const error = await new Promise<NodeJS.ErrnoException | undefined>((done) => {
      server.once('error', done)
      server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)))
    })
    if (error?.code === 'EADDRINUSE') taken.push(`Port ${port} on ${host} is in use: set ${name} to another one.`)
    else if (error !== undefined) taken.push(`Cannot listen on port ${port} of ${host} (${name}): ${error.message}`)
  }
  if (taken.length > 0) throw new Error(taken.join('\n'))
}

function ownDatabase(databaseUrl: string): DatabaseUrls {
  return {
    adminUrl: process.env['DATABASE_ADMIN_URL'] ?? databaseUrl,
    ledgerUrl: databaseUrl,
    reconcilerUrl: process.env['RECONCILER_DATABASE_URL'] ?? databaseUrl,
  }
}

async function embeddedDatabase(): Promise<DatabaseUrls> {
  const claim = claimDataDir(dataDir)
  undo.push(() => claim.release())
  say(`Starting PostgreSQL in ${join(dataDir, 'postgres')} (the first time takes a few seconds) …`)
  let port: number | undefined
  const postgres = keepRunning({
    name: 'PostgreSQL',
    start: () => startEmbeddedPostgres({ dataDir, ...(port === undefined ? {} : { port }) }),
    say,
    giveUp: (reason) => void stop(reason, 1),
  })
  undo.push(() => postgres.stop())
  const first = await postgres.started
  port = first.port
  say(`PostgreSQL ${first.version} on 127.0.0.1:${port}, password in ${join(dataDir, 'postgres.password')}`)
  await createDatabase(first.adminUrl)

  const secret = readFileSync(join(dataDir, 'postgres.password'), 'utf8')
  const urlOf = (user: string, password: string): string =>
    `postgresql://${user}:${password}@127.0.0.1:${port}/${databaseName}`
  const passwordOf = (user: string): string => createHash('sha256').update(`${secret} ${user}`).digest('hex')
  return {
    adminUrl: urlOf('postgres', secret),
    ledgerUrl: urlOf('a2a_ledger', passwordOf('a2a_ledger')),
    reconcilerUrl: urlOf('a2a_reconciler', passwordOf('a2a_reconciler')),
  }
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
    if (rowCount === 0) await client.query(`create database ${databaseName}`)
  } finally {
    await client.end()
  }
}

/** Where this machine reaches a service that may listen on all its addresses. */
function reachableHost(): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

try {
  await start()
} catch (error) {
  if (stopping === undefined) console.error(error instanceof Error ? error.message : error)
  await stop('it could not be started', 1)
}
