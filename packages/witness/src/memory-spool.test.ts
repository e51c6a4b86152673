import { describe, expect, test } from 'vitest'
import { createMemorySpool } from './memory-spool.ts'
import type { SpoolEntry } from './recording/index.ts'

const entry = (id: string, bytes = 0): SpoolEntry => ({
  kind: 'event', event: { attributes: { specversion: '1.0', id, source: 's', type: 'a2a.task' }, data: new Uint8Array(bytes) },
})
const ids = (entries: readonly SpoolEntry[]): readonly string[] => entries.map((each) => (each.kind === 'event' ? each.event.attributes.id : ''))

describe('what waits in memory', () => {
  test('comes in order, each until it is told', async () => {
    const spool = createMemorySpool(1e9)
    for (let at = 0; at < 2500; at += 1) spool.append(entry(`e-${at}`))
    expect(ids(await spool.peek(2))).toEqual(['e-0', 'e-1'])
    await spool.advance(1)
    expect(ids(await spool.peek(2))).toEqual(['e-1', 'e-2'])
    await spool.advance(1499)
    expect(ids(await spool.peek(1))).toEqual(['e-1500'])
    expect(spool.status().entries).toBe(1000)
    await spool.advance(1000)
    expect([await spool.peek(1), spool.status()]).toEqual([[], { entries: 0, bytes: 0 }])
  })

  test('has a bound, and room again for what was told', async () => {
    const spool = createMemorySpool(10_000)
    expect([spool.append(entry('a', 8_000)), spool.append(entry('b', 8_000))]).toEqual([true, false])
    await spool.advance(1)
    expect(spool.append(entry('c', 8_000))).toBe(true)
  })

  test('counts what holds it as well, so that empty events are not endless', () => {
    const spool = createMemorySpool(10_000)
    let taken = 0
    while (spool.append(entry('e'))) taken += 1
    expect(taken).toBe(9)
  })

  test('comes a few MiB at a time, a larger event by itself', async () => {
    const spool = createMemorySpool(1e9)
    for (const [id, mebibytes] of [['a', 3], ['b', 2], ['c', 8], ['d', 1]] as const) spool.append(entry(id, mebibytes * 1024 * 1024))
    for (const expected of ['a', 'b', 'c', 'd']) {
      expect(ids(await spool.peek(10))).toEqual([expected])
      await spool.advance(1)
    }
  })

  test('comes together with what came a moment later', async () => {
    const spool = createMemorySpool(1e9)
    spool.append(entry('a'))
    await spool.advance(1)
    spool.append(entry('b'))
    const next = spool.peek(10)
    spool.append(entry('c'))
    expect(ids(await next)).toEqual(['b', 'c'])
    await spool.advance(2)
    for (const id of ['d', 'e']) spool.append(entry(id))
    const full = spool.peek(2)
    spool.append(entry('f'))
    expect(ids(await full)).toEqual(['d', 'e'])
  })

  test('is awaited until there is more', async () => {
    const spool = createMemorySpool(10_000)
    const more = spool.more(3_600_000)
    spool.append(entry('a'))
    await more
    await spool.more(0)
  })

  test('takes nothing more once it is closed', async () => {
    const spool = createMemorySpool(10_000)
    await spool.close()
    expect(spool.append(entry('a'))).toBe(false)
  })
})
