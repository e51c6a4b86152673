/** A proxy as a process, in front of a worker that does what a test says, beside a ledger that remembers. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeLedger, startFakeLedger, startService, type ServiceProcess } from '@a2a-ledger/test/support'

export interface Scene {
  readonly ledger: FakeLedger
  readonly proxy: ServiceProcess
  readonly worker: ScriptedWorker
  /** `${proxy}/w1` */
  readonly url: string
  readonly dataDir: string
  readonly end: () => Promise<void>
}

export interface ScriptedWorker {
  readonly url: string
  /** What it does with a request, its body read or not. */
  answer: RequestListener
  readonly requests: IncomingMessage[]
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export async function startScriptedWorker(): Promise<ScriptedWorker> {
  let connections = 0
  const server = createServer((request, response) => {
    worker.requests.push(request)
    worker.answer(request, response)
  })
  server.on('connection', (socket) => {
    connections += 1
    socket.on('close', () => (connections -= 1))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const worker: ScriptedWorker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (_request, response) => void response.writeHead(404).end(),
    requests: [],
    connections: () => connections,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return worker
}

export const newDataDir = (): string => mkdtempSync(join(tmpdir(), 'a2a-ledger-proxy-'))

/** Waits until the proxy knows `w1`. */
export async function startScene(environment: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const [ledger, worker] = await Promise.all([startFakeLedger(), startScriptedWorker()])
  ledger.enrol('w1', { url: `${worker.url}/a2a` })
  const dataDir = newDataDir()
  const proxy = await startService('proxy', {
    LEDGER_URL: ledger.url, DATA_DIR: dataDir, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8,::1/128', LOG_LEVEL: 'info', ...environment,
  })
  return {
    ledger,
    proxy,
    worker,
    url: `${proxy.url}/w1`,
    dataDir,
    end: async () => {
      await proxy.stop()
      await Promise.all([ledger.close(), worker.close()])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The body of a request, read to its end. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

export const message = (messageId: string, more: object = {}): object => ({ role: 'ROLE_USER', messageId, parts: [{ text: 'hello' }], ...more })

export const task = (state: string, id = 't-1'): object => ({ id, contextId: 'c-1', status: { state: `TASK_STATE_${state}` } })
