/** Enrolled workers that are asked by the ledger itself: nobody else tells anything of their tasks once they are sent. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startWorker, type Worker } from '@a2a-ledger/test/workers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deploy, type Answer, type Deployment } from './deployment.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', GRACE_MS: '1500' })
})
afterAll(() => deployment?.end())

type Spec = Parameters<typeof startWorker>[0]

const start = async (name: string, more: Partial<Spec> = {}): Promise<Worker> => {
  const worker = await startWorker({
    sdk: 'js', name, outputModes: ['text/plain'], reachableStates: ['working', 'input-required', 'completed'], emits: 'text/plain', ...more,
  })
  onTestFinished(() => worker.stop())
  return worker
}

const observe = { enabled: true, pollMs: 200 }
const enrol = async (workerId: string, url: string, policy: object = {}): Promise<void> => {
  const { status } = await deployment.put(`/v1/workers/${workerId}`, { interface: { url }, observe, ...policy })
  expect(status).toBe(200)
}

/** Sends a message, and tells of the send and its answer as an orchestrator does: the last that anybody tells. */
const send = async (correlationid: string, workerid: string, url: string): Promise<string> => {
  const data = { message: { messageId: `${correlationid}-m`, role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] }, configuration: { returnImmediately: true } }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: data }),
  })
  const answer = (await response.json()) as { readonly result: { readonly task: { readonly id: string } } }
  await deployment.record([
    { type: 'a2a.dispatch', operation: 'SendMessage', binding: 'JSONRPC', correlationid, workerid, data },
    { type: 'a2a.response', operation: 'SendMessage', binding: 'JSONRPC', correlationid, workerid, data: answer },
  ])
  return answer.result.task.id
}

const taskOf = async (correlationId: string): Promise<Answer['body']> => (await deployment.get(`/v1/tasks/${correlationId}`)).body
const seenOf = async (correlationId: string) =>
  (await deployment.eventsOf(`correlationId=${correlationId}&limit=1000`)).filter(({ source }) => source === 'urn:a2a-ledger:observer')

describe('a worker that is observed', () => {
  it('shows by itself that a task has ended, and what came of it', async () => {
    const worker = await start('ends', { workMs: 600 })
    await enrol('ends', `${worker.url}/`)
    await send('order-ends', 'ends', `${worker.url}/`)
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
    const worker = await start('forgets', { asks: 'Which quarter?', bindings: ['JSONRPC', 'HTTP+JSON'] })
    await enrol('forgets', `${worker.url}/`, { replicas: 1 })
    const [first, second] = [await send('order-f1', 'forgets', `${worker.url}/`), await send('order-f2', 'forgets', `${worker.url}/`)]
    await expect.poll(() => taskOf('order-f1')).toMatchObject({ state: 'input-required' })
    await expect.poll(() => taskOf('order-f2')).toMatchObject({ state: 'input-required' })
    await worker.kill('SIGKILL')
    await expect.poll(() => taskOf('order-f1')).toMatchObject({ state: 'input-required', verdict: { kind: 'reobserve' } })
    await start('forgets', { asks: 'Which quarter?', port: worker.port })
    for (const id of ['order-f1', 'order-f2']) {
      await expect.poll(() => taskOf(id)).toMatchObject({ state: 'indeterminate', lastObserved: 'input-required', terminal: false, verdict: { kind: 'unreconcilable' } })
      const { body } = await deployment.get(`/v1/tasks/${id}/root-cause`)
      expect(body.findings.map(({ responsible }: { responsible: string }) => responsible)).not.toContain('client')
    }
    const asked = (await seenOf('order-f1')).filter(({ type }) => type === 'a2a.error')
    expect(new Set(asked.map(({ binding }) => binding))).toEqual(new Set(['JSONRPC', 'HTTP+JSON']))
    expect(asked.map(({ taskid }) => taskid)).toEqual(asked.map(() => first))
    expect((await seenOf('order-f2')).filter(({ type }) => type === 'a2a.error')[0]).toMatchObject({ taskid: second })
  })
})

describe('a worker that is not observed', () => {
  it.each([
    ['nobody said so', {}],
    ['it was said to be', { observe: { enabled: false } }],
  ])('is not called: %s', async (_fact, policy) => {
    const paths: string[] = []
    const server = createServer((request, response) => {
      paths.push(request.url ?? '')
      response.writeHead(500).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const workerId = `left-${Object.keys(policy).length}`
    await deployment.put(`/v1/workers/${workerId}`, { interface: { url }, ...policy })
    await deployment.record([{ type: 'a2a.task', workerid: workerId, operation: 'Emit', correlationid: `order-${workerId}`, data: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }])
    // One that is observed is asked meanwhile, so that there was time to ask this one.
    const other = await start(`beside-${workerId}`, { workMs: 200 })
    await enrol(`beside-${workerId}`, `${other.url}/`)
    await send(`order-beside-${workerId}`, `beside-${workerId}`, `${other.url}/`)
    await expect.poll(() => taskOf(`order-beside-${workerId}`)).toMatchObject({ state: 'completed' })
    expect(paths).toEqual([])
  })
})
