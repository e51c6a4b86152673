import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { messageOf } from '../process.ts'

const idleSweepMs = 50

/** Where a service listens; `portVariable` is what its environment calls the port. */
export interface ListenAt {
  readonly host: string
  readonly port: number
  readonly portVariable: string
}

type Server = Pick<FastifyInstance, 'listen' | 'server' | 'close'>

/** Listens, and answers with the URL. Errors: throws one sentence that names the variables. */
export async function listen(app: Server, { host, port, portVariable }: ListenAt): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new Error(`Cannot listen on HOST ${host}, ${portVariable} ${port}: ${messageOf(error)}`, { cause: error })
  }
  const { address, family, port: taken } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

/** Settles when `stopping` is aborted. */
export async function untilAborted(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve))
}

/**
 * Takes no new connections and waits for the calls that run, and for `idle` where calls go on
 * outside of the server; after `timeoutMs` their connections are cut.
 */
export async function drain(app: Server, timeoutMs: number, idle?: () => Promise<void>): Promise<void> {
  // A connection that a client keeps open is closed as soon as its last call is answered.
  const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs)
  const impatience = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
  await app.close()
  await idle?.()
  clearInterval(sweep)
  clearTimeout(impatience)
}
