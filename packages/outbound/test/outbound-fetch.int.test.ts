/** `fetch` within bounds, on real servers of this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callFailureOf, createOutbound, type Outbound, OutboundError, type OutboundLimits } from '../src/index.ts'
import { type DnsStub, startDnsStub } from './dns-stub.ts'
import { startServer, type TestServer } from './servers.ts'

setFlagsFromString('--expose-gc')
const collectMemory = runInNewContext('gc') as () => void

const loopback = ['127.0.0.0/8', '::1/128']

/** What the server does by the path it is asked for. */
const routes: Readonly<Record<string, RequestListener>> = {
  '/hello': (_request, response) => response.end('hello'),
  '/echo': (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.end(JSON.stringify({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() })))
  },
  '/large': (_request, response) => response.end('x'.repeat(2000)),
  '/bomb': (_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('x'.repeat(1_000_000))),
  '/gzip': (_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('hello')),
  '/events': (_request, response) => {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8').write('data: 1\n\n')
    const timer = setInterval(() => response.write('data: 2\n\n'), 50)
    response.on('close', () => clearInterval(timer))
  },
  '/swelling-event': (_request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    const timer = setInterval(() => response.write(`data: ${'x'.repeat(400)}\n`), 5)
    response.on('close', () => clearInterval(timer))
  },
  '/silent-events': (_request, response) => response.setHeader('content-type', 'text/event-stream').write('data: 1\n\n'),
  '/silent': () => undefined,
  '/half': (_request, response) => response.setHeader('content-length', '10').write('half'),
  '/dripping': (_request, response) => {
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  },
  '/reset': (request) => request.socket.resetAndDestroy(),
  '/garbage': (request) => request.socket.end('this is no HTTP\r\n\r\n'),
  '/redirect': (request, response) => {
    const query = new URL(request.url ?? '', 'http://here').searchParams
    request.resume()
    response.writeHead(Number(query.get('status')), { location: query.get('to') ?? '' }).end()
  },
}

let here: TestServer
let elsewhere: TestServer
const opened: Outbound[] = []

const open = (limits: Partial<OutboundLimits> = {}): Outbound => {
  const outbound = createOutbound({ allowCidrs: loopback, limits })
  opened.push(outbound)
  return outbound
}
const routed: RequestListener = (request, response) => {
  const route = routes[(request.url ?? '').split('?')[0] ?? '']
  if (route === undefined) response.writeHead(404).end()
  else route(request, response)
}
const at = (path: string, server = here): string => `http://127.0.0.1:${server.port}${path}`
const redirect = (status: number, to: string): string => at(`/redirect?status=${status}&to=${encodeURIComponent(to)}`)
const codeOf = (call: Promise<unknown>): Promise<unknown> => call.then(() => 'no error', (error: unknown) => (error instanceof OutboundError ? error.code : error))

beforeAll(async () => {
  here = await startServer(['127.0.0.1'], routed)
  elsewhere = await startServer(['127.0.0.1'], routed)
})
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()))
  await Promise.all([here, elsewhere].map((each) => each?.close()))
})

interface Echo {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

describe('what callers may give', () => {
  test('is taken as fetch takes it', async () => {
    const { fetch } = open()
    const text = await (await fetch(at('/echo'), { method: 'POST', headers: { 'A2A-Version': '1.0' }, body: 'text' })).json() as Echo
    expect(text).toMatchObject({ method: 'POST', headers: { 'a2a-version': '1.0', 'content-type': 'text/plain;charset=UTF-8' }, body: 'text' })
    const form = new FormData()
    form.set('name', 'value')
    const formed = await (await fetch(at('/echo'), { method: 'POST', body: form })).json() as Echo
    expect(formed.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(formed.body).toContain('name="name"')
    const requested = await (await fetch(new Request(at('/echo'), { method: 'PUT', headers: { 'x-own': '1' }, body: 'of a request' }))).json() as Echo
    expect(requested).toMatchObject({ method: 'PUT', headers: { 'x-own': '1' }, body: 'of a request' })
    const streamed = await (await fetch(at('/echo'), { method: 'POST', body: ReadableStream.from([Buffer.from('a'), Buffer.from('b')]), duplex: 'half' } as RequestInit)).json() as Echo
    expect(streamed.body).toBe('ab')
  })

  test('an answer says where it came from, and comes decoded', async () => {
    const { fetch } = open()
    const response = await fetch(redirect(302, '/gzip'))
    expect(response.url).toBe(at('/gzip'))
    expect(await response.text()).toBe('hello')
  })

  test('a caller that gives up ends the call', async () => {
    const { fetch } = open()
    const caller = new AbortController()
    const events = await fetch(at('/events'), { signal: caller.signal })
    const reader = events.body!.getReader()
    await reader.read()
    caller.abort(new Error('enough'))
    await expect((async () => { for (;;) await reader.read() })()).rejects.toThrow('enough')
    await expect(fetch(at('/silent'), { signal: AbortSignal.abort(new Error('never mind')) })).rejects.toThrow('never mind')
  })

  test('ends a stream, and a call without an answer, also when memory was collected meanwhile', async () => {
    const { fetch } = open()
    const caller = new AbortController()
    const silentCount = (): number => here.requests.filter(({ url }) => url?.startsWith('/silent')).length
    const before = silentCount()
    const calls = [
      (async () => (await fetch(at('/silent-events'), { signal: AbortSignal.any([caller.signal]) })).text())(),
      fetch(at('/silent'), { signal: AbortSignal.any([caller.signal]) }),
      fetch(new Request(at('/silent'), { signal: caller.signal })),
    ].map((call) => expect(call).rejects.toThrow('enough'))
    await expect.poll(silentCount).toBe(before + 3)
    for (let round = 0; round < 20; round += 1) {
      collectMemory()
      await new Promise((resolve) => setImmediate(resolve))
    }
    caller.abort(new Error('enough'))
    await Promise.all(calls)
  })
})

describe('bounds', () => {
  test('a body has an end, decoded or not', async () => {
    const { fetch } = open({ bodyBytesMax: 1000 })
    expect(await codeOf(fetch(at('/large')).then((response) => response.text()))).toBe('body_too_large')
    expect(await codeOf(fetch(at('/bomb')).then((response) => response.text()))).toBe('body_too_large')
    expect(await (await fetch(at('/hello'))).text()).toBe('hello')
  })

  test('one event of a stream has an end, the stream has none', async () => {
    const { fetch } = open({ bodyBytesMax: 1000, totalTimeoutMs: 2_000 })
    expect(await codeOf(fetch(at('/swelling-event')).then((response) => response.text()))).toBe('body_too_large')
    const startedAtMs = performance.now()
    let byteCount = 0
    const { body } = await fetch(at('/events'))
    for await (const chunk of body!) {
      byteCount += chunk.length
      if (byteCount > 9 && performance.now() - startedAtMs > 2_500) break
    }
    expect(byteCount).toBeGreaterThan(9)
  })

  test('a stream that falls silent ends', async () => {
    const { fetch } = open({ idleTimeoutMs: 100 })
    const error = await fetch(at('/silent-events')).then((response) => response.text()).catch((reason: unknown) => reason)
    expect(callFailureOf(error)).toBe('timeout')
  })

  test('a call has a deadline, whatever it waits for', async () => {
    const { fetch } = open({ totalTimeoutMs: 150 })
    expect(await codeOf(fetch(at('/silent')))).toBe('deadline_exceeded')
    expect(await codeOf(fetch(at('/dripping')).then((response) => response.text()))).toBe('deadline_exceeded')
  })

  test('an answer that nobody reads holds nothing for ever', async () => {
    const { fetch } = open({ totalTimeoutMs: 1_000 })
    const takingItsTime = async (): Promise<void> => {
      for await (const _chunk of (await fetch(at('/dripping'))).body!) await once(AbortSignal.timeout(300), 'abort')
    }
    expect(await codeOf(takingItsTime())).toBe('deadline_exceeded')
  })
})

describe('redirects', () => {
  const secrets = { authorization: 'Bearer s', 'x-api-key': 's', cookie: 's=s', 'proxy-authorization': 's', 'x-own': 's', 'a2a-version': '1.0', accept: 'x/y' }

  test('to another origin take nothing along that says who calls', async () => {
    const { fetch } = open()
    const { headers } = await (await fetch(redirect(302, at('/echo', elsewhere)), { headers: secrets })).json() as Echo
    expect(headers).toMatchObject({ 'a2a-version': '1.0', accept: 'x/y' })
    for (const name of ['authorization', 'x-api-key', 'cookie', 'proxy-authorization', 'x-own']) expect(headers).not.toHaveProperty(name)
  })

  test('within an origin take everything along', async () => {
    const { fetch } = open()
    const { headers } = await (await fetch(redirect(302, '/echo'), { headers: secrets })).json() as Echo
    expect(headers).toMatchObject({ authorization: 'Bearer s', 'x-api-key': 's' })
  })

  test.each([[301, 'GET', ''], [302, 'GET', ''], [303, 'GET', ''], [307, 'POST', 'message'], [308, 'POST', 'message']])('%d of a POST becomes a %s with %j', async (status, method, body) => {
    const { fetch } = open()
    const echo = await (await fetch(redirect(status, '/echo'), { method: 'POST', body: 'message' })).json() as Echo
    expect(echo).toMatchObject({ method, body })
  })

  test('carry no message to another origin', async () => {
    const { fetch } = open()
    const before = elsewhere.connections()
    expect(await codeOf(fetch(redirect(307, at('/echo', elsewhere)), { method: 'POST', body: 'message' }))).toBe('redirect_refused')
    expect(elsewhere.connections()).toBe(before)
  })

  test('carry no stream, which is gone', async () => {
    const { fetch } = open()
    const body = ReadableStream.from([Buffer.from('a')])
    expect(await codeOf(fetch(redirect(307, '/echo'), { method: 'POST', body, duplex: 'half' } as RequestInit))).toBe('redirect_refused')
  })

  test('are as many as may be, and none where a caller says so', async () => {
    expect(await codeOf(open({ redirectsMax: 0 }).fetch(redirect(302, '/hello')))).toBe('redirects_exceeded')
    const { fetch } = open({ redirectsMax: 1 })
    expect((await fetch(redirect(302, '/hello'))).status).toBe(200)
    expect(await codeOf(fetch(redirect(302, redirect(302, '/hello'))))).toBe('redirects_exceeded')
    expect(await codeOf(fetch(redirect(302, '/hello'), { redirect: 'error' }))).toBe('redirect_refused')
    expect((await fetch(redirect(302, '/hello'), { redirect: 'manual' })).status).toBe(302)
  })
})

test('proxy variables of the environment are not looked at', async () => {
  const proxy = await startServer(['127.0.0.1'], (_request, response) => response.end('by proxy'))
  const url = `http://127.0.0.1:${proxy.port}`
  const script = `
    import { createOutbound } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)}
    const { fetch, passOn, close } = createOutbound({ allowCidrs: ['127.0.0.0/8'] })
    const passed = await new Promise((resolve, reject) => {
      passOn({ url: new URL('${at('/hello')}'), method: 'GET', headers: [] }, { head() {}, data: resolve, end() {}, failed: reject })
    })
    console.log(await (await fetch('${at('/hello')}')).text(), passed.toString())
    await close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, http_proxy: url, https_proxy: url, all_proxy: url, NO_PROXY: '', no_proxy: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  expect(output).toBe('hello hello\n')
  expect(proxy.connections()).toBe(0)
  await proxy.close()
})

describe('the word for a call without an answer', () => {
  let dns: DnsStub
  beforeAll(async () => {
    dns = await startDnsStub({ 'here.test': [['127.0.0.1']], 'private.test': [['10.0.0.1']] })
  })
  afterAll(() => dns?.close())

  const failureOf = async (url: string, init: RequestInit = {}, limits: Partial<OutboundLimits> = {}): Promise<string> => {
    const outbound = createOutbound({ allowCidrs: loopback, limits, lookup: dns.lookup })
    opened.push(outbound)
    try {
      return await outbound.fetch(url, init).then((response) => response.text())
    } catch (error) {
      return callFailureOf(error)
    }
  }

  test('is refused where nobody listens, or where nothing may be called', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    expect(await failureOf(`http://127.0.0.1:${port}/`)).toBe('refused')
    expect(await failureOf('http://private.test/')).toBe('refused')
    expect(await failureOf('ftp://127.0.0.1/')).toBe('refused')
  })

  test('is reset where the connection ends, or says something else than HTTP', async () => {
    expect(await failureOf(at('/reset'))).toBe('reset')
    expect(await failureOf(at('/garbage'))).toBe('reset')
  })

  test('is timeout, dns, tls or aborted', async () => {
    expect(await failureOf(at('/silent'), {}, { headersTimeoutMs: 100 })).toBe('timeout')
    expect(await failureOf(at('/silent'), {}, { totalTimeoutMs: 100 })).toBe('timeout')
    expect(await failureOf(at('/half'), {}, { idleTimeoutMs: 100 })).toBe('timeout')
    expect(await failureOf(at('/silent'), { signal: AbortSignal.timeout(50) })).toBe('timeout')
    expect(await failureOf('http://nowhere.test/')).toBe('dns')
    expect(await failureOf(`https://here.test:${here.port}/`)).toBe('tls')
    expect(await failureOf(at('/hello'), { signal: AbortSignal.abort() })).toBe('aborted')
  })

  test('is reset for what says nothing', () => {
    expect(callFailureOf(new Error('?'))).toBe('reset')
    expect(callFailureOf('?')).toBe('reset')
  })
})
