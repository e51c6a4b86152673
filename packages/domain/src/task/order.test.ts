import { describe, expect, it } from 'vitest'
import { compareSequences } from './order.ts'

describe('F3 sequences', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['F3 whole numbers go by value', ['10', '9', '2'], ['2', '9', '10']],
    ['F3 leading zeros do not count', ['0011', '9'], ['9', '0011']],
    ['F3 numbers beyond what a double holds are told apart', ['9007199254740993', '9007199254740992'], ['9007199254740992', '9007199254740993']],
    ['F3 other texts go by their letters', ['b', 'a10', 'a9'], ['a10', 'a9', 'b']],
    ['F3 numbers come before texts, so that there is one order of all', ['1x', '10', '2'], ['2', '10', '1x']],
  ])('%s', (_fact, given, ordered) => {
    expect(given.toSorted(compareSequences)).toEqual(ordered)
  })
})
