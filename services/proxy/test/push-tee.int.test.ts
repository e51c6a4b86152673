/** Pushes by way of the proxy: told, and passed on to where the client wanted them. */
import { startService } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, message, rpc, type Scene, startScene, startScriptedWorker, type ScriptedWorker, task } from './scene.ts'

let scene: Scene
let receiver: ScriptedWorker
/** What the receiver got, and what it says. */
const got: { readonly url: string | undefined; readonly headers: Record<string, unknown>; readonly body: string }[] = []
let receiverStatus = 204
/** The bodies that the worker got. */
const asked: string[] = []

beforeAll(async () => {
  scene = await startScene({ PUSH_TEE: 'yes', PROXY_KEY: 'k'.repeat(32) })
  receiver = await startScriptedWorker()
})
afterAll(async () => {
  await scene?.end()
  await receiver?.close()
})
beforeEach(() => {
  got.length = 0
  asked.length = 0
  receiverStatus = 204
  receiver.answer = async (request, response) => {
    got.push({ url: request.url, headers: request.headers, body: await bodyOf(request) })
    response.writeHead(receiverStatus).end()
  }
  scene.worker.answer = async (request, response) => {
    asked.push(await bodyOf(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: task('WORKING') } }))
  }
})

const hook = (): string => `${receiver.url}/hook?a=1`
const configuration = (url = hook()): object => ({ taskPushNotificationConfig: { url, token: 's3cret', authentication: { scheme: 'Bearer', credentials: 'c' } } })
const sendWith = (url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers }, body })
const urlIn = (body: string | undefined): string => /"url":"([^"]+)"/.exec(body ?? '')?.[1] ?? ''

/** Sends a message that asks for pushes; the address that the worker got. */
async function pointedUrl(messageId: string, headers: Readonly<Record<string, string>> = {}, url = scene.url): Promise<string> {
  await (await sendWith(url, rpc('SendMessage', { message: message(messageId), configuration: configuration() }), headers)).text()
  return urlIn(asked.at(-1))
}
const update = (state: string): string => JSON.stringify({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}` } } })
const pushes = () => scene.ledger.events.filter(({ operation }) => operation === 'Push')

test('the worker gets an address of the proxy, and what is told is the client\'s own', async () => {
  const body = rpc('SendMessage', { message: message('m-own'), configuration: configuration() })
  await (await sendWith(scene.url, body)).text()
  expect(urlIn(asked[0])).toMatch(new RegExp(`^${scene.url}/~push/[\\w-]+$`))
  expect(asked[0]?.replace(urlIn(asked[0]), hook())).toBe(body)
  await expect.poll(() => scene.ledger.events.find(({ messageid, type }) => messageid === 'm-own' && type === 'a2a.dispatch')).toMatchObject({ data: JSON.parse(body) as object })
})

describe('a push', () => {
  test('is told, and passed on as it is with the worker\'s own headers', async () => {
    const url = await pointedUrl('m-1', { 'a2a-ledger-correlation-id': 'order-42' })
    const response = await sendWith(url, update('COMPLETED'), { authorization: 'Bearer c', 'x-a2a-notification-token': 's3cret' })
    expect(response.status).toBe(204)
    expect(got).toMatchObject([{ url: '/hook?a=1', headers: { authorization: 'Bearer c', 'x-a2a-notification-token': 's3cret', 'content-type': 'application/json', host: new URL(receiver.url).host }, body: update('COMPLETED') }])
    await expect.poll(() => pushes().at(-1)).toMatchObject({ type: 'a2a.stream-response', source: 'urn:a2a-ledger:proxy', workerid: 'w1', correlationid: 'order-42', data: JSON.parse(update('COMPLETED')) as object })
    expect(JSON.stringify(pushes())).not.toContain('s3cret')
  })

  test('whose receiver refuses it is told all the same, and the worker hears what the receiver says', async () => {
    receiverStatus = 401
    const before = pushes().length
    expect((await sendWith(await pointedUrl('m-2'), update('WORKING'))).status).toBe(401)
    await expect.poll(() => pushes().length).toBe(before + 1)
  })

  test('that is tried again is one event', async () => {
    receiverStatus = 503
    const url = await pointedUrl('m-3')
    const before = pushes().length
    expect((await sendWith(url, update('AUTH_REQUIRED'))).status).toBe(503)
    receiverStatus = 204
    expect((await sendWith(url, update('AUTH_REQUIRED'))).status).toBe(204)
    await sendWith(url, update('REJECTED'))
    await expect.poll(() => JSON.stringify(pushes().at(-1)?.data)).toBe(update('REJECTED'))
    expect([pushes().length - before, got.length]).toEqual([2, 3])
  })

  test('goes through while the ledger is away, and is told afterwards', async () => {
    const url = await pointedUrl('m-4')
    await scene.ledger.goAway()
    expect((await sendWith(url, update('CANCELED'))).status).toBe(204)
    expect(got).toHaveLength(1)
    await scene.ledger.comeBack()
    await expect.poll(() => pushes().some(({ data }) => JSON.stringify(data) === update('CANCELED'))).toBe(true)
  })

  test('whose receiver is gone is answered 502, so that the worker tries again', async () => {
    const gone = await startScriptedWorker()
    await (await sendWith(scene.url, rpc('SendMessage', { message: message('m-5'), configuration: configuration(gone.url) }))).text()
    await gone.close()
    expect((await sendWith(urlIn(asked.at(-1)), update('FAILED'))).status).toBe(502)
    await expect.poll(() => pushes().some(({ data }) => JSON.stringify(data) === update('FAILED'))).toBe(true)
  })

  test.each<[fact: string, url: (pointed: string) => string]>([
    ['a seal of nobody', (pointed) => `${pointed}x`],
    ['a seal of another worker', (pointed) => pointed.replace('/w1/', '/w2/')],
  ])('to %s is 404, and leads nowhere', async (_fact, change) => {
    scene.ledger.enrol('w2', { url: scene.worker.url })
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/w2/tasks/t`)).status).not.toBe(404)
    const before = pushes().length
    expect((await sendWith(change(await pointedUrl('m-6')), update('WORKING'))).status).toBe(404)
    expect([got, pushes().length]).toEqual([[], before])
  })

  test('of another method is passed on and not told: receivers are asked whether they are there', async () => {
    const before = pushes().length
    expect((await fetch(`${await pointedUrl('m-7')}?validationToken=x`)).status).toBe(204)
    expect(got).toMatchObject([{ url: '/hook?a=1&validationToken=x', body: '' }])
    expect(pushes().length).toBe(before)
  })
})

describe('a configuration', () => {
  const params = (): object => ({ taskId: 't-1', pushNotificationConfig: { url: hook(), token: 's3cret' } })
  const echo = (wrap: (params: unknown) => unknown): void => {
    scene.worker.answer = async (request, response) => {
      asked.push(await bodyOf(request))
      const call = JSON.parse(asked.at(-1) ?? '{}') as { params?: unknown }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wrap(call.params ?? call), null, 1))
    }
  }

  test('is answered with the client\'s own address, and told so', async () => {
    echo((result) => ({ jsonrpc: '2.0', id: 1, result }))
    const response = await sendWith(scene.url, rpc('tasks/pushNotificationConfig/set', params()), { 'a2a-version': '0.3' })
    expect(urlIn(asked[0])).toContain('/~push/')
    expect(await response.text()).toBe(JSON.stringify({ jsonrpc: '2.0', id: 1, result: params() }, null, 1))
    await expect.poll(() => scene.ledger.events.find(({ operation, type }) => operation === 'tasks/pushNotificationConfig/set' && type === 'a2a.response')).toMatchObject({ data: { result: params() } })
    expect(JSON.stringify(scene.ledger.events)).not.toContain('~push')
  })

  test('over HTTP+JSON as well', async () => {
    echo((config) => config)
    const own = { taskId: 't-1', url: hook() }
    const response = await sendWith(`${scene.url}/tasks/t-1/pushNotificationConfigs`, JSON.stringify(own))
    expect(urlIn(asked[0])).toContain('/~push/')
    expect(await response.json()).toEqual(own)
  })

  test.each<[fact: string, headers: Readonly<Record<string, string>>, url: () => string]>([
    ['whose bytes are signed', { 'signature-input': 'sig=()' }, hook],
    ['whose bytes have a stated digest', { 'content-digest': 'sha-256=:x:' }, hook],
    ['for an address that must not be called', {}, () => 'http://10.0.0.1/hook'],
  ])('%s goes as it is', async (_fact, headers, url) => {
    const body = rpc('SendMessage', { message: message('m-as-is'), configuration: configuration(url()) })
    await (await sendWith(scene.url, body, headers)).text()
    expect(asked).toEqual([body])
  })

  test('of a worker whose enrolment does not want it goes as it is; the newest enrolment counts', async () => {
    scene.ledger.enrol('w3', { url: `${scene.worker.url}/a2a` }, { push: { tee: false } })
    await expect.poll(async () => (await fetch(`${scene.proxy.url}/w3/tasks/t`)).status).not.toBe(404)
    const url = `${scene.proxy.url}/w3`
    expect(await pointedUrl('m-8', {}, url)).toBe(hook())
    scene.ledger.enrol('w3', { url: `${scene.worker.url}/a2a` }, { push: { tee: true } })
    await expect.poll(() => pointedUrl('m-9', {}, url)).toContain('/~push/')
  })
})

test('another proxy with the same key passes a push on, also after a restart; one with another key does not', async () => {
  const url = new URL(await pointedUrl('m-10'))
  const start = (PROXY_KEY: string) => startService('proxy', { LEDGER_URL: scene.ledger.url, DATA_DIR: `${scene.dataDir}/${PROXY_KEY}`, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', PROXY_KEY })
  const [same, other] = await Promise.all([start('k'.repeat(32)), start('x'.repeat(32))])
  try {
    for (const proxy of [same, other]) await expect.poll(async () => (await fetch(`${proxy.url}/w1/tasks/t`)).status).not.toBe(404)
    expect((await sendWith(`${same.url}${url.pathname}`, update('WORKING'))).status).toBe(204)
    expect((await sendWith(`${other.url}${url.pathname}`, update('WORKING'))).status).toBe(404)
  } finally {
    await Promise.all([same.stop(), other.stop()])
  }
})
