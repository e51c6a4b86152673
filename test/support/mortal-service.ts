import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { followParentPath, nodeFlags } from '@a2a-ledger/infra/node24'
import { freePort } from './free-port.ts'

/** A service as its users run it: a process on a port that it keeps when it is started again. */
export interface MortalService {
  readonly url: string
  /** What it logged, the last lines of all its lives. */
  readonly logged: readonly string[]
  /** Each time that it ended without being told to: with what it said last. */
  readonly deaths: readonly string[]
  /** Resolves when it listens; rejects with what it said when it ends before. */
  readonly start: () => Promise<void>
  /** SIGKILL; nobody drains. */
  readonly kill: () => Promise<void>
  /** SIGSTOP: it holds what it holds, and says nothing. */
  readonly pause: () => void
  readonly resume: () => void
  /** SIGTERM; resolves with the exit code. */
  readonly stop: () => Promise<number | null>
}

const services = join(import.meta.dirname, '..', '..', 'services')
const loggedMax = 5_000

/** Not yet started. */
export async function createService(
  name: 'ledger' | 'reconciler' | 'proxy',
  environment: Readonly<Record<string, string>>,
): Promise<MortalService> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !/DATABASE|KAFKA/u.test(variable)))
  const env = { ...inherited, LEDGER_PORT: String(port), RECONCILER_PORT: String(port), PROXY_PORT: String(port), LOG_LEVEL: 'info', ...environment }
  const logged: string[] = []
  const deaths: string[] = []
  let child: ChildProcess | undefined

  /** Processes that we end. */
  const ending = new Set<ChildProcess>()
  const isGone = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    if (child === undefined || isGone()) return child?.exitCode ?? null
    ending.add(child)
    const exited = once(child, 'exit')
    child.kill('SIGCONT') // one that is paused hears of nothing else
    child.kill(signal)
    const [code] = (await exited) as [number | null]
    return code
  }
  return {
    url,
    logged,
    deaths,
    start: async () => {
      const own = spawn(process.execPath, [...nodeFlags, '--require', followParentPath, join(services, name, 'src', 'main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
      child = own
      const listening = Promise.withResolvers<void>()
      for (const stream of [own.stdout, own.stderr]) {
        if (stream === null) continue
        createInterface(stream).on('line', (line) => {
          logged.push(line)
          if (logged.length > loggedMax) logged.shift()
          if (line.includes('"msg":"listening"')) listening.resolve()
        })
      }
      own.once('exit', (code, signal) => {
        listening.reject(new Error(`The ${name} ended with ${code ?? signal} before it listened:\n${logged.slice(-20).join('\n')}`))
      })
      await listening.promise
      own.once('exit', (code, signal) => {
        if (!ending.has(own)) deaths.push(`The ${name} ended with ${code ?? signal}:\n${logged.slice(-20).join('\n')}`)
      })
    },
    kill: async () => void (await end('SIGKILL')),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
  }
}
