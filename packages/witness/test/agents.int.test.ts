/** Agents on the real SDK, told by this package to a real ledger: what the reconciler makes of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SendMessageRequest, type Task } from '@a2a-js/sdk'
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import { createTestDatabase, createTestKafka, freePort, startService, type ServiceProcess, type TestDatabase } from '@a2a-ledger/test/support'
import { startWorker, type Worker } from '@a2a-ledger/test/workers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWitness, type Witness } from '../src/index.ts'

const examples = join(import.meta.dirname, '..', 'examples')
let database: TestDatabase
let ledger: ServiceProcess
let reconciler: ServiceProcess
const ends: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
  reconciler = await startService('reconciler', {
    DATABASE_URL: database.ledgerUrl, RECONCILER_DATABASE_URL: database.reconcilerUrl, LEDGER_URL: ledger.url, GRACE_MS: '500',
  })
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await reconciler?.stop()
  await ledger?.stop()
  await database?.drop()
})

const orchestrator = (): Witness => {
  const witness = createWitness({ source: 'urn:test:orchestrator', to: { ledgerUrl: ledger.url } })
  ends.push(() => witness.stop(0))
  return witness
}
const connect = (witness: Witness, workerId: string, url: string): Promise<Client> => {
  const fetchImpl = witness.fetch({ workerId })
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })], cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(url)
}
const message = (text: string): SendMessageRequest => SendMessageRequest.fromJSON({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } })
const asTask = (answer: object): Task => {
  if (!('status' in answer)) throw new Error('The agent answered with a message.')
  return answer as Task
}
const getTask = (client: Client, id: string): Promise<Task> => client.getTask({ tenant: '', id, historyLength: undefined })
const get = async (url: string): Promise<unknown> => (await fetch(url)).json()
const viewOf = (correlationId: string): Promise<unknown> => get(`${reconciler.url}/v1/tasks/${encodeURIComponent(correlationId)}`)
const eventsOf = async (query: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  ((await get(`${ledger.url}/v1/events?${query}`)) as { events: Record<string, unknown>[] }).events

/** The worker of the README, as a process of its own. */
async function startExample(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(examples, 'worker.ts'), String(port), ledger.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  ends.push(() => kill(child))
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}
async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** The first worker on Python installs its SDK. */
const installMs = 300_000

describe.each(['js', 'python'] as const)('an orchestrator that wraps its fetch, with a worker on the %s SDK', { timeout: installMs }, (sdk) => {
  test.each(['JSONRPC', 'HTTP+JSON'] as const)('over %s: what it saw before, during and after a crash is known', async (binding) => {
    const name = `${sdk}-${binding.toLowerCase().replace('+', '-')}`
    const worker = await startWorker({
      sdk, name, bindings: [binding], asks: 'Which quarter?', outputModes: ['application/json'], reachableStates: ['working', 'input-required', 'completed'], emits: 'application/json', workMs: 20,
    })
    ends.push(() => worker.stop())
    const enrolled = await fetch(`${reconciler.url}/v1/workers/${name}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"replicas":1}' })
    expect(enrolled.status).toBe(200)
    const witness = orchestrator()
    const correlationId = randomUUID()
    const client = await connect(witness, name, worker.url)
    const sent = asTask(await witness.about({ correlationId }, () => client.sendMessage(message('Write the report.'))))
    await expect.poll(() => viewOf(correlationId)).toMatchObject({ state: 'input-required', attempts: [{ workerId: name, taskId: sent.id }], artifacts: [{ key: 'report' }] })

    await worker.kill('SIGKILL')
    await expect(getTask(client, sent.id)).rejects.toThrow()
    const again: Worker = await startWorker({ ...worker.spec, port: worker.port })
    ends.push(() => again.stop())
    await expect(getTask(client, sent.id)).rejects.toThrow()
    await expect.poll(() => viewOf(correlationId)).toMatchObject({ state: 'indeterminate', lastObserved: 'input-required', attempts: [{ taskId: sent.id, life: 'lost' }] })
    expect((await eventsOf(`workerId=${name}&limit=1000`)).map(({ type, operation }) => `${String(type)} ${String(operation)}`)).toEqual(
      expect.arrayContaining(['a2a.agent-card GetAgentCard', 'a2a.dispatch SendMessage', 'a2a.response SendMessage', 'a2a.no-answer GetTask', 'a2a.error GetTask']),
    )
  })
})

test('a stream is told frame by frame', async () => {
  const worker = await startWorker({ sdk: 'js', name: 'js-stream', outputModes: ['application/json'], reachableStates: ['working', 'completed'], emits: 'application/json', workMs: 20 })
  ends.push(() => worker.stop())
  const witness = orchestrator()
  const correlationId = randomUUID()
  const client = await connect(witness, 'js-stream', worker.url)
  await witness.about({ correlationId }, async () => {
    for await (const event of client.sendMessageStream(message('Write the report.'))) expect(event).toBeDefined()
  })
  await expect.poll(() => viewOf(correlationId)).toMatchObject({ state: 'completed', artifacts: [{ key: 'report', canonical: { complete: true } }] })
  const frames = await eventsOf('workerId=js-stream&type=a2a.stream-response')
  expect(frames.map(({ sequence }) => sequence)).toEqual(frames.map((_frame, at) => String(at + 1)))
})

describe('a worker that wraps its task store', () => {
  test('its tasks are known although nobody else tells of them, and so is that it restarted and lost them', async () => {
    const port = await freePort()
    const child = await startExample(port)
    const client = await new ClientFactory().createFromUrl(`http://127.0.0.1:${port}`) // of somebody who tells nothing
    const asked = asTask(await client.sendMessage(message('ask me')))
    const correlationId = `~w1/${asked.id}`
    await expect.poll(() => viewOf(correlationId)).toMatchObject({ state: 'input-required', attempts: [{ workerId: 'w1', taskId: asked.id }], artifacts: [{ key: 'report' }] })
    const saves = await eventsOf(`type=a2a.task&correlationId=${encodeURIComponent(correlationId)}`)
    expect(saves.length).toBeGreaterThan(1)
    expect(saves).toEqual(saves.map((_save, at) => expect.objectContaining({ source: 'urn:example:w1', operation: 'Emit', instance: 'w1-0', sequence: String(at + 1), streamid: saves[0]?.['streamid'] }) as unknown))

    await kill(child)
    await startExample(port)
    const witness = orchestrator()
    await expect(getTask(await connect(witness, 'w1', `http://127.0.0.1:${port}`), asked.id)).rejects.toThrow()
    await expect.poll(() => viewOf(correlationId)).toMatchObject({ state: 'indeterminate', lastObserved: 'input-required' })
    await expect.poll(() => get(`${reconciler.url}/v1/tasks/${encodeURIComponent(correlationId)}/root-cause`)).toMatchObject({ findings: expect.arrayContaining([expect.objectContaining({ cause: 'lost_on_restart' })]) as unknown })
    expect((await eventsOf('type=a2a.worker-restarted&workerId=w1')).map(({ instance }) => instance)).toEqual(['w1-0', 'w1-0'])
  })

  test('a guard raises before a task has what the card does not say', async () => {
    const port = await freePort()
    const child = await startExample(port)
    const before = (await eventsOf('type=a2a.task&workerId=w1&limit=1000')).length
    const client = await new ClientFactory().createFromUrl(`http://127.0.0.1:${port}`)
    await expect(client.sendMessage(message('a plain one'))).rejects.toThrow('text/plain is outside the advertised [application/json]')
    const allowed = asTask(await client.sendMessage(message('any')))
    await kill(child, 'SIGTERM')
    expect(child.exitCode).toBe(0)
    const emitted = (await eventsOf('type=a2a.task&workerId=w1&limit=1000')).slice(before)
    const [refusedId] = emitted.map(({ taskid }) => taskid)
    expect(emitted.filter(({ taskid }) => taskid === refusedId).map(({ canonical }) => canonical)).toEqual([expect.not.objectContaining({ mediaTypes: expect.anything() as unknown })])
    expect(emitted.at(-1)).toMatchObject({ taskid: allowed.id, canonical: { state: 'completed', mediaTypes: ['application/json'] } })
  })
})

test('over Kafka the same is told, and what is too large for it over HTTP', async () => {
  const { brokers, topicPrefix } = await createTestKafka()
  const own = await createTestDatabase()
  const fed = await startService('ledger', { DATABASE_URL: own.ledgerUrl, KAFKA_BROKERS: brokers.join(','), KAFKA_TOPIC_PREFIX: topicPrefix })
  const producer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const witness = createWitness({ source: 'urn:test:orchestrator', to: { kafka: producer, topic: `${topicPrefix}observations`, ledgerUrl: fed.url } })
  try {
    const worker = createServer((request, response) => void request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' }, metadata: { padding: 'x'.repeat(1_500_000) } } }))))
    await once(worker.listen(0, '127.0.0.1'), 'listening')
    const call = witness.fetch({ workerId: 'w1' })
    await (await call(`http://127.0.0.1:${(worker.address() as AddressInfo).port}/`, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'x' }] } } }) })).text()
    worker.closeAllConnections()
    worker.close()
    const recorded = async (): Promise<unknown> => get(`${fed.url}/v1/events`)
    await expect.poll(async () => ((await recorded()) as { events: { type: string }[] }).events.map(({ type }) => type).toSorted()).toEqual(['a2a.dispatch', 'a2a.response'])
    expect(await witness.stop()).toMatchObject({ toldEvents: 2, "missedEvents":0,"waiting":0 })
  } finally {
    await producer.disconnect()
    await fed.stop()
    await own.drop()
  }
})

describe('the README', () => {
  const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')

  test.each(['orchestrator', 'worker'])('shows the example %s as it is', (name) => {
    const [, ...lines] = readFileSync(join(examples, `${name}.ts`), 'utf8').split('\n')
    const shown = [...readme.matchAll(/```ts\n([\s\S]*?)```/gu)].map(([, code = '']) => code)
    const [wrapping = ''] = shown.filter((code) => code.includes(`urn:example:${name === 'worker' ? 'w1' : name}`))
    expect(wrapping).not.toBe('')
    expect(lines.join('\n')).toContain(wrapping)
  })

  const runOrchestrator = async (agentUrl: string, ledgerUrl: string): Promise<readonly [code: number | null, printed: string]> => {
    const child = spawn(process.execPath, [join(examples, 'orchestrator.ts'), agentUrl, ledgerUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += String(chunk)))
    const [code] = (await once(child, 'close')) as [number | null]
    return [code, printed]
  }

  test('its orchestrator records a piece of work with its worker', async () => {
    const port = await freePort()
    await startExample(port)
    expect(await runOrchestrator(`http://127.0.0.1:${port}`, ledger.url)).toEqual([0, expect.stringContaining('"missedEvents":0,"waiting":0')])
    await expect.poll(() => viewOf('order-42')).toMatchObject({ state: 'completed', attempts: [{ workerId: 'w1' }] })
  })

  test('its orchestrator does its work without a ledger, and ends properly', async () => {
    const port = await freePort()
    await startExample(port)
    expect(await runOrchestrator(`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`)).toEqual([0, expect.stringContaining('"toldEvents":0,"missedEvents":0,"waiting":3')])
  })
})
