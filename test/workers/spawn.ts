import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { ensurePython } from './python.ts'
import type { WorkerSpec } from './worker-spec.ts'

export type Worker = {
  readonly spec: WorkerSpec
  readonly url: string
  readonly cardUrl: string
  readonly port: number
  readonly pid: number
  /** Sends the signal and resolves once the process is really gone. */
  kill(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts one worker as a process of its own and resolves when it answers requests.
 *
 * A restart is a second call with the `port` of the first: same address and card, empty store.
 * Throws with the worker's own stderr when it ends before it is ready, and with the text of
 * {@link ensurePython} when a Python worker is asked for and Python is missing.
 */
export async function startWorker(spec: WorkerSpec): Promise<Worker> {
  const child = spawn(...(await commandLine(spec)), { stdio: 'pipe' })
  const { url, pid } = await untilReady(child, spec)
  return {
    spec,
    url,
    cardUrl: `${url}/.well-known/agent-card.json`,
    port: Number(new URL(url).port),
    pid,
    kill: (signal) => end(child, signal),
    stop: () => end(child, 'SIGTERM'),
  }
}

async function commandLine(spec: WorkerSpec): Promise<[string, string[]]> {
  if (spec.sdk === 'js') {
    return [process.execPath, [fileURLToPath(new URL('./js-worker.ts', import.meta.url)), JSON.stringify(spec)]]
  }
  const environment = await ensurePython()
  if (environment.status === 'missing') throw new Error(environment.because)
  const script = join(import.meta.dirname, 'python_worker.py')
  return [environment.python, [script, JSON.stringify(spec)]]
}

async function untilReady(child: ChildProcess, spec: WorkerSpec) {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    throw new Error(`Worker ${spec.name} ended with ${code} before it was ready:\n${stderr}`)
  })
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line'),
    ended,
  ])) as [string]
  ended.catch(() => undefined)
  return JSON.parse(line) as { url: string; pid: number }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
