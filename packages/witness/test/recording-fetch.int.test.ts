import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { WitnessOptions } from '../src/index.ts'
import { json, result, rpc, type Scene, send, startScene, task } from './scene.ts'

let scene: Scene
afterEach(() => scene.end())
const begin = async (options?: Partial<WitnessOptions>): Promise<Scene> => (scene = await startScene(options))

const told = (count: number) => expect.poll(() => scene.ledger.events.length).toBe(count).then(() => scene.ledger.events)

describe('an answer', () => {
  test('is told as it came, after its message, and reaches the caller as it came', async () => {
    const { fetch, url } = await begin()
    scene.answers = json(result({ task: task('WORKING') }), { 'x-pod-name': 'pod-1', 'x-own': '1' })
    const response = await fetch(url, { ...send(), headers: { 'a2a-version': '1.0', traceparent: '00-1-2-01' } })
    expect([response.status, response.url, response.headers.get('x-own'), await response.json()]).toEqual([200, url, '1', result({ task: task('WORKING') })])
    const common = { source: 'urn:test:orchestrator', workerid: 'w1', operation: 'SendMessage', binding: 'JSONRPC', protocolversion: '1.0', messageid: 'm-1', scope: 'anonymous', traceparent: '00-1-2-01' }
    expect(await told(2)).toMatchObject([
      { type: 'a2a.dispatch', ...common, data: JSON.parse(send().body as string) as object },
      { type: 'a2a.response', ...common, httpstatus: '200', instance: 'pod-1', data: result({ task: task('WORKING') }) },
    ])
  })

  test('TaskNotFound, which no interceptor sees, is told as the error it is', async () => {
    const { fetch, url } = await begin()
    const notFound = { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'gone' } }
    scene.answers = json(notFound)
    await (await fetch(url, { method: 'POST', body: rpc('GetTask', { id: 't-1' }) })).json()
    expect(await told(1)).toMatchObject([{ type: 'a2a.error', operation: 'GetTask', taskid: 't-1', data: notFound }])
  })

  test('that nobody reads is told all the same', async () => {
    const { fetch, url } = await begin()
    const response = await fetch(new URL('tasks/t-1', url))
    expect(response.status).toBe(404)
    expect(await told(1)).toMatchObject([{ type: 'a2a.error', operation: 'GetTask', binding: 'HTTP+JSON', taskid: 't-1', httpstatus: '404' }])
  })

  test('a card is told with its lifetime', async () => {
    const { fetch, url } = await begin()
    scene.answers = json({ name: 'w1' }, { 'cache-control': 'max-age=300', etag: '"1"' })
    await fetch(new URL('.well-known/agent-card.json', url))
    expect(await told(1)).toMatchObject([{ type: 'a2a.agent-card', operation: 'GetAgentCard', cachecontrol: 'max-age=300', etag: '"1"', data: { name: 'w1' } }])
  })

  test('of more than 8 MiB reaches the caller whole and is counted', async () => {
    const { fetch, url } = await begin()
    const text = 'x'.repeat(9 * 1024 * 1024)
    scene.answers = json(text)
    expect(await (await fetch(url, send())).json()).toHaveLength(text.length)
    await told(1)
    await expect.poll(() => scene.ledger.gaps).toMatchObject([{ workerId: 'w1', witness: 'urn:test:orchestrator', reason: 'too_large', events: 1, byType: { 'a2a.response': 1 }, isExact: true }])
  })

  test('that breaks off is told as none', async () => {
    const { fetch, url } = await begin()
    scene.answers = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{', () => response.destroy())
    }
    await expect(fetch(url, send()).then((response) => response.text())).rejects.toThrow()
    expect(await told(2)).toMatchObject([{ type: 'a2a.dispatch' }, { type: 'a2a.no-answer', data: { reason: 'reset' } }])
  })
})

describe('no answer', () => {
  const silent: RequestListener = (request) => void request.resume()
  const closedPort = async (): Promise<string> => {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return `http://127.0.0.1:${port}/`
  }
  const given = (reason: unknown): AbortSignal => {
    const giving = new AbortController()
    scene.answers = () => giving.abort(reason)
    return giving.signal
  }

  test.each<[reason: string, fact: string, call: (url: string) => Promise<[url: string, init?: RequestInit]>]>([
    ['refused', 'nobody listens', async () => [await closedPort()]],
    ['dns', 'the name is none', async () => ['http://nowhere.invalid/']],
    ['tls', 'what listens speaks no TLS', async (url) => [url.replace('http:', 'https:')]],
    ['reset', 'the connection breaks', async (url) => [url]],
    ['timeout', 'the caller waits no longer', async (url) => ((scene.answers = silent), [url, { signal: AbortSignal.timeout(50) }])],
    ['aborted', 'the caller gives up', async (url) => [url, { signal: given(undefined) }]],
    ['aborted', 'the caller gives up for a reason of its own', async (url) => [url, { signal: given(new Error('enough')) }]],
  ])('is %s where %s, and fails the caller as it would have failed', async (reason, _fact, callOf) => {
    const { fetch, url } = await begin()
    scene.answers = (request) => void request.socket.destroy()
    const [where, init] = await callOf(url)
    await expect(fetch(where, { ...send(), ...init })).rejects.toThrow()
    expect(await told(2)).toMatchObject([
      { type: 'a2a.dispatch' },
      { type: 'a2a.no-answer', operation: 'SendMessage', messageid: 'm-1', data: { reason, afterMs: expect.any(Number) as number } },
    ])
  })
})

describe('a stream', () => {
  const frames = (...states: readonly string[]): string =>
    states.map((state) => `data: ${JSON.stringify(result({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}` } } }))}\n\n`).join('')
  const opened = (then: (response: ServerResponse) => void): RequestListener => (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    then(response)
  }

  test('that ends properly is told frame by frame, in its own order', async () => {
    const { fetch, url } = await begin()
    scene.answers = opened((response) => response.end(frames('WORKING', 'COMPLETED')))
    const response = await fetch(url, send('SendStreamingMessage'))
    expect([response.url, await response.text()]).toEqual([url, frames('WORKING', 'COMPLETED')])
    expect(await told(3)).toMatchObject([
      { type: 'a2a.dispatch', operation: 'SendStreamingMessage' },
      { type: 'a2a.stream-response', sequence: '1' },
      { type: 'a2a.stream-response', sequence: '2' },
    ])
    expect(new Set(scene.ledger.events.slice(1).map(({ streamid }) => streamid)).size).toBe(1)
  })

  test('frames are told while it goes on', async () => {
    const { fetch, url } = await begin()
    let worker: ServerResponse | undefined
    scene.answers = opened((response) => (worker = response).write(frames('WORKING')))
    const reader = (await fetch(url, send('SendStreamingMessage'))).body!.getReader()
    await reader.read()
    await told(2)
    worker?.end(frames('COMPLETED'))
    await reader.read()
    await told(3)
  })

  test.each<[reason: string, fact: string, then: (response: ServerResponse) => void]>([
    ['closed', 'it is ended without a terminal state', (response) => response.end(frames('WORKING'))],
    ['reset', 'it breaks off', (response) => response.write(frames('WORKING'), () => response.destroy())],
  ])('its end is told as %s where %s', async (reason, _fact, then) => {
    const { fetch, url } = await begin()
    scene.answers = opened(then)
    await (await fetch(url, send('SendStreamingMessage'))).text().catch(() => undefined)
    expect((await told(3)).at(-1)).toMatchObject({ type: 'a2a.stream-ended', taskid: 't-1', sequence: '2', data: { reason } })
  })

  test('a caller that goes away ends it at the worker, and this is told', async () => {
    const { fetch, url } = await begin()
    const gone = Promise.withResolvers<void>()
    scene.answers = opened((response) => {
      response.on('close', gone.resolve)
      response.write(frames('WORKING'))
    })
    const reader = (await fetch(url, send('SendStreamingMessage'))).body!.getReader()
    await reader.read()
    await reader.cancel()
    await gone.promise
    expect((await told(3)).at(-1)).toMatchObject({ type: 'a2a.stream-ended', data: { reason: 'closed' } })
  })

  test('the worker is read no faster than the caller reads', async () => {
    const { fetch, url } = await begin()
    const chunk = `: ${'x'.repeat(64 * 1024)}\n\n`
    let written = 0
    scene.answers = opened((response) => {
      const write = (): void => {
        while (written < 4000) {
          written += 1
          if (!response.write(chunk)) return // goes on once that is taken
        }
      }
      response.on('drain', write)
      write()
    })
    const response = await fetch(url, send('SendStreamingMessage'))
    let before = 0
    const isHeld = (): boolean => written > 0 && written === before
    await expect.poll(() => isHeld() || void (before = written), { interval: 200 }).toBe(true)
    expect(written).toBeLessThan(4000)
    await response.body?.cancel()
  })
})

describe('what the caller says', () => {
  const correlated = async (init: RequestInit, about?: object): Promise<unknown> => {
    const { fetch, url, witness } = scene
    await (about === undefined ? fetch(url, init) : witness.about(about, async () => fetch(url, init)))
    return (await told(2))[0]
  }

  test('a piece of work is carried along with everything awaited in it', async () => {
    await begin()
    const work = { correlationId: 'order-42', parentCorrelationId: 'order-1', lastObserved: 'working', traceparent: '00-1-2-01', tracestate: 'a=b' }
    expect(await correlated(send(), work)).toMatchObject({ correlationid: 'order-42', parentcorrelationid: 'order-1', lastobserved: 'working', traceparent: '00-1-2-01', tracestate: 'a=b' })
  })

  test('the header of a call comes before, and is taken off', async () => {
    await begin()
    let seen: unknown
    scene.answers = (request, response) => {
      seen = request.headers['a2a-ledger-correlation-id']
      json(result({ task: task('WORKING') }))(request, response)
    }
    expect(await correlated({ ...send(), headers: { 'a2a-ledger-correlation-id': 'order-43' } }, { correlationId: 'order-42' })).toMatchObject({ correlationid: 'order-43' })
    expect(seen).toBeUndefined()
  })

  test('a name that nobody may choose is left out', async () => {
    await begin()
    expect(await correlated(send(), { correlationId: '~w1/t-1' })).not.toHaveProperty('correlationid')
  })

  test.each<[fact: string, options: Partial<WitnessOptions>, expected: unknown]>([
    ['left out without a key', {}, undefined],
    ['a word of its own with one', { scopeKey: 'k'.repeat(32) }, expect.stringMatching(/^[\w-]{22}$/)],
  ])('a credential is %s', async (_fact, options, expected) => {
    await begin(options)
    const event = (await correlated({ ...send(), headers: { authorization: 'Bearer secret' } })) as Record<string, unknown>
    expect(event['scope']).toEqual(expected)
    expect(JSON.stringify(scene.ledger.events)).not.toContain('secret')
  })
})

describe('the tenant of a call over HTTP+JSON', () => {
  const scopesOf = async (baseUrl: string | undefined, ...paths: readonly string[]): Promise<readonly unknown[]> => {
    const { witness, url } = await begin({ scopeKey: 'k'.repeat(32) })
    const fetch = witness.fetch({ workerId: 'w1', ...(baseUrl !== undefined && { baseUrl: new URL(baseUrl, url).href }) })
    for (const path of paths) await (await fetch(new URL(path, url))).text()
    return (await told(paths.length)).map(({ scope }) => scope)
  }

  test.each<[baseUrl: string | undefined, path: string, isTenant: boolean]>([
    ['/rest', '/rest/tasks/t-1', false],
    ['/rest/', '/rest/v1/tasks/t-1', false],
    ['/rest', '/rest/acme/tasks/t-1', true],
    ['/rest', '/restful/tasks/t-1', true],
    ['http://elsewhere/rest', '/rest/tasks/t-1', true],
    [undefined, '/rest/tasks/t-1', true],
    [undefined, '/tasks/t-1', false],
  ])('enrolled at %s: %s has one: %s', async (baseUrl, path, isTenant) => {
    const [scope] = await scopesOf(baseUrl, path)
    expect(scope === 'anonymous').toBe(!isTenant)
    expect(scope).toMatch(/^anonymous/)
  })

  test('tells callers of two tenants apart', async () => {
    const scopes = await scopesOf('/rest', '/rest/acme/tasks/t-1', '/rest/other/tasks/t-1', '/rest/acme/tasks/t-2')
    expect([scopes[0] === scopes[1], scopes[0] === scopes[2]]).toEqual([false, true])
  })
})

describe('a call', () => {
  test('that is given as a Request is told like any other', async () => {
    const { fetch, url } = await begin()
    scene.answers = async (request, response) => {
      const body: Buffer[] = []
      for await (const chunk of request) body.push(chunk as Buffer)
      json({ got: Buffer.concat(body).toString() })(request, response)
    }
    const response = await fetch(new Request(url, { ...send(), headers: { 'a2a-ledger-correlation-id': 'order-42' } }))
    expect(await response.json()).toEqual({ got: send().body })
    expect(await told(2)).toMatchObject([{ type: 'a2a.dispatch', correlationid: 'order-42' }, { type: 'a2a.response' }])
  })

  test('whose body cannot be looked into goes through and is counted', async () => {
    const { fetch, url } = await begin()
    const response = await fetch(url, { method: 'POST', body: new Blob([send().body as string]).stream(), duplex: 'half' } as RequestInit)
    expect(response.status).toBe(404)
    await expect.poll(() => scene.ledger.gaps).toMatchObject([{ workerId: 'w1', reason: 'not_recorded', events: 0, calls: 1 }])
  })

  test('to nobody known, and one that is no A2A call, go through untold', async () => {
    const { witness, url } = await begin()
    const fetch = witness.fetch({ workerId: (target) => (target.pathname.startsWith('/w2') ? 'w2' : undefined) })
    await fetch(url, send())
    await fetch(new URL('w2/else', url))
    await fetch(new URL('w2/tasks/t-1', url))
    expect(await told(1)).toMatchObject([{ workerid: 'w2', operation: 'GetTask' }])
    await witness.stop()
    expect(scene.ledger.events).toHaveLength(1)
  })
})

describe('while the ledger is away', () => {
  test('calls go through; what has no room is counted exactly, and told as a gap', async () => {
    const { fetch, url, ledger, witness } = await begin({ bufferBytesMax: 64 * 1024 })
    await ledger.goAway()
    for (let at = 0; at < 60; at += 1) await (await fetch(url, send('SendMessage', `m-${at}`))).text()
    await expect.poll(() => witness.status().missedEvents).toBeGreaterThan(0)
    await expect.poll(() => witness.status()).toMatchObject({ isLedgerAnswering: false, toldEvents: 0 })
    await ledger.comeBack()
    const missing = (): number => ledger.gaps.reduce((sum, { events }) => sum + Number(events), 0)
    await expect.poll(() => ledger.events.length + missing()).toBe(120)
    expect(ledger.gaps.every(({ reason, isExact }) => reason === 'spool_full' && isExact === true)).toBe(true)
    expect(scene.logged).toContain('the ledger is away; what is seen waits in the spool')
  })

  test('stopping takes no longer than it may, and says what is lost', async () => {
    const { fetch, url, ledger, witness } = await begin()
    await ledger.goAway()
    await (await fetch(url, send())).text()
    expect(await witness.stop(100)).toMatchObject({ toldEvents: 0, waiting: 2 })
    expect(scene.logged.at(-1)).toBe('the ledger did not take everything that was seen; what waited is lost')
  })

  test('stopping tells what waits', async () => {
    const { fetch, url, witness, ledger } = await begin()
    await fetch(url, send())
    expect(await witness.stop()).toEqual({ isLedgerAnswering: true, toldEvents: 2, missedEvents: 0, waiting: 0 })
    expect(ledger.events).toHaveLength(2)
    await (await fetch(url, send())).text() // the agent may go on
    await expect.poll(() => witness.status().missedEvents).toBe(2)
  })
})
