// PostgreSQL as a child of this process, without anything installed on the machine.
//
// starting: no server, or one whose parent was killed; that one is stopped first, because nobody
//           watches it any more. Leaves to running, or throws with the server's own words.
// running:  leaves to stopped by `stop()`, or when the server dies; `exited` resolves either way.
// stopped:  final; the data stays.
//
// Worst case: SIGKILL of everything between a commit and its answer. The next start recovers from
// the write-ahead log; nothing that was acknowledged is missing.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { prepareDataFolder, type DataFolder } from './data-folder.ts'
import { nativeBinaries, type NativeBinaries } from './native-binaries.ts'
import type { OsUser } from './os-user.ts'

export { platformName } from './native-binaries.ts'

export type EmbeddedPostgres = {
  /** Where a superuser connects, to the database `postgres`. */
  readonly adminUrl: string
  readonly port: number
  readonly version: string
  /** Resolves with the reason when the server is gone, whether or not it was told to stop. */
  readonly exited: Promise<string>
  /** Stops the server: open transactions are rolled back, what was committed stays. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** Holds the data folder `postgres`, the password of the superuser and the server's log. */
  readonly dataDir: string
  /** Trades what an operating system crash would lose for speed. Only for tests. */
  readonly isDurable?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Absent: any free port. Given: the one that clients already know. */
  readonly port?: number
  /** What a platform package of another version resolves to; absent: the version that this package brings. */
  readonly packageEntry?: string
}

const startAttemptsMax = 5
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000

/** Starts PostgreSQL on `dataDir`, on a free loopback port. Throws with the reason when it cannot. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = prepareDataFolder(join(options.dataDir, 'postgres'))
  const binaries = nativeBinaries(folder.user, options.packageEntry)
  const password = superuserPassword(options.dataDir, folder)
  if (folder.isNew) initialize(binaries, folder, password)
  else stopLeftover(binaries, folder)

  const logPath = join(options.dataDir, 'postgres.log')
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort())
    const server = spawnServer(binaries, folder, port, logPath, options)
    const adminUrl = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
    try {
      const version = await untilAnswering(server, adminUrl)
      const exited = new Promise<string>((resolve) => {
        server.once('exit', (code, signal) => resolve(`exit ${code ?? signal}\n${tail(logPath)}`))
      })
      return { adminUrl, port, version, exited, stop: () => stopServer(server) }
    } catch (cause) {
      await stopServer(server)
      // After SIGKILL of the server its last backends may hold the shared memory for a moment.
      if (attempt < startAttemptsMax) {
        await delay(200 * attempt)
        continue
      }
      throw new Error(`PostgreSQL does not start on ${folder.path}:\n${tail(logPath)}`, { cause })
    }
  }
}

function superuserPassword(dataDir: string, folder: DataFolder): string {
  const path = join(dataDir, 'postgres.password')
  if (folder.isNew) writeFileSync(path, randomBytes(18).toString('hex'), { mode: 0o600 })
  if (!existsSync(path)) throw new Error(`${path} is missing: without it nobody can log in to ${folder.path}.`)
  return readFileSync(path, 'utf8').trim()
}

function initialize(binaries: NativeBinaries, folder: DataFolder, password: string): void {
  // initdb reads the password as the other user: by file, and that in a place it can reach.
  const passwordFile = join(tmpdir(), `a2a-ledger-${randomBytes(8).toString('hex')}`)
  rmSync(folder.unfinishedPath, { recursive: true, force: true }) // an earlier start was killed here
  writeFileSync(passwordFile, password, { mode: folder.user === undefined ? 0o600 : 0o644, flag: 'wx' })
  try {
    const { status, stderr, stdout, error } = spawnSync(
      binaries.initdb,
      [
        `--pgdata=${folder.unfinishedPath}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale', // bytes sort as bytes, on every machine alike
        '--no-instructions',
      ],
      { ...asUser(folder.user), cwd: dirname(folder.path), encoding: 'utf8' },
    )
    if (status !== 0) {
      throw new Error(`initdb failed on ${folder.path}: ${error?.message ?? ''}\n${stdout ?? ''}${stderr ?? ''}`)
    }
    renameSync(folder.unfinishedPath, folder.path)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Stops a server that runs on this folder since its parent was killed, if there is one. */
function stopLeftover(binaries: NativeBinaries, folder: DataFolder): void {
  const pidFile = join(folder.path, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0])
  if (!isPostgres(pid)) {
    rmSync(pidFile, { force: true }) // killed, and the pid may be somebody else's by now
    return
  }
  const { status, stderr } = spawnSync(
    binaries.pgCtl,
    ['stop', '-D', folder.path, '-m', 'fast', '-w', '-t', String(stopTimeoutMs / 1000)],
    { ...asUser(folder.user), cwd: folder.path, encoding: 'utf8' },
  )
  if (status !== 0 && isPostgres(pid)) {
    throw new Error(`A PostgreSQL (pid ${pid}) still runs on ${folder.path} and does not stop: ${stderr}`)
  }
}

/** Alive and a PostgreSQL: neither a zombie that nobody reaped nor a pid that was given away. */
function isPostgres(pid: number): boolean {
  if (existsSync('/proc/self/cmdline')) {
    const path = `/proc/${pid}/cmdline`
    return existsSync(path) && readFileSync(path, 'utf8').includes('postgres') // a zombie's is empty
  }
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.includes('postgres') && !stdout.includes('<defunct>')
}

function spawnServer(
  binaries: NativeBinaries,
  folder: DataFolder,
  port: number,
  logPath: string,
  { isDurable = true, settings = {} }: EmbeddedPostgresOptions,
): ChildProcess {
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  }
  const log = openSync(logPath, 'a', 0o600)
  try {
    return spawn(
      binaries.postgres,
      ['-D', folder.path, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...asUser(folder.user),
        cwd: folder.path,
        detached: true, // its own process group: Ctrl-C reaches us, and we stop it last
        stdio: ['ignore', log, log],
      },
    )
  } finally {
    closeSync(log)
  }
}

async function untilAnswering(server: ChildProcess, adminUrl: string): Promise<string> {
  const deadlineMs = Date.now() + startTimeoutMs
  const failure = new Promise<never>((_, reject) => {
    server.once('error', reject)
    server.once('exit', (code, signal) => reject(new Error(`exited with ${code ?? signal}`)))
  })
  failure.catch(() => undefined)
  for (;;) {
    try {
      return await Promise.race([failure, serverVersion(adminUrl)])
    } catch (error) {
      if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) throw error
      if (Date.now() > deadlineMs) throw error
      await delay(50)
    }
  }
}

async function serverVersion(adminUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'unknown'
  } finally {
    await client.end()
  }
}

/** SIGINT is PostgreSQL's "fast" shutdown: roll back what is open, write a checkpoint, leave. */
async function stopServer(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  server.kill('SIGINT')
  const impatience = setTimeout(() => server.kill('SIGQUIT'), stopTimeoutMs)
  await exited
  clearTimeout(impatience)
}

function asUser(user: OsUser): { uid: number; gid: number } | Record<never, never> {
  return user ?? {}
}

function tail(logPath: string): string {
  return existsSync(logPath) ? readFileSync(logPath, 'utf8').split('\n').slice(-8).join('\n') : ''
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port')
  return address.port
}
