import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { followParentPath, nodeFlags, node24Path, workspaceRoot } from '../launch/node24.cjs'
import type { Running } from './keep-running.ts'

export type ServiceOptions = {
  readonly name: 'ledger' | 'reconciler' | 'proxy'
  readonly url: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Enough for a first start on a machine that does other things as well. */
const readyTimeoutMs = 180_000
const readyPollMs = 50
const drainTimeoutMs = 30_000

/**
 * Starts a service as a child process. Resolves when its `/readyz` answers 200; rejects when it
 * leaves before, because then it has said why.
 */
export async function startService(
  { name, url, env }: ServiceOptions,
  signal: AbortSignal,
): Promise<Running> {
  const main = join(workspaceRoot, 'services', name, 'src', 'main.ts')
  const child = spawn(node24Path, [...nodeFlags, '--require', followParentPath, main], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true, // Ctrl-C reaches only us; we pass it on in the right order
    env,
  })
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`exit ${code ?? signal}`))
  })
  let isGone = false
  void exited.then(() => (isGone = true))

  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const impatience = setTimeout(() => child.kill('SIGKILL'), drainTimeoutMs)
    await exited
    clearTimeout(impatience)
  }

  const deadlineMs = Date.now() + readyTimeoutMs
  while (!(await isReady(url))) {
    if (isGone) throw new Error(`the ${name} left before it was ready (${await exited}), see above`)
    if (signal.aborted) {
      await stop()
      throw new Error(`the ${name} was stopped before it was ready`)
    }
    if (Date.now() > deadlineMs) {
      await stop()
      throw new Error(`the ${name} did not answer ${url}/readyz with 200 within ${readyTimeoutMs / 1000} s`)
    }
    await delay(readyPollMs)
  }
  return { exited, stop }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}
