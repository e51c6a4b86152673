/**
 * Nobody reports by code: orchestrators on the real SDK client talk to workers on the real SDKs
 * through the proxy, and the reconciler knows what happened.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SendMessageRequest } from '@a2a-js/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, send, untilSettled } from '../demo/agent-client.ts'
import { callJson } from '../demo/reconciler-client.ts'
import { createTestDatabase, startService, type ServiceProcess, type TestDatabase } from '../support/index.ts'
import { createService, type MortalService } from '../support/mortal-service.ts'
import { startWorker, type Worker } from '../workers/spawn.ts'
import type { WorkerSpec } from '../workers/worker-spec.ts'

let database: TestDatabase
let ledger: MortalService
let reconciler: ServiceProcess
let proxy: ServiceProcess
const dataDir = mkdtempSync(join(tmpdir(), 'a2a-ledger-proxy-e2e-'))
const workers: Worker[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  ledger = await createService('ledger', { DATABASE_URL: database.ledgerUrl })
  await ledger.start()
  reconciler = await startService('reconciler', {
    DATABASE_URL: database.ledgerUrl, RECONCILER_DATABASE_URL: database.reconcilerUrl, LEDGER_URL: ledger.url, GRACE_MS: '500',
  })
  proxy = await startService('proxy', { LEDGER_URL: ledger.url, DATA_DIR: dataDir, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await proxy?.stop()
  await reconciler?.stop()
  await ledger?.stop()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const specOf = (sdk: WorkerSpec['sdk'], name: string, more: Partial<WorkerSpec> = {}): WorkerSpec => ({
  sdk, name, outputModes: ['application/json'], reachableStates: ['working', 'input-required', 'completed'], emits: 'application/json', workMs: 50, ...more,
})

/** A worker that runs and is enrolled; nothing about it knows of the ledger. */
async function enrolled(spec: WorkerSpec, policy: object = {}): Promise<Worker> {
  const worker = await startWorker(spec)
  workers.push(worker)
  await callJson('PUT', `${reconciler.url}/v1/workers/${spec.name}`, { replicas: 1, interface: { url: worker.url }, ...policy })
  await expect.poll(async () => (await fetch(`${proxy.url}/${spec.name}/.well-known/agent-card.json`)).status).toBe(200)
  return worker
}

/** An orchestrator that names its piece of work in a header, and is otherwise as the SDK makes it. */
const orchestrator = (workerId: string, correlationId: string) =>
  connect(`${proxy.url}/${workerId}/`, (input, init) => fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), 'a2a-ledger-correlation-id': correlationId } }))

const viewOf = async (correlationId: string): Promise<Record<string, any>> => // oxlint-disable-line typescript/no-explicit-any
  (await (await fetch(`${reconciler.url}/v1/tasks/${correlationId}`)).json()) as Record<string, unknown>

/** The first worker on Python installs its SDK. */
const installMs = 300_000

describe.each(['js', 'python'] as const)('a worker on the %s SDK', { timeout: installMs }, (sdk) => {
  test.each([['JSONRPC'], ['HTTP+JSON']] as const)('over %s: its work is known from the send to the end', async (binding) => {
    const name = `${sdk}-${binding.toLowerCase().replace('+', '-')}`
    await enrolled(specOf(sdk, name, { bindings: [binding] }))
    const correlationId = randomUUID()
    const client = await orchestrator(name, correlationId)
    const task = await send(client, { messageId: randomUUID(), text: 'Write the report.' })
    const settled = await untilSettled(() => client.getTask({ tenant: '', id: task.id, historyLength: undefined }))
    expect(settled.artifacts).toHaveLength(1)
    await expect.poll(() => viewOf(correlationId)).toMatchObject({
      state: 'completed', terminal: true,
      dispatches: [{ workerId: name, outcome: 'task' }],
      attempts: [{ workerId: name, taskId: task.id, life: 'ended' }],
      artifacts: [{ canonical: { workerId: name, complete: true, mediaTypes: ['application/json'] } }],
      violations: [],
    })
  })

  test('that streams is known frame by frame', async () => {
    const name = `${sdk}-stream`
    await enrolled(specOf(sdk, name))
    const correlationId = randomUUID()
    const client = await orchestrator(name, correlationId)
    let frames = 0
    for await (const _frame of client.sendMessageStream(SendMessageRequest.fromJSON({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] } }))) frames += 1
    expect(frames).toBeGreaterThan(2)
    await expect.poll(() => viewOf(correlationId)).toMatchObject({ state: 'completed', attempts: [{ life: 'ended' }], violations: [] })
    const { events } = (await (await fetch(`${ledger.url}/v1/events?correlationId=${correlationId}&type=a2a.stream-response`)).json()) as { events: { sequence: string }[] }
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: frames }, (_, at) => at + 1))
  })

  test('that is killed has lost its task: indeterminate, and the reason is known', async () => {
    const name = `${sdk}-killed`
    const worker = await enrolled(specOf(sdk, name, { asks: 'Which quarter?' }))
    const correlationId = randomUUID()
    const client = await orchestrator(name, correlationId)
    const task = await send(client, { messageId: randomUUID(), text: 'Write the report.' })
    await untilSettled(() => client.getTask({ tenant: '', id: task.id, historyLength: undefined }))
    await worker.kill('SIGKILL')
    await expect(client.getTask({ tenant: '', id: task.id, historyLength: undefined })).rejects.toThrow()
    workers.push(await startWorker({ ...worker.spec, port: worker.port }))
    await expect(client.getTask({ tenant: '', id: task.id, historyLength: undefined })).rejects.toThrow()
    await expect.poll(() => viewOf(correlationId)).toMatchObject({
      state: 'indeterminate', lastObserved: 'input-required', terminal: false,
      attempts: [{ workerId: name, taskId: task.id, life: 'lost' }],
    })
    const timeline = (await (await fetch(`${reconciler.url}/v1/tasks/${correlationId}/timeline`)).json()) as { entries: { type: string }[] }
    expect(timeline.entries.map(({ type }) => type)).toContain('a2a.no-answer')
  })
})

test('pushes of a worker go by way of the proxy to the client, and are told', async () => {
  await enrolled(specOf('js', 'js-push', { pushes: true, asks: 'Which quarter?' }), { push: { tee: true } })
  const got: { readonly token: unknown; readonly body: string }[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      got.push({ token: request.headers['x-a2a-notification-token'], body })
      response.writeHead(204).end()
    })
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const correlationId = randomUUID()
    const client = await orchestrator('js-push', correlationId)
    await client.sendMessage(SendMessageRequest.fromJSON({
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] },
      configuration: { taskPushNotificationConfig: { url, token: 'client-token' }, returnImmediately: true },
    }))
    await expect.poll(() => got.some(({ body }) => body.includes('INPUT_REQUIRED'))).toBe(true)
    const pushes = async () => {
      const { push } = (await (await fetch(`${reconciler.url}/v1/workers/js-push`)).json()) as { push?: { delivered: number } }
      return { ...push, missing: got.length - (push?.delivered ?? 0) }
    }
    await expect.poll(pushes).toMatchObject({ isTeed: true, missing: 0, repeated: 0, reordered: 0, lost: 0 })
    expect(new Set(got.map(({ token }) => token))).toEqual(new Set(['client-token']))
    const { events } = (await (await fetch(`${ledger.url}/v1/events?workerId=js-push&limit=1000`)).json()) as { events: { operation?: string; correlationid?: string; data: unknown }[] }
    const told = events.filter(({ operation }) => operation === 'Push')
    expect(told.map(({ data }) => JSON.stringify(data))).toEqual(expect.arrayContaining(got.map(({ body }) => JSON.stringify(JSON.parse(body)))))
    expect(new Set(told.map(({ correlationid }) => correlationid))).toEqual(new Set([correlationId]))
    expect(JSON.stringify(events)).not.toContain('~push')
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

test('a card leads to the proxy, and what the worker wrote is what it advertises', async () => {
  const worker = await enrolled(specOf('js', 'js-card'))
  const own = (await (await fetch(worker.cardUrl)).json()) as { supportedInterfaces: { url: string }[] }
  const given = (await (await fetch(`${proxy.url}/js-card/.well-known/agent-card.json`)).json()) as typeof own
  expect(own.supportedInterfaces.map(({ url }) => url)).toEqual([`${worker.url}/`, `${worker.url}/rest`])
  expect(given.supportedInterfaces.map(({ url }) => url)).toEqual([`${proxy.url}/js-card`, `${proxy.url}/js-card/rest`])
  await expect.poll(async () => (await fetch(`${reconciler.url}/v1/workers/js-card`)).json()).toMatchObject({
    states: { advertised: ['working', 'input-required', 'completed'] }, cards: [{ name: 'js-card', valid: true, signed: false }],
  })
})

test('a rollout of the ledger is not noticed by anybody: no call fails, everything is told once', async () => {
  await enrolled(specOf('js', 'js-rollout', { workMs: 5 }))
  const correlationIds = Array.from({ length: 60 }, () => randomUUID())
  const sending = (async () => {
    for (const correlationId of correlationIds) {
      const client = await orchestrator('js-rollout', correlationId)
      await send(client, { messageId: randomUUID(), text: 'Write the report.' })
    }
  })()
  await ledger.kill()
  await ledger.start()
  await ledger.stop()
  await ledger.start()
  await sending
  for (const correlationId of correlationIds) {
    await expect.poll(async () => ((await (await fetch(`${ledger.url}/v1/events?correlationId=${correlationId}`)).json()) as { events: { type: string }[] }).events.map(({ type }) => type).toSorted())
      .toEqual(expect.arrayContaining(['a2a.dispatch', 'a2a.response']))
  }
  const quarantine = (await (await fetch(`${ledger.url}/v1/quarantine`)).json()) as { entries: unknown[] }
  expect(quarantine.entries).toEqual([])
  const { events: gaps } = (await (await fetch(`${ledger.url}/v1/events?type=ledger.gap`)).json()) as { events: unknown[] }
  expect(gaps).toEqual([])
})

test('what had no room while the ledger was away is a gap in the stream of its worker', async () => {
  const own = mkdtempSync(join(tmpdir(), 'a2a-ledger-proxy-e2e-'))
  const worker = await enrolled(specOf('js', 'js-gap', { workMs: 5 }))
  const small = await startService('proxy', { LEDGER_URL: ledger.url, DATA_DIR: own, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SPOOL_BYTES_MAX: '65536' })
  await expect.poll(async () => (await fetch(`${small.url}/js-gap/.well-known/agent-card.json`)).status).toBe(200)
  await expect.poll(async () => ((await (await fetch(`${small.url}/readyz`)).json()) as { spool: { entries: number } }).spool.entries).toBe(0)
  await ledger.stop()
  for (let at = 0; at < 150; at += 1) {
    const response = await fetch(`${small.url}/js-gap/rest/tasks/none-${at}`, { headers: { 'a2a-version': '1.0' } })
    expect(response.status).toBe(404)
    await response.arrayBuffer()
  }
  await ledger.start()
  const counts = async (): Promise<{ told: number; missing: number }> => {
    const eventsOf = async (query: string) => ((await (await fetch(`${ledger.url}/v1/events?limit=1000&workerId=js-gap&${query}`)).json()) as { events: { data: { events: number; reason: string }; operation?: string }[] }).events
    const told = (await eventsOf('type=a2a.error')).filter(({ operation }) => operation === 'GetTask').length
    const gaps = await eventsOf('type=ledger.gap')
    expect(gaps.every(({ data }) => data.reason === 'spool_full')).toBe(true)
    return { told, missing: gaps.reduce((sum, { data }) => sum + data.events, 0) }
  }
  await expect.poll(async () => ((await counts()).told + (await counts()).missing)).toBe(150)
  expect((await counts()).missing).toBeGreaterThan(0)
  await small.stop()
  await worker.stop()
  rmSync(own, { recursive: true, force: true })
})
