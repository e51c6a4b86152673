import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Does `work` while no other process of this machine does it under this name; who comes meanwhile
 * waits for its end, and does it then. The place of a process that died is taken over; where two
 * find it at the same moment, both may work.
 */
export async function oneAtATime<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const path = socketOf(name)
  for (;;) {
    const waiting = new Set<Socket>()
    const server = createServer((socket) => void waiting.add(socket.on('error', () => undefined)))
    if (!(await isListening(server, path))) {
      await untilFree(path)
      continue
    }
    try {
      return await work()
    } finally {
      server.close()
      for (const socket of waiting) socket.destroy()
    }
  }
}

/** Short, as the path of a socket has to be. */
export const socketOf = (name: string): string => join(tmpdir(), `a2a-ledger-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`)

/** False: somebody else is there, or was. */
const isListening = (server: Server, path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)))
    server.listen(path, () => resolve(true))
  })

const untilFree = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('close', () => resolve())
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') rm(path, { force: true }).then(resolve, reject) // of one that died
      else if (code !== 'ENOENT' && code !== 'ECONNRESET') reject(new Error(`${path}: ${code}`))
    })
  })
