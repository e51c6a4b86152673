/** Asking before sending: replicas that race and crash, at two reconcilers on one ledger. */
import { setTimeout as delay } from 'node:timers/promises'
import { seededRandom, type ServiceProcess } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, at, card, deploy, type Deployment, dispatch, knowingMessages, notFound, polled, postAt, problem, startReconciler } from './deployment.ts'

let it: Deployment
let second: ServiceProcess
beforeAll(async () => {
  it = await deploy()
  second = await startReconciler(it)
})
afterAll(async () => {
  await second?.stop()
  await it?.end()
})

const pathOf = (correlationId: string): string => `/v1/tasks/${encodeURIComponent(correlationId)}/may-send`
const ask = (correlationId: string, body: object = {}) => it.post(pathOf(correlationId), { workerId: `${correlationId}-w`, messageId: `${correlationId}-m`, ...body })
const settle = (decisionId: string, body: unknown) => it.post(`/v1/decisions/${decisionId}/settle`, body)

describe('asking before a send', () => {
  test('is answered go once, durably, and settled like a claim', async () => {
    const first = await ask('first', { by: 'o1', ttlMs: 600_000, contentDigest: 'sha256:abc' })
    expect(first).toMatchObject({
      status: 200,
      body: { answer: 'go', correlationId: 'first', workerId: 'first-w', messageId: 'first-m', duplicateRisk: 'none', metadata: { 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'first' } } },
    })
    const [intent] = await it.eventsOf('correlationId=first&type=reconciler.dispatch-intent')
    expect(intent).toMatchObject({ position: first.body.position, workerid: 'first-w' })
    expect(intent?.['data']).toMatchObject({ purpose: 'send', contentDigest: 'sha256:abc', by: 'o1' })
    expect((await it.get(`/v1/tasks/first?atLeast=${first.body.position}`)).body).toMatchObject({ state: 'dispatched', intents: [{ purpose: 'send', outcome: 'held', by: 'o1' }] })

    expect((await ask('first', { by: 'o1' })).body).toMatchObject({ answer: 'go', lease: first.body.lease, until: first.body.until })
    expect((await ask('first', { by: 'o2' })).body).toMatchObject({ answer: 'wait', by: 'o1', until: first.body.until, workerId: 'first-w', messageId: 'first-m' })
    expect((await ask('first')).body).toMatchObject({ answer: 'wait', by: 'o1' })

    expect(await settle(first.body.decisionId, { lease: first.body.lease, outcome: 'sent', taskId: 'first-t' })).toMatchObject({ status: 200 })
    expect((await ask('first', { by: 'o2' })).body).toMatchObject({ answer: 'running', workerId: 'first-w', taskId: 'first-t' })
  })

  test('once nothing was sent, is answered go again', async () => {
    const first = await ask('given')
    await settle(first.body.decisionId, { lease: first.body.lease, outcome: 'not-sent' })
    const next = await ask('given', { workerId: 'given-w2' })
    expect(next.body).toMatchObject({ answer: 'go', workerId: 'given-w2', duplicateRisk: 'none' })
    expect(next.body.decisionId).not.toBe(first.body.decisionId)
  })

  test('names the send that is on its way, and the task that lives', async () => {
    await it.record([dispatch('live', 'live-w')])
    expect((await ask('live')).body).toMatchObject({ answer: 'running', workerId: 'live-w', messageId: 'live-live-w-m' })
    await it.record([answered('live', 'live-w', 'live-t')])
    expect((await ask('live', { workerId: 'elsewhere' })).body).toMatchObject({ answer: 'running', workerId: 'live-w', taskId: 'live-t', contextId: 'c', state: 'working' })
  })

  test('lets one message into a task that waits for input', async () => {
    await it.record([dispatch('turn', 'turn-w'), answered('turn', 'turn-w', 'turn-t', 'TASK_STATE_INPUT_REQUIRED')])
    const turn = { messageId: 'turn-m2', taskId: 'turn-t' }
    expect((await ask('turn', { messageId: 'turn-m2' })).body).toMatchObject({ answer: 'running', taskId: 'turn-t', state: 'input-required' })
    const answers = await Promise.all([ask('turn', turn), postAt(second.url, pathOf('turn'), { workerId: 'turn-w', ...turn })])
    expect(answers.map(({ body }) => body.answer).toSorted()).toEqual(['go', 'wait'])
    expect(answers.find(({ body }) => body.answer === 'go')?.body).toMatchObject({ taskId: 'turn-t', contextId: 'c' })
  })

  test('gives back work that is done, with its artifacts and where their content is', async () => {
    await it.record([
      dispatch('paid/1', 'paid-w'),
      answered('paid/1', 'paid-w', 'paid-t'),
      polled('paid-w', 'paid-t', 'TASK_STATE_COMPLETED', 9, { artifacts: [{ artifactId: 'a/1', parts: [{ text: 'the report', mediaType: 'text/plain' }] }] }),
    ])
    const { body } = await ask('paid/1', { workerId: 'other-w', messageId: 'other-m' })
    expect(body).toMatchObject({
      answer: 'done',
      state: 'completed',
      workerId: 'paid-w',
      taskId: 'paid-t',
      artifacts: [{ key: 'a/1', workerId: 'paid-w', taskId: 'paid-t', artifactId: 'a/1', mediaTypes: ['text/plain'], complete: true, bytes: 10 }],
    })
    expect(await it.get(body.artifacts[0].content)).toMatchObject({ status: 200, body: 'the report' })
  })

  test('says that nobody knows, of a lost task and of a send without an answer', async () => {
    await it.record([dispatch('gone', 'gone-w'), answered('gone', 'gone-w', 'gone-t'), notFound('gone-w', 'gone-t', 20)])
    expect((await ask('gone')).body).toMatchObject({ answer: 'unknown-outcome', workerId: 'gone-w', taskId: 'gone-t', duplicateRisk: 'possible', lastObserved: 'working' })
    await it.record([dispatch('mute', 'mute-w'), { type: 'a2a.no-answer', operation: 'SendMessage', correlationid: 'mute', workerid: 'mute-w', time: at(5), data: { reason: 'timeout' } }])
    const { body } = await ask('mute')
    expect(body).toMatchObject({ answer: 'unknown-outcome', workerId: 'mute-w', duplicateRisk: 'likely' })
    expect(body.because).toHaveLength(2)
  })

  test('lets exactly what was decided be sent, and that once', async () => {
    await it.put('/v1/workers/obey-w', { mesh: 'obey' })
    await it.put('/v1/workers/obey-w2', { mesh: 'obey', trust: 'card' })
    await it.record([
      card('obey-w', ['application/json'], ['working', 'completed']),
      card('obey-w2', ['application/json'], ['working', 'completed']),
      dispatch('obey', 'obey-w'), answered('obey', 'obey-w', 'obey-t'),
    ])
    const { send, decisionId } = (await it.post('/v1/tasks/obey/not-found', { workerId: 'obey-w', taskId: 'obey-t', time: at(30) })).body
    expect((await ask('obey', { workerId: 'obey-w2' })).body).toMatchObject({ answer: 'unknown-outcome', verdict: { decisionId, kind: 'redispatch', workerId: 'obey-w2', messageId: send.messageId } })
    const given = await ask('obey', { workerId: send.workerId, messageId: send.messageId, by: 'o1' })
    expect(given.body).toMatchObject({ answer: 'go', decisionId, duplicateRisk: 'possible' })
    expect(await it.post(`/v1/decisions/${decisionId}/claim`, { by: 'o2' })).toMatchObject(problem(409, 'claim_held'))
    expect(await it.post(`/v1/decisions/${decisionId}/claim`, { by: 'o1' })).toMatchObject({ status: 200, body: { lease: given.body.lease } })
  })

  test('of a synthetic task that was linked is about the task it is part of', async () => {
    await it.record([polled('syn-w', 'syn-t', 'TASK_STATE_WORKING', 5)])
    await expect.poll(async () => (await it.get(`/v1/tasks/${encodeURIComponent('~syn-w/syn-t')}`)).status).toBe(200)
    await it.record([dispatch('syn', 'syn-w', 1), answered('syn', 'syn-w', 'syn-t', 'TASK_STATE_SUBMITTED', 2)])
    expect((await ask('~syn-w/syn-t')).body).toMatchObject({ answer: 'running', correlationId: 'syn', taskId: 'syn-t' })
  })

  test.each([
    ['~nobody', {}],
    ['bad', { workerId: '' }],
    ['bad', { messageId: 'a\u0000' }],
    ['bad', { contentdigest: 'x' }],
    ['bad', { ttlMs: 0 }],
  ])('of %s with %j is 400', async (correlationId, body) => {
    expect(await ask(correlationId, body)).toMatchObject(problem(400, 'parameter_invalid'))
  })
})

describe('replicas that race', () => {
  test('with one message or with many, for work that nobody heard of: one is told to go', async () => {
    for (let round = 0; round < 10; round += 1) {
      const correlationId = `race-${round}`
      const answers = await Promise.all(
        [0, 1, 2].flatMap((replica) =>
          [it.reconciler.url, second.url].map((url) =>
            postAt(url, pathOf(correlationId), { workerId: 'race-w', messageId: round % 2 === 0 ? 'same' : `m-${replica}`, by: `o${replica}-${url}` }),
          ),
        ),
      )
      expect(answers.map(({ body }) => body.answer).toSorted()).toEqual(['go', 'wait', 'wait', 'wait', 'wait', 'wait'])
      expect(await it.eventsOf(`correlationId=${correlationId}`)).toHaveLength(1)
    }
  })

  /** A worker that counts what reaches it; where it knows messages again it begins each once. */
  const createWorker = (isKnowing: boolean) => {
    const begun: string[] = []
    return { begun, send: (messageId: string) => void (isKnowing && begun.includes(messageId) ? undefined : begun.push(messageId)) }
  }

  /** An orchestrator that asks until it is told what is; `dies` says where the process that was told to go ends. */
  async function orchestrate(
    url: string,
    correlationId: string,
    workerId: string,
    worker: ReturnType<typeof createWorker>,
    dies: 'before the send' | 'after the send' | 'never',
  ): Promise<string> {
    for (;;) {
      const { body } = await postAt(url, pathOf(correlationId), { workerId, messageId: `${correlationId}-m`, ttlMs: 150 })
      if (body.answer === 'wait') {
        await delay(20)
        continue
      }
      if (body.answer !== 'go') return body.answer
      if (dies === 'before the send') return 'died'
      worker.send(body.messageId)
      if (dies === 'after the send') return 'died'
      const settled = await postAt(url, `/v1/decisions/${body.decisionId}/settle`, { lease: body.lease, outcome: 'sent' })
      return settled.status === 200 ? 'sent' : settled.body.code
    }
  }

  test.each([
    ['knows messages again', true],
    ['knows nothing again', false],
  ])('and die send once, to a worker that %s', async (_what, isKnowing) => {
    const seed = Date.now() % 2 ** 32
    const random = seededRandom(seed)
    const workerId = isKnowing ? 'knowing-w' : 'plain-w'
    const shown = card(workerId, ['application/json'], ['working', 'completed'])
    await it.record([isKnowing ? knowingMessages(shown) : shown])
    for (let round = 0; round < 8; round += 1) {
      const correlationId = `die-${String(isKnowing)}-${round}`
      const worker = createWorker(isKnowing)
      const outcomes = await Promise.all(
        [0, 1, 2].map((replica) => {
          const dies = (['before the send', 'after the send', 'never'] as const)[Math.floor(random() * 3)] ?? 'never'
          return orchestrate(replica % 2 === 0 ? it.reconciler.url : second.url, correlationId, workerId, worker, dies)
        }),
      )
      const told = `seed ${seed}, round ${round}: ${outcomes.join(', ')}, begun ${worker.begun.length}`
      expect(worker.begun.length, told).toBeLessThanOrEqual(1)
      if (outcomes.includes('sent')) expect(worker.begun, told).toHaveLength(1)
      else if (!isKnowing) {
        // Whoever held it died: the others were told that nobody knows, and can find out.
        expect(outcomes.filter((outcome) => outcome === 'died'), told).toHaveLength(1)
        const { body } = await ask(correlationId, { workerId, messageId: `${correlationId}-m` })
        expect(body, told).toMatchObject({ answer: 'unknown-outcome', duplicateRisk: 'likely', workerId })
        const found = worker.begun.length === 1 ? 'sent' : 'not-sent'
        expect(await settle(body.settle.decisionId, { lease: body.settle.lease, outcome: found }), told).toMatchObject({ status: 200 })
        const after = await ask(correlationId, { workerId, messageId: `${correlationId}-m` })
        expect(after.body.answer, told).toBe(found === 'sent' ? 'running' : 'go')
      }
    }
  })
})
