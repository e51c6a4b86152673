/** A way to Postgres that stops, as that of a process does which is stopped: nothing passes any more, and nothing breaks. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Direction = 'to the server' | 'from the server'

export interface FreezingConnection {
  /** `databaseUrl` by this way. */
  readonly url: string
  /** Holds the message of this number in this direction, counted from now, and everything from then on. Resolves when it does. */
  readonly freezeAt: (direction: Direction, number: number) => Promise<void>
  /** How many messages went in a direction since the last call of `freezeAt` or this. */
  readonly count: () => Readonly<Record<Direction, number>>
  /** What is held goes on, in order. */
  readonly thaw: () => void
  readonly close: () => Promise<void>
}

export async function createFreezingConnection(databaseUrl: string): Promise<FreezingConnection> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let passed: Record<Direction, number> = { 'to the server': 0, 'from the server': 0 }
  let planned: { readonly direction: Direction; readonly number: number; readonly reached: () => void } | undefined
  let held: (() => void)[] | undefined

  const pass = (direction: Direction, onward: () => void): void => {
    passed[direction] += 1
    if (planned?.direction === direction && planned.number === passed[direction]) {
      held ??= []
      planned.reached()
      planned = undefined
    }
    if (held === undefined) onward()
    else held.push(onward)
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const join = (from: Socket, to: Socket, direction: Direction): void => {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (chunk) => pass(direction, () => void to.write(chunk)))
      from.on('close', () => {
        sockets.delete(from)
        pass(direction, () => void to.destroy())
      })
    }
    join(client, upstream, 'to the server')
    join(upstream, client, 'from the server')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const restart = (): void => void (passed = { 'to the server': 0, 'from the server': 0 })
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    freezeAt: (direction, number) => {
      restart()
      return new Promise((reached) => (planned = { direction, number, reached }))
    },
    count: () => {
      const counted = passed
      restart()
      return counted
    },
    thaw: () => {
      planned = undefined
      const waiting = held ?? []
      held = undefined
      for (const onward of waiting) onward()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
