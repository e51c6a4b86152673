/** Calls passed on as they are, on a real server of this machine. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnswerHead, callFailureOf, createOutbound, type Outbound, type PassedCall, type PassedCallControl } from '../src/index.ts'
import { startServer, type TestServer } from './servers.ts'

let server: TestServer
let outbound: Outbound
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined

beforeAll(async () => {
  server = await startServer(['127.0.0.1'], (request, response) => answer(request, response))
  outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] })
})
afterAll(async () => {
  await outbound?.close()
  await server?.close()
})

interface Passed {
  head?: AnswerHead
  readonly chunks: string[]
  outcome?: 'end' | Error
  readonly control: PassedCallControl
  /** Resolves with the outcome. */
  readonly over: Promise<'end' | Error>
}

function pass(call: Partial<PassedCall> = {}, onData: (passed: Passed) => void = () => undefined): Passed {
  const over = Promise.withResolvers<'end' | Error>()
  const control = outbound.passOn(
    { url: new URL(`http://127.0.0.1:${server.port}/path?query=1`), method: 'GET', headers: [], body: undefined, ...call },
    {
      head: (head) => (passed.head = head),
      data: (chunk) => {
        passed.chunks.push(chunk.toString())
        onData(passed)
      },
      end: () => over.resolve('end'),
      failed: (error) => over.resolve(error),
    },
  )
  const passed: Passed = { chunks: [], control, over: over.promise }
  return passed
}

test('headers and bytes go as they are, and who answered is told', async () => {
  answer = (request, response) => {
    response.writeHead(418, 'Teapot', ['X-Twice', '1', 'X-Twice', '2', 'Location', '/elsewhere', 'Content-Encoding', 'br'])
    response.end(JSON.stringify([request.method, request.url, request.rawHeaders]))
  }
  const passed = pass({ method: 'POST', headers: ['X-Own', 'a', 'x-own', 'b', 'Authorization', 'Bearer s'], body: Buffer.from('hello') })
  expect(await passed.over).toBe('end')
  expect(passed.head).toMatchObject({ status: 418, statusText: 'Teapot', remote: `127.0.0.1:${server.port}` })
  expect(passed.head?.headers.slice(0, 8)).toEqual(['X-Twice', '1', 'X-Twice', '2', 'Location', '/elsewhere', 'Content-Encoding', 'br'])
  const [method, url, headers] = JSON.parse(passed.chunks.join('')) as [string, string, string[]]
  expect([method, url]).toEqual(['POST', '/path?query=1'])
  expect(headers).toEqual(expect.arrayContaining(['X-Own', 'a', 'x-own', 'b', 'Authorization', 'Bearer s', 'content-length', '5']))
})

test('an answer that nobody takes is not read on', async () => {
  let isFull = false
  answer = (_request, response) => {
    const more = (): void => {
      while (response.write('x'.repeat(65_536)));
      isFull = true
    }
    response.on('drain', more)
    more()
  }
  const passed = pass({}, ({ control, chunks }) => chunks.length === 1 && control.pause())
  await expect.poll(() => isFull && passed.chunks.length).toBe(1)
  passed.control.resume()
  await expect.poll(() => passed.chunks.length).toBeGreaterThan(100)
  passed.control.abort()
})

describe('a call that is given up', () => {
  test('ends at the server, and says nothing more', async () => {
    const closed = Promise.withResolvers<void>()
    answer = (_request, response) => {
      response.write('first')
      response.on('close', () => closed.resolve())
    }
    const passed = pass({}, ({ control }) => control.abort())
    await closed.promise
    expect(passed.chunks).toEqual(['first'])
    passed.control.abort()
  })

  test('before it began is never answered', async () => {
    const closed = Promise.withResolvers<void>()
    answer = (request) => request.on('close', () => closed.resolve())
    const before = server.requests.length
    const passed = pass()
    passed.control.abort()
    const after = pass() // the same client, so that the first had its turn
    await expect.poll(() => server.requests.length).toBeGreaterThan(before)
    after.control.abort()
    await closed.promise
    expect(passed.head).toBeUndefined()
  })
})

test('what is said on the way is not taken for the answer', async () => {
  answer = (_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end('done')
  }
  const passed = pass()
  expect(await passed.over).toBe('end')
  expect(passed.head?.status).toBe(200)
})

test('an answer that breaks off fails, after its head', async () => {
  answer = (request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => request.socket.resetAndDestroy())
  }
  const passed = pass()
  const outcome = await passed.over
  expect(passed.head?.status).toBe(200)
  expect(callFailureOf(outcome)).toBe('reset')
})

test('a call that HTTP does not allow fails like any other', async () => {
  answer = (_request, response) => response.end()
  const passed = pass({ headers: ['bad header', 'x'] })
  expect(await passed.over).toBeInstanceOf(Error)
  expect(() => pass({ url: new URL('ftp://127.0.0.1/') })).toThrow('neither http nor https')
})
