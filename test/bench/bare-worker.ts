// The least that is an A2A worker: what is measured is the way to it. A send answers a task at once, a
// stream has a first frame at once and then one every second, unless it is told otherwise, until there are as
// many as there shall be.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let tasks = 0

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as { id: unknown; method: string; params: { message: { metadata?: { frames?: number; everyMs?: number } } } }
    tasks += 1
    const taskId = `t-${tasks}`
    const result = (state: string, of: 'task' | 'statusUpdate') => {
      const status = { state: `TASK_STATE_${state}` }
      return JSON.stringify({ jsonrpc: '2.0', id, result: { [of]: of === 'task' ? { id: taskId, contextId: 'c', status } : { taskId, contextId: 'c', status } } })
    }
    if (method === 'SendMessage') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(result('WORKING', 'task'))
      return
    }
    const { frames = 1, everyMs = 1_000 } = params.message.metadata ?? {}
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    const send = (): void => {
      sent += 1
      response.write(`data: ${result(sent === frames ? 'COMPLETED' : 'WORKING', 'statusUpdate')}\n\n`)
      if (sent === frames) response.end()
    }
    const timer = setInterval(send, everyMs)
    response.on('close', () => clearInterval(timer))
    send()
  })
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
