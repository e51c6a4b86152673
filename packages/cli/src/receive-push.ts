/** A receiver of push notifications for the time of one probe. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { readPayload } from '@a2a-ledger/domain'
import type { PushReceiver } from '@a2a-ledger/probe'

const bodyBytesMax = 8 * 1024 * 1024
const pollMs = 50

export interface OpenReceiver extends PushReceiver {
  readonly close: () => Promise<void>
}

/** Listens where `url` says; that it can be reached from the agent is up to who names it. */
export async function receivePush(url: string, token: string): Promise<OpenReceiver> {
  const { hostname, port, protocol } = new URL(url)
  const tasks = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bodyBytesMax) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      const result = readPayload({ type: 'a2a.stream-response', operation: 'Push' }, Buffer.concat(chunks).toString('utf8'))
      if (result.outcome === 'read' && 'taskId' in result.reading && result.reading.taskId !== undefined) tasks.add(result.reading.taskId)
      response.writeHead(204).end()
    })
  })
  server.listen(port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port), hostname.replace(/^\[(.*)\]$/, '$1'))
  await once(server, 'listening')
  return {
    url,
    token,
    arrived: async (taskId, withinMs) => {
      for (const untilMs = performance.now() + withinMs; !tasks.has(taskId); ) {
        if (performance.now() > untilMs) return false
        await delay(pollMs)
      }
      return true
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
