/** Streams of events through the proxy: as they come, no faster than they are taken, ended from both sides. */
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { createGzip, constants } from 'node:zlib'
import { startService } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { message, newDataDir, rpc, type Scene, startScene, task } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(async () => {
  await scene?.end()
})

let nextCall = 0
const fresh = () => {
  const correlationId = `stream-${(nextCall += 1)}`
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'a2a-ledger-correlation-id': correlationId }
  return { headers, told: () => scene.ledger.events.filter(({ correlationid }) => correlationid === correlationId) }
}

const body = rpc('SendStreamingMessage', { message: message('m-1') })
const update = (state: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}` } } } })

/** The worker opens a stream; the test writes to it. */
function opensStream(headers: Record<string, string> = {}): Promise<ServerResponse> {
  const opened = Promise.withResolvers<ServerResponse>()
  scene.worker.answer = (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders()
    opened.resolve(response)
  }
  return opened.promise
}

async function open(headers: Record<string, string>, url = scene.url): Promise<{ response: IncomingMessage; text: () => string; abort: () => void }> {
  const request = httpRequest(url, { method: 'POST', headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  response.on('error', () => undefined)
  return { response, text: () => Buffer.concat(chunks).toString(), abort: () => request.destroy() }
}

test('each frame is there before the next one is sent, and is told with its place', async () => {
  const { headers, told } = fresh()
  const opened = opensStream()
  const { response, text } = await open(headers)
  const stream = await opened
  expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', 'cache-control': 'no-cache' })
  for (const [at, state] of ['SUBMITTED', 'WORKING', 'COMPLETED'].entries()) {
    stream.write(`data: ${update(state)}\n\n`)
    await expect.poll(text).toContain(`TASK_STATE_${state}`)
    await expect.poll(() => told().length).toBe(at + 2)
  }
  stream.end()
  await once(response, 'end')
  const [dispatch, ...frames] = told()
  expect(dispatch).toMatchObject({ type: 'a2a.dispatch', operation: 'SendStreamingMessage', messageid: 'm-1' })
  expect(frames.map(({ type, sequence, data }) => [type, sequence, data])).toEqual(
    ['SUBMITTED', 'WORKING', 'COMPLETED'].map((state, at) => ['a2a.stream-response', String(at + 1), JSON.parse(update(state))]),
  )
  expect(new Set(frames.map(({ streamid }) => streamid)).size).toBe(1)
})

test('frames cut anywhere, with any line end, come as they are and are told whole', async () => {
  const { headers, told } = fresh()
  const opened = opensStream()
  const { response, text } = await open(headers)
  const stream = await opened
  const sent = `: hello\r\nevent: message\r\nid: 7\r\ndata: {"statusUpdate":\r\ndata: {"taskId":"t-1","contextId":"c-ü","status":{"state":"TASK_STATE_WORKING"}}}\r\n\r\ndata:${update('COMPLETED')}\n\n`
  for (const byte of Buffer.from(sent)) stream.write(Buffer.from([byte]))
  stream.end()
  await once(response, 'end')
  expect(text()).toBe(sent)
  await expect.poll(() => told().length).toBe(3)
  expect(told()[1]?.data).toEqual({ statusUpdate: { taskId: 't-1', contextId: 'c-ü', status: { state: 'TASK_STATE_WORKING' } } })
})

describe('an end without a terminal state', () => {
  test.each([
    ['that the worker makes', (stream: ServerResponse) => stream.end(), 'closed'],
    ['that breaks off', (stream: ServerResponse) => stream.socket?.resetAndDestroy(), 'reset'],
  ])('%s is told', async (_fact, end, reason) => {
    const { headers, told } = fresh()
    const opened = opensStream()
    const { response, text } = await open(headers)
    const stream = await opened
    stream.write(`data: ${update('WORKING')}\n\n`)
    await expect.poll(text).toContain('WORKING')
    const over = new Promise((resolve) => response.on('close', resolve)) // with or without an error
    end(stream)
    await over
    expect(response.complete).toBe(reason === 'closed')
    await expect.poll(told).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.stream-response' }, { type: 'a2a.stream-ended', data: { reason }, taskid: 't-1', sequence: '2' }])
  })

  test('that the caller makes ends the stream at the worker, and is told', async () => {
    const { headers, told } = fresh()
    const opened = opensStream()
    const { text, abort } = await open(headers)
    const stream = await opened
    stream.write(`data: ${update('WORKING')}\n\n`)
    await expect.poll(text).toContain('WORKING')
    const left = once(stream, 'close')
    abort()
    await left
    await expect.poll(told).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.stream-response' }, { type: 'a2a.stream-ended', data: { reason: 'closed' } }])
  })
})

test('a stream of one error is told as that error', async () => {
  const { headers, told } = fresh()
  const error = { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } }
  scene.worker.answer = (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(error)}\n\n`)
  }
  await (await fetch(scene.url, { method: 'POST', headers, body: rpc('SubscribeToTask', { id: 't-1' }) })).text()
  await expect.poll(told).toMatchObject([{ type: 'a2a.error', taskid: 't-1', operation: 'SubscribeToTask', data: error }])
})

test('an answer to a stream that is none is told as an answer', async () => {
  const { headers, told } = fresh()
  scene.worker.answer = (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task('COMPLETED') } }))
  }
  await (await fetch(scene.url, { method: 'POST', headers, body })).text()
  await expect.poll(told).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.response', operation: 'SendStreamingMessage' }])
})

test('a compressed stream comes as it is and is told decoded, frame by frame', async () => {
  const { headers, told } = fresh()
  const opened = opensStream({ 'content-encoding': 'gzip' })
  const { response } = await open(headers)
  const stream = await opened
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
  gzip.pipe(stream)
  gzip.write(`data: ${update('WORKING')}\n\n`)
  await expect.poll(() => told().length).toBe(2)
  expect(response.headers['content-encoding']).toBe('gzip')
  gzip.end(`data: ${update('COMPLETED')}\n\n`)
  await once(response, 'end')
  await expect.poll(() => told().map(({ type }) => type)).toEqual(['a2a.dispatch', 'a2a.stream-response', 'a2a.stream-response'])
})

test('a silent stream gets comments, between frames only', async () => {
  // A proxy of its own: on a busy machine every stream is silent for a moment.
  const chatty = await startService('proxy', { LEDGER_URL: scene.ledger.url, DATA_DIR: newDataDir(), OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SSE_KEEP_ALIVE_MS: '200' })
  onTestFinished(() => void chatty.stop())
  await expect.poll(async () => (await fetch(`${chatty.url}/readyz`)).status).toBe(200)
  const url = `${chatty.url}/w1`
  const { headers, told } = fresh()
  const opened = opensStream()
  const { response, text } = await open(headers, url)
  const stream = await opened
  await expect.poll(text).toMatch(/^: keep-alive\n\n/)
  stream.write('data: {"half":')
  await expect.poll(text).toMatch(/half":$/)
  const before = text()
  const other = opensStream()
  const beside = await open(headers, url)
  await expect.poll(beside.text).toMatch(/(?:: keep-alive\n\n){3}/) // so long that this one would have had some
  ;(await other).end()
  expect(text()).toBe(before)
  stream.write(`1}\n\ndata: ${update('COMPLETED')}\n\n`)
  await expect.poll(text).toMatch(/COMPLETED.*\n\n: keep-alive\n\n/s)
  stream.end()
  await once(response, 'end')
  await expect.poll(() => told().filter(({ type }) => type === 'a2a.stream-response').length).toBe(2)
})

test('a caller that takes nothing holds the worker back, and loses nothing', async () => {
  const { headers } = fresh()
  const opened = opensStream()
  const { hostname, port } = new URL(scene.url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST /w1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines.join('')}\r\n${body}`)
  const stream = await opened
  let sent = 0
  const frame = `: ${'x'.repeat(16_000)}\n\n`
  const fill = (): void => {
    while (stream.write(frame)) sent += 1
    sent += 1
  }
  fill()
  stream.on('drain', fill)
  // It stands still long before it would fill the memory of anybody.
  let before = -1
  await expect.poll(() => {
    const isStill = before === sent
    before = sent
    return isStill
  }, { interval: 500 }).toBe(true)
  expect(sent * frame.length).toBeLessThan(40_000_000)
  stream.off('drain', fill)
  stream.end(`data: ${update('COMPLETED')}\n\n`)
  let received = 0
  let tail = ''
  for await (const chunk of socket.resume()) {
    const text = String(chunk)
    received += text.split(': x').length - 1
    tail = (tail + text).slice(-1000)
  }
  expect(received).toBeGreaterThanOrEqual(sent - 1)
  expect(tail).toContain('COMPLETED')
})

test('a frame larger than an event goes by and is counted, the next one is told', async () => {
  const { headers, told } = fresh()
  const before = scene.ledger.gaps.length
  const opened = opensStream()
  const { response, text } = await open(headers)
  const stream = await opened
  stream.write(`data: ${'x'.repeat(9 * 1024 * 1024)}\n\n`)
  stream.end(`data: ${update('COMPLETED')}\n\n`)
  await once(response, 'end')
  expect(text().length).toBeGreaterThan(9 * 1024 * 1024)
  await expect.poll(() => told().map(({ type }) => type)).toEqual(['a2a.dispatch', 'a2a.stream-response'])
  await expect.poll(() => scene.ledger.gaps.slice(before)).toMatchObject([{ reason: 'too_large', byType: { 'a2a.stream-response': 1 } }])
})
