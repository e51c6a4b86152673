import { describe, expect, it } from 'vitest'
import { answered, chunk, found, piece, pushed, sent, taskAfter, type Line } from '../testing/history.ts'
import { unionOfMetadata } from './metadata.ts'

const told = (entries: readonly { readonly name: string; readonly position: number }[]): string =>
  entries.map(({ name, position }) => `${name} at ${position}`).join(', ')
const begun = [sent(), answered('working')]

describe('F18 metadata of several events as one', () => {
  it.each<[string, readonly Line[], string]>([
    ['F18 of the task: a name that a snapshot lacks is not deleted (C090)', [...begun, pushed('working', { metadataNames: ['file-required'] }), found('working')], 'file-required at 3'],
    ['F18 what is said last counts', [...begun, pushed('working', { metadataNames: ['a', 'b'] }), found('working', { metadataNames: ['b'] })], 'a at 3, b at 4'],
    ['F18 last by the time it was seen, not by the order of recording', [...begun, found('working', { at: 9, metadataNames: ['a'] }), pushed('working', { at: 5, metadataNames: ['a'] })], 'a at 3'],
    ['F18 without metadata there is none', begun, ''],
  ])('%s', (_fact, lines, expected) => {
    expect(told(taskAfter(lines).attempts[0]?.metadata ?? [])).toBe(expected)
  })

  it.each<[string, readonly Line[], string]>([
    ['F18 of an artifact: what an appended chunk brings (C087)', [...begun, chunk('one'), chunk('two', { append: true, artifact: { metadataNames: ['checksum'] } })], 'checksum at 4'],
    ['F18 of what replaces an artifact and of what it replaces', [...begun, chunk('one', { artifact: { metadataNames: ['a'] } }), chunk('uno', { artifact: { metadataNames: ['b'] } })], 'a at 3, b at 4'],
    ['F18 of whoever saw it', [...begun, chunk('one', { artifact: { metadataNames: ['a'] } }), chunk('one', { by: 'gateway', artifact: { metadataNames: ['a', 'b'] } })], 'a at 4, b at 4'],
    ['F18 of the snapshot that overrides it', [...begun, chunk('one', { artifact: { metadataNames: ['a'] } }), found('completed', { holding: [piece('one', { metadataNames: ['c'] })] })], 'a at 3, c at 4'],
  ])('%s', (_fact, lines, expected) => {
    expect(told(taskAfter(lines).artifacts[0]?.canonical.metadata ?? [])).toBe(expected)
  })

  it('F18 is bounded, and what is known by then is still brought up to date', () => {
    const names = Array.from({ length: 150 }, (_, index) => `n${index}`)
    const entries = unionOfMetadata([
      { atMs: 1, position: 1, metadataNames: names },
      { atMs: 2, position: 2, metadataNames: ['n0', 'other'] },
    ])
    expect([entries.length, entries[0], entries.at(-1)]).toEqual([100, { name: 'n0', position: 2 }, { name: 'n99', position: 1 }])
  })
})
