import type { Spool, SpoolEntry } from '@a2a-ledger/witness/recording'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openSpool, type OpenSpool } from './spool.ts'

const folders: string[] = []
const opened: Spool[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close().catch(() => undefined)))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-ledger-spool-'))
  folders.push(folder)
  return folder
}

const logged: string[] = []
const log = { warn: (_fields: object, text: string) => void logged.push(text), error: (_fields: object, text: string) => void logged.push(text) }

async function open(folder: string, bytesMax = 1_000_000, lost: (entries: readonly SpoolEntry[]) => void = () => undefined): Promise<OpenSpool> {
  const result = await openSpool({ folder, bytesMax, log, lost })
  opened.push(result.spool)
  return result
}

const event = (id: string, data: string | Uint8Array = `{"of":"${id}"}`): SpoolEntry => ({
  kind: 'event',
  event: { attributes: { specversion: '1.0', id, source: 's', type: 'a2a.task' }, data: typeof data === 'string' ? Buffer.from(data) : data },
})

const idsOf = (entries: readonly SpoolEntry[]): readonly string[] => entries.map((entry) => (entry.kind === 'event' ? entry.event.attributes.id : entry.report.id))

/** Waits until everything appended is written. */
const written = async (spool: Spool): Promise<void> => {
  const { entries } = spool.status()
  await expect.poll(async () => (await spool.peek(100_000)).length > 0 || entries === 0).toBe(true)
}

/** Takes off all there is, in steps of `step`. */
async function takeAll(spool: Spool, step = 7): Promise<readonly string[]> {
  const ids: string[] = []
  while (spool.status().entries > 0) {
    const entries = await spool.peek(step)
    if (entries.length === 0) await spool.more(5)
    ids.push(...idsOf(entries))
    await spool.advance(entries.length)
  }
  return ids
}

const spoolFiles = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.spool'))

describe('entries', () => {
  test('come out as they went in, in order, byte for byte', async () => {
    const { spool } = await open(newFolder())
    const bytes = Buffer.from([0, 255, 10, 13, 0x80])
    spool.append(event('e-1', bytes))
    const report = { id: 'g-1', workerId: 'wü', witness: 'w', reason: 'killed', from: 'f', to: 't', events: 0, byType: {}, isExact: false } as const
    spool.append({ kind: 'gap', report })
    spool.append(event('e-2', ''))
    await expect.poll(async () => (await spool.peek(10)).length).toBe(3)
    const [first, second, third] = await spool.peek(10)
    expect(first?.kind === 'event' && Buffer.from(first.event.data).equals(bytes)).toBe(true)
    expect(second).toEqual({ kind: 'gap', report })
    expect(third?.kind === 'event' && third.event.data.length).toBe(0)
  })

  test('stay until they are taken off, and are counted', async () => {
    const { spool } = await open(newFolder())
    for (let at = 0; at < 20; at += 1) spool.append(event(`e-${at}`))
    await written(spool)
    expect(idsOf(await spool.peek(3))).toEqual(['e-0', 'e-1', 'e-2'])
    expect(idsOf(await spool.peek(3))).toEqual(['e-0', 'e-1', 'e-2'])
    await spool.advance(2)
    expect(idsOf(await spool.peek(2))).toEqual(['e-2', 'e-3'])
    expect(spool.status().entries).toBe(18)
    expect(await takeAll(spool)).toEqual(Array.from({ length: 18 }, (_, at) => `e-${at + 2}`))
    expect(spool.status()).toEqual({ entries: 0, bytes: 0 })
  })

  test('fill files that are removed once they are read', async () => {
    const folder = newFolder()
    const { spool } = await open(folder, 40_000)
    const all: string[] = []
    for (let at = 0; at < 1000; at += 1) {
      const id = `e-${at}`
      while (!spool.append(event(id, 'x'.repeat(200)))) {
        const entries = await spool.peek(50)
        if (entries.length === 0) await spool.more(5)
        all.push(...idsOf(entries))
        await spool.advance(entries.length)
      }
    }
    all.push(...(await takeAll(spool)))
    expect(all).toEqual(Array.from({ length: 1000 }, (_, at) => `e-${at}`))
    expect(spoolFiles(folder).length).toBeLessThanOrEqual(2)
  })

  test('that are larger than what is read at once come whole', async () => {
    const { spool } = await open(newFolder(), 100_000_000)
    const large = 'x'.repeat(7_000_000)
    for (const id of ['e-1', 'e-2']) spool.append(event(id, large))
    await written(spool)
    const [entry] = await spool.peek(10)
    expect(entry?.kind === 'event' && entry.event.data.length).toBe(7_000_000)
    expect(await takeAll(spool)).toEqual(['e-1', 'e-2'])
  })
})

describe('the bound', () => {
  test('holds, and room comes back', async () => {
    const { spool } = await open(newFolder(), 70_000)
    let taken = 0
    while (spool.append(event(`e-${taken}`, 'x'.repeat(1000)))) taken += 1
    expect(taken).toBeGreaterThan(50)
    expect(spool.status().bytes).toBeLessThanOrEqual(70_000)
    await written(spool)
    await spool.peek(1)
    await spool.advance(1)
    expect(spool.append(event('more', 'x'.repeat(1000)))).toBe(true)
    expect(spool.append(event('too many', 'x'.repeat(1000)))).toBe(false)
  })
})

describe('after an end', () => {
  test('what was not taken off is there again, and nothing else', async () => {
    const folder = newFolder()
    const first = await open(folder, 20_000)
    for (let at = 0; at < 60; at += 1) first.spool.append(event(`e-${at}`, 'x'.repeat(100)))
    await written(first.spool)
    await first.spool.peek(25)
    await first.spool.advance(25)
    const before = first.spool.status()
    await first.spool.close()
    const second = await open(folder, 20_000)
    expect(second.spool.status()).toEqual(before)
    expect(second.left).toMatchObject({ wasKilled: false })
    second.spool.append(event('e-60'))
    expect(await takeAll(second.spool)).toEqual(Array.from({ length: 36 }, (_, at) => `e-${at + 25}`))
  })

  test('an entry that was half written is cut off, and what follows stands in its place', async () => {
    const folder = newFolder()
    const first = await open(folder)
    for (const id of ['e-1', 'e-2', 'e-3']) first.spool.append(event(id))
    await written(first.spool)
    await first.spool.close()
    const [file = ''] = spoolFiles(folder)
    const path = join(folder, file)
    truncateSync(path, statSync(path).size - 3)
    const second = await open(folder)
    expect(logged.at(-1)).toContain('cut off')
    second.spool.append(event('e-4'))
    expect(await takeAll(second.spool)).toEqual(['e-1', 'e-2', 'e-4'])
  })

  test.each([
    ['bytes of no entry', (path: string) => appendFileSync(path, Buffer.alloc(100, 7))],
    ['zeros, as a disk that lost its power leaves them', (path: string) => appendFileSync(path, Buffer.alloc(4096))],
    ['an entry with another checksum', (path: string) => {
      const bytes = readFileSync(path)
      bytes[bytes.length - 1]! ^= 1
      appendFileSync(path, bytes)
    }],
  ])('%s at the end are cut off', async (_fact, damage) => {
    const folder = newFolder()
    const first = await open(folder)
    first.spool.append(event('e-1'))
    await written(first.spool)
    await first.spool.close()
    damage(join(folder, spoolFiles(folder)[0] ?? ''))
    const second = await open(folder)
    expect(await takeAll(second.spool)).toEqual(['e-1'])
  })

  test('a cursor that cannot be read gives all entries again', async () => {
    const folder = newFolder()
    const first = await open(folder)
    for (const id of ['e-1', 'e-2']) first.spool.append(event(id))
    await written(first.spool)
    await first.spool.peek(1)
    await first.spool.advance(1)
    await first.spool.close()
    writeFileSync(join(folder, 'cursor'), '?')
    expect(await takeAll((await open(folder)).spool)).toEqual(['e-1', 'e-2'])
  })

  test('notes of a process that was killed are there, those of one that ended say so', async () => {
    const folder = newFolder()
    expect((await open(folder)).left).toBeUndefined()
    const notes = { gaps: [], runningCalls: { w1: 3 }, at: '2026-03-01T10:00:00Z' }
    const killed = await open(newFolder())
    killed.spool.note({ ...notes, runningCalls: { w1: 3, 'a very long name of a worker': 1 } })
    killed.spool.note(notes) // shorter: nothing of the longer one is left behind it
    const left = folders.at(-1) ?? ''
    await expect.poll(() => readFileSync(join(left, 'notes.json'), 'utf8').trim()).toContain('"w1":3')
    expect((await open(left)).left).toEqual({ notes, wasKilled: true })
    await killed.spool.close()
    expect((await open(left)).left).toEqual({ notes, wasKilled: false })
  })
})

test('entries that cannot be written are given back, and later ones are written again', async () => {
  const folder = newFolder()
  const lost: string[] = []
  const { spool } = await open(folder, 8_000, (entries) => lost.push(...idsOf(entries)))
  for (let at = 0; at < 20; at += 1) spool.append(event(`e-${at}`, 'x'.repeat(100)))
  await written(spool)
  await expect.poll(async () => (await spool.peek(100)).length).toBe(20)
  await spool.advance(20)
  rmSync(folder, { recursive: true }) // the next file cannot be made
  spool.append(event('gone'))
  await expect.poll(() => lost).toEqual(['gone'])
  expect(logged.filter((text) => text.includes('cannot be written')).length).toBeGreaterThan(0)
})
