import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePorts } from '../support/free-port.ts'

const standalone = join(import.meta.dirname, '..', '..', 'infra', 'standalone.ts')

export type Instance = {
  readonly ledgerUrl: string
  readonly reconcilerUrl: string
  stop(): Promise<void>
}

/** The instance that is there already, when both its services say that they are ready. */
export async function findInstance(): Promise<Instance | undefined> {
  const ledgerUrl = process.env['LEDGER_URL'] ?? 'http://127.0.0.1:4100'
  const reconcilerUrl = process.env['RECONCILER_URL'] ?? 'http://127.0.0.1:4200'
  const isReady = (url: string) => fetch(`${url}/readyz`).then(({ ok }) => ok, () => false)
  const ready = await Promise.all([ledgerUrl, reconcilerUrl].map(isReady))
  return ready.every(Boolean) ? { ledgerUrl, reconcilerUrl, stop: async () => undefined } : undefined
}

/**
 * Starts an instance of our own on free ports, with its data in a temporary folder, and resolves
 * once it prints `ready`. `graceMs` is short, so that the one wait of the story is. Databases and
 * brokers named in the environment are not used: what the demo records must not outlive it.
 */
export async function startInstance(graceMs = 2_000): Promise<Instance> {
  const dataDir = await mkdtemp(join(tmpdir(), 'a2a-ledger-demo-'))
  const [ledgerPort, reconcilerPort, proxyPort] = await freePorts(3)
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    LEDGER_PORT: String(ledgerPort),
    RECONCILER_PORT: String(reconcilerPort),
    PROXY_PORT: String(proxyPort),
    LEDGER_URL: `http://127.0.0.1:${ledgerPort}`,
    GRACE_MS: String(graceMs),
  }
  for (const name of Object.keys(env)) {
    if (/DATABASE|KAFKA/u.test(name)) delete env[name]
  }
  const child = spawn(process.execPath, [standalone], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(child, 'exit')
  const said: string[] = []
  let isReady = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      said.push(line)
      if (line.trim() !== 'ready') return
      isReady = true
      resolve()
    })
  })
  const ended = gone.then(async () => {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    if (!isReady) throw new Error(`The instance ended before it was ready:\n${said.join('\n')}`)
  })
  await Promise.race([ready, ended])
  return {
    ledgerUrl: `http://127.0.0.1:${ledgerPort}`,
    reconcilerUrl: `http://127.0.0.1:${reconcilerPort}`,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
