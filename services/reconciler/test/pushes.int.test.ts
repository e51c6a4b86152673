/** What the view of a worker says of its pushes, with a real ledger that receives them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, deploy, type Deployment, dispatch, polled } from './deployment.ts'

let it: Deployment
beforeAll(async () => {
  it = await deploy({ GRACE_MS: '300' })
})
afterAll(async () => {
  await it?.end()
})

const agoIso = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()

async function push(workerId: string, state: string, timestamp: string): Promise<void> {
  const body = JSON.stringify({ statusUpdate: { taskId: `${workerId}-t`, contextId: 'c', status: { state: `TASK_STATE_${state}`, timestamp } } })
  const response = await fetch(`${it.ledger.url}/v1/push/${workerId}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(response.status).toBe(204)
}
const pushOf = async (workerId: string): Promise<unknown> => (await it.get(`/v1/workers/${workerId}`)).body.push
const listed = async (workerId: string): Promise<unknown> =>
  ((await it.get('/v1/workers')).body.workers as { workerId: string; push?: unknown }[]).find((worker) => worker.workerId === workerId)?.push

test('delivered, repeated, reordered and late pushes are counted; a worker without any has no counts', async () => {
  await it.record([dispatch('p-1', 'pusher'), answered('p-1', 'pusher', 'pusher-t'), dispatch('p-2', 'silent'), answered('p-2', 'silent', 'silent-t')])
  const [first, second] = [agoIso(60), agoIso(30)]
  const startedMs = performance.now()
  await push('pusher', 'INPUT_REQUIRED', second)
  await push('pusher', 'WORKING', first)
  for (let at = 0; at < 3; at += 1) await push('pusher', 'WORKING', first)
  const tookMs = performance.now() - startedMs
  const counts = { delivered: 2, repeated: 3, reordered: 1, lost: 0 }
  await expect.poll(() => pushOf('pusher')).toMatchObject(counts)
  const told = (await pushOf('pusher')) as { readonly delayMs: { readonly p50: number; readonly max: number } }
  expect(told).toEqual({ ...counts, delayMs: { p50: expect.any(Number), max: expect.any(Number) } })
  for (const [delayMs, ageMs] of [[told.delayMs.p50, 30_000], [told.delayMs.max, 60_000]] as const) {
    expect(delayMs).toBeGreaterThanOrEqual(ageMs)
    expect(delayMs).toBeLessThanOrEqual(ageMs + tookMs + 100)
  }
  expect(await listed('pusher')).toEqual(told)
  expect(await pushOf('silent')).toBeUndefined()
})

test('a state that no push brought is lost once grace is over, although nothing more is heard', async () => {
  await it.record([dispatch('p-3', 'loser'), answered('p-3', 'loser', 'loser-t')])
  await push('loser', 'WORKING', agoIso(0))
  await expect.poll(() => pushOf('loser')).toMatchObject({ delivered: 1, lost: 0 })
  await it.record([{ ...polled('loser', 'loser-t', 'TASK_STATE_COMPLETED', 0), time: new Date().toISOString() }])
  await expect.poll(() => pushOf('loser')).toMatchObject({ delivered: 1, repeated: 0, lost: 1 })
  const { body } = await it.get('/v1/tasks/p-3/root-cause')
  expect((body.findings as { cause: string }[]).map(({ cause }) => cause)).toContain('push_lost')
})
