/** A service as its users run it: a process of its own, configured by environment. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { followParentPath, workspaceRoot } from '@a2a-ledger/infra/node24'
import { freePort } from './free-port.ts'

export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it logged so far, a line each. */
  readonly logged: readonly string[]
  /** Sends SIGTERM; resolves with the exit code. */
  readonly stop: () => Promise<number | null>
}

export type ServiceName = 'ledger' | 'reconciler' | 'proxy'

type Environment = Readonly<Record<string, string>>

const mainOf = (name: ServiceName): string => join(workspaceRoot, 'services', name, 'src', 'main.ts')

/** Starts a service on a port that another one can have after it, and waits until it listens; what it logs goes to `logged`. */
export async function startService(
  name: ServiceName,
  environment: Environment,
  logged: string[] = [],
): Promise<ServiceProcess> {
  const port = String(await freePort())
  const child = spawn(process.execPath, ['--require', followParentPath, mainOf(name)], {
    env: { ...process.env, LEDGER_PORT: port, RECONCILER_PORT: port, PROXY_PORT: port, LOG_LEVEL: 'info', ...environment },
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
    listening.reject(new Error(`The ${name} ended with ${code} before it listened:\n${logged.join('\n')}`))
  })
  return {
    url: await listening.promise,
    child,
    logged,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}

/** Runs a service until it ends: by itself, or by a SIGTERM as soon as `stopAt` is fulfilled. */
export async function runService(
  name: ServiceName,
  environment: Environment,
  stopAt?: Promise<void>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [mainOf(name)], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  void stopAt?.then(() => child.kill('SIGTERM'))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}
