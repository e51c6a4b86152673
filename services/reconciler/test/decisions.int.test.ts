/** Acting once: who may send on a decision, asked at two reconcilers on one ledger. */
import type { ServiceProcess } from '@a2a-ledger/test/support'
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

/** The same call at the reconciler that does not apply the feed. */
const postAtSecond = (path: string, body: unknown) => postAt(second.url, path, body)

const modes = ['application/json']
const states = ['working', 'completed']

/** A task lost at `<name>-w1` an hour ago, and `<name>-w2` that can take it over. */
const lost = (name: string, heir: Readonly<Record<string, unknown>> = card(`${name}-w2`, modes, states)) => [
  card(`${name}-w1`, modes, states),
  heir,
  dispatch(name, `${name}-w1`),
  answered(name, `${name}-w1`, `${name}-t`),
  notFound(`${name}-w1`, `${name}-t`, 30),
]

async function decided(name: string, heir?: Readonly<Record<string, unknown>>): Promise<string> {
  await it.put(`/v1/workers/${name}-w1`, { mesh: name })
  await it.put(`/v1/workers/${name}-w2`, { mesh: name, trust: 'card' })
  await it.record(lost(name, heir))
  const { body } = await it.post(`/v1/tasks/${name}/not-found`, { workerId: `${name}-w1`, taskId: `${name}-t`, time: at(31) })
  expect(body).toMatchObject({ kind: 'redispatch', workerId: `${name}-w2` })
  return body.decisionId
}

const claim = (decisionId: string, body: unknown) => it.post(`/v1/decisions/${decisionId}/claim`, body)
const settle = (decisionId: string, body: unknown) => it.post(`/v1/decisions/${decisionId}/settle`, body)

describe('a claim', () => {
  test('is one caller\'s, says what to send, and names its holder to the others', async () => {
    const decisionId = await decided('own')
    const mine = await claim(decisionId, { by: 'o1', ttlMs: 600_000 })
    expect(mine).toMatchObject({ status: 200, body: { decisionId, duplicateRisk: 'possible', send: { workerId: 'own-w2', messageId: `a2a-ledger-${decisionId.slice(0, 32)}` } } })
    expect(mine.body.send.metadata).toEqual({ 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'own' } })
    expect(mine.body.lease).toMatch(/^[\da-f]{32}$/)
    const [intent] = await it.eventsOf('correlationId=own&type=reconciler.dispatch-intent')
    expect(Date.parse(mine.body.until) - Date.parse(String(intent?.['recordedat']))).toBe(600_000)
    const holder = { by: 'o1', until: mine.body.until }
    expect(await postAtSecond(`/v1/decisions/${decisionId}/claim`, { by: 'o2' })).toMatchObject(problem(409, 'claim_held', { holder: expect.objectContaining(holder) }))
    const { body } = await it.get(`/v1/tasks/own?atLeast=${mine.body.position}`)
    expect(body.intents).toMatchObject([{ decisionId, purpose: 'redispatch', by: 'o1', actor: 'caller', outcome: 'held', until: mine.body.until }])
    expect(body.state).toBe('indeterminate')
    expect(JSON.stringify(await it.eventsOf('correlationId=own'))).not.toContain(mine.body.lease)
  })

  test('asked for again by its holder is the same one', async () => {
    const decisionId = await decided('again')
    const first = await claim(decisionId, { by: 'o1' })
    expect(await postAtSecond(`/v1/decisions/${decisionId}/claim`, { by: 'o1' })).toMatchObject({ status: 200, body: first.body })
    expect(await it.eventsOf('correlationId=again&type=reconciler.dispatch-intent')).toHaveLength(1)
  })

  test('has one holder, however many replicas ask at both reconcilers at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const decisionId = await decided(`race-${round}`)
      const asked = ['o1', 'o2', 'o3', 'o4', 'o5', 'o6'].map((by, n) =>
        n % 2 === 0 ? claim(decisionId, { by }) : postAtSecond(`/v1/decisions/${decisionId}/claim`, { by }),
      )
      const answers = await Promise.all(asked)
      const holders = answers.filter(({ status }) => status === 200)
      expect(holders).toHaveLength(1)
      const [until] = holders.map(({ body }) => body.until)
      for (const { status, body } of answers) if (status !== 200) expect({ status, code: body.code, until: body.holder?.until }).toEqual({ status: 409, code: 'claim_held', until })
    }
  })

  test('that lapsed leaves the decision free, and the next holder is told that nobody knows', async () => {
    const decisionId = await decided('lapse')
    const first = await claim(decisionId, { by: 'o1', ttlMs: 1 })
    const next = async () => claim(decisionId, { by: 'o2' })
    await expect.poll(async () => (await it.get('/v1/tasks/lapse')).body.intents?.[0]?.outcome).toBe('lapsed')
    expect(await next()).toMatchObject({ status: 200, body: { duplicateRisk: 'likely', previous: { by: 'o1', until: first.body.until, outcome: 'unknown' }, send: first.body.send } })
    // The first one comes back: what it says is the truth, and it is not alone any more.
    expect(await settle(decisionId, { lease: first.body.lease, outcome: 'sent' })).toMatchObject(problem(409, 'claim_superseded', { holder: expect.objectContaining({ by: 'o2' }) }))
    expect(await claim(decisionId, { by: 'o3' })).toMatchObject(problem(409, 'decision_closed', { holder: expect.objectContaining({ by: 'o1', outcome: 'sent' }) }))
  })

  test('that lapsed at a worker that knows messages again does no harm', async () => {
    const decisionId = await decided('known', knowingMessages(card('known-w2', modes, states)))
    await claim(decisionId, { by: 'o1', ttlMs: 1 })
    await expect.poll(async () => (await it.get('/v1/tasks/known')).body.intents?.[0]?.outcome).toBe('lapsed')
    expect((await claim(decisionId, { by: 'o2' })).body).toMatchObject({ duplicateRisk: 'possible', previous: { by: 'o1' } })
  })

  test('is of no use once somebody was seen sending it', async () => {
    const decisionId = await decided('seen')
    const { body } = await claim(decisionId, { by: 'o1', ttlMs: 1 })
    const send = dispatch('seen', 'seen-w2', 60)
    await it.record([{ ...send, data: { message: { ...send.data.message, messageId: body.send.messageId } } }])
    expect(await claim(decisionId, { by: 'o2' })).toMatchObject(problem(409, 'decision_closed', { holder: expect.objectContaining({ by: 'o1' }) }))
  })

  test('of what is no longer so is refused', async () => {
    const decisionId = await decided('alive')
    await it.record([polled('alive-w1', 'alive-t', 'TASK_STATE_COMPLETED', 60)])
    expect(await claim(decisionId, { by: 'o1' })).toMatchObject(problem(409, 'decision_closed'))
  })

  test('of nothing is 404, of a verdict that sends nothing 409', async () => {
    expect(await claim('nothing', { by: 'o1' })).toMatchObject(problem(404, 'decision_not_found'))
    await it.record(lost('nobody').map((event) => ({ ...event })))
    const { body } = await it.post('/v1/tasks/nobody/not-found', { workerId: 'nobody-w1', taskId: 'nobody-t', time: at(31) })
    expect(body.kind).toBe('unreconcilable')
    expect(await claim(body.decisionId, { by: 'o1' })).toMatchObject(problem(409, 'decision_closed'))
  })

  test.each([
    ['nobody', {}],
    ['an empty name', { by: '' }],
    ['a name with a control character', { by: 'a\u0000' }],
    ['no time at all', { by: 'o1', ttlMs: 0 }],
    ['more than an hour', { by: 'o1', ttlMs: 3_600_001 }],
    ['a misspelt member', { by: 'o1', ttl: 5 }],
  ])('by %s is 400', async (_what, body) => {
    expect(await claim('nothing', body)).toMatchObject(problem(400, 'parameter_invalid'))
  })
})

describe('settling', () => {
  test('as not sent lets the next one send, as sent nobody', async () => {
    const decisionId = await decided('give')
    const first = await claim(decisionId, { by: 'o1' })
    expect(await settle(decisionId, { lease: first.body.lease, outcome: 'not-sent' })).toMatchObject({ status: 200, body: { decisionId, outcome: 'not-sent' } })
    const next = await claim(decisionId, { by: 'o2' })
    expect(next).toMatchObject({ status: 200, body: { duplicateRisk: 'possible' } })
    expect(next.body).not.toHaveProperty('previous')
    expect(next.body.lease).not.toBe(first.body.lease)
    const sent = await settle(decisionId, { lease: next.body.lease, outcome: 'sent', taskId: 'give-t2' })
    expect(sent).toMatchObject({ status: 200, body: { outcome: 'sent', taskId: 'give-t2' } })
    const { body } = await it.get(`/v1/tasks/give?atLeast=${sent.body.position}`)
    expect(body.intents).toMatchObject([{ by: 'o1', outcome: 'not-sent' }, { by: 'o2', outcome: 'sent', taskId: 'give-t2' }])
    expect(await claim(decisionId, { by: 'o3' })).toMatchObject(problem(409, 'decision_closed', { holder: expect.objectContaining({ by: 'o2' }) }))
  })

  test('twice is once, and the first word stands', async () => {
    const decisionId = await decided('twice')
    const { lease } = (await claim(decisionId, { by: 'o1' })).body
    const [one, other] = await Promise.all([
      settle(decisionId, { lease, outcome: 'sent', taskId: 't' }),
      postAtSecond(`/v1/decisions/${decisionId}/settle`, { lease, outcome: 'sent', taskId: 't' }),
    ])
    expect(one).toMatchObject({ status: 200, body: other?.body })
    expect(await it.eventsOf('correlationId=twice&type=reconciler.dispatch-settled')).toHaveLength(1)
    for (const body of [{ outcome: 'not-sent' }, { outcome: 'sent', taskId: 'other' }]) {
      expect(await settle(decisionId, { lease, ...body })).toMatchObject(problem(409, 'claim_settled'))
    }
  })

  test('late is as good, while nobody else claimed', async () => {
    const decisionId = await decided('tardy')
    const { lease } = (await claim(decisionId, { by: 'o1', ttlMs: 1 })).body
    await expect.poll(async () => (await it.get('/v1/tasks/tardy')).body.intents?.[0]?.outcome).toBe('lapsed')
    expect(await settle(decisionId, { lease, outcome: 'sent' })).toMatchObject({ status: 200, body: { outcome: 'sent' } })
  })

  test('with a lease of another decision, or with none, is refused', async () => {
    const [decisionId, other] = [await decided('lease-1'), await decided('lease-2')]
    const { lease } = (await claim(other, { by: 'o1' })).body
    await claim(decisionId, { by: 'o1' })
    for (const wrong of [lease, 'x', '0'.repeat(32)]) {
      expect(await settle(decisionId, { lease: wrong, outcome: 'sent' })).toMatchObject(problem(403, 'lease_invalid'))
    }
    expect(await settle('nothing', { lease, outcome: 'sent' })).toMatchObject(problem(404, 'decision_not_found'))
    expect(await settle(decisionId, { outcome: 'sent' })).toMatchObject(problem(400, 'parameter_invalid'))
    expect(await settle(decisionId, { lease, outcome: 'maybe' })).toMatchObject(problem(400, 'parameter_invalid'))
  })

  test('shows in the timeline what was claimed and what became of it', async () => {
    const decisionId = await decided('told')
    const { lease } = (await claim(decisionId, { by: 'o1' })).body
    const { position } = (await settle(decisionId, { lease, outcome: 'sent' })).body
    const { body } = await it.get(`/v1/tasks/told/timeline?atLeast=${position}`)
    const own = body.entries.filter(({ type }: { type: string }) => type.startsWith('reconciler.dispatch'))
    expect(own).toMatchObject([
      { type: 'reconciler.dispatch-intent', effect: 'applied', changed: [{ from: null, to: 'open to told-w2' }] },
      { type: 'reconciler.dispatch-settled', effect: 'applied', changed: [{ from: 'open to told-w2', to: 'sent to told-w2' }] },
    ])
  })
})
