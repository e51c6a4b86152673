/** The ledger away, the proxy killed: no call fails, and what is not told is counted. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { runService, startService, type ServiceProcess } from '@a2a-ledger/test/support'
import { afterEach, describe, expect, test } from 'vitest'
import { newDataDir, rpc, type Scene, startScene, task } from './scene.ts'

let scene: Scene | undefined
afterEach(async () => {
  await scene?.end()
  scene = undefined
})

async function start(environment: Readonly<Record<string, string>> = {}): Promise<Scene> {
  scene = await startScene(environment)
  scene.worker.answer = (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task('WORKING') } }))
  }
  // So that it knows its worker, whatever comes.
  await expect.poll(async () => (await fetch(scene!.url, { method: 'OPTIONS' })).status).toBe(200)
  return scene
}

const environmentOf = ({ ledger, dataDir }: Scene, more: Readonly<Record<string, string>> = {}) => ({ LEDGER_URL: ledger.url, DATA_DIR: dataDir, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ...more })

const send = (url: string, messageId: string, text = 'hello'): Promise<number> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: rpc('SendMessage', { message: { role: 'ROLE_USER', messageId, parts: [{ text }] } }) }).then(async (response) => {
    await response.text()
    return response.status
  })

const readyOf = async (proxy: ServiceProcess) => (await (await fetch(`${proxy.url}/readyz`)).json()) as { ledger: { answering: boolean }; spool: { entries: number; bytes: number; missedEvents: number } }

const idsOf = (told: Scene['ledger']['events']) => told.map(({ type, messageid }) => `${type} ${String(messageid)}`)

const bothOf = (messageId: string) => [`a2a.dispatch ${messageId}`, `a2a.response ${messageId}`]

const kill = async (proxy: ServiceProcess): Promise<void> => {
  const gone = once(proxy.child, 'exit')
  proxy.child.kill('SIGKILL')
  await gone
}

describe('while the ledger is away', () => {
  test('no call fails, and everything is told afterwards, in order', async () => {
    const { ledger, proxy, url } = await start()
    expect(await send(url, 'm-0')).toBe(200)
    await expect.poll(() => idsOf(ledger.events)).toEqual(bothOf('m-0'))
    await ledger.goAway()
    for (let at = 1; at <= 100; at += 1) expect(await send(url, `m-${at}`)).toBe(200)
    await expect.poll(() => readyOf(proxy)).toMatchObject({ ledger: { answering: false }, spool: { entries: 200, missedEvents: 0 } })
    await ledger.comeBack()
    await expect.poll(() => ledger.events.length).toBe(202)
    expect(idsOf(ledger.events)).toEqual(Array.from({ length: 101 }, (_, at) => bothOf(`m-${at}`)).flat())
    expect(ledger.gaps).toEqual([])
    await expect.poll(async () => (await readyOf(proxy)).spool.entries).toBe(0)
  })

  test('what finds no room is counted: told and counted together are all there was', async () => {
    const { ledger, proxy, url } = await start({ SPOOL_BYTES_MAX: '65536' })
    await ledger.goAway()
    const texts = Array.from({ length: 120 }, (_, at) => 'x'.repeat((at % 7) * 100))
    for (const [at, text] of texts.entries()) expect(await send(url, `m-${at}`, text)).toBe(200)
    const { spool } = await readyOf(proxy)
    expect(spool.missedEvents).toBeGreaterThan(20)
    expect(spool.bytes).toBeLessThanOrEqual(65_536)
    await ledger.comeBack()
    await expect.poll(async () => (await readyOf(proxy)).spool.entries).toBe(0)
    await expect.poll(() => ledger.gaps.length).toBeGreaterThan(0)
    for (let at = 0; at < 5; at += 1) expect(await send(url, `after-${at}`)).toBe(200)
    await expect.poll(() => idsOf(ledger.events).slice(-10)).toEqual(Array.from({ length: 5 }, (_, at) => bothOf(`after-${at}`)).flat())
    const counted = ledger.gaps as unknown as { reason: string; events: number; byType: Record<string, number>; isExact: boolean; workerId: string }[]
    expect(counted.every(({ reason, isExact, workerId }) => reason === 'spool_full' && isExact && workerId === 'w1')).toBe(true)
    const missing = (type: string) => counted.reduce((sum, { byType }) => sum + (byType[type] ?? 0), 0)
    const told = (type: string) => ledger.events.filter((event) => event.type === type).length
    expect(told('a2a.dispatch') + missing('a2a.dispatch')).toBe(125)
    expect(told('a2a.response') + missing('a2a.response')).toBe(125)
  })

  test('a proxy that starts knows its workers from before', async () => {
    const own = await start()
    await expect.poll(() => readFileSync(join(own.dataDir, 'proxy', 'workers.json'), 'utf8')).toContain('w1')
    await own.proxy.stop()
    await own.ledger.goAway()
    const again = await startService('proxy', environmentOf(own))
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200)
    expect(await send(`${again.url}/w1`, 'm-1')).toBe(200)
    await own.ledger.comeBack()
    await expect.poll(() => idsOf(own.ledger.events)).toEqual(bothOf('m-1'))
    await again.stop()
  })

  test('a proxy that starts for the first time is not ready', async () => {
    const own = await start()
    await own.ledger.goAway()
    const first = await startService('proxy', environmentOf(own, { DATA_DIR: newDataDir() }))
    const ready = await fetch(`${first.url}/readyz`)
    expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'ledger_unavailable' }])
    await own.ledger.comeBack()
    await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(200)
    await first.stop()
  })
})

describe('a ledger that does not take what it is told', () => {
  test('for now: the same is told again until it does', async () => {
    const { ledger, url } = await start()
    let refusals = 0
    ledger.answer = (path) => (path === '/v1/events' && (refusals += 1) <= 3 ? { status: 503, body: '{"code":"overloaded"}' } : undefined)
    expect(await send(url, 'm-1')).toBe(200)
    await expect.poll(() => idsOf(ledger.events)).toEqual(bothOf('m-1'))
    expect(refusals).toBeGreaterThan(3)
  })

  test('as a batch: each is told by itself', async () => {
    const { ledger, url } = await start()
    await ledger.goAway()
    for (const id of ['m-1', 'm-2', 'm-3']) await send(url, id)
    ledger.answer = (path, count) => (path === '/v1/events' && count > 1 ? { status: 413, body: '{}' } : undefined)
    await ledger.comeBack()
    await expect.poll(() => idsOf(ledger.events)).toEqual(['m-1', 'm-2', 'm-3'].flatMap(bothOf))
    expect(ledger.gaps).toEqual([])
  })

  test('at all: it is counted, and harms nothing else', async () => {
    const { ledger, url } = await start()
    ledger.answer = (path) => (path === '/v1/events' ? { status: 400, body: '{"code":"body_malformed"}' } : undefined)
    await send(url, 'm-1')
    await expect.poll(() => ledger.gaps.reduce((sum, { events }) => sum + Number(events), 0)).toBe(2)
    expect(ledger.gaps[0]).toMatchObject({ reason: 'rejected' })
    ledger.answer = undefined
    await send(url, 'm-2')
    await expect.poll(() => idsOf(ledger.events)).toEqual(bothOf('m-2'))
  })

  test('with an answer of another form: nothing is taken for told', async () => {
    const { ledger, url } = await start()
    let isOdd = true
    ledger.answer = (path) => (path === '/v1/events' && isOdd ? { status: 200, body: '<html>' } : undefined)
    await send(url, 'm-1')
    isOdd = false
    await expect.poll(() => idsOf(ledger.events)).toEqual(bothOf('m-1'))
  })
})

describe('SIGKILL', () => {
  test('loses nothing that was answered, and says which calls it cut', async () => {
    const own = await start()
    await own.ledger.goAway()
    for (let at = 0; at < 20; at += 1) await send(own.url, `m-${at}`)
    const asked = Promise.withResolvers<void>()
    own.worker.answer = () => asked.resolve()
    const cut = send(own.url, 'cut').catch(() => 'cut')
    await asked.promise
    // Written right after the turn in which each came: the call first, then what it sends.
    const spool = join(own.dataDir, 'proxy', 'spool')
    const written = (name: RegExp) => readdirSync(spool).filter((each) => name.test(each)).map((each) => readFileSync(join(spool, each), 'latin1')).join('')
    await expect.poll(() => written(/^notes[.]json$/)).toContain('"runningCalls":{"w1":1}')
    await expect.poll(() => written(/[.]spool$/)).toContain('"messageid":"cut"')
    await kill(own.proxy)
    expect(await cut).toBe('cut')
    await own.ledger.comeBack()
    const again = await startService('proxy', environmentOf(own))
    await expect.poll(() => own.ledger.events.length).toBe(41)
    expect(idsOf(own.ledger.events)).toEqual([...Array.from({ length: 20 }, (_, at) => bothOf(`m-${at}`)).flat(), 'a2a.dispatch cut'])
    await expect.poll(() => own.ledger.gaps).toMatchObject([{ workerId: 'w1', reason: 'killed', calls: 1, events: 0, isExact: false }])
    await again.stop()
  })

  test('keeps what was counted and not reported', async () => {
    const own = await start({ SPOOL_BYTES_MAX: '65536' })
    await own.ledger.goAway()
    for (let at = 0; at < 100; at += 1) await send(own.url, `m-${at}`)
    const { missedEvents } = (await readyOf(own.proxy)).spool
    expect(missedEvents).toBeGreaterThan(0)
    // The last call ended: what it left is noted, and some of it may stand in the spool already.
    await expect.poll(() => readFileSync(join(own.dataDir, 'proxy', 'spool', 'notes.json'), 'utf8')).toMatch(/"reason":"spool_full".*"runningCalls":\{\}/)
    await kill(own.proxy)
    await own.ledger.comeBack()
    const again = await startService('proxy', environmentOf(own))
    await expect.poll(() => own.ledger.gaps.reduce((sum, { events }) => sum + Number(events), 0)).toBe(missedEvents)
    expect(own.ledger.events.length + missedEvents).toBe(200)
    await again.stop()
  })
})

describe('SIGTERM', () => {
  test('lets running calls and streams end, tells of them, and takes no new ones', async () => {
    const own = await start()
    const opened = Promise.withResolvers<ServerResponse>()
    own.worker.answer = (request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      opened.resolve(response)
    }
    const response = await fetch(own.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: rpc('SendStreamingMessage', { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [] } }) })
    const stream = await opened.promise
    const exited = own.proxy.stop()
    await expect.poll(() => fetch(`${own.proxy.url}/healthz`).then(() => 'open', () => 'closed')).toBe('closed')
    stream.end(`data: ${JSON.stringify({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_COMPLETED' } } })}\n\n`)
    expect(await response.text()).toContain('COMPLETED')
    expect(await exited).toBe(0)
    expect(idsOf(own.ledger.events)).toEqual(['a2a.dispatch m-1', 'a2a.stream-response m-1'])
  })

  test('cuts what does not end, and says so', async () => {
    const own = await start({ DRAIN_TIMEOUT_MS: '300' })
    own.worker.answer = (request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
    }
    const response = await fetch(own.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: rpc('SendStreamingMessage', { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [] } }) })
    expect(await own.proxy.stop()).toBe(0)
    await expect(response.text()).rejects.toThrow()
    expect(own.ledger.events.map(({ type }) => type)).toEqual(['a2a.dispatch', 'a2a.stream-ended'])
  })

  test('while the ledger is away leaves what was seen for the next start', async () => {
    const own = await start()
    await own.ledger.goAway()
    await send(own.url, 'm-1')
    expect(await own.proxy.stop()).toBe(0)
    await own.ledger.comeBack()
    const again = await startService('proxy', environmentOf(own))
    await expect.poll(() => idsOf(own.ledger.events)).toEqual(bothOf('m-1'))
    expect(own.ledger.gaps).toEqual([])
    await again.stop()
  })
})

describe('a start that cannot be', () => {
  test('because of its environment says all that is wrong', async () => {
    const { code, stderr } = await runService('proxy', { HOST: '0.0.0.0', PROXY_PORT: 'x', OUTBOUND_ALLOW_CIDRS: 'private' })
    expect(code).toBe(1)
    for (const name of ['HOST', 'PROXY_PORT', 'OUTBOUND_ALLOW_CIDRS', 'PUBLIC_URL']) expect(stderr).toContain(name)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('because another proxy has the folder, or the port, or there is no folder', async () => {
    const own = await start()
    const folder = await runService('proxy', environmentOf(own, { PROXY_PORT: '0' }))
    expect([folder.code, folder.stderr]).toEqual([1, expect.stringContaining('set DATA_DIR to another folder')])
    const port = await runService('proxy', environmentOf(own, { DATA_DIR: newDataDir(), PROXY_PORT: new URL(own.proxy.url).port }))
    expect([port.code, port.stderr]).toEqual([1, expect.stringContaining('PROXY_PORT')])
    const missing = await runService('proxy', environmentOf(own, { DATA_DIR: '/dev/null/x', PROXY_PORT: '0' }))
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('DATA_DIR')])
    for (const { stderr } of [folder, port, missing]) expect(stderr).not.toMatch(/^\s+at /m)
  })
})
