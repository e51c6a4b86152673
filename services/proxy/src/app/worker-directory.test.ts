import { LedgerError } from '@a2a-ledger/domain'
import { testCodec } from '@a2a-ledger/domain/testing'
import { afterEach, describe, expect, test } from 'vitest'
import type { EnrolmentSlice, KnownWorkers } from './ports.ts'
import { openWorkerDirectory, type WorkerDirectory } from './worker-directory.ts'

const directories: WorkerDirectory[] = []
afterEach(() => {
  for (const each of directories.splice(0)) each.stop()
})

/** A ledger whose enrolments a test writes, and a disk that outlives a directory. */
function scene() {
  const ledger = { ledgerId: 'l-1', epoch: 1, isAway: false, addresses: [] as EnrolmentSlice['addresses'][number][], tees: [] as EnrolmentSlice['tees'][number][], readsFrom: [] as number[] }
  const disk = { kept: undefined as KnownWorkers | undefined }
  const identity = async () => {
    if (ledger.isAway) throw new LedgerError('ledger_unavailable', 'away')
    return { ledgerId: ledger.ledgerId, epoch: ledger.epoch, head: Math.max(ledger.addresses.length, ledger.tees.length) }
  }
  let elapsedMs = 0
  const ticks: (() => void)[] = []
  const open = async (): Promise<WorkerDirectory> => {
    const directory = await openWorkerDirectory({
      enrolments: {
        identity,
        after: async (position) => {
          ledger.readsFrom.push(position)
          return { ...(await identity()), addresses: ledger.addresses.slice(position), tees: ledger.tees.slice(position) }
        },
      },
      store: { load: async () => disk.kept, save: async (known) => void (disk.kept = known) },
      timer: { after: () => new Promise((resolve) => void ticks.push(resolve)), elapsedMs: () => elapsedMs },
      log: { warn: () => undefined, error: () => undefined },
      codec: testCodec,
    })
    directories.push(directory)
    return directory
  }
  return {
    ledger,
    disk,
    open,
    enrol: (workerId: string, url: string, cardUrl?: string) => void ledger.addresses.push({ workerId, address: { url, ...(cardUrl !== undefined && { cardUrl }) } }),
    later: (ms: number) => (elapsedMs += ms),
    tick: () => ticks.splice(0).forEach((resolve) => resolve()),
  }
}

describe('enrolled workers', () => {
  test('are read once, then from where reading ended', async () => {
    const { ledger, open, enrol, tick } = scene()
    enrol('w1', 'http://one')
    const directory = await open()
    await expect.poll(() => directory.isLoaded()).toBe(true)
    expect(await directory.find('w1')).toEqual({ url: 'http://one' })
    enrol('w1', 'http://two', 'http://card')
    tick()
    await expect.poll(() => directory.find('w1')).toEqual({ url: 'http://two', cardUrl: 'http://card' })
    expect(ledger.readsFrom).toEqual([0, 1])
    tick()
    tick()
    expect(ledger.readsFrom).toEqual([0, 1]) // nothing new, nothing read
  })

  test('are asked for when they are not known, but not each time', async () => {
    const { open, enrol, later, ledger } = scene()
    const directory = await open()
    await expect.poll(() => directory.isLoaded()).toBe(true)
    later(1000)
    expect(await directory.find('w1')).toBeUndefined()
    enrol('w1', 'http://one')
    later(10)
    expect(await directory.find('w1')).toBeUndefined()
    later(1000)
    expect(await directory.find('w1')).toEqual({ url: 'http://one' })
    expect(ledger.readsFrom.at(-1)).toBe(0)
  })

  test('are known without the ledger, from the disk', async () => {
    const { ledger, disk, open, enrol } = scene()
    enrol('w1', 'http://one')
    const before = await open()
    await expect.poll(() => disk.kept?.workers.size).toBe(1)
    before.stop()
    ledger.isAway = true
    const after = await open()
    expect(after.isLoaded()).toBe(true)
    expect(await after.find('w1')).toEqual({ url: 'http://one' })
  })

  test('say whether their pushes go by way of the proxy, the newest first, also from the disk', async () => {
    const { ledger, disk, open, enrol, tick } = scene()
    enrol('w1', 'http://one')
    const directory = await open()
    await expect.poll(() => directory.isLoaded()).toBe(true)
    expect(directory.isTeed('w1')).toBeUndefined()
    ledger.tees.push({ workerId: 'w2', isTeed: true }, { workerId: 'w1', isTeed: false }, { workerId: 'w1', isTeed: true })
    tick()
    await expect.poll(() => directory.isTeed('w1')).toBe(true)
    await expect.poll(() => disk.kept?.tees.get('w1')).toBe(true)
    ledger.isAway = true
    expect((await open()).isTeed('w1')).toBe(true)
  })

  test('are not known while the ledger was never there', async () => {
    const { ledger, open } = scene()
    ledger.isAway = true
    const directory = await open()
    expect(await directory.find('w1')).toBeUndefined()
    expect(directory.isLoaded()).toBe(false)
  })

  test.each([
    ['another ledger', (ledger: { ledgerId: string }) => (ledger.ledgerId = 'l-2')],
    ['another epoch', (ledger: { epoch: number }) => (ledger.epoch = 2)],
    ['a shorter ledger', () => undefined],
  ])('of %s are read from its beginning', async (_fact, change) => {
    const { ledger, open, enrol, tick } = scene()
    enrol('w1', 'http://one')
    enrol('w2', 'http://two')
    const directory = await open()
    await expect.poll(() => directory.isLoaded()).toBe(true)
    directory.learnInterfaces('w1', ['http://elsewhere'])
    ledger.addresses.splice(0)
    enrol('w3', 'http://three')
    change(ledger)
    tick()
    await expect.poll(() => directory.find('w3')).toEqual({ url: 'http://three' })
    expect(await directory.find('w1')).toBeUndefined()
    expect(directory.interfaceOf('w1', directory.keyOf('http://elsewhere'))).toBeUndefined()
  })
})

describe('interfaces of a card', () => {
  test('are found by their key, also after a restart, and by no other', async () => {
    const { open, disk } = scene()
    const before = await open()
    await expect.poll(() => before.isLoaded()).toBe(true)
    before.learnInterfaces('w1', ['http://a', 'http://b'])
    await expect.poll(() => disk.kept?.interfaces.get('w1')?.size).toBe(2)
    const after = await open()
    expect(after.interfaceOf('w1', after.keyOf('http://b'))).toBe('http://b')
    expect(after.interfaceOf('w2', after.keyOf('http://b'))).toBeUndefined()
    expect(after.interfaceOf('w1', after.keyOf('http://c'))).toBeUndefined()
    expect(after.keyOf('http://b')).toMatch(/^[0-9a-f]{16}$/)
  })

  test('of an earlier card stay, as long as there is room', async () => {
    const { open } = scene()
    const directory = await open()
    directory.learnInterfaces('w1', ['http://old'])
    directory.learnInterfaces('w1', ['http://new'])
    expect(directory.interfaceOf('w1', directory.keyOf('http://old'))).toBe('http://old')
    directory.learnInterfaces('w1', Array.from({ length: 60 }, (_, at) => `http://${at}`))
    expect(directory.interfaceOf('w1', directory.keyOf('http://old'))).toBeUndefined()
    expect(directory.interfaceOf('w1', directory.keyOf('http://49'))).toBe('http://49')
    expect(directory.interfaceOf('w1', directory.keyOf('http://50'))).toBeUndefined()
  })
})
