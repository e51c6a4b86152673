/** A TCP relay in front of Postgres that can go away, at once or with the answer to a COMMIT. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface LossyConnection {
  /** `databaseUrl` by way of the relay. */
  readonly url: string
  /** The next COMMIT reaches the server, its answer gets lost and so does the connection. */
  readonly loseNextCommit: (after: 'come back' | 'stay away') => void
  /** Every connection breaks, and new ones are refused. */
  readonly goAway: () => void
  readonly comeBack: () => void
  readonly close: () => Promise<void>
}

export async function createLossyConnection(databaseUrl: string): Promise<LossyConnection> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let plan: 'come back' | 'stay away' | undefined
  let isAway = false

  const server = createServer((client) => {
    if (isAway) return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    let isLost = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (plan !== undefined && chunk.includes('COMMIT')) {
        isLost = true
        isAway = plan === 'stay away'
        plan = undefined
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isLost) client.destroy()
      else client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) }).href
  return {
    url,
    loseNextCommit: (after) => {
      plan = after
    },
    goAway: () => {
      isAway = true
      for (const socket of sockets) socket.destroy()
    },
    comeBack: () => {
      isAway = false
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
