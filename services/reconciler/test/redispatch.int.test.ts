/** The ledger acts by itself, or once a person approves: real processes, and a worker that keeps what reached it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { card, claiming, deploy, type Deployment, problem } from './deployment.ts'
import { startStubWorker, type StubWorker, type StubWorkerOptions } from './stub-worker.ts'

let it: Deployment
const workers: StubWorker[] = []
beforeAll(async () => {
  it = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', GRACE_MS: '0' })
})
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end()
})
afterAll(async () => {
  await it?.end()
})

const uri = 'urn:a2a-ledger:task-continuity:v1'
const modes = ['text/plain']
const states = ['working', 'input-required', 'completed']

const now = () => new Date().toISOString()

interface Lost {
  readonly mode?: 'advise' | 'approve' | 'auto'
  readonly policy?: object
  readonly replicas?: number | undefined
  readonly heir?: StubWorkerOptions
  readonly enrolment?: object
  readonly metadata?: object
  /** Events between the first answer and the loss. */
  readonly between?: readonly Readonly<Record<string, unknown>>[]
  readonly message?: object
  /** When the loss was seen; the work was sent ten seconds before. Default: all of it a moment ago. */
  readonly seenAt?: string
  readonly mesh?: string
  /** What the card of the heir claims beside its states. */
  readonly claims?: object
}

const cardAt = (workerId: string, url: string, version = '1.0', claims: object = {}) => {
  const shown = claiming(card(workerId, modes, states), claims)
  return { ...shown, time: now(), data: { ...shown.data, supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: version }] } }
}

/** Work at `<name>-w1`, which loses it; `<name>-w2` can take it over. */
async function lose(name: string, lost: Lost = {}): Promise<StubWorker> {
  const { mode = 'auto', policy = {}, heir = {}, enrolment = {}, metadata = {}, between = [], message = {}, seenAt, mesh = name, claims } = lost
  const before = seenAt === undefined ? {} : { time: new Date(Date.parse(seenAt) - 10_000).toISOString() }
  const worker = await startStubWorker(heir)
  workers.push(worker)
  await it.put(`/v1/meshes/${mesh}`, { redispatch: mode, ...policy })
  await it.put(`/v1/workers/${name}-w1`, { mesh, ...('replicas' in lost ? (lost.replicas === undefined ? {} : { replicas: lost.replicas }) : { replicas: 1 }) })
  await it.put(`/v1/workers/${name}-w2`, { mesh, trust: 'card', interface: { url: worker.url }, ...enrolment })
  const common = { workerid: `${name}-w1`, correlationid: name }
  await it.record([
    cardAt(`${name}-w1`, 'https://w1.example'),
    cardAt(`${name}-w2`, worker.url, '1.0', claims),
    {
      ...common, ...before, type: 'a2a.dispatch', operation: 'SendMessage',
      data: { message: { role: 'ROLE_USER', messageId: `${name}-m`, parts: [{ text: 'the work', mediaType: 'text/markdown' }], metadata, ...message }, configuration: { acceptedOutputModes: ['text/plain'] } },
    },
    { ...common, ...before, type: 'a2a.response', operation: 'SendMessage', data: { result: { task: { id: `${name}-t`, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } } },
    ...between.map((event) => ({ ...common, ...event })),
    { ...common, type: 'a2a.error', operation: 'GetTask', taskid: `${name}-t`, ...(seenAt !== undefined && { time: seenAt }), data: { code: -32001, message: 'Task not found' } },
  ])
  return worker
}

/** Work at a worker, which loses it. */
const lossOf = (name: string, workerId: string) => {
  const common = { workerid: workerId, correlationid: name }
  return [
    { ...common, type: 'a2a.dispatch', operation: 'SendMessage', data: { message: { role: 'ROLE_USER', messageId: `${name}-m`, parts: [{ text: name }] } } },
    { ...common, type: 'a2a.response', operation: 'SendMessage', data: { result: { task: { id: `${name}-t`, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } } },
    { ...common, type: 'a2a.error', operation: 'GetTask', taskid: `${name}-t`, data: { code: -32001, message: 'Task not found' } },
  ]
}

const task = async (name: string) => (await it.get(`/v1/tasks/${name}`)).body
const verdictOf = async (name: string) => (await task(name)).verdict
const approve = (name: string, body: object = { by: 'ann' }) => it.post(`/v1/tasks/${name}/verdict/approve`, body)
const decline = (name: string, body: object = { by: 'ann' }) => it.post(`/v1/tasks/${name}/verdict/decline`, body)

describe('in mode auto', () => {
  test('the recorded message goes to the chosen worker once, under the same correlation ID, and the task goes on there', async () => {
    const worker = await lose('auto', { metadata: { order: 7 }, enrolment: { interface: undefined } })
    await it.put('/v1/workers/auto-w2', { interface: { url: worker.url, headers: { 'x-key': 'a secret of two' } } })
    await expect.poll(async () => (await task('auto')).state).toBe('working')
    const body = await task('auto')
    expect(body).toMatchObject({
      attempts: [{ workerId: 'auto-w1', life: 'lost' }, { workerId: 'auto-w2', taskId: 'stub-1', life: 'live' }],
      dispatches: [{ workerId: 'auto-w1' }, { workerId: 'auto-w2', outcome: 'task', taskId: 'stub-1' }],
      verdict: { kind: 'redispatch', actor: 'ledger', workerId: 'auto-w2' },
    })
    await expect.poll(async () => (await task('auto')).intents).toMatchObject([{ purpose: 'redispatch', actor: 'ledger', by: 'a2a-ledger', outcome: 'sent', taskId: 'stub-1' }])
    expect(worker.received).toHaveLength(1)
    const [received] = worker.received
    expect(received?.headers).toMatchObject({ 'a2a-version': '1.0', 'content-type': 'application/json' })
    expect(received?.body).toMatchObject({ jsonrpc: '2.0', method: 'SendMessage' })
    expect(received?.body.params).toEqual({
      message: {
        messageId: `a2a-ledger-${body.verdict.decisionId.slice(0, 32)}`,
        role: 'ROLE_USER',
        parts: [{ text: 'the work', mediaType: 'text/markdown' }],
        metadata: { order: 7, [uri]: { correlationId: 'auto' } },
      },
      configuration: { acceptedOutputModes: ['text/plain'], returnImmediately: true },
    })
    const types = async () => (await it.eventsOf('correlationId=auto')).filter(({ source }) => source === 'urn:a2a-ledger:reconciler').map(({ type }) => type)
    await expect.poll(types).toEqual(['reconciler.verdict', 'reconciler.dispatch-intent', 'a2a.dispatch', 'a2a.response', 'reconciler.dispatch-settled'])
  })

  test('secrets of the worker go to it and nowhere else; a new address without any takes them away', async () => {
    const worker = await lose('secret', { mode: 'approve' })
    const secret = 'the secret of this worker'
    const enrolled = await it.put('/v1/workers/secret-w2', { interface: { url: worker.url, headers: { Authorization: `Bearer ${secret}` } } })
    expect(JSON.stringify(enrolled.body)).not.toContain(secret)
    await it.put('/v1/workers/secret-w2', { owner: 'team' })
    await expect.poll(async () => (await verdictOf('secret'))?.held).toBe('approval')
    await approve('secret')
    await expect.poll(() => worker.received.length).toBe(1)
    expect(worker.received[0]?.headers.authorization).toBe(`Bearer ${secret}`)
    await expect.poll(async () => (await task('secret')).intents?.[0]?.outcome).toBe('sent')
    expect(JSON.stringify(await it.eventsOf('after=0&limit=1000'))).not.toContain(secret)

    const other = await lose('secret2', { mode: 'approve', enrolment: {} })
    await it.put('/v1/workers/secret2-w2', { interface: { url: other.url, headers: { 'x-key': secret } } })
    await it.put('/v1/workers/secret2-w2', { interface: { url: other.url } })
    await expect.poll(async () => (await verdictOf('secret2'))?.held).toBe('approval')
    await approve('secret2')
    await expect.poll(() => other.received.length).toBe(1)
    expect(other.received[0]?.headers).not.toHaveProperty('x-key')
  })

  test('what was said in the lost attempt goes along, each answer behind its question', async () => {
    const worker = await lose('talk', {
      between: [
        { type: 'a2a.response', operation: 'GetTask', taskid: 'talk-t', data: { result: { id: 'talk-t', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT', messageId: 'q', parts: [{ text: 'Which colour?' }] } } } } },
        { type: 'a2a.dispatch', operation: 'SendMessage', data: { message: { role: 'ROLE_USER', messageId: 'talk-m2', taskId: 'talk-t', parts: [{ text: 'blue' }] } } },
        { type: 'a2a.response', operation: 'SendMessage', messageid: 'talk-m2', data: { result: { task: { id: 'talk-t', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } } },
      ],
    })
    await expect.poll(() => worker.received.length).toBe(1)
    expect(worker.received[0]?.body.params?.message).toMatchObject({
      parts: [{ text: 'the work' }, { text: 'Which colour?', metadata: { [uri]: { role: 'agent' } } }, { text: 'blue' }],
    })
  })

  test('the lost attempt that comes back after all is a competing outcome, and kept', async () => {
    await lose('late')
    await expect.poll(async () => (await task('late')).state).toBe('working')
    const position = await it.record([{ type: 'a2a.status-update', operation: 'Push', correlationid: 'late', workerid: 'late-w1', data: { taskId: 'late-t', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } }])
    const { body } = await it.get(`/v1/tasks/late?atLeast=${position}`)
    expect(body).toMatchObject({ state: 'completed', attempts: [{ workerId: 'late-w1', state: 'completed' }, { workerId: 'late-w2', state: 'working', life: 'live' }] })
  })

  describe('and the lost attempt comes back', () => {
    const canceled = (id: string) => `{"jsonrpc":"2.0","id":1,"result":{"id":"${id}","contextId":"c","status":{"state":"TASK_STATE_CANCELED"}}}`
    /** The old worker has an address as well, and cancels what it is told to. */
    const comeBack = async (name: string, policy: object, state: string): Promise<readonly [StubWorker, StubWorker]> => {
      const told = ({ body }: { readonly body: { readonly method?: string; readonly params?: { readonly id?: unknown } } }) =>
        body.method === 'CancelTask' ? { status: 200, body: canceled(String(body.params?.id)) } : undefined
      const old = await startStubWorker({ answer: told })
      workers.push(old)
      const heir = await lose(name, { policy, heir: { answer: told } })
      await it.put(`/v1/workers/${name}-w1`, { interface: { url: old.url } })
      await expect.poll(async () => (await task(name)).state).toBe('working')
      await it.record([{ type: 'a2a.response', operation: 'GetTask', correlationid: name, workerid: `${name}-w1`, taskid: `${name}-t`, data: { result: { id: `${name}-t`, contextId: 'c', status: { state } } } }])
      return [old, heir]
    }
    const methodsOf = ({ received }: StubWorker) => received.map(({ body }) => body.method)

    test('it is canceled where its mesh says so, once, and what counts goes on', async () => {
      const [old, heir] = await comeBack('back', { cancelLoser: true }, 'TASK_STATE_WORKING')
      await expect.poll(async () => (await task('back')).cancels).toMatchObject([{ workerId: 'back-w1', taskId: 'back-t', outcome: 'canceled' }])
      expect(await task('back')).toMatchObject({ state: 'working', attempts: [{ workerId: 'back-w1', state: 'canceled' }, { workerId: 'back-w2', state: 'working', life: 'live' }] })
      const again = await it.record([{ type: 'a2a.status-update', operation: 'Push', correlationid: 'back', workerid: 'back-w2', data: { taskId: 'stub-1', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }])
      await it.get(`/v1/tasks/back?atLeast=${again}`)
      expect([methodsOf(old), methodsOf(heir)]).toEqual([['CancelTask'], ['SendMessage']])
      const types = (await it.eventsOf('correlationId=back')).map(({ type }) => type)
      const first = types.indexOf('reconciler.cancel')
      expect(types.slice(first, first + 3)).toEqual(['reconciler.cancel', 'a2a.response', 'reconciler.cancel'])
    })

    test('its result counts, and the new attempt is canceled', async () => {
      const [old, heir] = await comeBack('done', { cancelLoser: true }, 'TASK_STATE_COMPLETED')
      await expect.poll(async () => (await task('done')).cancels).toMatchObject([{ workerId: 'done-w2', outcome: 'canceled' }])
      expect((await task('done')).state).toBe('completed')
      expect([methodsOf(old), methodsOf(heir)]).toEqual([[], ['SendMessage', 'CancelTask']])
    })

    test('nothing is canceled unless somebody wants it', async () => {
      const [old, heir] = await comeBack('both', {}, 'TASK_STATE_WORKING')
      await expect.poll(async () => (await task('both')).attempts).toMatchObject([{ life: 'live' }, { life: 'live' }])
      await it.put('/v1/meshes/both', { attemptsMax: 2 })
      const looked = await it.record([{ type: 'a2a.status-update', operation: 'Push', correlationid: 'both', workerid: 'both-w2', data: { taskId: 'stub-1', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } }])
      await it.get(`/v1/tasks/both?atLeast=${looked}`)
      expect([methodsOf(old), methodsOf(heir)]).toEqual([[], ['SendMessage']])
    })
  })

  test.each<[string, Lost, string]>([
    ['nobody said how many replicas it has', { replicas: undefined }, 'replicas-unknown'],
    ['the loss is history', { seenAt: new Date(Date.now() - 3_600_000).toISOString() }, 'stale-evidence'],
    ['the message bears a credential', { message: { metadata: { headers: { Authorization: 'Bearer x' } } } }, 'credentials'],
  ])('it is held, and says so, when %s', async (_why, lost, reason) => {
    const name = `held-${reason}`
    const worker = await lose(name, lost)
    await expect.poll(async () => (await verdictOf(name))?.held).toBe(reason)
    expect(worker.received).toHaveLength(0)
    expect((await task(name)).intents).toBeUndefined()
  })

  test('no faster than its mesh allows, over all its workers', async () => {
    const bounded: Lost = { mesh: 'rate', policy: { ratePerMinute: 1 } }
    const first = await lose('rate-1', bounded)
    await expect.poll(() => first.received.length).toBe(1)
    const second = await lose('rate-2', bounded)
    await expect.poll(async () => (await verdictOf('rate-2'))?.held).toBe('rate')
    expect([first.received.length, second.received.length]).toEqual([1, 0])
    await it.put('/v1/meshes/rate', { ratePerMinute: 2 })
    await expect.poll(() => first.received.length + second.received.length).toBe(2)
  })

  test('no task more often than its mesh allows', async () => {
    const worker = await lose('often', { policy: { attemptsMax: 1 } })
    await expect.poll(async () => (await task('often')).state).toBe('working')
    await it.put('/v1/workers/often-w2', { replicas: 1, trust: 'verify' })
    await it.put('/v1/workers/often-w3', { mesh: 'often', trust: 'card', interface: { url: worker.url } })
    await it.record([cardAt('often-w3', worker.url), { type: 'a2a.error', operation: 'GetTask', correlationid: 'often', workerid: 'often-w2', taskid: 'stub-1', data: { code: -32001, message: 'Task not found' } }])
    await expect.poll(async () => (await verdictOf('often'))?.held).toBe('attempts')
    expect(worker.received).toHaveLength(1)
  })

  test('not into a storm of losses', async () => {
    await it.put('/v1/meshes/storm', { redispatch: 'auto' })
    const names = Array.from({ length: 25 }, (_, n) => `storm-${n}`)
    const worker = await lose('storm-0', { mesh: 'storm', mode: 'approve' })
    await it.record(names.slice(1).flatMap((name) => lossOf(name, 'storm-0-w1'))) // within a minute
    const kinds = async () => Promise.all(names.map(async (name) => (await verdictOf(name))?.kind))
    await expect.poll(kinds).toEqual(names.map(() => 'redispatch'))
    await approve('storm-24')
    await expect.poll(async () => (await verdictOf('storm-24'))?.held).toBe('storm')
    expect((await it.get('/readyz')).body).toMatchObject({ storms: ['storm'] })
    expect(worker.received).toHaveLength(0)
  })

  test('a dispatch says for itself that its caller acts', async () => {
    const worker = await lose('override', { metadata: { [uri]: { correlationId: 'override', redispatch: 'advise' } } })
    await expect.poll(async () => await verdictOf('override')).toMatchObject({ kind: 'redispatch', actor: 'caller' })
    expect(worker.received).toHaveLength(0)
  })

  test('a worker that cannot be reached is tried again, and then left alone', async () => {
    const worker = await lose('away', { mode: 'approve' })
    await worker.end()
    await expect.poll(async () => (await verdictOf('away'))?.held).toBe('approval')
    await approve('away')
    await expect.poll(async () => (await task('away')).intents?.length ?? 0).toBeGreaterThanOrEqual(2)
    expect((await task('away')).intents[0]).toMatchObject({ outcome: 'not-sent', actor: 'approver' })
    expect((await task('away')).state).toBe('indeterminate')
    await decline('away').then(({ status }) => expect(status).toBe(409))
  })

  test('a worker that hangs up was sent it, and nobody knows what came of it', async () => {
    const worker = await lose('hang', { heir: { answer: () => 'hang up' } })
    await expect.poll(async () => (await task('hang')).dispatches).toMatchObject([{}, { workerId: 'hang-w2', outcome: 'no-answer' }])
    await expect.poll(async () => (await task('hang')).intents).toMatchObject([{ outcome: 'sent' }])
    await expect.poll(async () => await verdictOf('hang')).toMatchObject({ kind: 'redispatch', duplicateRisk: 'likely', held: 'risk' })
    expect(worker.received).toHaveLength(1)
  })

  test('a worker that hangs up once and takes a message once gets the same message again', async () => {
    let isFirst = true
    const claims = { idempotency: { key: 'messageId' } }
    const worker = await lose('once', {
      claims,
      heir: { isKnowing: true, answer: () => { const told = isFirst ? ('hang up' as const) : undefined; isFirst = false; return told } },
    })
    await expect.poll(async () => (await task('once')).state).toBe('working')
    expect(new Set(worker.received.map(({ body }) => body.params?.message.messageId)).size).toBe(1)
    expect([worker.received.length, worker.begun.length]).toEqual([2, 1])
    expect((await task('once')).intents).toMatchObject([{ outcome: 'sent' }, { outcome: 'sent', taskId: 'stub-1' }])
  })

  test('a process that is stopped does not wait for a worker, and tells that it was not answered', async () => {
    const shared = it
    it = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', GRACE_MS: '0', DRAIN_TIMEOUT_MS: '200' })
    try {
      const worker = await lose('cut', { heir: { answer: () => 'silence' } })
      await expect.poll(() => worker.received.length).toBe(1)
      const startedMs = performance.now()
      expect(await it.reconciler.stop()).toBe(0)
      expect(performance.now() - startedMs).toBeLessThan(30_000)
      const types = (await it.eventsOf('correlationId=cut')).map(({ type }) => type)
      expect(types.slice(-3)).toEqual(['a2a.dispatch', 'a2a.no-answer', 'reconciler.dispatch-settled'])
    } finally {
      await it.end()
      it = shared
    }
  })

  const error = '{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"no"}}'
  const rejected = '{"jsonrpc":"2.0","id":"x","result":{"task":{"id":"r","contextId":"c","status":{"state":"TASK_STATE_REJECTED"}}}}'

  test.each([
    ['refuses', 'refuse', error, 'refused'],
    ['rejects', 'reject', rejected, 'task'],
  ])('what a worker %s goes to the next one, once, and who refused is named', async (_what, name, body, outcome) => {
    const other = await startStubWorker()
    workers.push(other)
    await it.put(`/v1/workers/${name}-w3`, { mesh: name, trust: 'card', interface: { url: other.url } })
    await it.record([cardAt(`${name}-w3`, other.url)])
    const worker = await lose(name, { heir: { answer: () => ({ status: 200, body }) } })
    await expect.poll(async () => (await task(name)).state).toBe('working')
    expect([worker.received.length, other.received.length]).toEqual([1, 1])
    const { body: view } = await it.get(`/v1/tasks/${name}`)
    expect(view.dispatches).toMatchObject([{}, { workerId: `${name}-w2`, outcome }, { workerId: `${name}-w3`, outcome: 'task' }])
    expect(view.verdict).toMatchObject({ kind: 'redispatch', workerId: `${name}-w3` })
    expect(view.verdict.considered).toContainEqual({ workerId: `${name}-w2`, eligible: false, because: 'refused_it' })
    expect(await it.eventsOf(`correlationId=${name}&type=reconciler.verdict`)).toHaveLength(2)
  })

  test('a redirect is an answer like any other: the message was sent, and goes nowhere else', async () => {
    const worker = await lose('moved', { heir: { answer: () => ({ status: 307, body: '' }) } })
    await expect.poll(async () => (await verdictOf('moved'))?.kind).toBe('unreconcilable')
    expect((await task('moved')).dispatches).toMatchObject([{}, { workerId: 'moved-w2', outcome: 'refused' }])
    expect(worker.received).toHaveLength(1)
  })

  test('what the only one refuses is unreconcilable, and has not failed', async () => {
    const worker = await lose('only', { heir: { answer: () => ({ status: 200, body: error }) } })
    await expect.poll(async () => (await verdictOf('only'))?.kind).toBe('unreconcilable')
    expect(await task('only')).toMatchObject({ state: 'indeterminate', terminal: false })
    expect(worker.received).toHaveLength(1)
  })
})

/** Nobody may call it here: only loopback is allowed. */
const forbidden = 'http://10.0.0.1:9/'

/** What is told of a worker that the ledger could not call. */
const toldOf = async (name: string, workerId: string) => {
  const events = await it.eventsOf(`correlationId=${name}`)
  return events.filter((event) => event.workerid === workerId).map(({ type }) => type)
}

/** A worker of the mesh that comes before the heir, and has an address of these. */
async function before(name: string, url: string | undefined): Promise<string> {
  const workerId = `${name}-w0`
  await it.put(`/v1/workers/${workerId}`, { mesh: name, trust: 'card', ...(url !== undefined && { interface: { url } }) })
  const shown = cardAt(workerId, 'https://w0.example')
  await it.record([{ ...shown, data: { ...shown.data, supportedInterfaces: [{ url: 'https://w0.example', protocolBinding: 'GRPC', protocolVersion: '1.0' }] } }])
  return workerId
}

describe('whom the ledger cannot call', () => {
  test.each([
    ['has no address', 'nowhere', undefined, 'no_address'],
    ['has an address that our own rules refuse', 'forbidden', forbidden, 'not_called'],
  ])('a first candidate that %s is passed over, the second one gets the work once, and nobody is blamed', async (_what, name, url, because) => {
    const first = await before(name, url)
    const worker = await lose(name)
    await expect.poll(async () => (await task(name)).state).toBe('working')
    const { verdict, intents } = await task(name)
    expect(verdict).toMatchObject({ kind: 'redispatch', workerId: `${name}-w2` })
    expect(verdict.considered).toContainEqual({ workerId: first, eligible: false, because })
    expect(intents).toHaveLength(1)
    expect(worker.received).toHaveLength(1)
    expect(await toldOf(name, first)).toEqual([])
    const cause = (await it.get(`/v1/tasks/${name}/root-cause`)).body
    expect(JSON.stringify(cause)).not.toContain(first)
  })

  test.each([
    ['no address', 'alone', undefined, 'no-address'],
    ['an address that our own rules refuse', 'alone-forbidden', forbidden, 'not-called'],
  ])('the only candidate, with %s, is held and sent to as soon as it has another one', async (_what, name, url, held) => {
    const worker = await startStubWorker()
    workers.push(worker)
    await it.put(`/v1/meshes/${name}`, { redispatch: 'auto' })
    await it.put(`/v1/workers/${name}-w1`, { mesh: name, replicas: 1 })
    const only = await before(name, url)
    await it.record([cardAt(`${name}-w1`, 'https://w1.example'), ...lossOf(name, `${name}-w1`)])
    await expect.poll(async () => await verdictOf(name)).toMatchObject({ kind: 'redispatch', workerId: only, held })
    expect((await task(name)).intents).toBeUndefined()
    await it.put(`/v1/workers/${only}`, { interface: { url: worker.url } })
    await expect.poll(async () => (await task(name)).state).toBe('working')
    expect(worker.received).toHaveLength(1)
    expect(await it.eventsOf(`correlationId=${name}&type=reconciler.verdict`)).toHaveLength(1)
  })

  test('where a person approved and it cannot be made, another candidate takes its place, and waits for an approval of its own', async () => {
    await it.put('/v1/meshes/again', { redispatch: 'approve' })
    await it.put('/v1/workers/again-w1', { mesh: 'again', replicas: 1 })
    const first = await before('again', forbidden)
    await it.record([cardAt('again-w1', 'https://w1.example'), ...lossOf('again', 'again-w1')])
    await expect.poll(async () => await verdictOf('again')).toMatchObject({ workerId: first, held: 'approval' })
    await approve('again')
    await expect.poll(async () => (await verdictOf('again'))?.held).toBe('not-called')
    const { decisionId } = await verdictOf('again')

    const worker = await startStubWorker()
    workers.push(worker)
    await it.put('/v1/workers/again-w2', { mesh: 'again', trust: 'card', interface: { url: worker.url } })
    await it.record([cardAt('again-w2', worker.url)])
    await expect.poll(async () => await verdictOf('again')).toMatchObject({ workerId: 'again-w2', actor: 'approver', held: 'approval' })
    const [, second] = await it.eventsOf('correlationId=again&type=reconciler.verdict')
    expect(second).toMatchObject({ data: { insteadOf: decisionId } })
    expect(await it.post(`/v1/decisions/${decisionId}/claim`, { by: 'o1' })).toMatchObject(problem(409, 'decision_closed'))
    expect(worker.received).toHaveLength(0)
    await approve('again')
    await expect.poll(async () => (await task('again')).state).toBe('working')
    expect(worker.received).toHaveLength(1)
  })

  test('a caller that acts itself is sent there: it may have a way of its own', async () => {
    await it.put('/v1/meshes/own-way', { redispatch: 'advise' })
    const first = await before('own-way', forbidden)
    await lose('own-way', { mode: 'advise' })
    await expect.poll(async () => await verdictOf('own-way')).toMatchObject({ kind: 'redispatch', workerId: first, actor: 'caller' })
  })
})

describe('in mode approve', () => {
  test('it waits for a person, who is named, and then sends once', async () => {
    const worker = await lose('ok', { mode: 'approve' })
    await expect.poll(async () => await verdictOf('ok')).toMatchObject({ kind: 'redispatch', actor: 'approver', held: 'approval' })
    const { decisionId } = await verdictOf('ok')
    const asked = await it.post('/v1/tasks/ok/not-found', { workerId: 'ok-w1', taskId: 'ok-t' })
    expect(asked.body).toMatchObject({ kind: 'redispatch', actor: 'approver' })
    expect(asked.body).not.toHaveProperty('send')
    const gauges = () => fetch(`${it.reconciler.url}/metrics`).then((response) => response.text())
    await expect.poll(gauges).toMatch(/^a2a_ledger_redispatches_waiting [1-9]/m)
    expect(await gauges()).toMatch(/^a2a_ledger_redispatches_oldest_seconds \d/m)
    expect(await it.post(`/v1/decisions/${decisionId}/claim`, { by: 'o1' })).toMatchObject(problem(409, 'approval_missing'))
    expect(worker.received).toHaveLength(0)

    const answers = await Promise.all([approve('ok', { by: 'ann', because: 'it is due' }), approve('ok', { by: 'bob' })])
    const [first] = answers
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(first.body).toMatchObject({ decisionId, kind: 'redispatch', workerId: 'ok-w2', actor: 'approver', approval: { answer: 'approved' } })
    expect(await it.eventsOf('correlationId=ok&type=reconciler.verdict-approved')).toHaveLength(1)
    await expect.poll(async () => (await task('ok')).state).toBe('working')
    expect(worker.received).toHaveLength(1)
    await expect.poll(async () => (await task('ok')).intents).toMatchObject([{ actor: 'approver', outcome: 'sent' }])
    expect(await decline('ok')).toMatchObject(problem(409, 'nothing_to_approve'))
  })

  test('declined, nobody sends, and it is visible', async () => {
    const worker = await lose('no', { mode: 'approve' })
    await expect.poll(async () => (await verdictOf('no'))?.held).toBe('approval')
    const { decisionId } = await verdictOf('no')
    expect(await decline('no', { by: 'ann', because: 'too late' })).toMatchObject({ status: 200, body: { approval: { answer: 'declined', by: 'ann', because: 'too late' } } })
    expect(await decline('no')).toMatchObject({ status: 200 })
    expect(await approve('no')).toMatchObject(problem(409, 'verdict_answered', { approval: expect.objectContaining({ answer: 'declined' }) }))
    expect(await it.post(`/v1/decisions/${decisionId}/claim`, { by: 'o1' })).toMatchObject(problem(409, 'decision_closed'))
    const verdict = await verdictOf('no')
    expect(verdict).toMatchObject({ kind: 'redispatch', approval: { answer: 'declined' } })
    expect(verdict).not.toHaveProperty('held')
    expect(worker.received).toHaveLength(0)
  })

  test('a person may take the risk that the ledger does not', async () => {
    const worker = await lose('brave', { replicas: undefined })
    await expect.poll(async () => (await verdictOf('brave'))?.held).toBe('replicas-unknown')
    expect(await approve('brave')).toMatchObject({ status: 200, body: { actor: 'approver' } })
    await expect.poll(() => worker.received.length).toBe(1)
  })

  test('there is nothing to approve where nothing is decided, where the mesh only advises, or where nobody heard of the task', async () => {
    await lose('advice', { mode: 'advise' })
    await expect.poll(async () => (await verdictOf('advice'))?.kind).toBe('redispatch')
    expect(await approve('advice')).toMatchObject(problem(409, 'nothing_to_approve'))
    expect(await decline('advice')).toMatchObject({ status: 200 })
    expect(await approve('unheard')).toMatchObject(problem(404, 'task_not_found'))
    await it.record([{ type: 'a2a.dispatch', operation: 'SendMessage', correlationid: 'fresh', workerid: 'fresh-w', data: { message: { role: 'ROLE_USER', messageId: 'f', parts: [{ text: 'x' }] } } }])
    expect(await approve('fresh')).toMatchObject(problem(409, 'nothing_to_approve'))
    expect(await approve('advice', {})).toMatchObject(problem(400, 'parameter_invalid'))
  })

  test('a mesh that only advises from now on stops what was approved', async () => {
    const worker = await lose('stop', { mode: 'approve' })
    await expect.poll(async () => (await verdictOf('stop'))?.held).toBe('approval')
    await it.put('/v1/meshes/stop', { redispatch: 'advise' })
    expect(await approve('stop')).toMatchObject(problem(409, 'nothing_to_approve'))
    expect(worker.received).toHaveLength(0)
  })
})
