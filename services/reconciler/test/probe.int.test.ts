/** Probes as an operator sees them: started, done, parked, given up; and what decisions make of them. */
import { once } from 'node:events'
import { startScriptedWorker, type Script, type ScriptedWorker } from '@a2a-ledger/probe/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { deploy, startReconciler, type Answer, type Deployment } from './deployment.ts'

let deployment: Deployment
let interrupted: Interrupted
beforeAll(async () => {
  // First: what it is about is long in coming, and the others are done meanwhile.
  interrupted = await interruptProbe()
  deployment = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', GRACE_MS: '0' })
})
afterAll(async () => {
  await interrupted?.end()
  await deployment?.end()
})

const open: ScriptedWorker[] = []
afterEach(async () => {
  for (const worker of open.splice(0)) await worker.close()
})

let count = 0
/** A worker that is there, and enrolled. */
const enrol = async (script: Script, policy: object = {}): Promise<{ workerId: string; worker: ScriptedWorker }> => {
  const worker = await startScriptedWorker(script)
  open.push(worker)
  const workerId = `probed-${(count += 1)}`
  const { status } = await deployment.put(`/v1/workers/${workerId}`, { interface: { url: worker.url }, ...policy })
  expect(status).toBe(200)
  return { workerId, worker }
}

const begin = async (workerId: string, body?: object): Promise<string> => {
  const { status, body: started } = await deployment.post(`/v1/workers/${workerId}/probes`, body)
  expect(status).toBe(202)
  return started.probeId as string
}

const probeIn = async (workerId: string, probeId: string, state: string): Promise<Answer['body']> => {
  const path = `/v1/workers/${workerId}/probes/${probeId}`
  await expect.poll(async () => (await deployment.get(path)).body.state).toBe(state)
  return (await deployment.get(path)).body
}

const viewOf = async (workerId: string): Promise<Answer['body']> => (await deployment.get(`/v1/workers/${workerId}`)).body
const statesOf = ({ states }: Answer['body']): readonly string[] => states.verified.map(({ state, grade }: { state: string; grade: string }) => `${state} ${grade}`)

interface Interrupted {
  /** The probe, as the successor tells of it. */
  readonly read: () => Promise<Answer['body']>
  readonly worker: ScriptedWorker
  readonly end: () => Promise<void>
}

/** A reconciler is killed while the worker that it probes does not answer, and another one is started. */
async function interruptProbe(): Promise<Interrupted> {
  const own = await deploy({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  const worker = await startScriptedWorker({ hangs: true })
  await own.put('/v1/workers/hanging', { interface: { url: worker.url } })
  const { body } = await own.post('/v1/workers/hanging/probes', {})
  await vi.waitFor(() => expect(worker.sent.length).toBe(1), { timeout: 60_000 })
  const gone = once(own.reconciler.child, 'exit')
  own.reconciler.child.kill('SIGKILL')
  await gone
  const successor = await startReconciler(own, { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  return {
    read: async () => (await fetch(`${successor.url}/v1/workers/hanging/probes/${body.probeId}`)).json(),
    worker,
    end: async () => {
      await successor.stop()
      await own.end()
      await worker.close()
    },
  }
}

describe('V3 a probe', () => {
  it('of an enrolled worker verifies what it did: in the answer, in the view of the worker, in the ledger', async () => {
    const { workerId } = await enrol({ isIdempotent: true, reachableStates: ['working', 'input-required', 'completed'] })
    const probeId = await begin(workerId)
    expect((await deployment.get(`/v1/workers/${workerId}/probes/${probeId}`)).status).toBe(200)
    const probe = await probeIn(workerId, probeId, 'done')
    expect(probe.steps.map(({ step, outcome }: { step: string; outcome: string }) => `${step} ${outcome}`)).toEqual([
      'card ok', 'unknown-task ok', 'send ok', 'rest ok', 'fresh-client ok', 'other-binding ok', 'subscribe ok', 'same-message ok', 'answer ok', 'end ok',
      'push skipped', 'retention ok', 'park skipped', 'parked skipped', 'after-restart skipped', 'clean-up skipped',
    ])
    expect(probe.measured).toMatchObject({ survivesRestart: 'unknown', idempotentMessageId: true, notFoundHonest: true, streamReplay: true, pushArrives: 'unknown' })
    const view = await viewOf(workerId)
    expect(statesOf(view)).toEqual(['working verified', 'input-required verified', 'completed verified'])
    expect(view.mediaTypes.verified).toMatchObject([{ mediaType: 'text/plain', grade: 'verified', at: expect.any(String), expiresAt: expect.any(String) }])
    expect(view.conditions).toMatchObject({ C1: { status: 'unknown' }, C2: { status: 'holds' }, C3: { status: 'holds' }, C4: { status: 'holds' } })
    expect(view.states.observed).toEqual([])
    const steps = await deployment.eventsOf(`type=reconciler.probe-step&workerId=${workerId}&limit=100`)
    expect(steps.map(({ correlationId }) => correlationId)).toEqual(steps.map(() => `~${workerId}`))
    for (const { position } of probe.steps) expect(steps.map((event) => event['position'])).toContain(position)
  })

  it('leaves its canary to be seen, as one, and in no list of work', async () => {
    const { workerId } = await enrol({})
    const probeId = await begin(workerId)
    await probeIn(workerId, probeId, 'done')
    const correlationId = `urn:a2a-ledger:canary:${probeId}`
    const position = Number((await deployment.eventsOf(`correlationId=${encodeURIComponent(correlationId)}&limit=100`)).at(-1)?.['position'])
    const { body } = await deployment.get(`/v1/tasks/${encodeURIComponent(correlationId)}?atLeast=${position}`)
    expect(body).toMatchObject({ canary: true, dispatches: [{ workerId, outcome: 'task' }, { workerId }, { workerId }] })
    const ids = async (query: string) => (await deployment.get(`/v1/tasks?workerId=${workerId}&atLeast=${position}${query}`)).body.tasks.map((task: { correlationId: string }) => task.correlationId)
    expect(await ids('')).toEqual([])
    expect(await ids('&canary=true')).toEqual([correlationId])
  })

  it('brings along the headers that were enrolled', async () => {
    const worker = await startScriptedWorker({ isIdempotent: true })
    open.push(worker)
    await deployment.put('/v1/workers/guarded', { interface: { url: worker.url, headers: { authorization: 'Bearer s' } } })
    await probeIn('guarded', await begin('guarded'), 'done')
    expect(worker.headers()).toMatchObject({ authorization: 'Bearer s' })
  })

  it('that is parked asks again once a restart is known: durable, or refuted', async () => {
    for (const [isDurable, c1, grade] of [[true, 'holds', 'durable'], [false, 'refuted', 'verified']] as const) {
      const { workerId, worker } = await enrol({ isDurable })
      const probeId = await begin(workerId, { park: true })
      await probeIn(workerId, probeId, 'parked')
      worker.restart()
      await deployment.record([{ type: 'a2a.worker-restarted', workerid: workerId, data: {} }])
      const probe = await probeIn(workerId, probeId, 'done')
      expect(probe.measured.survivesRestart).toBe(isDurable)
      const view = await viewOf(workerId)
      expect(statesOf(view)).toContain(`input-required ${grade}`)
      expect(view.conditions.C1.status).toBe(c1)
    }
  })

  it('counts until the card changes in what matters, and not when only its address does', async () => {
    const { workerId, worker } = await enrol({})
    await probeIn(workerId, await begin(workerId), 'done')
    const card = (await (await fetch(`${worker.url}/.well-known/agent-card.json`)).json()) as { supportedInterfaces: object[]; skills: object[] }
    const show = async (shown: object): Promise<readonly string[]> => {
      const position = await deployment.record([{ type: 'a2a.agent-card', workerid: workerId, operation: 'GetAgentCard', data: shown }])
      return statesOf((await deployment.get(`/v1/workers/${workerId}?atLeast=${position}`)).body)
    }
    expect(await show({ ...card, supportedInterfaces: [{ url: 'https://elsewhere.test/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] })).toHaveLength(4)
    expect(await show({ ...card, description: 'Does something else now.' })).toEqual([])
  })

  it('is done by itself as often as the enrolment says, each time once, whoever else cannot be probed', async () => {
    for (const workerId of ['nowhere-1', 'nowhere-2', 'nowhere-3', 'nowhere-4']) {
      await deployment.put(`/v1/workers/${workerId}`, { probe: { enabled: true, everyMs: 1_000 } })
    }
    const { workerId } = await enrol({ isIdempotent: true }, { probe: { enabled: true, everyMs: 1_000, message: 'Test yourself' } })
    const planned = async () => (await deployment.eventsOf(`type=reconciler.probe-step&workerId=${workerId}&limit=1000`)).filter(({ data }) => (data as { phase: string }).phase === 'planned')
    await expect.poll(async () => (await planned()).length).toBeGreaterThanOrEqual(2)
    await deployment.put(`/v1/workers/${workerId}`, { probe: { enabled: false } })
    const ids = (await planned()).map(({ data }) => (data as { probeId: string }).probeId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const probeId of ids) await probeIn(workerId, probeId, 'done')
  })
})

describe('V7 a task that was lost', () => {
  it('goes to the worker that a probe saw in its state, and to none that only says so', async () => {
    const mesh = 'probed-mesh'
    const { workerId: w1 } = await enrol({}, { mesh })
    const { workerId: w2 } = await enrol({ asks: false }, { mesh })
    const { workerId: w3 } = await enrol({}, { mesh })
    for (const workerId of [w1, w2, w3]) await probeIn(workerId, await begin(workerId), 'done')
    const correlationid = 'order-probed'
    const position = await deployment.record([
      { type: 'a2a.dispatch', workerid: w1, operation: 'SendMessage', correlationid, data: { message: { role: 'ROLE_USER', messageId: 'm-p', parts: [{ text: 'Make it' }] }, configuration: { acceptedOutputModes: ['text/plain'] } } },
      { type: 'a2a.response', workerid: w1, operation: 'SendMessage', correlationid, data: { jsonrpc: '2.0', id: 1, result: { task: { id: 't-p', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED' } } } } },
      { type: 'a2a.response', workerid: w1, operation: 'GetTask', taskid: 't-p', data: { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } } },
    ])
    const path = `/v1/tasks/${correlationid}?atLeast=${position}`
    await expect.poll(async () => (await deployment.get(path)).body.verdict?.position).toBeDefined()
    expect((await deployment.get(path)).body.verdict).toMatchObject({
      kind: 'redispatch',
      workerId: w3,
      considered: [{ workerId: w3, eligible: true }, { workerId: w1, eligible: false, because: 'lost_it' }, { workerId: w2, eligible: false, because: 'state_not_verified' }],
    })
  })
})

describe('what cannot be probed', () => {
  it.each([
    ['a worker that nobody knows', async () => 'nobody', undefined, 404, 'worker_not_found'],
    ['a worker without an address', async () => (await deployment.put('/v1/workers/homeless', { owner: 'x' }), 'homeless'), undefined, 404, 'worker_not_enrolled'],
    ['a worker that must not be', async () => (await enrol({}, { probe: { enabled: false } })).workerId, undefined, 409, 'probe_disabled'],
    ['a misspelt wish', async () => (await enrol({})).workerId, { parks: true }, 400, 'parameter_invalid'],
  ])('%s', async (_fact, named, body, status, code) => {
    const answer = await deployment.post(`/v1/workers/${await named()}/probes`, body ?? {})
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
  })

  it('a probe that never was is probe_not_found', async () => {
    const { workerId } = await enrol({})
    expect((await deployment.get(`/v1/workers/${workerId}/probes/p-0`)).body.code).toBe('probe_not_found')
  })

  it('a worker at an address that must not be called: the probe is abandoned and says why', async () => {
    await deployment.put('/v1/workers/inside', { interface: { url: 'http://10.0.0.1/' } })
    const probe = await probeIn('inside', await begin('inside'), 'abandoned')
    expect(probe.because).toContain('10.0.0.1 is not called')
  })
})

describe('a reconciler that is killed', () => {
  it('in the middle of a send leaves the probe to its successor, which gives it up for all to see and sends nothing again', async () => {
    const { read, worker } = interrupted
    // The step of the one that died is let be for as long as it may have taken.
    await expect.poll(async () => (await read()).state).toBe('abandoned')
    const probe = await read()
    expect(probe.because).toBe('send was interrupted')
    expect(probe.steps.map(({ step, outcome }: { step: string; outcome: string }) => `${step} ${outcome}`).slice(0, 4)).toEqual(['card ok', 'unknown-task ok', 'send failed', 'rest skipped'])
    expect(worker.sent.length).toBe(1)
  })
})

describe('V3 where workers can push to the ledger, a probe', () => {
  let receiving: Deployment
  beforeAll(async () => {
    receiving = await deploy((ledgerUrl) => ({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', PUSH_RECEIVER_URL: `${ledgerUrl}/v1/push/` }))
  })
  afterAll(() => receiving?.end())

  it.each([
    ['sees them come', {}, true],
    ['sees that none comes', { dropsPushes: true }, false],
  ])('%s, shows its token, and says it', async (_what, script: Script, arrives) => {
    const worker = await startScriptedWorker(script)
    open.push(worker)
    const workerId = `pushed-${String(arrives)}`
    await receiving.put(`/v1/workers/${workerId}`, { interface: { url: worker.url } })
    const { body } = await receiving.post(`/v1/workers/${workerId}/probes`, {})
    const path = `/v1/workers/${workerId}/probes/${body.probeId as string}`
    await expect.poll(async () => (await receiving.get(path)).body.state).toBe('done')
    expect((await receiving.get(path)).body.measured.pushArrives).toBe(arrives)
    expect((await receiving.get(`/v1/workers/${workerId}`)).body.measured.pushArrives).toBe(arrives)
    const pushes = await receiving.eventsOf(`workerId=${workerId}&type=a2a.stream-response`)
    const came = pushes.filter(({ operation }) => operation === 'Push')
    expect(came.length > 0).toBe(arrives)
    expect(came.map(({ correlationId }) => correlationId)).toEqual(came.map(() => `urn:a2a-ledger:canary:${body.probeId as string}`))
  })
})

describe('V3 how long an ended task stays readable', () => {
  it('is measured where it is asked for, as long as it takes to see it go', async () => {
    const { workerId } = await enrol({ retentionMs: 1_500 })
    const probe = await probeIn(workerId, await begin(workerId, { retentionSeconds: 30 }), 'done')
    expect(probe.measured.retentionSeconds).toBeTypeOf('number')
    expect(probe.steps.find(({ step }: { step: string }) => step === 'retention')).toMatchObject({ outcome: 'ok', detail: expect.stringContaining('gone after') })
  })

  it('is unknown where it outlives the question, and the step says so', async () => {
    const { workerId } = await enrol({}, { probe: { enabled: true, retentionSeconds: 1 } })
    const probe = await probeIn(workerId, await begin(workerId), 'done')
    expect(probe.measured.retentionSeconds).toBe('unknown')
    expect(probe.steps.find(({ step }: { step: string }) => step === 'retention')).toMatchObject({ outcome: 'ok', detail: expect.stringMatching(/^still completed after/) })
  })
})
