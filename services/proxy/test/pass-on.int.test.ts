/** Calls through the proxy, and what the ledger is told of them. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, message, rpc, type Scene, startScene, task } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(async () => {
  await scene?.end()
})

let nextCall = 0
/** A correlation ID that no other test uses; what was told under it. */
const fresh = () => {
  const correlationId = `order-${(nextCall += 1)}`
  const told = () => scene.ledger.events.filter(({ correlationid }) => correlationid === correlationId)
  return { correlationId, headers: { 'content-type': 'application/json', 'a2a-ledger-correlation-id': correlationId }, told }
}

const answering = (status: number, body: string | Uint8Array, headers: Record<string, string> = { 'content-type': 'application/json' }): void => {
  scene.worker.answer = (request, response) => {
    request.resume()
    response.writeHead(status, headers).end(body)
  }
}

test('a send is told before its answer, byte for byte, with what both say about themselves', async () => {
  const { correlationId, headers, told } = fresh()
  const answer = `{ "jsonrpc":"2.0","id":1, "result":{"task":${JSON.stringify(task('WORKING'))}},"big":12345678901234567890 }`
  answering(200, answer, { 'content-type': 'application/json; charset=utf-8', 'x-instance-id': 'replica-2' })
  const body = ` ${rpc('SendMessage', { message: message('m-1') })}`
  const response = await fetch(scene.url, {
    method: 'POST', body,
    headers: { ...headers, 'a2a-version': '1.0', authorization: 'Bearer secret', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  })
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, 'application/json; charset=utf-8', answer])
  await expect.poll(() => told().length).toBe(2)
  const [dispatch, answered] = told()
  const both = { workerid: 'w1', operation: 'SendMessage', binding: 'JSONRPC', protocolversion: '1.0', messageid: 'm-1', correlationid: correlationId, source: 'urn:a2a-ledger:proxy', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', scope: expect.stringMatching(/^[\w-]{22}$/) }
  expect(dispatch).toMatchObject({ ...both, type: 'a2a.dispatch', data: Buffer.from(body) })
  expect(answered).toMatchObject({ ...both, type: 'a2a.response', httpstatus: '200', instance: 'replica-2', datacontenttype: 'application/json; charset=utf-8', data: JSON.parse(answer) })
  expect(answered?.['scope']).toBe(dispatch?.['scope'])
  expect(JSON.stringify(told())).not.toContain('secret')
})

describe('what an answer is told as', () => {
  const call = (operation: string, body: string) => ({ operation, body: rpc(operation, JSON.parse(body) as object) })
  const getTask = call('GetTask', '{"id":"t-1"}')
  const notFound = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}'
  test.each([
    ['an answer', getTask, 200, JSON.stringify({ jsonrpc: '2.0', id: 1, result: task('WORKING') }), 'a2a.response'],
    ['an error', getTask, 200, notFound, 'a2a.error'],
    ['an error with an HTTP status', getTask, 404, notFound, 'a2a.error'],
    ['a page of a gateway', getTask, 502, '<html>Bad Gateway</html>', 'a2a.error'],
    ['nothing', getTask, 200, '', 'a2a.response'],
    ['what nobody understands', getTask, 200, 'what?', 'a2a.response'],
    ['a list', call('ListTasks', '{}'), 200, JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tasks: [task('WORKING')] } }), 'a2a.response'],
  ])('%s', async (_fact, { operation, body }, status, answer, type) => {
    const { headers, told } = fresh()
    answering(status, answer, { 'content-type': answer.startsWith('<') ? 'text/html' : 'application/json' })
    const response = await fetch(scene.url, { method: 'POST', headers, body })
    expect([response.status, await response.text()]).toEqual([status, answer])
    await expect.poll(told).toMatchObject([{ type, operation, httpstatus: String(status) }])
    if (operation === 'GetTask') expect(told()[0]).toMatchObject({ taskid: 't-1' })
  })

  test.each([
    ['GET', '/tasks/t-9', undefined, { operation: 'GetTask', taskid: 't-9' }],
    ['GET', '/v1/tasks/t%2F9?historyLength=0', undefined, { operation: 'GetTask', taskid: 't/9' }],
    ['POST', '/tasks/t-9:cancel', '{}', { operation: 'CancelTask', taskid: 't-9' }],
    ['GET', '/tasks?pageSize=1', undefined, { operation: 'ListTasks' }],
  ])('HTTP+JSON: %s %s', async (method, path, body, named) => {
    const { headers, told } = fresh()
    scene.worker.answer = (request, response) => {
      request.resume()
      response.end(JSON.stringify({ ...task('WORKING', 't-9'), asked: request.url }))
    }
    const response = await fetch(`${scene.url}${path}`, { method, headers, ...(body !== undefined && { body }) })
    expect(await response.json()).toMatchObject({ asked: `/a2a${path}` })
    await expect.poll(told).toMatchObject([{ type: 'a2a.response', binding: 'HTTP+JSON', ...named }])
  })

  test('a JSON-RPC batch message by message, its answer as one', async () => {
    const { headers, told } = fresh()
    answering(200, `[${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task('WORKING', 't-1') } })},${JSON.stringify({ jsonrpc: '2.0', id: 2, result: { task: task('WORKING', 't-2') } })}]`)
    await fetch(scene.url, { method: 'POST', headers, body: `[${rpc('SendMessage', { message: message('m-1') })},${rpc('SendMessage', { message: message('m-2') })}]` })
    await expect.poll(told).toMatchObject([
      { type: 'a2a.dispatch', messageid: 'm-1' },
      { type: 'a2a.dispatch', messageid: 'm-2' },
      { type: 'a2a.response' },
    ])
  })

  test('what is no A2A call not at all', async () => {
    const { headers, told } = fresh()
    answering(200, 'healthy')
    expect(await (await fetch(`${scene.url}/health`, { headers })).text()).toBe('healthy')
    expect((await fetch(`${scene.url}/upload`, { method: 'PUT', headers, body: 'x' })).status).toBe(200)
    answering(200, JSON.stringify({ jsonrpc: '2.0', id: 1, result: task('WORKING') }))
    await fetch(scene.url, { method: 'POST', headers, body: getTask.body })
    await expect.poll(told).toMatchObject([{ operation: 'GetTask' }])
  })
})

describe('a call without an answer', () => {
  const send = (headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(scene.url, { method: 'POST', headers, body: rpc('SendMessage', { message: message('m-1') }), ...(signal && { signal }) })

  test('is told with the reason, and answered by a problem', async () => {
    const { headers, told } = fresh()
    scene.worker.answer = (request) => request.socket.resetAndDestroy()
    const response = await send(headers)
    expect([response.status, await response.json()]).toMatchObject([502, { code: 'worker_unreachable' }])
    await expect.poll(told).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.no-answer', messageid: 'm-1', data: { reason: 'reset', afterMs: expect.any(Number) } }])
  })

  test('whose caller goes away ends at the worker too', async () => {
    const { headers, told } = fresh()
    const asked = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    scene.worker.answer = (_request, response) => {
      asked.resolve()
      response.on('close', () => left.resolve())
    }
    const caller = new AbortController()
    const call = send(headers, caller.signal).catch(() => 'gone')
    await asked.promise
    caller.abort()
    expect(await call).toBe('gone')
    await left.promise
    await expect.poll(told).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.no-answer', data: { reason: 'aborted' } }])
  })

  test('that breaks off in the middle breaks off for the caller', async () => {
    const { headers, told } = fresh()
    scene.worker.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{"half":', () => request.socket.resetAndDestroy())
    }
    await expect(send(headers).then((response) => response.text())).rejects.toThrow()
    await expect.poll(told).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.no-answer', data: { reason: 'reset' } }])
  })

  test('of a caller that goes away while it sends is none', async () => {
    const before = scene.worker.requests.length
    const { hostname, port } = new URL(scene.url)
    const socket = connect(Number(port), hostname)
    socket.write('POST /w1 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"half":')
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/metrics`)).text()).toContain('a2a_ledger_proxy_calls_running 1')
    socket.destroy()
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/metrics`)).text()).toContain('a2a_ledger_proxy_calls_running 0')
    expect(scene.worker.requests.length).toBe(before)
  })
})

describe('headers', () => {
  test("the caller's identity goes on, what belongs to one connection or to us does not", async () => {
    answering(200, '{}')
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(`${scene.url}/tasks/t-1`, {
        headers: {
          authorization: 'Bearer a', cookie: 'a=b', 'x-api-key': 'k', 'X-Tenant': 't', 'a2a-extensions': 'urn:x', forwarded: 'for=1.2.3.4',
          connection: 'close, x-hop', 'x-hop': '1', te: 'trailers', 'proxy-authorization': 'p', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
          'a2a-ledger-correlation-id': 'order-x', 'a2a-ledger-anything': '1', 'accept-encoding': 'br',
        },
      }, resolve).on('error', reject).end()
    })
    response.resume()
    const { headers } = scene.worker.requests.at(-1)!
    expect(headers).toMatchObject({ authorization: 'Bearer a', cookie: 'a=b', 'x-api-key': 'k', 'x-tenant': 't', 'a2a-extensions': 'urn:x', forwarded: 'for=1.2.3.4', 'accept-encoding': 'br', host: new URL(scene.worker.url).host, via: expect.stringMatching(/^1[.]1 a2a-ledger-/) })
    for (const name of ['x-hop', 'te', 'proxy-authorization', 'upgrade', 'http2-settings', 'a2a-ledger-correlation-id', 'a2a-ledger-anything']) expect(headers).not.toHaveProperty(name)
  })

  test('of an answer come as they are, but for its connection', async () => {
    scene.worker.answer = (_request, response) =>
      response.writeHead(202, 'Gladly', ['X-Twice', '1', 'X-Twice', '2', 'Set-Cookie', 'a=b', 'Set-Cookie', 'c=d', 'WWW-Authenticate', 'Bearer', 'Connection', 'x-hop', 'X-Hop', '1', 'Date', 'Thu, 01 Jan 1970 00:00:00 GMT']).end('{}')
    const response = await new Promise<IncomingMessage>((resolve, reject) => void httpRequest(`${scene.url}/tasks/t-1`, resolve).on('error', reject).end())
    response.resume()
    expect([response.statusCode, response.statusMessage]).toEqual([202, 'Gladly'])
    expect(response.headersDistinct).toMatchObject({ 'x-twice': ['1', '2'], 'set-cookie': ['a=b', 'c=d'], 'www-authenticate': ['Bearer'], date: ['Thu, 01 Jan 1970 00:00:00 GMT'] })
    expect(response.headers).not.toHaveProperty('x-hop')
  })

  test.each([
    ['/a2a/tasks/t-2', '/w1/tasks/t-2', true],
    ['tasks/t-2?x=1', '/w1/tasks/t-2?x=1', true],
    ['/elsewhere', '/elsewhere', false],
    ['https://other.example/', 'https://other.example/', false],
  ])('a redirect to %s leads to %s', async (location, expected, isOwn) => {
    scene.worker.answer = (_request, response) => response.writeHead(307, { location }).end()
    const response = await fetch(`${scene.url}/tasks`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([307, isOwn ? `${scene.proxy.url}${expected}` : expected])
  })

  test('a correlation ID nobody may choose is left out, one of other letters is kept', async () => {
    answering(200, JSON.stringify(task('WORKING', 't-utf8')))
    const told = () => scene.ledger.events.filter(({ taskid }) => taskid === 't-utf8')
    await fetch(`${scene.url}/tasks/t-utf8`, { headers: { 'a2a-ledger-correlation-id': '~w1' } })
    await fetch(`${scene.url}/tasks/t-utf8`, { headers: { 'a2a-ledger-correlation-id': Buffer.from('Bestellung-ü').toString('latin1') } })
    await expect.poll(() => told().map(({ correlationid }) => correlationid)).toEqual([undefined, 'Bestellung-ü'])
  })
})

describe('methods and bodies', () => {
  test('HEAD and OPTIONS', async () => {
    answering(200, 'hello', { 'content-type': 'text/plain', 'content-length': '5', allow: 'GET' })
    const head = await fetch(`${scene.url}/tasks`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', ''])
    const options = await fetch(`${scene.url}/tasks`, { method: 'OPTIONS', headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' } })
    expect([options.status, options.headers.get('allow')]).toEqual([200, 'GET'])
    expect(scene.worker.requests.at(-1)?.headers).toMatchObject({ 'access-control-request-method': 'POST' })
  })

  test('expect: 100-continue is answered here, and the body follows', async () => {
    scene.worker.answer = async (request, response) => response.end(await bodyOf(request))
    const request = httpRequest(`${scene.url}/echo`, { method: 'POST', headers: { expect: '100-continue', 'content-length': 5 } })
    request.flushHeaders()
    await once(request, 'continue')
    request.end('hello')
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(await bodyOf(response)).toBe('hello')
    expect(scene.worker.requests.at(-1)?.headers).not.toHaveProperty('expect')
  })

  test('204 and 304 have no body', async () => {
    for (const status of [204, 304]) {
      scene.worker.answer = (_request, response) => response.writeHead(status, { etag: '"1"' }).end()
      const response = await fetch(`${scene.url}/tasks`)
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([status, '"1"', ''])
    }
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
    ['compress', (text: string) => Buffer.from(text)],
  ])('a body in %s comes as it is and is told decoded', async (encoding, encode) => {
    const { headers, told } = fresh()
    const text = JSON.stringify(task('WORKING'))
    const bytes = encode(text)
    answering(200, bytes, { 'content-type': 'application/json', 'content-encoding': encoding, 'content-length': String(bytes.length) })
    const response = await new Promise<IncomingMessage>((resolve, reject) => void httpRequest(`${scene.url}/tasks/t-1`, { headers }, resolve).on('error', reject).end())
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
    await expect.poll(told).toMatchObject([{ data: JSON.parse(text) }])
  })

  test('a body larger than an event goes by, and a gap says so', async () => {
    const { headers } = fresh()
    const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message('m-1', { parts: [{ text: 'x'.repeat(9 * 1024 * 1024) }] }) } })
    scene.worker.answer = async (request, response) => response.end(`"${(await bodyOf(request)).length}"`)
    for (const body of [large, new Blob([large]).stream()]) {
      const response = await fetch(scene.url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
      expect(await response.json()).toBe(String(large.length))
    }
    answering(200, `"${'x'.repeat(9 * 1024 * 1024)}"`)
    expect((await (await fetch(`${scene.url}/tasks/t-1`)).text()).length).toBe(9 * 1024 * 1024 + 2)
    const tooLarge = () => {
      const sums: Record<string, number> = {}
      for (const { reason, byType } of scene.ledger.gaps as unknown as { reason: string; byType: Record<string, number> }[]) {
        if (reason === 'too_large') for (const [type, count] of Object.entries(byType)) sums[type] = (sums[type] ?? 0) + count
      }
      return sums
    }
    await expect.poll(tooLarge).toEqual({ 'a2a.dispatch': 2, 'a2a.response': 1 })
    expect(scene.ledger.gaps[0]).toMatchObject({ workerId: 'w1', witness: 'urn:a2a-ledger:proxy', isExact: true })
  })

  test('an event of almost 8 MiB is told whole', async () => {
    const { headers, told } = fresh()
    const text = JSON.stringify({ ...task('COMPLETED'), artifacts: [{ artifactId: 'a', parts: [{ text: 'ü'.repeat(4_100_000) }] }] })
    answering(200, text)
    await (await fetch(`${scene.url}/tasks/t-1`, { headers })).text()
    await expect.poll(() => told().length).toBe(1)
    expect(String(told()[0]?.data)).toBe(text)
  })
})

describe('where a call goes', () => {
  test('nowhere, for a worker that is not enrolled', async () => {
    const response = await fetch(`${scene.proxy.url}/nobody/tasks`)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'worker_not_enrolled' }])
    expect((await fetch(`${scene.proxy.url}/constructor`)).status).toBe(404)
    expect((await fetch(`${scene.proxy.url}/__proto__/x`)).status).toBe(404)
  })

  test('to a worker as soon as it is enrolled, whatever its id is', async () => {
    answering(200, '{}')
    scene.ledger.enrol('team/w 1', { url: scene.worker.url })
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/team%2Fw%201/tasks`)).status).toBe(200)
    expect(scene.worker.requests.at(-1)?.url).toBe('/tasks')
    scene.ledger.enrol('team/w 1', { url: `${scene.worker.url}/moved/` })
    await expect.poll(async () => {
      await fetch(`${scene.proxy.url}/team%2Fw%201/tasks`)
      return scene.worker.requests.at(-1)?.url
    }).toBe('/moved/tasks')
  })

  test.each([
    ['', '/a2a'],
    ['/', '/a2a/'],
    ['?x=1', '/a2a?x=1'],
    ['/a//b', '/a2a/a//b'],
    ['/a%2Fb%20c?d=%2F', '/a2a/a%2Fb%20c?d=%2F'],
  ])('%j to %s', async (rest, path) => {
    answering(200, '{}')
    await fetch(`${scene.url}${rest}`)
    expect(scene.worker.requests.at(-1)?.url).toBe(path)
  })

  test.each(['/../x', '/a/../../x', '/%2e%2e/x', '/a/%2E./x', '/..\\x', '/\\..\\..\\x', '/.'])('not above the enrolled address: %s', async (rest) => {
    const before = scene.worker.requests.length
    const { hostname, port } = new URL(scene.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /w1${rest} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toMatch(/^HTTP\/1[.]1 400 /)
    expect(text).toContain('parameter_invalid')
    expect(scene.worker.requests.length).toBe(before)
  })

  test('not back to the proxy', async () => {
    scene.ledger.enrol('loop', { url: `${scene.proxy.url}/loop` })
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/loop/tasks`)).status).toBe(421)
  })

  test('not where nothing may be called', async () => {
    const { headers, told } = fresh()
    scene.ledger.enrol('metadata', { url: 'http://169.254.169.254/latest' })
    scene.ledger.enrol('credentials', { url: scene.worker.url.replace('//', '//user:password@') })
    for (const id of ['metadata', 'credentials']) {
      await expect.poll(async () => (await fetch(`${scene.proxy.url}/${id}/tasks/t-1`, { headers })).status).toBe(502)
      expect(await (await fetch(`${scene.proxy.url}/${id}/tasks/t-1`)).json()).toMatchObject({ code: 'outbound_refused' })
    }
    await expect.poll(() => told().map(({ type, data }) => [type, (data as { reason: string }).reason])).toEqual([['a2a.no-answer', 'refused'], ['a2a.no-answer', 'refused']])
  })
})

describe('requests that mean two things', () => {
  const smuggled = 'GET /w1/smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
  test.each([
    ['a length and chunks', 'content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nG'],
    ['chunks and a length', 'transfer-encoding: chunked\r\ncontent-length: 6\r\n\r\n0\r\n\r\nG'],
    ['two lengths', `content-length: 0\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`],
    ['a length with a sign', `content-length: +${smuggled.length}\r\n\r\n${smuggled}`],
    ['a list of lengths', `content-length: 0, ${smuggled.length}\r\n\r\n${smuggled}`],
    ['chunks twice', `transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['an unknown encoding', `transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a blank before the colon', `transfer-encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a folded header', `x-a: b\r\n transfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n${smuggled}`],
    ['a bare line feed', `x-a: b\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a broken chunk', 'transfer-encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['a length that is hidden', `content-length: ${smuggled.length}\r\nconnection: content-length\r\n\r\n${smuggled}`],
  ])('%s: the worker sees one request at most, and never the second', async (_fact, rest) => {
    const seen: string[] = []
    scene.worker.answer = (request, response) => {
      seen.push(request.url ?? '')
      request.resume()
      response.end('{}')
    }
    const { hostname, port } = new URL(scene.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.end(`POST /w1/first HTTP/1.1\r\nhost: x\r\n${rest}`)
    await once(socket.resume(), 'close')
    expect(seen.filter((url) => url.includes('smuggled'))).toEqual([])
    expect(seen.length).toBeLessThanOrEqual(1)
  })

  test('two requests in one piece are two', async () => {
    const seen: string[] = []
    scene.worker.answer = (request, response) => {
      seen.push(request.url ?? '')
      response.end('{}')
    }
    const { hostname, port } = new URL(scene.url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /w1/a HTTP/1.1\r\nhost: x\r\n\r\nGET /w1/b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    await once(socket.resume(), 'close')
    expect(seen).toEqual(['/a2a/a', '/a2a/b'])
  })
})

test.each([
  ['yes', 'where no header does', {}, (address: string) => address],
  ['yes', 'not where a header does', { 'x-pod-name': 'pod-2' }, () => 'pod-2'],
  ['no', 'not unless it is said', {}, () => undefined],
] as const)('with INSTANCE_ADDRESS=%s the address that answered names the replica: %s', async (INSTANCE_ADDRESS, _when, more, expected) => {
  const own = await startScene({ INSTANCE_ADDRESS })
  try {
    own.worker.answer = (request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json', ...more }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: task('WORKING') }))
    }
    await (await fetch(own.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: rpc('GetTask', { id: 't-1' }) })).text()
    await expect.poll(() => own.ledger.events.find(({ type }) => type === 'a2a.response')).toBeDefined()
    const { host } = new URL(own.worker.url)
    expect(own.ledger.events.find(({ type }) => type === 'a2a.response')?.['instance']).toBe(expected(host))
  } finally {
    await own.end()
  }
})

test('what operators ask is answered by the proxy itself', async () => {
  const get = (path: string) => fetch(`${scene.proxy.url}${path}`)
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' })
  expect(await (await get('/readyz')).json()).toMatchObject({ ready: true, ledger: { answering: true }, spool: { entries: expect.any(Number) } })
  expect(await (await get('/openapi.json')).json()).toMatchObject({ openapi: '3.1.0', info: { title: 'a2a-ledger: the proxy' } })
  expect(await (await get('/metrics')).text()).toMatch(/a2a_ledger_proxy_call_duration_seconds_count\{binding="JSONRPC",operation="SendMessage",outcome="answered"\} [1-9]/)
})

test('whatever became of the calls above, nothing of their bodies is held any more', async () => {
  const held = async () => /^a2a_ledger_proxy_body_bytes_held (\d+)$/m.exec(await (await fetch(`${scene.proxy.url}/metrics`)).text())?.[1]
  await expect.poll(held).toBe('0')
})
