import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { freePort } from '../support/free-port.ts'
import { ensureGo } from './go.ts'
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
 * {@link ensurePython} or {@link ensureGo} when what its language needs is missing.
 */
export async function startWorker(spec: WorkerSpec): Promise<Worker> {
  const child = spawn(...(await commandLine({ ...spec, port: spec.port ?? (await freePort()) })), { stdio: 'pipe' })
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

/** `-B`: Python leaves nothing compiled beside its sources. */
async function commandLine(spec: WorkerSpec): Promise<[string, string[]]> {
  const told = JSON.stringify(spec)
  const here = (name: string) => join(import.meta.dirname, name)
  switch (spec.sdk) {
    case 'js':
      return [process.execPath, [here('js-worker.ts'), told]]
    case 'python':
      return [await interpreter('requirements.txt'), ['-B', here('python_worker.py'), told]]
    case 'python-0.3':
      return [await interpreter('requirements-0.3.txt'), ['-B', here('python_0_3_worker.py'), told]]
    case 'go': {
      const built = await ensureGo(spec.protocol ?? '1.0')
      if (built.status === 'missing') throw new Error(built.because)
      return [built.binary, [told]]
    }
  }
}

async function interpreter(requirements: Parameters<typeof ensurePython>[0]): Promise<string> {
  const environment = await ensurePython(requirements)
  if (environment.status === 'missing') throw new Error(environment.because)
  return environment.python
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
