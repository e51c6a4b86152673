import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'

/**
 * Every connection of one client. The client cannot be stopped while it tries to connect; taking
 * its sockets away ends that, and no new one is opened.
 */
export interface Sockets {
  readonly factory: ISocketFactory
  readonly destroy: () => void
}

export function createSockets(): Sockets {
  const open = new Set<Socket>()
  let isClosed = false
  return {
    factory: ({ host, port, ssl, onConnect }) => {
      const socket: Socket = ssl
        ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect)
        : connectTcp({ host, port }, onConnect)
      socket.setKeepAlive(true, 30_000)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      if (isClosed) socket.destroy(new Error('the client is closed'))
      return socket
    },
    destroy: () => {
      isClosed = true
      for (const socket of open) socket.destroy(new Error('the client is closed'))
    },
  }
}
