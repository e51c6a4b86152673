/** One agent, probed by `npx a2a-ledger probe` as a person would, and killed with SIGKILL while a canary waits. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorker } from '../workers/spawn.ts'
import type { WorkerSpec } from '../workers/worker-spec.ts'
import type { LiveAgent } from './agents.ts'

export const cliPath = join(import.meta.dirname, '../../packages/cli/launch.cjs')

/** Where an agent keeps its tasks. */
export type Store = 'in memory' | 'SQLite'

/** What the command prints with `--json`, as far as the table shows it. */
export interface ProbeReport {
  readonly state: string
  readonly verified: {
    readonly states: readonly { readonly state: string; readonly grade: string }[]
    readonly mediaTypes: readonly { readonly mediaType: string; readonly grade: string }[]
  }
  readonly measured: Readonly<Record<string, boolean | number | 'unknown'>>
  readonly exitCode: number
}

export interface ProbedAgent {
  readonly agent: LiveAgent
  readonly store: Store
  readonly report: ProbeReport
}

export const probeAgent = async (agent: LiveAgent, store: Store): Promise<ProbedAgent> => {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-ledger-probe-'))
  const spec: WorkerSpec = {
    sdk: agent.sdk,
    protocol: agent.protocol,
    name: 'probed',
    outputModes: ['application/json'],
    reachableStates: ['submitted', 'working', 'input-required', 'completed'],
    emits: 'application/json',
    asks: 'Which quarter?',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    ...(store === 'SQLite' && { store: join(folder, 'tasks.sqlite') }),
  }
  let worker = await startWorker(spec)
  const restarter = await startRestarter(async () => {
    await worker.kill('SIGKILL')
    worker = await startWorker({ ...spec, port: worker.port })
  })
  try {
    return { agent, store, report: await runCommand([worker.url, '--allow-cidr', '127.0.0.0/8', '--json', '--quiet', '--restart', restarter.command]) }
  } finally {
    await restarter.close()
    await worker.stop()
    await rm(folder, { recursive: true })
  }
}

const runCommand = (args: readonly string[]): Promise<ProbeReport> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [cliPath, 'probe', ...args], (_error, stdout, stderr) => {
      // Exit codes other than 0 are answers too; without a document it is none.
      try {
        resolve(JSON.parse(stdout) as ProbeReport)
      } catch {
        reject(new Error(`no report: ${stdout}${stderr}`))
      }
    })
  })

export interface Restarter {
  /** A shell command that restarts the agent, and ends well once it is there again. */
  readonly command: string
  readonly close: () => Promise<void>
}

/** The command has to reach into this process, which holds the agent. */
export const startRestarter = async (restart: () => Promise<unknown>): Promise<Restarter> => {
  const server = createServer((_request, response) => void restart().then(() => response.end(), (error: unknown) => response.writeHead(500).end(String(error))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    command: `"${process.execPath}" -e "fetch('http://127.0.0.1:${port}').then((r) => process.exit(r.ok ? 0 : 1))"`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** True for what can be kept where. */
export const hasStore = ({ sdk }: LiveAgent, store: Store): boolean => store === 'in memory' || sdk === 'js'

