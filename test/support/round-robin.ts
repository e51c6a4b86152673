/** A load balancer as platforms put one in front of replicas: each call to the next one, and to the one after it where nobody listens. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RoundRobin {
  readonly url: string
  readonly close: () => Promise<void>
}

export async function startRoundRobin(backends: readonly string[]): Promise<RoundRobin> {
  let turn = 0
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request
    const passed = { 'content-type': headers['content-type'] ?? '', 'a2a-version': String(headers['a2a-version'] ?? '') }
    const body = await text(request)
    const first = turn++ % backends.length
    for (const backend of [...backends.slice(first), ...backends.slice(0, first)]) {
      const answer = await fetch(`${backend}${url}`, { method, headers: passed, ...(body !== '' && { body }) }).catch(() => undefined)
      if (answer === undefined) continue
      const said = await answer.text()
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(said)
      return
    }
    response.writeHead(502).end()
  }
  const server = createServer((request, response) => {
    // The caller hung up, or the backend was killed in its answer: whoever is still there sees the connection break.
    passOn(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
