/**
 * A process that acts is killed at every one of its calls to the outside, before it is made and after, and
 * another one takes over: no decision is lost, and nothing is sent twice to a worker that knows messages
 * again, nor blindly to one that does not.
 *
 * The points are counted and not timed: every port is wrapped, its calls are numbered, and from the nth on
 * the process is dead.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SendAddress } from '@a2a-ledger/domain'
import { cancelLoser } from '../src/app/cancel-loser.ts'
import { claimDecision } from '../src/app/claim-decision.ts'
import { executeRedispatch, type ActPorts, type SendOutcome } from '../src/app/execute-redispatch.ts'
import { maySend } from '../src/app/may-send.ts'
import type { FactStore, LedgerClient, WitnessedEvent } from '../src/app/ports.ts'
import { readTask } from '../src/app/read-task.ts'
import { settleDecision } from '../src/app/settle-decision.ts'
import { settle } from '../src/app/settle-tasks.ts'
import { card, claiming } from './deployment.ts'
import { createDecidingLedger, type DecidingLedger } from './ledger-double.ts'
import { appendEvents, enrolled, inTurn, type TestEvent } from './ledger-tables.ts'
import { openTestStore, silentLog, testFold, type TestStore } from './open-test-store.ts'

let it: TestStore
let deciding: DecidingLedger
let append: (events: readonly TestEvent[]) => Promise<number>
beforeAll(async () => {
  it = await openTestStore()
  append = inTurn((events: readonly TestEvent[]) => appendEvents(it.admin, events))
  deciding = createDecidingLedger(it.admin, append)
})
afterAll(() => it?.end())

const fold = { ...testFold, settings: { ...testFold.settings, graceMs: 0 } }

interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
}

class Killed extends Error {}

/** Numbers the calls of all ports of one process; from the fatal one on none is answered. */
function createLife(kill: Kill | undefined) {
  const calls: string[] = []
  let isDead = false
  const wrap =
    <Values extends readonly unknown[], Result>(name: string, call: (...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      if (isDead) throw new Killed(name)
      calls.push(name)
      const isFatal = calls.length === kill?.at
      isDead = isFatal
      if (isFatal && kill.when === 'before') throw new Killed(name)
      const result = await call(...values)
      if (isFatal) throw new Killed(name)
      return result
    }
  return { calls, wrap }
}

interface Worker {
  /** The task that it began or knows; nothing where it refuses. */
  readonly send: (messageId: string) => string | undefined
  readonly begun: readonly string[]
  readonly receivedCount: () => number
  readonly cancel: (taskId: string) => void
  readonly canceled: readonly string[]
  /** Why our own rules do not let a call to that address out: told before, and of the call itself. */
  readonly refusal?: (address: SendAddress, at: 'before' | 'call') => string | undefined
}

/** Begins a task a message; where it knows messages again, one a message id. */
function createWorker(isKnowing: boolean): Worker {
  const tasks = new Map<string, string>()
  const begun: string[] = []
  const canceled: string[] = []
  let received = 0
  return {
    begun,
    canceled,
    cancel: (taskId) => void canceled.push(taskId),
    receivedCount: () => received,
    send: (messageId) => {
      received += 1
      const known = isKnowing ? tasks.get(messageId) : undefined
      if (known !== undefined) return known
      const taskId = `t-${begun.length + 1}`
      begun.push(taskId)
      tasks.set(messageId, taskId)
      return taskId
    },
  }
}

const recordedIds = new Set<string>()

/** What a process of the reconciler works with; its calls are numbered by its life. */
function portsOf(worker: Worker, kill?: Kill) {
  const { calls, wrap } = createLife(kill)
  const client = deciding.clientOf('test')
  const ledger: LedgerClient = { ...client, append: wrap('ledger.append', client.append) }
  const observeAll = async (events: readonly WitnessedEvent[]) => {
    const fresh = events.filter(({ attributes }) => !recordedIds.has(attributes.id))
    for (const { attributes } of fresh) recordedIds.add(attributes.id)
    const position = await append(fresh.map(({ attributes, bytes }) => ({ ...attributes, correlationId: attributes.correlationid ?? '', data: new TextDecoder().decode(bytes) })))
    return events.map(() => ({ outcome: 'recorded' as const, position, correlationId: '' }))
  }
  const send = async (address: SendAddress, { request, messageId }: { readonly request: string; readonly messageId: string }): Promise<SendOutcome> => {
    const because = worker.refusal?.(address, 'call')
    if (because !== undefined) return { outcome: 'not-called', because }
    const body = new TextEncoder().encode(request)
    const id = worker.send(messageId)
    const outcome = id === undefined ? { error: { code: -32602, message: 'no' } } : { result: { task: { id, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } }
    const answer = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome }))
    return { outcome: 'answered', status: 200, contentType: 'application/json', answer, body, startedAtMs: Date.now(), endedAtMs: Date.now() }
  }
  const cancel = async (address: SendAddress, { taskId }: { readonly taskId: string }): Promise<SendOutcome> => {
    const because = worker.refusal?.(address, 'call')
    if (because !== undefined) return { outcome: 'not-called', because }
    worker.cancel(taskId)
    const answer = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { id: taskId, contextId: 'c', status: { state: 'TASK_STATE_CANCELED' } } }))
    return { outcome: 'answered', status: 200, contentType: 'application/json', answer, body: new Uint8Array(), startedAtMs: Date.now(), endedAtMs: Date.now() }
  }
  const refusal = async (address: SendAddress) => worker.refusal?.(address, 'before')
  const { store, feed } = it
  const wrapped: FactStore = {
    ...store,
    tasks: wrap('store.tasks', store.tasks),
    taskOfDecision: wrap('store.taskOfDecision', store.taskOfDecision),
    mesh: wrap('store.mesh', store.mesh),
    meshLoad: wrap('store.meshLoad', store.meshLoad),
    candidates: wrap('store.candidates', store.candidates),
    takePermit: wrap('store.takePermit', store.takePermit),
    worker: wrap('store.worker', store.worker),
    secretHeaders: wrap('store.secretHeaders', store.secretHeaders),
    saveSettled: wrap('store.saveSettled', store.saveSettled),
  }
  const ports: ActPorts & { readonly store: FactStore } = {
    feed: { head: wrap('feed.head', feed.head), at: wrap('feed.at', feed.at) },
    store: wrapped,
    // Others apply the feed, and go on when this process is dead.
    applied: { advanceTo: () => undefined, reaches: wrap('applied.reaches', async () => it.applyAll().then(() => true)) },
    ledger,
    witness: { observeAll: wrap('witness.observeAll', observeAll) },
    sender: { send: wrap('sender.send', send), cancel: wrap('sender.cancel', cancel), refusal: wrap('sender.refusal', refusal) },
    seal: wrap('seal', async (content: string) => fold.codec.sha256Hex(`sealed ${content}`).slice(0, 32)),
    fold,
    intentTtlMs: 1, // whoever takes over does not have to wait
  }
  return { calls, ports }
}

let runCount = 0

/** The card of a worker that has no address that the ledger speaks to is one of gRPC alone. */
const offering = (event: TestEvent, url: string | undefined): TestEvent =>
  url !== undefined ? event : { ...event, data: { ...(event.data as object), supportedInterfaces: [{ url: 'https://worker.example', protocolBinding: 'GRPC', protocolVersion: '1.0' }] } }

/** Lost work in a mesh of its own, where the ledger acts, and workers that can take it over. */
async function lose(isKnowing: boolean, mode: 'advise' | 'auto', heirCount = 1, urlOf: (heir: number) => string | undefined = () => 'https://worker.example'): Promise<string> {
  runCount += 1
  const name = `run-${runCount}`
const loser = `${name}-w1`
  const heirs = Array.from({ length: heirCount }, (_, n) => `${name}-w${n + 2}`)
  const cardOf = (workerId: string, claims: object): TestEvent => ({
    ...claiming(card(workerId, ['text/plain'], ['working', 'completed']), claims),
    correlationId: `~${workerId}`,
  })
  const common = { correlationId: name, correlationid: name, workerid: loser }
  await append([
    { type: 'reconciler.mesh-policy', correlationId: '~', data: { mesh: name, redispatch: mode } },
    enrolled(loser, { mesh: name, replicas: 1 }),
    ...heirs.map((heir, n) => enrolled(heir, { mesh: name, trust: 'card', ...(urlOf(n) !== undefined && { interface: { url: urlOf(n) } }) })),
    cardOf(loser, {}),
    ...heirs.map((heir, n) => offering(cardOf(heir, isKnowing ? { idempotency: { key: 'messageId' } } : {}), urlOf(n))),
    { ...common, type: 'a2a.dispatch', operation: 'SendMessage', data: { message: { role: 'ROLE_USER', messageId: `${name}-m`, parts: [{ text: 'work' }] } } },
    { ...common, type: 'a2a.response', operation: 'SendMessage', data: { result: { task: { id: `${name}-t`, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } } },
    { ...common, type: 'a2a.error', operation: 'GetTask', taskid: `${name}-t`, data: { code: -32001, message: 'Task not found' } },
  ])
  await it.applyAll()
  return name
}

/** What a process does about one task: decides it, and acts on the decision. */
async function work({ ports }: ReturnType<typeof portsOf>, name: string): Promise<void> {
  const head = await ports.feed.head()
  await ports.applied.reaches(head, 0)
  await settle({ ...ports, log: silentLog }, [name], head)
  await executeRedispatch(ports, name)
}

/** Dies as it was told to, or does not. */
const orKilled = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error
  })
}

const typesOf = async (name: string): Promise<readonly string[]> => {
  const { rows } = await it.admin.query<{ type: string }>('SELECT event_type AS type FROM ledger.events WHERE correlation_id = $1 ORDER BY position', [name])
  return rows.map(({ type }) => type).slice(3)
}

const viewOf = async (name: string) => {
  await it.applyAll()
  const reading = await readTask({ feed: it.feed, store: it.store, fold, sender: { refusal: async () => undefined } }, name)
  if (reading.outcome !== 'found') throw new Error(`${name} is ${reading.outcome}`)
  return reading.content
}

const whens = ['before', 'after'] as const

describe.each([
  ['knows messages again', true],
  ['knows nothing again', false],
])('a re-dispatch to a worker that %s', (_what, isKnowing) => {
  test('killed at every call, is made once, and no decision is lost', async () => {
    const untouched = portsOf(createWorker(isKnowing))
    const first = await lose(isKnowing, 'auto')
    await work(untouched, first)
    const whole = ['reconciler.verdict', 'reconciler.dispatch-intent', 'a2a.dispatch', 'a2a.response', 'reconciler.dispatch-settled']
    expect(await typesOf(first)).toEqual(whole)
    expect(untouched.calls).toContain('store.secretHeaders')
    const intentAt = untouched.calls.indexOf('ledger.append', untouched.calls.indexOf('ledger.append') + 1) + 1
    const toldAt = untouched.calls.indexOf('witness.observeAll') + 1
    expect(untouched.calls.slice(intentAt, toldAt), 'between the intent and the call nothing can fail').toEqual(['sender.send', 'witness.observeAll'])
    /** From the intent to the account of the call: whoever dies there leaves a send of which nobody knows. */
    const isUnknowable = ({ at, when }: Kill): boolean => (when === 'before' ? at > intentAt && at <= toldAt : at >= intentAt && at < toldAt)

    for (const when of whens) {
      for (let at = 1; at <= untouched.calls.length; at += 1) {
        const worker = createWorker(isKnowing)
        const name = await lose(isKnowing, 'auto')
        const doomed = portsOf(worker, { at, when })
        await orKilled(work(doomed, name))
        const told = `killed ${when} call ${at}, ${doomed.calls.at(-1)}`
        expect(doomed.calls.length, told).toBe(at)
        for (let round = 0; round < 2; round += 1) await work(portsOf(worker), name)

        const view = await viewOf(name)
        expect((await typesOf(name)).filter((type) => type === 'reconciler.verdict'), told).toHaveLength(1)
        expect(worker.begun.length, told).toBeLessThanOrEqual(1)
        const isLeft = view.verdict?.held === 'outcome-unknown'
        if (!isLeft) {
          expect({ state: view.state, begun: worker.begun.length }, told).toEqual({ state: 'working', begun: 1 })
          expect(view.intents?.at(-1), told).toMatchObject({ outcome: 'sent', taskId: 't-1' })
        }
        expect(worker.receivedCount(), told).toBeLessThanOrEqual(isKnowing ? 2 : 1)
        expect(isLeft, told).toBe(!isKnowing && isUnknowable({ at, when }))
        if (isLeft) {
          expect(view, told).toMatchObject({ state: 'indeterminate', intents: [{ outcome: 'lapsed', actor: 'ledger' }] })
          const claim = await claimDecision(portsOf(worker).ports, view.verdict?.decisionId ?? '', { by: 'a person' })
          expect(claim, told).toMatchObject({ duplicateRisk: 'likely', previous: { by: 'a2a-ledger', outcome: 'unknown' } })
        }
      }
    }
  }, 1_800_000)
})

describe('a re-dispatch that its worker refuses', () => {
  const refusing = (): Worker & { readonly refusedCount: () => number } => {
    const worker = createWorker(false)
    const refused = new Set<string>()
    let count = 0
    return {
      ...worker,
      refusedCount: () => count,
      send: (messageId) => {
        if (refused.size > 0 && !refused.has(messageId)) return worker.send(messageId)
        refused.add(messageId)
        count += 1
        return undefined
      },
    }
  }

  test('killed at every call, goes to the next one, and nobody gets it twice', async () => {
    const run = async (doomed: ReturnType<typeof portsOf>, name: string): Promise<void> => {
      for (let round = 0; round < 2; round += 1) await work(doomed, name)
    }
    const untouched = portsOf(refusing())
    const first = await lose(false, 'auto', 2)
    await run(untouched, first)
    const once = ['reconciler.verdict', 'reconciler.dispatch-intent', 'a2a.dispatch']
    expect(await typesOf(first)).toEqual([...once, 'a2a.error', 'reconciler.dispatch-settled', ...once, 'a2a.response', 'reconciler.dispatch-settled'])

    for (const when of whens) {
      for (let at = 1; at <= untouched.calls.length; at += 1) {
        const worker = refusing()
        const name = await lose(false, 'auto', 2)
        const doomed = portsOf(worker, { at, when })
        await orKilled(run(doomed, name))
        const told = `killed ${when} call ${at}, ${doomed.calls.at(-1)}`
        for (let round = 0; round < 3; round += 1) await work(portsOf(worker), name)
        const view = await viewOf(name)
        expect(worker.refusedCount(), told).toBeLessThanOrEqual(1)
        expect(worker.receivedCount(), told).toBeLessThanOrEqual(1)
        const isLeft = view.verdict?.held === 'outcome-unknown'
        expect(isLeft || view.state === 'working', `${told}: ${view.state} ${view.verdict?.held}`).toBe(true)
        expect((await typesOf(name)).filter((type) => type === 'reconciler.verdict').length, told).toBeLessThanOrEqual(2)
      }
    }
  }, 1_800_000)
})

describe.each<[string, boolean, (heir: number) => string | undefined, Worker['refusal'], string]>([
  ['has no address', false, (heir) => (heir === 0 ? undefined : 'https://worker.example'), undefined, 'no_address'],
  ['has one that our own rules refuse when it is called', true, (heir) => `https://worker-${heir}.example`, ({ url }, at) => (at === 'call' && url.includes('worker-0') ? 'our rules' : undefined), 'not_called'],
])('a re-dispatch of which the first candidate %s', (_what, isLate, urlOf, refusal, because) => {
  const refusing = (): Worker => ({ ...createWorker(false), ...(refusal !== undefined && { refusal }) })

  test('killed at every call, goes to the second one, once', async () => {
    const run = async (doomed: ReturnType<typeof portsOf>, name: string): Promise<void> => {
      for (let round = 0; round < (isLate ? 2 : 1); round += 1) await work(doomed, name)
    }
    const untouched = portsOf(refusing())
    const first = await lose(false, 'auto', 2, urlOf)
    await run(untouched, first)
    const sent = ['reconciler.verdict', 'reconciler.dispatch-intent', 'a2a.dispatch', 'a2a.response', 'reconciler.dispatch-settled']
    expect(await typesOf(first)).toEqual([...(isLate ? ['reconciler.verdict', 'reconciler.dispatch-intent', 'reconciler.dispatch-settled'] : []), ...sent])
    const view = await viewOf(first)
    expect(view).toMatchObject({ state: 'working', verdict: { workerId: `${first}-w3`, considered: expect.arrayContaining([{ workerId: `${first}-w2`, eligible: false, because }]) } })
    expect(view.dispatches.map(({ workerId }) => workerId), 'nothing is told of who was not called').toEqual([`${first}-w1`, `${first}-w3`])
    if (isLate) expect(view.intents?.[0]).toMatchObject({ workerId: `${first}-w2`, outcome: 'not-sent', because: 'our rules' })

    for (const when of whens) {
      for (let at = 1; at <= untouched.calls.length; at += 1) {
        const worker = refusing()
        const name = await lose(false, 'auto', 2, urlOf)
        const doomed = portsOf(worker, { at, when })
        await orKilled(run(doomed, name))
        const told = `killed ${when} call ${at}, ${doomed.calls.at(-1)}`
        for (let round = 0; round < 3; round += 1) await work(portsOf(worker), name)
        const after = await viewOf(name)
        expect(worker.receivedCount(), told).toBeLessThanOrEqual(1)
        const isLeft = after.verdict?.held === 'outcome-unknown'
        expect(isLeft || after.state === 'working', `${told}: ${after.state} ${after.verdict?.held}`).toBe(true)
        expect((await typesOf(name)).filter((type) => type === 'reconciler.verdict').length, told).toBe(isLate && !(isLeft && after.verdict?.workerId === `${name}-w2`) ? 2 : 1)
      }
    }
  }, 1_800_000)
})

/** The re-dispatch is taken, and the lost task is back. */
async function comeBack(worker: Worker): Promise<string> {
  const name = await lose(false, 'auto')
  await append([
    { type: 'reconciler.mesh-policy', correlationId: '~', data: { mesh: name, redispatch: 'auto', cancelLoser: true } },
    enrolled(`${name}-w1`, { mesh: name, replicas: 1, interface: { url: 'https://old.example' } }),
  ])
  await work(portsOf(worker), name)
  await append([{ type: 'a2a.response', operation: 'GetTask', correlationId: name, correlationid: name, workerid: `${name}-w1`, taskid: `${name}-t`, data: { result: { id: `${name}-t`, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } }])
  await it.applyAll()
  return name
}

describe('an attempt that lost against a re-dispatch', () => {
  const isOffered = async ({ ports }: ReturnType<typeof portsOf>, name: string): Promise<boolean> => {
    const offered: string[] = []
    await settle({ ...ports, log: silentLog, actor: { offer: (id) => void offered.push(id) } }, [name], await ports.feed.head())
    return offered.includes(name)
  }

  test('killed at every call, is canceled once or not at all, and never the one that counts', async () => {
    const worker = createWorker(false)
    const first = await comeBack(worker)
    const untouched = portsOf(worker)
    expect(await isOffered(portsOf(worker), first)).toBe(true)
    await cancelLoser(untouched.ports, first)
    expect((await typesOf(first)).slice(-3)).toEqual(['reconciler.cancel', 'a2a.response', 'reconciler.cancel'])
    expect(worker.canceled).toEqual([`${first}-t`])
    const callAt = untouched.calls.indexOf('sender.cancel') + 1
    const intentAt = untouched.calls.indexOf('ledger.append') + 1
    const settledAt = untouched.calls.lastIndexOf('ledger.append') + 1

    for (const when of whens) {
      for (let at = 1; at <= untouched.calls.length; at += 1) {
        const other = createWorker(false)
        const name = await comeBack(other)
        const doomed = portsOf(other, { at, when })
        await orKilled(cancelLoser(doomed.ports, name))
        const told = `killed ${when} call ${at}, ${doomed.calls.at(-1)}`
        for (let round = 0; round < 2; round += 1) await cancelLoser(portsOf(other).ports, name)
        expect(await isOffered(portsOf(other), name), told).toBe(false)
        const isLeft = when === 'before' ? at > intentAt && at <= callAt : at >= intentAt && at < callAt
        expect(other.canceled, told).toEqual(isLeft ? [] : [`${name}-t`])
        const view = await viewOf(name)
        const isTold = when === 'before' ? at <= intentAt || at > settledAt : at < intentAt || at >= settledAt
        expect(view.cancels, told).toMatchObject([{ workerId: `${name}-w1`, outcome: isTold ? 'canceled' : 'lapsed' }])
        expect(view, told).toMatchObject({ state: 'working', attempts: [{}, { workerId: `${name}-w2`, state: 'working', life: 'live' }] })
      }
    }
  }, 1_800_000)
})

describe('an attempt that lost, at an address that our own rules refuse', () => {
  const told = async (worker: Worker, name: string) => {
    const outcome = await cancelLoser(portsOf(worker).ports, name)
    const { cancels, attempts } = await viewOf(name)
    return { outcome, cancels, lives: attempts.map(({ life }) => life), types: (await typesOf(name)).slice(-2) }
  }

  test('is not canceled, and nothing is recorded of that, so that it is when it may be', async () => {
    let isRefused = true
    const worker: Worker = { ...createWorker(false), refusal: ({ url }) => (isRefused && url.includes('old') ? 'our rules' : undefined) }
    const name = await comeBack(worker)
    const held = await told(worker, name)
    expect(held).toMatchObject({ outcome: { outcome: 'held', because: 'not-called', detail: 'our rules' }, lives: ['live', 'live'] })
    expect(held.cancels).toBeUndefined()
    isRefused = false
    expect((await told(worker, name)).cancels).toMatchObject([{ outcome: 'canceled' }])
    expect(worker.canceled).toEqual([`${name}-t`])
  })

  test('refused when it is called, is told as not sent, and nobody blames its worker', async () => {
    const worker: Worker = { ...createWorker(false), refusal: ({ url }, at) => (at === 'call' && url.includes('old') ? 'our rules' : undefined) }
    const name = await comeBack(worker)
    const over = await told(worker, name)
    expect(over).toMatchObject({
      outcome: { outcome: 'not-sent' }, lives: ['live', 'live'],
      cancels: [{ workerId: `${name}-w1`, outcome: 'not-sent', because: 'our rules' }], types: ['reconciler.cancel', 'reconciler.cancel'],
    })
    expect(worker.canceled).toEqual([])
  })
})

describe('an orchestrator whose call is cut at every call behind it', () => {
  /** A decided re-dispatch that is left to its caller. */
  async function decided(): Promise<string> {
    const name = await lose(false, 'advise')
    const { ports } = portsOf(createWorker(false))
    const head = await ports.feed.head()
    await settle({ ...ports, log: silentLog }, [name], head)
    const { verdict } = await viewOf(name)
    return verdict?.decisionId ?? ''
  }
  const cut = async (call: (ports: ReturnType<typeof portsOf>['ports']) => Promise<unknown>, prepare: () => Promise<void>, check: (told: string) => Promise<void>): Promise<void> => {
    await prepare()
    const untouched = portsOf(createWorker(false))
    await call(untouched.ports)
    await check('not cut')
    for (const when of whens) {
      for (let at = 1; at <= untouched.calls.length; at += 1) {
        await prepare()
        const doomed = portsOf(createWorker(false), { at, when })
        await orKilled(call(doomed.ports))
        await call(portsOf(createWorker(false)).ports)
        await check(`cut ${when} call ${at}, ${doomed.calls.at(-1)}`)
      }
    }
  }

  test('claims with its name and gets the same lease again', async () => {
    let decisionId = ''
    let claims: unknown[] = []
    await cut(
      async (ports) => void claims.push(await claimDecision(ports, decisionId, { by: 'o1' })),
      async () => {
        claims = []
        decisionId = await decided()
      },
      async (told) => {
        const again = await claimDecision(portsOf(createWorker(false)).ports, decisionId, { by: 'o1' })
        for (const claim of claims) expect(claim, told).toEqual(again)
        expect(again, told).toMatchObject({ duplicateRisk: 'possible' })
        expect(again, told).not.toHaveProperty('previous')
        await expect(claimDecision(portsOf(createWorker(false)).ports, decisionId, { by: 'o2' }), told).rejects.toMatchObject({ code: 'claim_held' })
      },
    )
  }, 1_800_000)

  test('settles, and it is settled once', async () => {
    let decisionId = ''
    let lease = ''
    await cut(
      (ports) => settleDecision(ports, decisionId, { lease, outcome: 'sent', taskId: 't-9' }),
      async () => {
        decisionId = await decided()
        lease = (await claimDecision(portsOf(createWorker(false)).ports, decisionId, { by: 'o1' })).lease
      },
      async (told) => {
        const name = `run-${runCount}`
        expect((await typesOf(name)).filter((type) => type === 'reconciler.dispatch-settled'), told).toHaveLength(1)
        expect((await viewOf(name)).intents, told).toMatchObject([{ outcome: 'sent', taskId: 't-9' }])
      },
    )
  }, 1_800_000)

  test('asks before it sends, and is told to go once', async () => {
    let name = ''
    let askCount = 0
    await cut(
      (ports) => maySend(ports, name, { workerId: 'ask-w', messageId: 'ask-m', by: 'o1' }),
      async () => {
        askCount += 1
        name = `ask-${askCount}`
      },
      async (told) => {
        const { ports } = portsOf(createWorker(false))
        expect(await maySend(ports, name, { workerId: 'ask-w', messageId: 'ask-m', by: 'o1' }), told).toMatchObject({ answer: 'go', duplicateRisk: 'none' })
        expect(await maySend(ports, name, { workerId: 'ask-w', messageId: 'ask-m', by: 'o2' }), told).toMatchObject({ answer: 'wait', by: 'o1' })
        expect((await viewOf(name)).intents, told).toHaveLength(1)
      },
    )
  }, 1_800_000)
})
