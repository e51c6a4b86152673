/** A worker that does what a test says, called by a witness that tells a ledger which remembers. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FakeLedger, startFakeLedger } from '@a2a-ledger/test/support'
import { createWitness, type Witness, type WitnessOptions } from '../src/index.ts'

export interface Scene {
  readonly ledger: FakeLedger
  readonly witness: Witness
  readonly fetch: typeof globalThis.fetch
  /** Where the worker answers. */
  readonly url: string
  readonly logged: readonly string[]
  /** What the worker does with a request. */
  answers: RequestListener
  readonly end: () => Promise<void>
}

export async function startScene(options: Partial<WitnessOptions> = {}): Promise<Scene> {
  const ledger = await startFakeLedger()
  const server = createServer((request, response) => scene.answers(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const logged: string[] = []
  const keep = (_fields: object, message: string): void => void logged.push(message)
  const witness = createWitness({ source: 'urn:test:orchestrator', to: { ledgerUrl: ledger.url }, log: { warn: keep, error: keep }, ...options })
  const scene: Scene = {
    ledger,
    witness,
    fetch: witness.fetch({ workerId: 'w1' }),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    logged,
    answers: (_request, response) => void response.writeHead(404).end(),
    end: async () => {
      await witness.stop(0)
      server.closeAllConnections()
      server.close()
      await ledger.close().catch(() => undefined) // it may be away
    },
  }
  return scene
}

export const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** A request to send, as the SDK's client makes it. */
export const send = (method = 'SendMessage', messageId = 'm-1'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  body: rpc(method, { message: { role: 'ROLE_USER', messageId, parts: [{ text: 'hello' }] } }),
})

export const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener => (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
export const result = (value: object): object => ({ jsonrpc: '2.0', id: 1, result: value })
export const task = (state: string): object => ({ id: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}` } })
