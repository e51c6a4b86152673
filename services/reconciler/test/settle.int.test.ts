/** What looking at tasks again promises, on the real store; the ledger is one that remembers. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApplied } from '../src/app/applied.ts'
import type { AppendOutcome, LedgerClient, NewEvent } from '../src/app/ports.ts'
import { settleNext, settleQueued, type SettlePorts } from '../src/app/settle-tasks.ts'
import { appendEvents, enrolled, hourAgo, lost, seenTask, type TestEvent } from './ledger-tables.ts'
import { openTestStore, silentLog, testFold, testTimer, type TestStore } from './open-test-store.ts'

let it: TestStore
let appended: { readonly event: NewEvent; readonly ifStreamPosition: number | undefined }[]
let answer: AppendOutcome
beforeEach(async () => {
  it = await openTestStore()
  appended = []
  answer = { outcome: 'stale' }
})
afterEach(() => it.end())

const ledger: LedgerClient = {
  observe: async () => {
    throw new Error('nothing is observed here')
  },
  append: async (event, ifStreamPosition) => {
    appended.push({ event, ifStreamPosition })
    return answer
  },
}

const ports = (change: Partial<SettlePorts> = {}): SettlePorts => ({ feed: it.feed, store: it.store, ledger, log: silentLog, fold: testFold, ...change })

async function record(events: readonly TestEvent[]): Promise<void> {
  await appendEvents(it.admin, events)
  await it.applyAll()
}

const settleAll = async (change: Partial<SettlePorts> = {}): Promise<void> => {
  while ((await it.store.queue()).recheckCount > 0 || (await it.store.spreadWorkerRechecks(100))) await settleNext(ports(change), createApplied(it.store, testTimer))
}
const rows = async (): Promise<readonly unknown[]> =>
  (await it.store.listTasks({}, 0, 10)).map(({ correlationId, state }) => `${correlationId} ${state}`)

test('a verdict names the position it rests on', async () => {
  await record(lost('k1'))
  await settleAll()
  expect(appended).toMatchObject([{ event: { attributes: { type: 'reconciler.verdict', correlationid: 'k1' } }, ifStreamPosition: 2 }])
})

test('nothing is decided while the ledger has events that are not applied', async () => {
  await record(lost('k1'))
  await appendEvents(it.admin, seenTask('k2', 1))
  await settleAll()
  expect(appended).toEqual([])
  expect(await rows()).toEqual(['k1 indeterminate'])
  expect(await it.store.nextDueMs()).toBeDefined()
})

test('a rebuild decides nothing', async () => {
  await record(lost('k1'))
  await settleQueued(ports())
  expect(appended).toEqual([])
  expect(await rows()).toEqual(['k1 indeterminate'])
})

test('a verdict that could not be recorded is tried again', async () => {
  await record(lost('k1'))
  await settleAll({
    ledger: {
      ...ledger,
      append: async () => {
        throw new Error('away')
      },
    },
  })
  await expect.poll(() => it.store.takeWork(10, true)).toEqual(['k1'])
  answer = { outcome: 'recorded', position: 3, correlationId: 'k1' }
  await settleNext(ports(), createApplied(it.store, testTimer))
  expect(appended).toHaveLength(1)
})

test('a task that cannot be derived is set aside, and the others are looked at', async () => {
  const codec = {
    ...testFold.codec,
    sha256Hex: (content: string | Uint8Array) => {
      if (typeof content === 'string' && content.includes('bad')) throw new TypeError('a fault of ours')
      return testFold.codec.sha256Hex(content)
    },
  }
  await record([...lost('bad'), ...lost('good')])
  await settleAll({ fold: { ...testFold, codec } })
  expect(await rows()).toEqual(['good indeterminate'])
  expect(appended).toMatchObject([{ event: { attributes: { correlationid: 'good' } } }])
  await settleAll()
  expect(await rows()).toEqual(['good indeterminate'])
  await record(seenTask('bad', 1))
  await settleAll()
  expect(await rows()).toEqual(['bad working', 'good indeterminate'])
})

test('suggestions that are what they were are not written again', async () => {
  await record([...seenTask('k1', 1), ...seenTask('~w1/k2', 1)])
  await settleAll()
  expect(await it.store.suggestionsFor('k1', 10)).toMatchObject([{ correlationIds: ['k1', '~w1/k2'], reason: 'same-context' }])
  const written = async () => (await it.admin.query('SELECT ctid, xmin FROM reconciler.suggested_links')).rows
  const before = await written()
  await it.store.suggest(['k1', '~w1/k2'])
  expect(await written()).toEqual(before)
})

test('an older look at a task does not replace a newer one', async () => {
  await record(seenTask('k1', 1))
  await settleAll()
  const older = (await it.store.listTasks({}, 0, 1))[0]
  if (older === undefined) throw new Error('no row')
  await record(seenTask('k1', 1, 'TASK_STATE_COMPLETED'))
  await settleAll()
  await it.store.saveSettled([
    {
      row: older, settledPosition: 1, dueAtMs: undefined, awaitsCandidate: false, latestMs: 0, isIncomplete: false,
    openIntentCount: 0,
      participants: [], evidence: [], reachableAgain: [],
    },
  ])
  expect(await rows()).toEqual(['k1 completed'])
})

test('a change of a worker has its open tasks looked at again, in steps, and leaves ended ones alone', async () => {
  await record([...Array.from({ length: 5 }, (_, n) => seenTask(`open-${n}`, 1)).flat(), ...seenTask('ended', 1, 'TASK_STATE_COMPLETED').map((event) => ({ ...event, time: hourAgo(1) }))])
  await settleAll()
  await record([enrolled('w1', { mesh: 'm' })])
  expect(await it.store.takeWork(10, false)).toEqual([])
  expect(await it.store.spreadWorkerRechecks(3)).toBe(true)
  expect(await it.store.takeWork(10, false)).toHaveLength(3)
  expect(await it.store.spreadWorkerRechecks(3)).toBe(true)
  expect((await it.store.takeWork(10, false)).toSorted()).toEqual(['open-0', 'open-1', 'open-2', 'open-3', 'open-4'])
  expect(await it.store.spreadWorkerRechecks(3)).toBe(false)
})
