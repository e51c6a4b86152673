/**
 * A mesh that sends no correlation IDs, from its first day on: its double work is suggested, accepted,
 * undone and accepted again; then a rule finds what nobody has to accept any more. In between
 * everything is killed once.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInstance, type MortalInstance } from '../fault/instance.ts'
import { recordEvents } from '../support/index.ts'

let instance: MortalInstance
let count = 0

beforeAll(async () => {
  instance = await createInstance()
  await instance.start()
})
afterAll(() => instance.remove())

/** Recent enough that nobody is silent yet. */
const startMs = Date.now() - 600_000
const second = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString()

/** Reports one call and its answer, as a gateway that knows nothing of correlation IDs sees it. */
async function exchange(worker: string, taskId: string, text: string, more: { readonly metadata?: object; readonly at: number }): Promise<number> {
  count += 1
  const message = { role: 'ROLE_USER', messageId: `m-${count}`, parts: [{ text }], ...(more.metadata && { metadata: more.metadata }) }
  const event = { specversion: '1.0', source: 'urn:gateway', operation: 'SendMessage', workerid: worker }
  const task = { id: taskId, contextId: `context-of-${taskId}`, status: { state: 'TASK_STATE_WORKING' } }
  return recordEvents(instance.ledgerUrl, [
    { ...event, id: `send-${count}`, type: 'a2a.dispatch', time: second(more.at), data: { message } },
    { ...event, id: `answer-${count}`, type: 'a2a.response', messageid: `m-${count}`, time: second(more.at + 1), data: { result: { task } } },
  ])
}

async function completed(worker: string, taskId: string, at: number): Promise<number> {
  count += 1
  const data = { result: { id: taskId, contextId: `context-of-${taskId}`, status: { state: 'TASK_STATE_COMPLETED' } } }
  return recordEvents(instance.ledgerUrl, [{ specversion: '1.0', source: 'urn:gateway', id: `poll-${count}`, type: 'a2a.response', operation: 'GetTask', workerid: worker, taskid: taskId, time: second(at), data }])
}

/** How long one call may be told to ask again, since what was recorded is not applied yet. */
const catchUpMsMax = 30_000

async function call(method: string, path: string, body?: object) {
  for (const untilMs = performance.now() + catchUpMsMax; ; ) {
    const response = await fetch(`${instance.reconcilerUrl}${path}`, {
      method,
      redirect: 'manual',
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status === 504 && performance.now() < untilMs) continue
    return { status: response.status, location: response.headers.get('location'), body: text === '' ? undefined : JSON.parse(text) }
  }
}

const task = (correlationId: string, query = '') => call('GET', `/v1/tasks/${encodeURIComponent(correlationId)}${query}`)

test('double work is suggested, accepted, undone and accepted again; a rule makes it one from the start', { timeout: 400_000 }, async () => {
  const [first, again] = ['~writer/t-1', '~editor/t-1']
  await exchange('writer', 't-1', 'The report of May', { at: 0 })
  const position = await exchange('editor', 't-1', 'The report of May', { at: 30 })
  await call('GET', `/v1/tasks?atLeast=${position}&timeoutMs=30000`)

  // Suggested, and nothing merged.
  const { body: list } = await call('GET', '/v1/links')
  expect(list).toMatchObject({ links: [{ correlationIds: [first, again], reason: 'same-content', finding: 'duplicate_execution' }], next: null })
  expect((await task(first)).body).toMatchObject({ attempts: [{ workerId: 'writer' }], suggestedLinks: list.links })

  // Accepted: one task, which what comes later counts for, also after SIGKILL of everything.
  for (const from of [first, again]) {
    expect(await call('POST', '/v1/links', { from, to: 'report-may', by: 'ann', because: 'one report' })).toMatchObject({ status: 200 })
  }
  await instance.kill()
  await instance.start()
  const done = await completed('editor', 't-1', 60)
  expect((await task('report-may', `?atLeast=${done}&timeoutMs=30000`)).body).toMatchObject({
    state: 'completed',
    attempts: [{ workerId: 'writer', state: 'working' }, { workerId: 'editor', state: 'completed' }],
    links: [{ from: first, by: 'ann' }, { from: again, because: 'one report' }],
  })
  expect(await task(again)).toMatchObject({ status: 308, location: '/v1/tasks/report-may' })

  // Undone: two tasks, each with what is its own, and the redirect is gone.
  expect(await call('POST', '/v1/links/undo', { from: again, to: 'report-may', by: 'bob' })).toMatchObject({ status: 200 })
  expect((await task(again)).body).toMatchObject({ state: 'completed', attempts: [{ workerId: 'editor' }] })
  expect((await task('report-may')).body).toMatchObject({ state: 'working', attempts: [{ workerId: 'writer' }] })
  await expect
    .poll(async () => (await call('GET', '/v1/links')).body.links)
    .toMatchObject([{ accept: { from: again, to: 'report-may' }, undoneAt: expect.any(Number) }])

  // Accepted again.
  expect(await call('POST', '/v1/links', { from: again, to: 'report-may', by: 'ann' })).toMatchObject({ status: 200 })
  expect((await task('report-may')).body).toMatchObject({ state: 'completed' })

  // With a rule nobody has to: both sends name the order in metadata of their own.
  expect(await call('PUT', '/v1/meshes/default', { correlation: [{ from: 'metadata', pointer: '/order/id' }] })).toMatchObject({ status: 200 })
  const metadata = { order: { id: 'report-june' } }
  await exchange('writer', 't-2', 'The report of June', { at: 90, metadata })
  const last = await exchange('editor', 't-2', 'The report of June', { at: 120, metadata })
  expect((await task('report-june', `?atLeast=${last}&timeoutMs=30000`)).body).toMatchObject({
    dispatches: [{ workerId: 'writer', outcome: 'task' }, { workerId: 'editor', outcome: 'task' }],
    attempts: [{ workerId: 'writer', taskId: 't-2' }, { workerId: 'editor', taskId: 't-2' }],
  })
  expect((await task('~writer/t-2')).status).toBe(404)
  expect((await call('GET', '/v1/tasks/report-june/root-cause')).body.findings).toMatchObject([{ cause: 'duplicate_execution' }])
})
