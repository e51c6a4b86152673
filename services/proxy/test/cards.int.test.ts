/** Cards through the proxy: recorded as they are, given out with its addresses, and those lead back. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { startService } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, newDataDir, rpc, type Scene, startScene, startScriptedWorker, type ScriptedWorker, task } from './scene.ts'

let scene: Scene
let elsewhere: ScriptedWorker
beforeAll(async () => {
  scene = await startScene()
  elsewhere = await startScriptedWorker()
})
afterAll(async () => {
  await scene?.end()
  await elsewhere?.close()
})

const cardOf = (more: object = {}): Record<string, unknown> => ({
  name: 'Reporter', description: 'Reports', version: '1', capabilities: {}, defaultInputModes: [], defaultOutputModes: [], skills: [],
  supportedInterfaces: [
    { url: `${scene.worker.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: `${scene.worker.url}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: `${elsewhere.url}/other`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: 'grpc.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ],
  ...more,
})

/** The worker has its card at these paths only. */
const servesCard = (paths: readonly string[], card: string | Uint8Array, headers: Record<string, string> = {}): void => {
  scene.worker.answer = (request, response) => {
    request.resume()
    const isThere = paths.includes((request.url ?? '').split('?')[0] ?? '')
    if (isThere) response.writeHead(200, { 'content-type': 'application/json', etag: '"7"', 'cache-control': 'max-age=60', ...headers }).end(card)
    else response.writeHead(404).end()
  }
}

const told = () => scene.ledger.events.filter(({ type }) => type === 'a2a.agent-card')

interface Card {
  readonly supportedInterfaces: readonly { readonly url: string }[]
}

test('a card that is too large to be held goes as it is, and is counted once', async () => {
  const card = JSON.stringify(cardOf({ description: 'x'.repeat(8 * 1024 * 1024) }))
  servesCard(['/.well-known/agent-card.json'], card)
  const before = [told().length, scene.ledger.gaps.length] as const
  const response = await fetch(`${scene.url}/.well-known/agent-card.json`)
  expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([200, '"7"', card])
  await expect.poll(() => scene.ledger.gaps.slice(before[1])).toMatchObject([{ reason: 'too_large', events: 1, byType: { 'a2a.agent-card': 1 } }])
  expect(told()).toHaveLength(before[0])
})

describe('a card', () => {
  test.each([
    ['below the interface', '/.well-known/agent-card.json', '/a2a/.well-known/agent-card.json'],
    ['at the root of its host', '/.well-known/agent-card.json', '/.well-known/agent-card.json'],
    ['under its older name', '/.well-known/agent.json', '/.well-known/agent.json'],
  ])('%s is given out with addresses of the proxy, and told as the worker wrote it', async (_fact, asked, at) => {
    const card = ` ${JSON.stringify(cardOf(), null, 2)}\n`
    servesCard([at], card)
    const before = told().length
    const response = await fetch(`${scene.url}${asked}`)
    expect([response.status, response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([200, '"7"', 'max-age=60'])
    const given = (await response.json()) as Card
    const urls = given.supportedInterfaces.map(({ url }) => url)
    expect(urls).toEqual([scene.url, `${scene.url}/rest`, expect.stringMatching(`^${scene.url}/~[0-9a-f]{16}$`), 'grpc.example:443'])
    expect({ ...given, supportedInterfaces: [] }).toEqual({ ...cardOf(), supportedInterfaces: [] })
    await expect.poll(() => told().length).toBe(before + 1)
    expect(String(told().at(-1)?.data)).toBe(card)
    expect(told().at(-1)).toMatchObject({ operation: 'GetAgentCard', workerid: 'w1', etag: '"7"', cachecontrol: 'max-age=60', httpstatus: '200' })
  })

  test('whose addresses are elsewhere leads back to them, also at a proxy that never saw it', async () => {
    servesCard(['/.well-known/agent-card.json'], JSON.stringify(cardOf()))
    elsewhere.answer = (request, response) => void response.end(JSON.stringify({ ...task('WORKING'), asked: request.url }))
    const given = (await (await fetch(`${scene.url}/.well-known/agent-card.json`)).json()) as Card
    const url = given.supportedInterfaces[2]?.url ?? ''
    expect(await (await fetch(`${url}/tasks/t-1?x=1`)).json()).toMatchObject({ asked: '/other/tasks/t-1?x=1' })
    const second = await startService('proxy', { LEDGER_URL: scene.ledger.url, DATA_DIR: newDataDir(), OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
    await expect.poll(async () => (await fetch(`${second.url}/readyz`)).status).toBe(200)
    const path = url.slice(scene.proxy.url.length)
    expect(await (await fetch(`${second.url}${path}/tasks/t-1`)).json()).toMatchObject({ asked: '/other/tasks/t-1' })
    expect(await (await fetch(`${second.url}/w1/~0123456789abcdef/tasks`)).json()).toMatchObject({ code: 'route_not_found' })
    await second.stop()
  })

  test('of v0.3', async () => {
    servesCard(['/.well-known/agent-card.json'], JSON.stringify({ name: 'old', protocolVersion: '0.3.0', url: `${scene.worker.url}/a2a`, preferredTransport: 'JSONRPC', additionalInterfaces: [{ url: `${scene.worker.url}/a2a/v1`, transport: 'HTTP+JSON' }] }))
    expect(await (await fetch(`${scene.url}/.well-known/agent-card.json`)).json()).toMatchObject({ url: scene.url, additionalInterfaces: [{ url: `${scene.url}/v1` }] })
  })

  test('that is signed stays as it is', async () => {
    const card = JSON.stringify(cardOf({ signatures: [{ protected: 'e30', signature: 'c2ln' }] }))
    servesCard(['/.well-known/agent-card.json'], card)
    expect(await (await fetch(`${scene.url}/.well-known/agent-card.json`)).text()).toBe(card)
  })

  test('that was compressed all the same is given out plain', async () => {
    const card = JSON.stringify(cardOf())
    servesCard(['/.well-known/agent-card.json'], gzipSync(card), { 'content-encoding': 'gzip' })
    const response = await new Promise<IncomingMessage>((resolve, reject) => void httpRequest(`${scene.url}/.well-known/agent-card.json`, { headers: { 'accept-encoding': 'gzip' } }, resolve).on('error', reject).end())
    const text = await bodyOf(response)
    expect(response.headers).not.toHaveProperty('content-encoding')
    expect(Number(response.headers['content-length'])).toBe(Buffer.byteLength(text))
    expect((JSON.parse(text) as Card).supportedInterfaces[0]?.url).toBe(scene.url)
    expect(scene.worker.requests.at(-1)?.headers['accept-encoding']).toBe('identity')
    await expect.poll(() => told().at(-1)?.data).toEqual(JSON.parse(card))
  })

  test('where the enrolment says it is', async () => {
    scene.ledger.enrol('w2', { url: `${scene.worker.url}/a2a`, cardUrl: `${elsewhere.url}/cards/w2?v=1` })
    elsewhere.answer = (request, response) => void response.writeHead(request.url === '/cards/w2?v=1' ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(cardOf()))
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/w2/.well-known/agent-card.json`)).status).toBe(200)
  })

  test('that is the extended one', async () => {
    scene.worker.answer = async (request, response) => {
      const { id } = JSON.parse((await bodyOf(request)) || '{"id":9}') as { id: number }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result: cardOf() }))
    }
    const response = await fetch(scene.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: rpc('GetExtendedAgentCard', {}) })
    expect(((await response.json()) as { result: Card }).result.supportedInterfaces[0]?.url).toBe(scene.url)
    await expect.poll(() => scene.ledger.events.filter(({ operation }) => operation === 'GetExtendedAgentCard')).toMatchObject([{ type: 'a2a.response', data: { result: cardOf() } }])
  })

  test.each([
    [404, 'not here', 'text/plain'],
    [401, '{"error":"unauthorized"}', 'application/json'],
    [200, '<html>hello</html>', 'text/html'],
    [200, '{"no":"card"}', 'application/json'],
  ])('that is none comes as it is: %d %s', async (status, body, type) => {
    scene.worker.answer = (_request, response) => void response.writeHead(status, { 'content-type': type, 'www-authenticate': 'Bearer' }).end(body)
    const before = told().length
    const response = await fetch(`${scene.url}/.well-known/agent-card.json`)
    expect([response.status, response.headers.get('content-type'), response.headers.get('www-authenticate'), await response.text()]).toEqual([status, type, 'Bearer', body])
    await expect.poll(() => told().slice(before)).toMatchObject([{ httpstatus: String(status) }])
  })

  test('that has not changed is a 304, of a HEAD there is no body', async () => {
    scene.worker.answer = (request, response) => {
      if (request.headers['if-none-match'] === '"7"') response.writeHead(304, { etag: '"7"' }).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(cardOf()))
    }
    const unchanged = await fetch(`${scene.url}/.well-known/agent-card.json`, { headers: { 'if-none-match': '"7"' } })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    const head = await fetch(`${scene.url}/.well-known/agent-card.json`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('of a worker that does not answer is a problem, and told', async () => {
    scene.worker.answer = (request) => request.socket.resetAndDestroy()
    expect(await (await fetch(`${scene.url}/.well-known/agent-card.json`)).json()).toMatchObject({ code: 'worker_unreachable' })
    await expect.poll(() => scene.ledger.events.filter(({ type }) => type === 'a2a.no-answer')).toMatchObject([{ operation: 'GetAgentCard', data: { reason: 'reset' } }])
  })
})

test('that calls over gRPC go by is logged once a worker', async () => {
  servesCard(['/.well-known/agent-card.json'], JSON.stringify(cardOf()))
  const before = told().length
  for (let n = 0; n < 2; n += 1) expect((await fetch(`${scene.url}/.well-known/agent-card.json`)).status).toBe(200)
  await expect.poll(() => told().length).toBe(before + 2)
  expect(scene.proxy.logged.filter((line) => line.includes('over gRPC') && line.includes('"w1"'))).toHaveLength(1)
})
