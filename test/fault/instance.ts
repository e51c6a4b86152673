import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePorts } from '../support/free-port.ts'

const standalone = join(import.meta.dirname, '..', '..', 'infra', 'standalone.ts')

/** A whole instance of ours (PostgreSQL, ledger, reconciler, proxy) that can be killed and started again. */
export interface MortalInstance {
  readonly ledgerUrl: string
  readonly reconcilerUrl: string
  readonly proxyUrl: string
  /** Where a superuser connects to the instance's database. */
  readonly adminUrl: () => Promise<string>
  /** SIGKILL of every process of it at once; nobody drains. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** SIGTERM, and everything is gone, the data too. */
  readonly remove: () => Promise<void>
}

export const createInstance = async (env: Readonly<Record<string, string>> = {}): Promise<MortalInstance> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'a2a-ledger-fault-'))
  await chmod(dataDir, 0o711) // the server runs as another user where we are root
  const [ledgerPort, reconcilerPort, proxyPort] = await freePorts(3)
  const ledgerUrl = `http://127.0.0.1:${ledgerPort}`
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/DATABASE|KAFKA/u.test(name)))
  const instanceEnv = {
    ...inherited,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    LEDGER_PORT: String(ledgerPort),
    RECONCILER_PORT: String(reconcilerPort),
    PROXY_PORT: String(proxyPort),
    LEDGER_URL: ledgerUrl,
    ...env,
  }
  let supervisor: ChildProcess | undefined
  let postgresPort = ''
  const isGone = () => supervisor === undefined || supervisor.exitCode !== null || supervisor.signalCode !== null
  return {
    ledgerUrl,
    reconcilerUrl: `http://127.0.0.1:${reconcilerPort}`,
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    adminUrl: async () => {
      const password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim()
      return `postgresql://postgres:${password}@127.0.0.1:${postgresPort}/a2a_ledger`
    },
    start: async () => {
      const started = await startSupervisor(instanceEnv)
      supervisor = started.supervisor
      postgresPort = started.postgresPort
    },
    kill: async () => {
      if (supervisor?.pid === undefined || isGone()) return
      const gone = once(supervisor, 'exit')
      for (const pid of [supervisor.pid, ...descendantsOf(supervisor.pid)]) killQuietly(pid)
      await gone
    },
    remove: async () => {
      if (supervisor !== undefined && !isGone()) {
        const gone = once(supervisor, 'exit')
        supervisor.kill('SIGTERM')
        await gone
      }
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Resolves at `ready`; the port of PostgreSQL is the one that is announced before. */
const startSupervisor = async (env: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, [standalone], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.push(text)
    if (said.length > 200) said.shift()
  })
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line)
      if (line.trim() === 'ready') resolve()
    })
    child.once('exit', () => reject(new Error(`The instance ended before it was ready:\n${said.join('\n')}`)))
  })
  const postgresPort = said.flatMap((line) => /^PostgreSQL .* on 127\.0\.0\.1:(\d+)/u.exec(line)?.[1] ?? []).at(-1) ?? ''
  return { supervisor: child, postgresPort }
}

/** Every process below `pid`, as the process table says now. */
const descendantsOf = (pid: number): readonly number[] => {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/u).map(Number))
  const below = (parent: number): readonly number[] =>
    table.flatMap(([child, ppid]) => (ppid === parent && child !== undefined ? [child, ...below(child)] : []))
  return below(pid)
}

const killQuietly = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
