/** Enrolled workers that are asked by the ledger itself: nobody else tells anything of their tasks once they are sent. */
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRoundRobin } from '@a2a-ledger/test/support'
import { startWorker, type Worker } from '@a2a-ledger/test/workers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deploy, startReconciler, type Answer, type Deployment } from './deployment.ts'
import { startStubWorker, type Received, type StubWorker } from './stub-worker.ts'

let deployment: Deployment
let forgetful: StubWorker
beforeAll(async () => {
  deployment = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32', GRACE_MS: '1500' })
  // First: it takes half a minute of questions, and the others are done meanwhile.
  forgetful = await startStubWorker({ answer: ({ body }) => (body.method === 'GetTask' ? taskNotFound : { status: 404, body: '{}' }) })
  await enrol('forgetful', forgetful.url, { replicas: 2 })
  await begin('forgetful', ['forgetful-1'])
})
afterAll(async () => {
  await forgetful?.end()
  await deployment?.end()
})

type Spec = Parameters<typeof startWorker>[0]

const start = async (name: string, more: Partial<Spec> = {}): Promise<Worker> => {
  const worker = await startWorker({
    sdk: 'js', name, outputModes: ['text/plain'], reachableStates: ['working', 'input-required', 'completed'], emits: 'text/plain', ...more,
  })
  onTestFinished(() => worker.stop())
  return worker
}

const observe = { enabled: true, pollMs: 200 }
const enrol = async (workerId: string, url: string, policy: object = {}, at = deployment): Promise<void> => {
  const { status } = await at.put(`/v1/workers/${workerId}`, { interface: { url }, observe, ...policy })
  expect(status).toBe(200)
}

/** Sends a message; answers what an orchestrator tells of the send and of its answer. */
const sent = async (correlationid: string, workerid: string, { url }: Pick<Worker, 'url'>) => {
  const data = { message: { messageId: `${correlationid}-m`, role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] }, configuration: { returnImmediately: true } }
  const response = await fetch(`${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: data }),
  })
  const answer = (await response.json()) as { readonly result: { readonly task: { readonly id: string } } }
  const common = { operation: 'SendMessage', binding: 'JSONRPC', correlationid, workerid }
  return [{ ...common, type: 'a2a.dispatch', data }, { ...common, type: 'a2a.response', data: answer }] as const
}

/** Sends a message, and tells of it: the last that anybody tells. */
const send = async (correlationid: string, workerid: string, worker: Pick<Worker, 'url'>): Promise<string> => {
  const told = await sent(correlationid, workerid, worker)
  await deployment.record(told)
  return told[1].data.result.task.id
}

const taskOf = async (correlationId: string): Promise<Answer['body']> => (await deployment.get(`/v1/tasks/${correlationId}`)).body
const seenOf = async (correlationId: string) =>
  (await deployment.eventsOf(`correlationId=${correlationId}&limit=1000`)).filter(({ source }) => source === 'urn:a2a-ledger:observer')
const blamedIn = async (correlationId: string): Promise<readonly string[]> =>
  (await deployment.get(`/v1/tasks/${correlationId}/root-cause`)).body.findings.map(({ responsible }: { responsible: string }) => responsible)
const metricAt = async (url: string, name: string): Promise<number> =>
  Number(new RegExp(`^${name.replaceAll(/[{}"]/g, '\\$&')} (\\S+)$`, 'm').exec(await (await fetch(`${url}/metrics`)).text())?.[1])

/** A worker that keeps every task it is asked for, and counts. */
const startPatient = async (answer: typeof working = working): Promise<StubWorker> => {
  const worker = await startStubWorker({ answer: (received) => (received.body.method === 'GetTask' ? answer(received) : { status: 404, body: '{}' }) })
  onTestFinished(() => worker.end())
  return worker
}
const working = ({ body }: Received) => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { id: body.params?.['id'], contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }),
})
const taskNotFound = { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } }) }
const asked = ({ received }: StubWorker): readonly Received[] => received.filter(({ body }) => body.method === 'GetTask')
/** Tasks that somebody told of once. */
const begin = (workerid: string, ids: readonly string[], at = deployment) =>
  at.record(ids.map((id) => ({ type: 'a2a.task', workerid, operation: 'Emit', correlationid: `order-${id}`, data: { id, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } })))

describe('a worker that is observed', () => {
  it('shows by itself that a task has ended, and what came of it', async () => {
    const worker = await start('ends', { workMs: 600 })
    await enrol('ends', worker.url)
    await send('order-ends', 'ends', worker)
    await expect.poll(() => taskOf('order-ends')).toMatchObject({
      state: 'completed',
      attempts: [{ workerId: 'ends', life: 'ended' }],
      artifacts: [{ key: 'report', canonical: { complete: true, mediaTypes: ['text/plain'] } }],
    })
    const [seen] = await seenOf('order-ends')
    expect(seen).toMatchObject({ type: 'a2a.response', operation: 'GetTask', binding: 'JSONRPC', httpstatus: '200', scope: 'anonymous', protocolversion: '1.0' })
    expect(await deployment.eventsOf('workerId=ends&type=a2a.agent-card')).toMatchObject([{ source: 'urn:a2a-ledger:observer', correlationId: '~ends' }])
  })

  it('that is killed with its tasks in memory has lost them: it is asked once more in every way, and nobody is blamed who is not at fault', async () => {
    const worker = await start('forgets', { asks: 'Which quarter?' })
    await enrol('forgets', worker.url, { replicas: 1 })
    const ids = [await send('order-f1', 'forgets', worker), await send('order-f2', 'forgets', worker)]
    for (const id of ['order-f1', 'order-f2']) await expect.poll(() => taskOf(id)).toMatchObject({ state: 'input-required' })
    await worker.kill('SIGKILL')
    await expect.poll(() => taskOf('order-f1')).toMatchObject({ state: 'input-required', verdict: { kind: 'reobserve' } })
    await start('forgets', { asks: 'Which quarter?', port: worker.port })
    for (const id of ['order-f1', 'order-f2']) {
      await expect.poll(() => taskOf(id)).toMatchObject({ state: 'indeterminate', lastObserved: 'input-required', terminal: false, verdict: { kind: 'unreconcilable' } })
      expect(await blamedIn(id)).not.toContain('client')
    }
    const misses = (await seenOf('order-f1')).filter(({ type }) => type === 'a2a.error')
    expect(new Set(misses.map(({ binding }) => binding))).toEqual(new Set(['JSONRPC', 'HTTP+JSON']))
    expect(new Set(misses.map(({ taskid }) => taskid))).toEqual(new Set(ids.slice(0, 1)))
  })

  it('that is killed and kept its tasks has them still', async () => {
    const store = join(tmpdir(), `observer-${process.pid}.sqlite`)
    onTestFinished(() => rm(store, { force: true }))
    const spec = { asks: 'Which quarter?', store }
    const worker = await start('keeps', spec)
    await enrol('keeps', worker.url, { replicas: 1 })
    await send('order-keeps', 'keeps', worker)
    await expect.poll(() => taskOf('order-keeps')).toMatchObject({ state: 'input-required' })
    await worker.kill('SIGKILL')
    await expect.poll(() => taskOf('order-keeps')).toMatchObject({ verdict: { kind: 'reobserve' } })
    await start('keeps', { ...spec, port: worker.port })
    await expect.poll(async () => (await taskOf('order-keeps')).verdict).toBeUndefined()
    expect(await taskOf('order-keeps')).toMatchObject({ state: 'input-required', attempts: [{ life: 'live', contested: false }] })
  })

  it('is asked for what it began where a send got no answer: the work is found', async () => {
    const worker = await start('lists', { workMs: 20 })
    await enrol('lists', worker.url)
    const [dispatch] = await sent('order-lists', 'lists', worker)
    await deployment.record([dispatch, { type: 'a2a.no-answer', operation: 'SendMessage', correlationid: 'order-lists', workerid: 'lists', messageid: 'order-lists-m', data: { reason: 'timeout' } }])
    await expect.poll(() => taskOf('order-lists')).toMatchObject({ state: 'completed', dispatches: [{ outcome: 'task' }], attempts: [{ workerId: 'lists' }], artifacts: [{ key: 'report' }] })
    expect((await seenOf('order-lists'))[0]).toMatchObject({ operation: 'ListTasks' })
  })

  it('gets the headers that were enrolled, and nobody sees them', async () => {
    const worker = await startPatient()
    await deployment.put('/v1/workers/guarded', { interface: { url: worker.url, headers: { authorization: 'Bearer secret-word' } }, observe })
    await begin('guarded', ['guarded-1'])
    await expect.poll(async () => (await seenOf('order-guarded-1')).length).toBeGreaterThan(0)
    expect(asked(worker).map(({ headers }) => headers.authorization)).toContain('Bearer secret-word')
    const [seen] = await seenOf('order-guarded-1')
    expect(seen).not.toHaveProperty('scope') // without a key a credential leaves no trace
    expect(JSON.stringify(await deployment.eventsOf('workerId=guarded&limit=100'))).not.toContain('secret-word')
  })

  it('that answers with more than the ledger takes is told to have done so, and asked about the rest', async () => {
    const huge = 'x'.repeat(6 * 1024 * 1024)
    const worker = await startPatient((received) => (received.body.params?.['id'] === 'large-1' ? { status: 200, body: huge } : working(received)))
    await enrol('large', worker.url)
    await begin('large', ['large-1', 'large-2'])
    await expect.poll(async () => (await seenOf('order-large-1')).map(({ type, data }) => ({ type, data }))).toContainEqual({
      type: 'a2a.no-answer', data: { reason: 'aborted', afterMs: expect.any(Number) },
    })
    await expect.poll(() => asked(worker).filter(({ body }) => body.params?.['id'] === 'large-2').length).toBeGreaterThan(2)
  })

  it('whose answers stay the same is recorded seldom, and asked as often as it was enrolled', async () => {
    const worker = await startPatient()
    await enrol('steady', worker.url)
    await begin('steady', ['steady-1'])
    await expect.poll(() => asked(worker).length).toBeGreaterThan(5)
    expect(await seenOf('order-steady-1')).toHaveLength(1)
  })
})

describe('a worker that lists its tasks, where more are due than it may be asked about at once', () => {
  const ids = (name: string): readonly string[] => Array.from({ length: 8 }, (_, at) => `${name}-${at + 1}`)
  const answerOf = (result: object) => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) })
  const taskIn = (id: string, state = 'WORKING', more: object = {}) => ({ id, contextId: 'c', status: { state: `TASK_STATE_${state}` }, ...more })
  const calls = ({ received }: StubWorker, method: string): readonly Received[] => received.filter(({ body }) => body.method === method)
  const operations = async (correlationId: string): Promise<readonly unknown[]> => (await seenOf(correlationId)).map(({ type, operation }) => `${String(type)} ${String(operation)}`)

  it.each([['JSONRPC', ''], ['HTTP+JSON', '/rest']] as const)('is asked for lists of them over %s, which leave artifacts out and take none away', async (binding, path) => {
    const name = `listing-${binding.toLowerCase().replace('+', '-')}`
    const worker = await start(name, { asks: 'Which quarter?', workMs: 20 })
    await enrol(name, `${worker.url}${path}`, { replicas: 1 })
    const orders = ids(name)
    await Promise.all(orders.map((order) => send(order, name, worker)))
    for (const order of orders) await expect.poll(() => operations(order)).toContain('a2a.task ListTasks')
    const [seen] = (await seenOf(orders[0] ?? '')).filter(({ operation }) => operation === 'ListTasks')
    expect(seen).toMatchObject({ binding, scope: 'anonymous', protocolversion: '1.0', workerid: name, correlationId: orders[0] })
    for (const order of orders) {
      await expect.poll(() => taskOf(order)).toMatchObject({ state: 'input-required', attempts: [{ life: 'live', contested: false }], artifacts: [{ key: 'report', canonical: { mediaTypes: ['text/plain'] } }] })
      const causes: readonly string[] = (await deployment.get(`/v1/tasks/${order}/root-cause`)).body.findings.map(({ cause }: { cause: string }) => cause)
      expect(causes).toContain('waiting_for_input')
      expect(causes).not.toContain('snapshot_lacks_artifacts')
    }
  })

  it('a task that a list does not show is asked about by itself, and one that it shows as ended, for what came of it', async () => {
    let isOver = false
    const [first, second, ...rest] = ids('shown')
    const worker = await startStubWorker({
      answer: ({ body: { method, params } }) => {
        const artifacts = [{ artifactId: 'report', parts: [{ text: 'Written.' }] }]
        if (method === 'GetTask') return answerOf(isOver && params?.['id'] === second ? taskIn(String(second), 'COMPLETED', { artifacts }) : taskIn(String(params?.['id'])))
        if (method !== 'ListTasks') return { status: 404, body: '{}' }
        isOver = true
        return answerOf({ tasks: [taskIn('stranger'), taskIn(String(second), 'COMPLETED'), ...rest.map((id) => taskIn(id))], nextPageToken: '', pageSize: 100, totalSize: 8 })
      },
    })
    onTestFinished(() => worker.end())
    await enrol('shown', worker.url, { replicas: 1 })
    await begin('shown', ids('shown'))
    await expect.poll(() => taskOf(`order-${second}`)).toMatchObject({ state: 'completed', artifacts: [{ key: 'report', canonical: { complete: true } }] })
    const before = calls(worker, 'ListTasks').length
    await expect.poll(() => calls(worker, 'ListTasks').length).toBeGreaterThan(before + 2)
    expect(calls(worker, 'ListTasks')[0]?.body.params).toEqual({ status: 'TASK_STATE_WORKING', historyLength: 0, pageSize: 100 })
    // It was never listed, and is there all the same.
    expect(await taskOf(`order-${first}`)).toMatchObject({ state: 'working', attempts: [{ life: 'live', contested: false }] })
    expect((await taskOf(`order-${first}`)).verdict).toBeUndefined()
    expect(await operations(`order-${first}`)).not.toContain('a2a.task ListTasks')
    for (const id of rest) expect(await operations(`order-${id}`)).toContain('a2a.task ListTasks')
    // Whom nobody asked for is in no ledger.
    expect(JSON.stringify(await deployment.eventsOf('workerId=shown&limit=1000'))).not.toContain('stranger')
  })

  it.each([
    ['has none', { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }) }],
    ['shows none of them', answerOf({ tasks: [taskIn('stranger')], nextPageToken: 'more', pageSize: 100, totalSize: 9 })],
  ])('one that %s is asked for a list once, then about each task', async (fact, list) => {
    const name = fact.replaceAll(' ', '-')
    const worker = await startStubWorker({ answer: (received) => (received.body.method === 'GetTask' ? working(received) : received.body.method === 'ListTasks' ? list : { status: 404, body: '{}' }) })
    onTestFinished(() => worker.end())
    await enrol(name, worker.url, { replicas: 1 })
    await begin(name, ids(name))
    await expect.poll(() => calls(worker, 'ListTasks').length).toBe(1)
    const before = asked(worker).length
    await expect.poll(() => asked(worker).length).toBeGreaterThan(before + 16)
    expect(calls(worker, 'ListTasks')).toHaveLength(1)
    for (const id of ids(name)) expect((await taskOf(`order-${id}`)).verdict).toBeUndefined()
  })
})

describe('F11 a worker with three replicas that do not share their tasks', () => {
  it('loses nothing when one of them goes that did not have it, however often it is asked', async () => {
    const replicas = await Promise.all(['a', 'b', 'c'].map((name) => start(`replica-${name}`, { asks: 'Which quarter?', bindings: ['JSONRPC'] })))
    const [first, second] = replicas as [Worker, Worker, Worker]
    const balancer = await startRoundRobin(replicas.map(({ url }) => url))
    onTestFinished(() => balancer.close())
    await enrol('replicated', balancer.url, { replicas: 3 })
    await send('order-replicated', 'replicated', second)
    const count = async (type: string) => (await seenOf('order-replicated')).filter((event) => event['type'] === type).length
    await expect.poll(() => count('a2a.error')).toBeGreaterThan(3)
    await first.kill('SIGKILL')
    const before = await count('a2a.error')
    const states = new Set<string>()
    await expect
      .poll(async () => {
        states.add((await taskOf('order-replicated')).state)
        return (await count('a2a.error')) - before
      })
      .toBeGreaterThan(10)
    expect([...states]).toEqual(['input-required'])
    expect(await deployment.eventsOf('correlationId=order-replicated&type=reconciler.verdict')).toEqual([])
    expect(await count('a2a.response')).toBeGreaterThan(3)
  })
})

describe('a worker whose tasks are subscribed to', () => {
  /** Passes everything on, and can break off whatever is under way. */
  const startRelay = async (port: number) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      const upstream = connect(port, '127.0.0.1')
      for (const [one, other] of [[socket, upstream], [upstream, socket]] as const) {
        sockets.add(one)
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
        one.pipe(other)
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const cut = (): void => sockets.forEach((socket) => socket.destroy())
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut }
  }
  /** The SDK streams what is said of the id that it proposed itself, as it pushes it. */
  const streaming = { bindings: ['JSONRPC'], pushes: true } as const
  const ofStream = async (correlationId: string) => (await seenOf(correlationId)).filter(({ streamid }) => streamid !== undefined)

  /** A worker whose work ends when it is told to: whoever is to see it has begun by then. */
  const startHeld = async (name: string): Promise<{ readonly worker: Worker; readonly letEnd: () => Promise<void> }> => {
    const heldUntil = join(tmpdir(), `observer-${process.pid}-${name}`)
    onTestFinished(() => rm(heldUntil, { force: true }))
    return { worker: await start(name, { ...streaming, heldUntil }), letEnd: () => writeFile(heldUntil, '') }
  }

  it('shows what happens as it happens, artifacts too', async () => {
    const { worker, letEnd } = await startHeld('streams')
    await enrol('streams', worker.url, { observe: { enabled: true, pollMs: 10_000, subscribe: true } })
    await send('order-streams', 'streams', worker)
    await expect.poll(async () => (await ofStream('order-streams')).length).toBeGreaterThan(0)
    await letEnd()
    await expect.poll(() => taskOf('order-streams')).toMatchObject({ state: 'completed', artifacts: [{ key: 'report', canonical: { complete: true } }] })
    const told = await ofStream('order-streams')
    expect(told.map(({ operation }) => operation)).toEqual(told.map(() => 'SubscribeToTask'))
    expect(told.map(({ canonical }) => (canonical as { kind: string }).kind)).toEqual(expect.arrayContaining(['artifact-update', 'status-update']))
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, at) => String(at + 1)))
  })

  it('is polled when its stream broke off, and followed again', async () => {
    const { worker, letEnd } = await startHeld('breaks')
    const relay = await startRelay(worker.port)
    await enrol('breaks', relay.url, { observe: { enabled: true, pollMs: 10_000, subscribe: true } })
    await send('order-breaks', 'breaks', worker)
    await expect.poll(async () => (await ofStream('order-breaks')).length).toBeGreaterThan(0)
    const polls = async () => (await seenOf('order-breaks')).filter(({ operation }) => operation === 'GetTask').length
    const before = await polls()
    relay.cut()
    await expect.poll(async () => (await ofStream('order-breaks')).map(({ type }) => type)).toContain('a2a.stream-ended')
    await expect.poll(polls).toBeGreaterThan(before)
    await expect.poll(async () => new Set((await ofStream('order-breaks')).map(({ streamid }) => streamid)).size).toBeGreaterThan(1)
    await letEnd()
    await expect.poll(() => taskOf('order-breaks')).toMatchObject({ state: 'completed' })
  })
})

describe('what the observer does not do', () => {
  it.each([
    ['nobody said so', {}],
    ['it was said not to be', { observe: { enabled: false } }],
  ])('it calls nobody who is not observed: %s', async (_fact, policy) => {
    const worker = await startPatient()
    const workerId = `left-${Object.keys(policy).length}`
    await deployment.put(`/v1/workers/${workerId}`, { interface: { url: worker.url }, ...policy })
    await begin(workerId, [`${workerId}-1`])
    // One that is observed is asked meanwhile, so that there was time to ask this one.
    const other = await startPatient()
    await enrol(`beside-${workerId}`, other.url)
    await begin(`beside-${workerId}`, [`beside-${workerId}-1`])
    await expect.poll(() => asked(other).length).toBeGreaterThan(1)
    expect(worker.received).toEqual([])
  })

  it('it calls no address that must not be called, and is ready all the same', async () => {
    const server = createServer().listen(0, '127.0.0.2')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    let connections = 0
    server.on('connection', (socket) => {
      connections += 1
      socket.destroy()
    })
    await enrol('inside', `http://127.0.0.2:${(server.address() as AddressInfo).port}`)
    await begin('inside', ['inside-1'])
    await expect.poll(() => deployment.reconciler.logged.some((line) => line.includes('its address must not be called') && line.includes('127.0.0.2'))).toBe(true)
    expect(connections).toBe(0)
    expect(await seenOf('order-inside-1')).toEqual([])
    expect((await deployment.get('/readyz')).status).toBe(200)
  })
})

describe('F11 a worker with two replicas of which no answer names one', () => {
  it('has lost a task once it was asked so often that both must have been, a second apart', async () => {
    await expect.poll(() => taskOf('order-forgetful-1'), { timeout: 180_000 }).toMatchObject({ state: 'indeterminate', lastObserved: 'working' })
    const timesMs = (await seenOf('order-forgetful-1')).filter(({ type }) => type === 'a2a.error').map(({ time }) => Date.parse(String(time)))
    const distinct = timesMs.reduce<readonly number[]>((counted, atMs) => (atMs - (counted.at(-1) ?? -Infinity) < 1_000 ? counted : [...counted, atMs]), [])
    expect(distinct.length).toBeGreaterThanOrEqual(28)
    // It was not asked much more often than is needed.
    expect(asked(forgetful).length).toBeLessThan(50)
    expect(await blamedIn('order-forgetful-1')).not.toContain('client')
  })
})

describe('the observer of several processes', () => {
  it('is one of them, which keeps to its budget; when it is killed another one asks about every open task at once', async () => {
    const perMinute = 60
    // Nobody is taken for dead who only had to wait: who is killed is followed at once, whatever its lease.
    const environment = { OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32', OBSERVER_CALLS_PER_MINUTE: String(perMinute), LEASE_TTL_MS: '600000' }
    const own = await deploy(environment)
    onTestFinished(() => own.end())
    const second = await startReconciler(own, environment)
    onTestFinished(() => void second.stop())
    const shares = () => Promise.all([own.reconciler, second].map(async ({ url }) => ((await (await fetch(`${url}/readyz`)).json()) as { feed?: { partitions: readonly number[] } }).feed?.partitions.length))
    await expect.poll(shares).toEqual([6, 6]) // from here on nobody hands anything over
    const ids = ['p1', 'p2', 'p3', 'p4', 'p5']
    let isOver = false
    const worker = await startPatient((received) =>
      isOver ? { status: 200, body: working(received).body.replace('WORKING', 'COMPLETED') } : working(received),
    )
    const startedMs = performance.now()
    // So seldom that nobody is asked twice but by another process.
    await enrol('shared', worker.url, { observe: { enabled: true, pollMs: 3_600_000 } }, own)
    await begin('shared', ids, own)
    const taskIds = () => asked(worker).map(({ body }) => String(body.params?.['id'])).toSorted()
    await expect.poll(taskIds).toEqual(ids)
    const [owner, heir] = (await metricAt(own.reconciler.url, 'a2a_ledger_observer_workers')) === 1 ? [own.reconciler, second] : [second, own.reconciler]
    await expect.poll(() => metricAt(owner.url, 'a2a_ledger_observer_calls_total{outcome="answered"}')).toBe(ids.length)
    expect(await metricAt(heir.url, 'a2a_ledger_observer_workers')).toBe(0)
    // The burst, the minute's share of the time, and the card, which was looked for in three places.
    expect(worker.received.length).toBeLessThanOrEqual(4 + 3 + ((performance.now() - startedMs) / 60_000) * perMinute)
    isOver = true
    const gone = once(owner.child, 'exit')
    owner.child.kill('SIGKILL')
    await gone
    for (const id of ids) {
      await expect.poll(async () => (await fetch(`${heir.url}/v1/tasks/order-${id}`)).json()).toMatchObject({ state: 'completed' })
    }
    expect(await metricAt(heir.url, 'a2a_ledger_observer_workers')).toBe(1)
  })
})
