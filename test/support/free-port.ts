import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems give to connections: nobody gets one of these without asking for it. */
const [firstPort, portCount] = [20_000, 12_000]
let next = randomInt(portCount)

/**
 * A port of the loopback that is free, and stays so while whoever listened on it is down: no
 * connection takes it meanwhile, not even one that is tried to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % portCount
    const port = firstPort + next
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(() => true, () => false)
    if (!isFree) continue
    await once(server.close(), 'close')
    return port
  }
}

/** All of them different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}
