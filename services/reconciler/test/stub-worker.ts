/** A worker that says what it is told to, and keeps what reached it. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly method?: string
    readonly params?: Readonly<Record<string, unknown>> & { readonly id?: string; readonly message: { readonly messageId: string } }
    readonly message?: { readonly messageId: string }
  }
}

export interface StubWorker {
  readonly url: string
  readonly received: readonly Received[]
  /** Ids of the tasks it began: one a message, or one a message id where it knows messages again. */
  readonly begun: readonly string[]
  readonly end: () => Promise<void>
}

export interface StubWorkerOptions {
  /** It takes the same message once. */
  readonly isKnowing?: boolean
  /** Answers in place of a task. */
  readonly answer?: (received: Received) => { readonly status: number; readonly body: string } | 'hang up' | 'silence' | undefined
}

export async function startStubWorker({ isKnowing = false, answer = () => undefined }: StubWorkerOptions = {}): Promise<StubWorker> {
  const received: Received[] = []
  const begun: string[] = []
  const tasks = new Map<string, string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one: Received = { path: request.url ?? '', headers: request.headers, body: chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString()) }
      received.push(one)
      const told = answer(one)
      if (told === 'silence') return
      if (told === 'hang up') return void request.socket.destroy()
      if (told !== undefined) return void response.writeHead(told.status, { 'content-type': 'application/json' }).end(told.body)
      const messageId = (one.body.params?.message ?? one.body.message)?.messageId ?? ''
      const known = isKnowing ? tasks.get(messageId) : undefined
      const taskId = known ?? `stub-${begun.length + 1}`
      if (known === undefined) begun.push(taskId)
      tasks.set(messageId, taskId)
      const task = { id: taskId, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }
      const body = one.body.method === undefined ? { task } : { jsonrpc: '2.0', id: messageId, result: { task } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    begun,
    end: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
