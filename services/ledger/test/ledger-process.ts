/** The ledger as its users run it: a process of its own, configured by environment. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { followParentPath } from '@a2a-ledger/test/support'

const mainPath = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface LedgerProcess {
  readonly url: string
  /** Everything it logged so far, a line each. */
  readonly logged: readonly string[]
  readonly child: ChildProcess
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

/** Starts the ledger on a free port and waits until it listens; what it logs goes to `logged`. */
export async function startLedger(
  environment: Readonly<Record<string, string>>,
  logged: string[] = [],
): Promise<LedgerProcess> {
  const child = spawn(process.execPath, ['--require', followParentPath, mainPath], {
    env: { ...process.env, LEDGER_PORT: '0', LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const listening = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface(stream).on('line', (line) => {
      logged.push(line)
      const url = /"url":"(http:[^"]+)"/.exec(line)?.[1]
      if (url !== undefined) listening.resolve(url)
    })
  }
  child.once('exit', (code) => {
    listening.reject(new Error(`The ledger ended with ${code} before it listened:\n${logged.join('\n')}`))
  })
  return {
    url: await listening.promise,
    logged,
    child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}

/** Runs the ledger until it ends by itself. */
export async function runLedger(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [mainPath], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}
