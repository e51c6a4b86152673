import { describe, expect, it } from 'vitest'
import { chunk, found, ms, streamed, type Line } from '../testing/history.ts'
import { compareSequences, effectiveMsOf, orderSigns, orderWitnessed, type SignFact } from './order.ts'

describe('F3 sequences', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['F3 whole numbers go by value', ['10', '9', '2'], ['2', '9', '10']],
    ['F3 leading zeros do not count', ['0011', '9'], ['9', '0011']],
    ['F3 numbers beyond what a double holds are told apart', ['9007199254740993', '9007199254740992'], ['9007199254740992', '9007199254740993']],
    ['F3 other texts go by their letters', ['b', 'a10', 'a9'], ['a10', 'a9', 'b']],
    ['F3 numbers come before texts, so that there is one order of all', ['1x', '10', '2'], ['2', '10', '1x']],
    ['F3 a text with a number at its end is a text', ['x2', '10'], ['10', 'x2']],
    ['F3 a text that begins with a number goes by its letters', ['9a', '10a'], ['10a', '9a']],
    ['F3 zeros inside a number count', ['100', '19', '20'], ['19', '20', '100']],
    ['F3 numbers of one length go by their digits', ['13', '12', '21', '11'], ['11', '12', '13', '21']],
  ])('%s', (_fact, given, ordered) => {
    expect(given.toSorted(compareSequences)).toEqual(ordered)
  })

  it.each<[string, string, string, number]>([
    ['F3 the same number', '12', '12', 0],
    ['F3 the same number with leading zeros', '0012', '12', 0],
    ['F3 nothing but zeros', '000', '0', 0],
    ['F3 the same text', 'a', 'a', 0],
    ['F3 a lower number', '11', '12', -1],
    ['F3 a higher number', '12', '11', 1],
    ['F3 a later text', 'b', 'a', 1],
    ['F3 an earlier text', 'a', 'b', -1],
    ['F3 a text after a number', 'a', '1', 1],
    ['F3 a text after a longer number', 'a', '10', 1],
    ['F3 a longer number before a text', '10', 'a', -1],
    ['F3 a text that begins with a number after a higher one', '1a', '20', 1],
    ['F3 a number before a shorter text that ends in one', '90000', 'x2', -1],
    ['F3 leading zeros on the other side', '12', '0012', 0],
  ])('%s', (_fact, left, right, order) => {
    expect(compareSequences(left, right)).toBe(order)
  })
})

const signsOf = (lines: readonly Line[]): readonly SignFact[] => lines.map((line, index) => line(index + 1) as SignFact)

/** Position and effective second of each, in order. */
const orderOf = (lines: readonly Line[], created?: number): string =>
  orderSigns(signsOf(lines), created === undefined ? undefined : ms(created))
    .map(({ fact, effectiveMs }) => `${fact.position}@${(effectiveMs - ms(0)) / 1_000}`)
    .join(' ')

describe('F3 the order of signs', () => {
  const at = (second: number, sequence: string, streamId = 's'): Line => streamed('working', { at: second, streamId, sequence })
  it.each<[string, readonly Line[], string]>([
    ['F3 along a sequence no time runs backwards', [at(9, '1'), at(5, '2'), at(7, '3')], '1@9 2@9 3@9'],
    ['F3 of equal times the lower sequence stays first', [at(5, '2'), at(5, '1')], '2@5 1@5'],
    ['F3 equal sequences leave it to time', [at(6, '1'), at(5, '1')], '2@5 1@6'],
    ['F3 equal sequences and times leave it to the position', [at(5, '1'), at(5, '1')], '1@5 2@5'],
    ['F3 what states no sequence is moved by none', [at(9, '2'), found('working', { at: 6 }), at(5, '1')], '3@5 2@6 1@9'],
    ['F3 what states no sequence keeps its time among those of its stream', [at(3, '2'), streamed('working', { at: 2, streamId: 's' }), at(5, '1')], '2@2 3@5 1@5'],
    ['F3 a stream without a name is one as well', [streamed('working', { at: 9, sequence: '1' }), streamed('working', { at: 5, sequence: '2' })], '1@9 2@9'],
    ['F3 places are exchanged among those of the stream alone', [at(5, '2'), found('working', { at: 5 }), at(5, '1')], '3@5 2@5 1@5'],
    ['F3 generations exchange the places that sequences left', [chunk('x', { at: 5, streamId: 's', sequence: '2' }), streamed('working', { at: 5, streamId: 's', sequence: '1', generation: 1 })], '2@5 1@5'],
    ['F3 generations keep the stamps', [found('working', { at: 9, stamped: 3, generation: 1 }), found('working', { at: 8, stamped: 4, generation: 2 })], '1@3 2@4'],
    ['F3 generations keep what sequences had moved', [streamed('working', { at: 9, generation: 1 }), streamed('working', { at: 5, generation: 2 })], '1@9 2@9'],
  ])('%s', (_fact, lines, order) => {
    expect(orderOf(lines)).toBe(order)
  })

  it('F3 a stamp is held between the dispatch and the moment it was seen', () => {
    const stamped = (second: number) => signsOf([found('working', { at: 20, stamped: second })])[0] as SignFact
    expect([5, 15, 25].map((second) => (effectiveMsOf(stamped(second), ms(10)) - ms(0)) / 1_000)).toEqual([10, 15, 20])
    expect(effectiveMsOf(stamped(-5), undefined)).toBe(ms(-5))
  })

  it('F18 seen is by witness time, whatever the stamps say', () => {
    expect(orderWitnessed(signsOf([found('working', { at: 9, stamped: 1 }), found('working', { at: 5, stamped: 4 })])).map(({ position }) => position)).toEqual([2, 1])
  })
})
