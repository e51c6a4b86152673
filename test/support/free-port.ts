import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems give to connections: nobody gets one of these without asking for it. */
const [firstPort, portCount] = [20_000, 12_000]
let next = randomInt(portCount)

/**
 * A port of the loopback that is free, and stays so while whoever listened on it is down: no
 * connection takes it meanwhile, not even one that is tried to itself, and no other process gets it
 * from here as long as this one lives.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % portCount
    const port = firstPort + next
    if (!(await claims(port))) continue
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(() => true, () => false)
    if (!isFree) continue
    await once(server.close(), 'close')
    return port
  }
}

/** False: another process has it. What they see of a claim is the same port of UDP, held until this process ends. */
async function claims(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  socket.bind({ address: '127.0.0.1', port, exclusive: true })
  try {
    await once(socket, 'listening')
    return true
  } catch {
    socket.close()
    return false
  }
}

/** All of them different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}
