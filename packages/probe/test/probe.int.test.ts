import { once } from 'node:events'
import type { ProbePorts } from '@a2a-ledger/probe'
import { afterEach, describe, expect, it } from 'vitest'
import { foundIn, newJournal, run, type Run } from './probe-runs.ts'
import { startScriptedWorker, type Script, type ScriptedWorker } from './scripted-worker.ts'

const open: ScriptedWorker[] = []
afterEach(async () => {
  for (const worker of open.splice(0)) await worker.close()
})
const start = async (script: Script): Promise<ScriptedWorker> => {
  const worker = await startScriptedWorker(script)
  open.push(worker)
  return worker
}
/** Time goes on only while somebody waits. */
const waitedTime = (): Pick<ProbePorts, 'nowMs' | 'after'> => {
  let nowMs = Date.now()
  return { nowMs: () => nowMs, after: async (ms) => void (nowMs += ms) }
}
const probed = async (script: Script, how: Run = {}) => foundIn(await run((await start(script)).url, how))

describe('V3 a probe of', () => {
  it('a worker that keeps its word verifies what it did, and measures the rest', async () => {
    const { view } = await probed({ isIdempotent: true })
    expect(view.state).toBe('done')
    expect(view.verified.states.map(({ state, grade }) => `${state} ${grade}`)).toEqual(['working verified', 'input-required verified', 'completed verified'])
    expect(view.verified.mediaTypes).toMatchObject([{ mediaType: 'text/plain', grade: 'verified' }])
    expect(view.measured).toMatchObject({ idempotentMessageId: true, notFoundHonest: true, streamReplay: true, bindingParity: true, survivesRestart: 'unknown' })
  })

  it('a worker that asks nothing goes without an answer', async () => {
    const { view, step } = await probed({ asks: false, isIdempotent: true })
    expect(step('answer')).toBe('skipped: the task does not wait for input')
    expect(view.verified.states.map(({ state }) => state)).toEqual(['working', 'completed'])
  })

  it('a worker that makes two tasks of one message says so, and the second is canceled', async () => {
    const worker = await start({})
    const { step, view } = foundIn(await run(worker.url))
    expect(step('same-message')).toBe('failed: a second task')
    expect(view.measured.idempotentMessageId).toBe(false)
    expect(worker.canceled).toEqual(['task-2'])
  })

  it('a worker that knows every task is not honest about unknown ones', async () => {
    const { view, step } = await probed({ inventsTasks: true })
    expect(view.measured.notFoundHonest).toBe(false)
    expect(step('unknown-task')).toBe('failed: a task that never was is working')
  })

  it.each([401, 403, 429, 503])('a worker behind somebody who turns questions away with %i is neither honest nor dishonest, and no state of it is refuted', async (status) => {
    const { view, learned, step } = await probed({ turnsAwayWith: status, bindings: ['JSONRPC'] })
    expect(step('unknown-task')).toMatch(/^failed: /)
    expect(view.measured.notFoundHonest).toBe('unknown')
    expect(learned.refutedStates ?? []).toEqual([])
  })

  it('a worker that tells a new client another state has that state not verified', async () => {
    const { view, learned, step } = await probed({ forgetsState: true, bindings: ['JSONRPC'] })
    expect(step('fresh-client')).toBe('failed: input-required before, and now working')
    expect(learned.refutedStates).toEqual(['input-required'])
    expect(view.verified.states.map(({ state }) => state)).not.toContain('input-required')
  })

  it('a worker that emits what was not negotiated has that type not verified', async () => {
    const { view, learned } = await probed({ emits: 'text/html', outputModes: ['application/json', 'text/plain'] })
    expect(view.verified.mediaTypes).toEqual([])
    expect(learned.strayMediaTypes).toEqual(['text/html'])
  })

  it('a worker whose card declares a canary gets that message, and has to keep to its modes', async () => {
    const worker = await start({ emits: 'text/plain', outputModes: ['text/plain', 'text/csv'], canary: { message: 'Do the self test', outputModes: ['text/csv'] } })
    const { learned } = foundIn(await run(worker.url))
    expect(worker.sent[0]?.parts).toEqual([{ text: 'Do the self test' }])
    expect(learned.strayMediaTypes).toEqual(['text/plain'])
  })

  it('a worker that answers with a message has its media types verified and no state', async () => {
    const { view, step } = await probed({ answersWithMessage: true })
    expect(step('rest')).toBe('skipped: a message was the whole answer')
    expect(view.verified).toMatchObject({ states: [], mediaTypes: [{ mediaType: 'text/plain' }] })
  })

  it('a worker that never rests is left after the time of the step, and its task is canceled', async () => {
    const worker = await start({ isStuck: true })
    // Between two questions the step's time is over.
    const after: ProbePorts['after'] = async (_ms, signal) => void (signal.aborted || (await once(signal, 'abort')))
    const { step, view } = foundIn(await run(worker.url, { plan: { stepMsMax: 2_000 }, ports: { after } }))
    expect(step('rest')).toBe('failed: it came to no rest; the last answer was working')
    expect(view.verified.states.map(({ state }) => state)).toEqual(['working', 'canceled'])
    expect(worker.canceled).toContain('task-1')
  })

  it('a worker that hides tasks over one binding has no parity', async () => {
    const { view, step } = await probed({ hidesOverRest: true })
    expect(view.measured.bindingParity).toBe(false)
    expect(step('other-binding')).toBe('failed: HTTP+JSON: TaskNotFound (404)')
  })

  it('a worker that turns questions away over one binding is not known to have parity, nor not to', async () => {
    const { view, step } = await probed({ turnsAwayOverRestWith: 503 })
    expect(view.measured.bindingParity).toBe('unknown')
    expect(step('other-binding')).toBe('failed: HTTP+JSON: Unavailable (503)')
  })

  it('a worker that is not there finds nothing and sends nothing', async () => {
    const worker = await start({})
    await worker.close()
    open.length = 0
    const { view } = foundIn(await run(worker.url))
    expect(view.state).toBe('abandoned')
    expect(view.because).toContain('no answer (refused)')
    expect(view.steps.filter(({ outcome }) => outcome !== 'skipped').map(({ step }) => step)).toEqual(['card'])
  })

  it('an address that must not be called says so', async () => {
    const { view } = foundIn(await run('http://10.0.0.1/'))
    expect(view.because).toContain('10.0.0.1 is not called')
  })
})

describe('V3 durability', () => {
  it.each([
    ['a worker that keeps its tasks earns durable', true, 'ok: input-required before, input-required after; completed before, completed after', 'durable'],
    ['a worker that forgets them is refuted, and what was seen stays verified', false, 'failed: input-required before, TaskNotFound (-32001) after; completed before, TaskNotFound (-32001) after', 'verified'],
  ])('%s', async (_fact, isDurable, detail, grade) => {
    const worker = await start({ isDurable })
    const journal = newJournal()
    const parked = await run(worker.url, { plan: { park: true }, journal })
    expect(parked.outcome).toBe('parked')
    expect(foundIn(parked).view.state).toBe('parked')
    const sends = worker.sent.length
    worker.restart()
    const { view, step } = foundIn(await run(worker.url, { journal, restart: 'known' }))
    expect(step('after-restart')).toBe(detail)
    expect(view.measured.survivesRestart).toBe(isDurable)
    expect(view.verified.states.map(({ state, grade: given }) => `${state} ${given}`)).toContain(`input-required ${grade}`)
    expect(worker.sent.length).toBe(sends)
  })

  it('while no restart is known it stays parked, whoever looks at it', async () => {
    const worker = await start({})
    const journal = newJournal()
    await run(worker.url, { plan: { park: true }, journal })
    const count = journal.entries.length
    expect((await run(worker.url, { journal })).outcome).toBe('parked')
    expect(journal.entries.length).toBe(count)
  })
})

describe('what is measured beside', () => {
  it('retention is the age at which an ended task was there for the last time', async () => {
    const { nowMs, after } = waitedTime()
    const { view, step } = await probed({ asks: false, retentionMs: 1_900, nowMs }, { plan: { retentionMs: 10_000 }, ports: { nowMs, after } })
    expect(step('retention')).toBe('ok: gone after 3.0 s, last there after 1.0 s')
    expect(view.measured.retentionSeconds).toBe(1)
  })

  it('a task that stays is not measured, however long it was watched', async () => {
    const { view, step } = await probed({ asks: false }, { plan: { retentionMs: 1_200 }, ports: waitedTime() })
    expect(step('retention')).toBe('ok: still completed after 1.0 s')
    expect(view.measured.retentionSeconds).toBe('unknown')
  })

  it('a push arrives, or it does not', async () => {
    const heard: string[] = []
    const push = { url: 'http://push.test/', token: 't', arrived: async (taskId: string) => heard.push(taskId) > 0 }
    const { view } = await probed({ dropsPushes: true }, { ports: { push } })
    expect(view.measured.pushArrives).toBe(true)
    expect(heard).toEqual(['task-1'])
    const deaf = await probed({ dropsPushes: true }, { ports: { push: { ...push, arrived: async () => false } } })
    expect(deaf.view.measured.pushArrives).toBe(false)
  })
})

describe('what goes out', () => {
  it('every message bears the mark of a canary', async () => {
    const worker = await start({})
    await run(worker.url, { plan: { park: true } })
    expect(worker.sent.length).toBe(4)
    for (const { metadata } of worker.sent) {
      expect(metadata).toEqual({ 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'urn:a2a-ledger:canary:p-1', canary: true } })
    }
  })

  it('the witness is told of a send before it is made, and of every call', async () => {
    const journal = newJournal()
    await run((await start({})).url, { journal })
    const sends = journal.calls.filter(({ operation }) => operation === 'SendMessage').map(({ answer }) => answer.kind)
    expect(sends).toEqual(['sent', 'body', 'sent', 'body', 'sent', 'body'])
    expect(journal.calls.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['GetAgentCard', 'GetTask', 'SubscribeToTask', 'CancelTask']))
  })

  it('headers go to the origin they are for, and not where a card points to', async () => {
    const worker = await start({})
    const headers = { authorization: 'Bearer s' }
    await run(worker.url, { headers })
    expect(worker.headers()).toMatchObject(headers)
    const named = worker.url.replace('127.0.0.1', 'localhost')
    await run(named, { headers }) // another origin than the card's interfaces have
    expect(worker.headers()).not.toHaveProperty('authorization')
  })
})
