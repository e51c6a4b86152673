/** Servers on this machine: one that must never be reached, and one that may be. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestServer {
  readonly port: number
  /** Connections, whether or not a request came over them. */
  readonly connections: () => number
  readonly requests: readonly IncomingMessage[]
  readonly close: () => Promise<void>
}

/** Answers on every one of `hosts`, at the same port. */
export async function startServer(hosts: readonly string[], answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = []
  const servers: Server[] = []
  let connections = 0
  let port = 0
  for (const host of hosts) {
    const server = createServer((request, response) => {
      requests.push(request)
      answer(request, response)
    })
    server.on('connection', () => (connections += 1))
    server.listen(port, host)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    servers.push(server)
  }
  return {
    port,
    connections: () => connections,
    requests,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}
