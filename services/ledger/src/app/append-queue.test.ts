import { expect, test } from 'vitest'
import { createAppendQueue, type GroupStore, type QueueLimits } from './append-queue.ts'
import type { AppendOutcome } from './ports.ts'
import type { Prepared } from './prepared.ts'

const limits: QueueLimits = { waitingBytesMax: 100, groupCountMax: 4, groupBytesMax: 50 }

const input = (id: string, byteCount = 1): Prepared => ({
  kind: 'quarantine',
  byteCount,
  row: { id, reason: 'poison', detail: '', via: 'http', source: undefined, headers: {}, attributes: undefined, bytes: new Uint8Array() },
})

/** A store that writes when it is told to, and says what it was given. */
const heldStore = () => {
  const groups: string[][] = []
  const pending: { resolve: () => void; reject: (error: Error) => void }[] = []
  const store: GroupStore = {
    commit: (group) =>
      new Promise((resolve, reject) => {
        const ids = group.map((one) => (one.kind === 'quarantine' ? one.row.id : ''))
        groups.push(ids)
        const outcomes = ids.map((quarantineId): AppendOutcome => ({ outcome: 'quarantined', quarantineId, reason: 'poison', detail: '' }))
        pending.push({ resolve: () => resolve(outcomes), reject })
      }),
  }
  const next = async (fail?: Error): Promise<void> => {
    await expect.poll(() => pending.length, { interval: 1 }).toBeGreaterThan(0)
    const one = pending.shift()
    if (fail === undefined) one?.resolve()
    else one?.reject(fail)
  }
  return { groups, store, next }
}

const idsOf = (outcomes: readonly AppendOutcome[]) => outcomes.map((one) => (one.outcome === 'quarantined' ? one.quarantineId : ''))

test('L4: what arrives while a group is written goes into the next one, each request with its own outcomes', async () => {
  const { groups, store, next } = heldStore()
  const queue = createAppendQueue(store, limits)
  const first = queue.append('ingest', [input('a')])
  await Promise.resolve()
  await Promise.resolve()
  const [second, third] = [queue.append('ingest', [input('b'), input('c')]), queue.append('ingest', [input('d')])]
  await next()
  await next()
  expect(groups).toEqual([['a'], ['b', 'c', 'd']])
  expect(idsOf(await first)).toEqual(['a'])
  expect(idsOf(await second)).toEqual(['b', 'c'])
  expect(idsOf(await third)).toEqual(['d'])
})

test('L4: a group is bounded by count and by bytes, a request is never split', async () => {
  const { groups, store, next } = heldStore()
  const queue = createAppendQueue(store, limits)
  const all = [
    queue.append('ingest', ['a', 'b', 'c'].map((id) => input(id))),
    queue.append('ingest', [input('d'), input('e')]),
    queue.append('ingest', [input('f', 60)]),
    queue.append('ingest', [input('g')]),
  ]
  for (let n = 0; n < 4; n += 1) await next()
  await Promise.all(all)
  expect(groups).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f'], ['g']])
})

test('P5: decisions go first', async () => {
  const { groups, store, next } = heldStore()
  const queue = createAppendQueue(store, limits)
  const all = [queue.append('ingest', [input('seen')]), queue.append('decisions', [input('decided')])]
  await next()
  await Promise.all(all)
  expect(groups).toEqual([['decided', 'seen']])
})

test('a lane that is full refuses at once; the other lane does not', async () => {
  const { store, next } = heldStore()
  const queue = createAppendQueue(store, limits)
  const waiting = queue.append('ingest', [input('a', 80)])
  await expect(queue.append('ingest', [input('b', 30)])).rejects.toMatchObject({ code: 'overloaded' })
  const decision = queue.append('decisions', [input('c', 30)])
  await next()
  await next()
  await Promise.all([waiting, decision])
})

test('an empty lane takes a request that is larger than the lane', async () => {
  const { store, next } = heldStore()
  const large = createAppendQueue(store, limits).append('ingest', [input('a', 500)])
  await next()
  expect(idsOf(await large)).toEqual(['a'])
})

test('a group that fails fails its requests, the next one is written', async () => {
  const { store, next } = heldStore()
  const queue = createAppendQueue(store, limits)
  const refused = expect(queue.append('ingest', [input('a')])).rejects.toThrow('away')
  await next(new Error('away'))
  await refused
  const second = queue.append('ingest', [input('b')])
  await next()
  expect(idsOf(await second)).toEqual(['b'])
})

test('drained waits for what is written and for what waits', async () => {
  const { groups, store, next } = heldStore()
  const queue = createAppendQueue(store, { ...limits, groupCountMax: 1 })
  const all = [queue.append('ingest', [input('a')]), queue.append('ingest', [input('b')])]
  const drained = queue.drained().then(() => groups.length)
  await next()
  await next()
  await Promise.all(all)
  expect(await drained).toBe(2)
})
