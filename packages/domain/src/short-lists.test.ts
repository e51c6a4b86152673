import { describe, expect, test } from 'vitest'
import { withShortLists } from './short-lists.ts'

const many = Array.from({ length: 150 }, (_, index) => index)

describe('lists of an answer', () => {
  test('of at most 100 entries stay, and nothing is counted', () => {
    const view = { list: many.slice(0, 100), name: 'x' }
    expect(withShortLists(view)).toBe(view)
  })

  test('that are longer are cut to the first 100, and the full length is said', () => {
    expect(withShortLists({ list: many, other: [1] })).toEqual({ list: many.slice(0, 100), other: [1], counts: { list: 150 } })
  })

  test('of which the newest matter keep the last 100', () => {
    expect(withShortLists({ list: many }, 'list')).toEqual({ list: many.slice(50), counts: { list: 150 } })
  })

  test('that were cut before keep the length they had', () => {
    expect(withShortLists({ list: many, more: many, counts: { list: 9_000 } }).counts).toEqual({ list: 9_000, more: 150 })
  })
})
