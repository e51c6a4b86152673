import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { awaitRestart } from './await-restart.ts'

/** Answers with each status in turn, the last one for good; 0: it is away. */
const inTurn = (statuses: readonly number[]): typeof fetch => {
  let count = 0
  return async () => {
    const status = statuses[Math.min(count, statuses.length - 1)] ?? 0
    count += 1
    if (status === 0) throw new TypeError('fetch failed')
    return new Response('', { status })
  }
}

const watch = { url: 'http://agent.test/', signal: new AbortController().signal }

test.each<[string, readonly number[], true | undefined, boolean]>([
  ['it went away and came back', [200, 0, 405], undefined, true],
  ['it was always there', [200], undefined, false],
  ['it never came back', [200, 0], undefined, false],
  ['who stands before it answers that it is away', [200, 502, 200], undefined, true],
  ['it was restarted, and answers', [200], true, true],
  ['it was restarted, and takes a moment', [0, 503, 405], true, true],
  ['it was restarted, and does not come', [503], true, false],
])('%s: %j', async (_fact, statuses, wasAway, isRestarted) => {
  const withinMs = isRestarted ? 20_000 : 450 // only what never comes is waited for until the end
  expect(await awaitRestart({ ...watch, withinMs, fetch: inTurn(statuses), ...(wasAway && { wasAway }) })).toBe(isRestarted)
})

test('an answer that takes seconds is one', async () => {
  let count = 0
  const slowAtFirst: typeof fetch = async (_url, { signal } = {}) => {
    count += 1
    if (count === 1) await delay(2_200, undefined, signal == null ? {} : { signal })
    return new Response('')
  }
  expect(await awaitRestart({ ...watch, withinMs: 2_500, fetch: slowAtFirst })).toBe(false)
})
