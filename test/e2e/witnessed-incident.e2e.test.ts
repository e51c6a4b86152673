/**
 * The founding incident with nobody who reports: the orchestrator talks through the proxy and reads, workers are
 * enrolled and probed, and the ledger itself sends the lost work to the one worker of which it was seen that it can
 * wait for input. Every process is a real one, and what is killed is killed with SIGKILL. Then its twin: a worker
 * that runs three times, of which one is killed and the tasks of the others are safe.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { callJson, type RootCause, type TaskView, type Timeline } from '../demo/reconciler-client.ts'
import { startStepProcess, type StepProcess } from '../demo/step-process.ts'
import type { Steps } from '../demo/steps.ts'
import { createTestDatabase, startService, type ServiceProcess, type TestDatabase } from '../support/index.ts'
import { startWorker, type Worker } from '../workers/spawn.ts'
import { continuityExtension, type WorkerSpec } from '../workers/worker-spec.ts'
import { startRoundRobin } from '../support/round-robin.ts'

type Event = { readonly source: string; readonly workerid?: string; readonly position: number; readonly data: unknown }
type View = TaskView & { readonly dispatches: readonly object[]; readonly intents?: readonly object[] }

const mesh = 'witnessed'
const correlationId = 'witnessed-order'
const messageId = 'witnessed-message'
const w1: WorkerSpec = { sdk: 'js', name: 'w1', outputModes: ['application/json'], reachableStates: ['working', 'input-required', 'completed'], asks: 'Which quarter?', emits: 'application/json' }
const w2: WorkerSpec = { sdk: 'python', name: 'w2', outputModes: ['text/plain'], reachableStates: ['completed'], emits: 'text/plain' }
const w3: WorkerSpec = { ...w1, name: 'w3', bindings: ['HTTP+JSON', 'JSONRPC'] }
/** Everything that W3 can, and yet not what is asked for. */
const w4: WorkerSpec = { ...w1, name: 'w4', skill: 'draw' }

const dataDir = mkdtempSync(join(tmpdir(), 'a2a-ledger-witnessed-'))
const workers = new Map<string, Worker>()
const orchestrators: StepProcess[] = []
let database: TestDatabase
let ledger: ServiceProcess
let reconciler: ServiceProcess
let proxy: ServiceProcess

const read = <Answer>(path: string) => callJson<Answer>('GET', `${reconciler.url}${path}`)
const until = (condition: () => Promise<boolean>) => vi.waitUntil(condition, { timeout: 120_000, interval: 50 })
/** Seen by the proxy; after half a minute the reconciler asks by itself as well. */
const isPassedOn = ({ source }: { readonly source: string }): boolean => source === 'urn:a2a-ledger:proxy'
const eventsOf = async (query: string) => (await callJson<{ events: Event[] }>('GET', `${ledger.url}/v1/events?limit=1000&${query}`)).events

/** With everything applied that is recorded of it. */
async function viewOf(id: string): Promise<View> {
  const last = (await eventsOf(`correlationId=${id}`)).at(-1)!.position
  return read(`/v1/tasks/${id}?atLeast=${last}&timeoutMs=60000`)
}

async function start(spec: WorkerSpec, as = spec.name): Promise<Worker> {
  const worker = await startWorker(spec)
  workers.set(as, worker)
  return worker
}

async function enrol(workerId: string, url: string, replicas: number): Promise<void> {
  await callJson('PUT', `${reconciler.url}/v1/workers/${workerId}`, { mesh, replicas, interface: { url } })
  await until(async () => (await fetch(`${proxy.url}/${workerId}/.well-known/agent-card.json`)).ok)
}

async function probe({ name }: WorkerSpec): Promise<void> {
  const { probeId } = await callJson<{ probeId: string }>('POST', `${reconciler.url}/v1/workers/${name}/probes`, {})
  await until(async () => (await read<{ state: string }>(`/v1/workers/${name}/probes/${probeId}`)).state === 'done')
}

/** Killed, and started on the same port with the same card and an empty store; it emits text from now on. */
async function restartW1(): Promise<void> {
  const { port, kill } = workers.get('w1')!
  await kill('SIGKILL')
  await start({ ...w1, emits: 'text/plain', port })
}

function startOrchestrator(): StepProcess {
  const process = startStepProcess(fileURLToPath(new URL('./witnessed-orchestrator.ts', import.meta.url)), {
    notesFile: join(dataDir, 'notes.json'), proxyUrl: proxy.url, reconcilerUrl: reconciler.url, correlationId, messageId, workerId: 'w1',
  })
  orchestrators.push(process)
  return process
}

async function timelineOf(id: string): Promise<Timeline['entries']> {
  const entries: Timeline['entries'][number][] = []
  for (let after: number | null = 0; after !== null; ) {
    const page: Timeline = await read(`/v1/tasks/${id}/timeline?limit=100&after=${after}`)
    entries.push(...page.entries)
    after = page.next
  }
  return entries
}

let first: Steps['asked']
let retried: Steps['retried']
let done: Steps['done']
let view: View
let rootCause: RootCause
let timeline: Timeline

beforeAll(async () => {
  database = await createTestDatabase()
  ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
  reconciler = await startService('reconciler', {
    DATABASE_URL: database.ledgerUrl, RECONCILER_DATABASE_URL: database.reconcilerUrl, LEDGER_URL: ledger.url,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    GRACE_MS: '6000',
  })
  proxy = await startService('proxy', { LEDGER_URL: ledger.url, DATA_DIR: dataDir, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  await Promise.all([w1, w2, w3, w4].map(async (spec) => enrol(spec.name, (await start(spec)).url, 1)))
  await Promise.all([w1, w2, w3, w4].map(probe))

  let orchestrator = startOrchestrator()
  first = await orchestrator.until('asked')
  await orchestrator.kill('SIGKILL')
  await restartW1()
  orchestrator = startOrchestrator()
  retried = await orchestrator.until('retried')
  // Not before: the retry is the orchestrator's, however long it takes to make it.
  await callJson('PUT', `${reconciler.url}/v1/meshes/${mesh}`, { redispatch: 'auto' })
  await restartW1()
  orchestrator.order({ answer: 'The third one.' })
  done = await orchestrator.until('done')

  await until(async () => (await read<View>(`/v1/tasks/${correlationId}`)).terminal)
  view = await viewOf(correlationId)
  rootCause = await read(`/v1/tasks/${correlationId}/root-cause`)
  timeline = await read(`/v1/tasks/${correlationId}/timeline`)
})

afterAll(async () => {
  await Promise.all(orchestrators.map((process) => process.kill('SIGKILL')))
  await Promise.all([...workers.values()].map((worker) => worker.stop()))
  await proxy?.stop()
  await reconciler?.stop()
  await ledger?.stop()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

test('nobody reports: all that is known was seen by the proxy, or done by the reconciler and its probes', async () => {
  const sources = new Set((await eventsOf('')).map(({ source }) => source))
  expect(sources).toEqual(new Set(['urn:a2a-ledger:proxy', 'urn:a2a-ledger:reconciler', 'urn:a2a-ledger:probe']))
})

describe('before anything is lost', () => {
  test.each([
    ['w1', ['working', 'input-required', 'completed']],
    ['w2', ['completed']],
    ['w3', ['working', 'input-required', 'completed']],
    ['w4', ['working', 'input-required', 'completed']],
  ])('of %s it is verified what its probe saw, and no card is believed', async (workerId, seen) => {
    const { trust, states } = await read<{ trust: string; states: { verified: { state: string; grade: string }[] } }>(`/v1/workers/${workerId}`)
    expect(trust).toBe('verify')
    expect(states.verified).toEqual(expect.arrayContaining(seen.map((state) => expect.objectContaining({ state, grade: 'verified' }))))
    expect(states.verified.some(({ state }) => state === 'input-required')).toBe(seen.includes('input-required'))
  })
})

describe('the loss', () => {
  test('both task ids at W1 are lost attempts of one piece of work, neither of which failed', () => {
    expect(retried.taskId).not.toBe(first.taskId)
    expect(view.attempts.slice(0, 2)).toMatchObject([
      { workerId: 'w1', taskId: first.taskId, state: 'input-required', life: 'lost' },
      { workerId: 'w1', taskId: retried.taskId, state: 'input-required', life: 'lost' },
    ])
    expect(view.divergences.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['task-id', 'media-type']))
  })

  test('it is explained by a restart of W1, and the client is not blamed', () => {
    expect(rootCause.findings[0]).toMatchObject({ cause: 'lost_on_restart', responsible: 'worker' })
    expect(rootCause.findings[0]?.because.length).toBeGreaterThan(0)
    expect(rootCause.findings.filter(({ responsible }) => responsible === 'client')).toEqual([])
  })
})

describe('the ledger decides and acts', () => {
  test('W3 is chosen, and of everybody else it is said why not', () => {
    expect(view.verdict).toMatchObject({ kind: 'redispatch', actor: 'ledger', workerId: 'w3', duplicateRisk: 'possible' })
    expect(view.verdict?.considered).toEqual([
      { workerId: 'w3', eligible: true },
      { workerId: 'w1', eligible: false, because: 'lost_it' },
      { workerId: 'w2', eligible: false, because: 'state_not_verified' },
      { workerId: 'w4', eligible: false, because: 'skill_differs' },
    ])
  })

  test('the work is sent to W3 once, as it was ordered, and then the answer of the client', async () => {
    expect(view.dispatches).toMatchObject([
      { workerId: 'w1', messageId },
      { workerId: 'w1', messageId },
      { workerId: 'w3', outcome: 'task', taskId: done.taskId },
      { workerId: 'w3', outcome: 'task', taskId: done.taskId, messageId: `${messageId}-answer` },
    ])
    expect(view.intents).toMatchObject([{ purpose: 'redispatch', workerId: 'w3', by: 'a2a-ledger', outcome: 'sent', taskId: done.taskId }])
    const sent = (await eventsOf(`correlationId=${correlationId}&type=a2a.dispatch`)).filter(({ source }) => source === 'urn:a2a-ledger:reconciler')
    const ordered = { parts: [{ text: 'Write the quarterly report.' }], metadata: { [continuityExtension]: { correlationId } } }
    expect(sent).toMatchObject([{ workerid: 'w3', data: { params: { message: ordered } } }])
  })
})

describe('the end', () => {
  test('W3 completes it under the same correlation ID, and the orchestrator knows', () => {
    expect(done).toMatchObject({ workerId: 'w3', state: 'completed' })
    expect(view).toMatchObject({ correlationId, state: 'completed', terminal: true })
    expect(view.attempts).toHaveLength(3)
    expect(view.attempts[2]).toMatchObject({ workerId: 'w3', taskId: done.taskId, state: 'completed', life: 'ended' })
  })

  test('the report of W3 is the canonical artifact, both drafts are superseded, and the text one is a violation', () => {
    expect(view.artifacts).toMatchObject([{
      key: 'report',
      divergent: true,
      canonical: { workerId: 'w3', mediaTypes: ['application/json'] },
      variants: [
        { workerId: 'w1', taskId: first.taskId, mediaTypes: ['application/json'], status: 'superseded' },
        { workerId: 'w1', taskId: retried.taskId, mediaTypes: ['text/plain'], status: 'superseded' },
      ],
    }])
    expect(view.violations.map(({ code }) => code)).toEqual(['media_type_not_advertised', 'media_type_not_negotiated'])
  })

  test('the work was not done twice, and nobody is told that it was', () => {
    const causes = rootCause.findings.map(({ cause }) => cause)
    expect(causes).not.toContain('duplicate_execution')
  })

  test('the timeline tells it in order, from the dispatch to the end', () => {
    const { entries } = timeline
    const positions = entries.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(entries[0]).toMatchObject({ type: 'a2a.dispatch', workerId: 'w1' })
    expect(entries.map(({ type }) => type)).toEqual(expect.arrayContaining(['reconciler.verdict', 'reconciler.dispatch-intent', 'reconciler.dispatch-settled']))
    expect(entries.at(-1)?.canonical.state).toBe('completed')
  })
})

test('of three replicas one is killed: over 1,000 polls no task of the other two is lost, and none is sent to W3', { timeout: 400_000 }, async () => {
  const name = 'w1-replicas'
  const replicas: Worker[] = []
  // One after the other: their task ids begin with the time of their start.
  for (const at of [1, 2, 3]) replicas.push(await start({ ...w1, name, workMs: 5 }, `${name}-${at}`))
  const balancer = await startRoundRobin(replicas.map(({ url }) => url))
  onTestFinished(() => balancer.close())
  await enrol(name, balancer.url, 3)
  const call = async (method: string, params: object, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${proxy.url}/${name}/`, { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers }, body })
    return (await response.json()) as { result?: { task?: { id: string }; status?: { state: string } }; error?: { code: number } }
  }

  const order = async (id: string) => {
    const message = { messageId: id, role: 'ROLE_USER', parts: [{ text: 'Write the quarterly report.' }] }
    const { result } = await call('SendMessage', { message, configuration: { acceptedOutputModes: ['application/json'], returnImmediately: true } }, { 'a2a-ledger-correlation-id': id })
    return { id, taskId: result!.task!.id }
  }
  const knows = async ({ url }: Worker, taskId: string) => (await fetch(`${url}/rest/tasks/${taskId}`, { headers: { 'a2a-version': '1.0' } })).ok
  // Whoever observes the worker has turns at the balancer as well, so it is looked up where each order went.
  const held = replicas.map((): Awaited<ReturnType<typeof order>>[] => [])
  for (let count = 1; held.some(({ length }) => length < 2); count += 1) {
    const sent = await order(`replica-order-${count}`)
    const known = await Promise.all(replicas.map((replica) => knows(replica, sent.taskId)))
    held[known.indexOf(true)]!.push(sent)
  }
  await replicas[1]!.kill('SIGKILL')

  const safe = [...held[0]!.slice(0, 2), ...held[2]!.slice(0, 2)]
  const answers = { found: 0, notFound: 0 }
  for (let round = 0; round < 1_000 / safe.length; round += 1) {
    for (const { result, error } of await Promise.all(safe.map(({ taskId }) => call('GetTask', { id: taskId })))) {
      if (result?.status?.state === 'TASK_STATE_INPUT_REQUIRED') answers.found += 1
      else if (error?.code === -32001) answers.notFound += 1
    }
  }
  expect(answers.found + answers.notFound).toBe(1_000)
  expect(answers.notFound).toBeGreaterThan(400)

  for (const { id, taskId } of safe) {
    const passedOn = async () => (await eventsOf(`correlationId=${id}`)).filter(isPassedOn).length
    await expect.poll(passedOn).toBe(252) // its dispatch, the answer to it, and its share of the polls
    expect(await viewOf(id)).toMatchObject({ state: 'input-required', terminal: false, attempts: [{ workerId: name, taskId, life: 'live' }], dispatches: [{ workerId: name }] })
    const entries = await timelineOf(id)
    expect(entries.filter(isPassedOn)).toHaveLength(252)
    expect(entries.filter(({ changed }) => changed.some(({ to }) => to === 'lost' || to === 'indeterminate'))).toEqual([])
    expect(entries.filter(({ type }) => type.startsWith('reconciler.'))).toEqual([])
  }
})
