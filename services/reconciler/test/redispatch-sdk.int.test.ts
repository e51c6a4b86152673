/** What the ledger sends is a message that real SDKs take: in both versions, over both bindings, after a real loss. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startWorker, type Worker } from '@a2a-ledger/test/workers'
import { deploy, type Deployment } from './deployment.ts'

type Spec = Parameters<typeof startWorker>[0]

let it: Deployment
beforeAll(async () => {
  it = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', GRACE_MS: '0' })
})
afterAll(async () => {
  await it?.end()
})

const spec = (name: string, more: Partial<Spec> = {}): Spec => ({
  sdk: 'js', name, outputModes: ['application/json'], reachableStates: ['working', 'input-required', 'completed'], emits: 'application/json', ...more,
})

async function start(of: Spec): Promise<Worker> {
  const worker = await startWorker(of)
  onTestFinished(() => worker.stop())
  return worker
}

const cardOf = async (workerId: string, { cardUrl }: Worker) => ({ type: 'a2a.agent-card', workerid: workerId, data: await fetch(cardUrl).then((response) => response.json()) })

const call = async ({ url }: Worker, method: string, params: object, version = '1.0'): Promise<unknown> => {
  const headers = { 'content-type': 'application/json', ...(version === '1.0' && { 'a2a-version': '1.0' }) }
  return (await fetch(`${url}/`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })).json()
}

const tongues: readonly [string, Partial<Spec>, (worker: Worker) => string, string][] = [
  ['v1.0 over JSON-RPC', {}, ({ url }) => `${url}/`, 'JSONRPC 1.0'],
  ['v1.0 over HTTP+JSON', {}, ({ url }) => `${url}/rest`, 'HTTP+JSON 1.0'],
  ['v0.3 over JSON-RPC', { protocol: '0.3' }, ({ url }) => `${url}/`, 'JSONRPC 0.3'],
  ['v0.3 over HTTP+JSON', { protocol: '0.3' }, ({ url }) => `${url}/rest`, 'HTTP+JSON 0.3'],
]

/** Work of a worker that is killed is taken over by another one; what came of both, and the view after it. */
async function handOver(name: string, more: Partial<Spec>, addressOf: (worker: Worker) => string, policy: object = {}) {
  const [w1, w2] = [`${name}-w1`, `${name}-w2`]
  const loser = await start(spec(w1, { workMs: 60_000 }))
  const heir = await start(spec(w2, more))
  await it.put(`/v1/meshes/${name}`, { redispatch: 'auto', ...policy })
  await it.put(`/v1/workers/${w1}`, { mesh: name, replicas: 1 })
  await it.put(`/v1/workers/${w2}`, { mesh: name, trust: 'card', interface: { url: addressOf(heir) } })

  const sent = { message: { messageId: `${name}-m`, role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] }, configuration: { acceptedOutputModes: ['application/json'], returnImmediately: true } }
  const answer = (await call(loser, 'SendMessage', sent)) as { readonly result: { readonly task: { readonly id: string } } }
  const taskId = answer.result.task.id
  await it.record([
    await cardOf(w1, loser),
    await cardOf(w2, heir),
    { type: 'a2a.dispatch', operation: 'SendMessage', correlationid: name, workerid: w1, data: sent },
    { type: 'a2a.response', operation: 'SendMessage', correlationid: name, workerid: w1, data: answer },
  ])
  await loser.kill('SIGKILL')
  const again = await start(spec(w1, { port: loser.port }))
  await it.record([{ type: 'a2a.response', operation: 'GetTask', workerid: w1, taskid: taskId, data: await call(again, 'GetTask', { id: taskId }) }])

  const view = async () => (await it.get(`/v1/tasks/${name}`)).body
  await expect.poll(async () => (await view()).attempts.length).toBe(2)
  return { w1, w2, heir, taskId, view, body: await view() }
}

test.each(tongues)('a worker that is killed loses its task, and one that speaks %s takes it over', async (what, more, addressOf, spoken) => {
  const name = `sdk-${what.replaceAll(/\W+/g, '-')}`
  const { w1, w2, heir, body } = await handOver(name, more, addressOf)
  expect(body).toMatchObject({ attempts: [{ workerId: w1, life: 'lost' }, { workerId: w2, life: expect.stringMatching(/live|ended/) }], verdict: { actor: 'ledger', workerId: w2 } })
  const dispatches = (await it.eventsOf(`correlationId=${name}&type=a2a.dispatch`)).filter(({ workerid }) => workerid === w2)
  expect(dispatches.map(({ binding, protocolversion }) => `${String(binding)} ${String(protocolversion)}`)).toEqual([spoken])

  const newId = body.attempts[1].taskId
  const isOld = more.protocol === '0.3'
  await expect
    .poll(async () => {
      const data = await call(heir, isOld ? 'tasks/get' : 'GetTask', { id: newId }, more.protocol)
      const position = await it.record([{ type: 'a2a.response', operation: 'GetTask', workerid: w2, taskid: newId, data }])
      return (await it.get(`/v1/tasks/${name}?atLeast=${position}`)).body
    })
    .toMatchObject({ state: 'completed', artifacts: [{ key: 'report', canonical: { workerId: w2, mediaTypes: ['application/json'] } }] })
})

test.each(tongues)('where the lost task completes after all, the one that speaks %s is told to stop', async (what, more, addressOf) => {
  const name = `cancel-${what.replaceAll(/\W+/g, '-')}`
  const { w1, w2, taskId, view } = await handOver(name, { ...more, workMs: 60_000 }, addressOf, { cancelLoser: true })
  await it.record([{ type: 'a2a.status-update', operation: 'Push', workerid: w1, data: { taskId, contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } }])
  await expect.poll(async () => (await view()).cancels).toMatchObject([{ workerId: w2, outcome: 'canceled' }])
  expect(await view()).toMatchObject({ state: 'completed', attempts: [{ workerId: w1, state: 'completed' }, { workerId: w2, state: 'canceled' }] })
})

test('agents that the ledger cannot call are passed over, and the one that it can call gets the work once', async () => {
  const name = 'sdk-passed-over'
  const [unaddressed, forbidden] = [`${name}-v1`, `${name}-v2`]
  const grpcAlone = async (workerId: string) => {
    const shown = await cardOf(workerId, await start(spec(workerId)))
    return { ...shown, data: { ...(shown.data as object), supportedInterfaces: [{ url: 'https://agent.example', protocolBinding: 'GRPC', protocolVersion: '1.0' }] } }
  }
  await it.put(`/v1/workers/${unaddressed}`, { mesh: name, trust: 'card' })
  await it.put(`/v1/workers/${forbidden}`, { mesh: name, trust: 'card', interface: { url: 'http://10.0.0.1:9/' } })
  await it.record([await grpcAlone(unaddressed), await grpcAlone(forbidden)])
  const { w1, w2, body } = await handOver(name, {}, ({ url }) => `${url}/`)
  expect(body.attempts.map(({ workerId }: { readonly workerId: string }) => workerId)).toEqual([w1, w2])
  expect(body.verdict).toMatchObject({
    kind: 'redispatch', workerId: w2,
    considered: expect.arrayContaining([
      { workerId: unaddressed, eligible: false, because: 'no_address' },
      { workerId: forbidden, eligible: false, because: 'not_called' },
    ]),
  })
  const sent = (await it.eventsOf(`correlationId=${name}&type=a2a.dispatch`)).map(({ workerid }) => workerid)
  expect(sent).toEqual([w1, w2])
  expect(await it.eventsOf(`correlationId=${name}&type=a2a.no-answer`)).toEqual([])
})
