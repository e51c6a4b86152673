/** What is held, and how much may be sent within a minute, over all processes that share a database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settle } from '../src/app/settle-tasks.ts'
import { createDecidingLedger } from './ledger-double.ts'
import { appendEvents, inTurn, type TestEvent } from './ledger-tables.ts'
import { openTestStore, silentLog, testFold, type TestStore } from './open-test-store.ts'

let it: TestStore
beforeAll(async () => {
  it = await openTestStore()
})
afterAll(() => it?.end())

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `intent-${n}`)

describe('permits of a mesh', () => {
  test('of all who ask at once, as many get one as a minute has', async () => {
    const asked = await Promise.all(numbers(20).map((id) => it.store.takePermit('crowd', id, 7)))
    expect(asked.filter(Boolean)).toHaveLength(7)
    expect(await it.store.takePermit('crowd', 'late', 7)).toBe(false)
    expect(await it.store.takePermit('crowd', 'late', 8)).toBe(true)
  })

  test('an intent takes one, whoever asks for it and however often', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => it.store.takePermit('same', 'intent', 1)))
    expect(asked).toEqual(asked.map(() => true))
    expect(await it.store.takePermit('same', 'other', 1)).toBe(false)
  })

  test('meshes do not count each other', async () => {
    expect(await it.store.takePermit('one', 'intent', 1)).toBe(true)
    expect(await it.store.takePermit('two', 'intent', 1)).toBe(true)
  })

  test('a minute later there is room again, and what is an hour old is gone', async () => {
    for (const id of numbers(3)) await it.store.takePermit('slow', id, 3)
    expect(await it.store.takePermit('slow', 'next', 3)).toBe(false)
    const age = (id: string, ms: number) =>
      it.admin.query('UPDATE reconciler.mesh_permits SET taken_ms = taken_ms - $2 WHERE intent_key = substring(sha256(convert_to($1, \'UTF8\')), 1, 16)', [id, ms])
    await age('intent-1', 60_001)
    await age('intent-2', 3_600_001)
    expect([await it.store.takePermit('slow', 'next', 2), await it.store.takePermit('slow', 'after', 2)]).toEqual([true, false])
    const { rows } = await it.admin.query("SELECT FROM reconciler.mesh_permits WHERE mesh_key = substring(sha256('slow'), 1, 16)")
    expect(rows).toHaveLength(3)
  })
})

test('open intents are counted as of the last look, with the age of the oldest', async () => {
  const append = inTurn((events: readonly TestEvent[]) => appendEvents(it.admin, events))
  const ledger = createDecidingLedger(it.admin, append).clientOf('test')
  const look = async (name: string) => {
    await it.applyAll()
    await settle({ feed: it.feed, store: it.store, ledger, log: silentLog, fold: testFold }, [name], Infinity)
    return it.store.heldActs()
  }
  const intent = (name: string, n: number): TestEvent => ({
    type: 'reconciler.dispatch-intent', correlationId: name, correlationid: name, workerid: 'w', id: `${name}-${n}`,
    data: { decisionId: `${name}-${n}`, purpose: 'send', n: 0, actor: 'caller', workerId: 'w', messageId: `m-${n}`, ttlMs: 60_000 },
  })
  expect(await it.store.heldActs()).toEqual({ openIntents: 0, oldestIntentSeconds: 0, waiting: 0, oldestWaitingSeconds: 0 })
  await append([intent('held-1', 1), intent('held-1', 2), intent('held-2', 1)])
  await look('held-1')
  const both = await look('held-2')
  expect(both).toMatchObject({ openIntents: 3, waiting: 0 })
  expect(both.oldestIntentSeconds).toBeGreaterThan(0)
  await append([{ type: 'reconciler.dispatch-settled', correlationId: 'held-1', correlationid: 'held-1', data: { decisionId: 'held-1-1', intentId: 'held-1-1', outcome: 'not-sent' } }])
  expect(await look('held-1')).toMatchObject({ openIntents: 2 })
})
