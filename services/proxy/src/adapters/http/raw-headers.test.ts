import { describe, expect, test } from 'vitest'
import { headerIn, headersIn, textOf, toCaller, toWorker } from './raw-headers.ts'

describe('headers', () => {
  test('are found whatever their case, and by their names alone', () => {
    const headers = ['X-A', 'accept', 'accept', 'x-a', 'x-a', '2']
    expect([headerIn(headers, 'x-a'), headerIn(headers, 'accept'), headerIn(headers, '2')]).toEqual(['accept', 'x-a', undefined])
    expect(headersIn(headers, 'x-a')).toEqual(['accept', '2'])
  })

  test('to the worker: order and repetitions stay', () => {
    expect(toWorker(['Host', 'proxy', 'B', '1', 'a', '2', 'B', '3', 'Content-Length', '5', 'A2A-Ledger-X', '1', 'Expect', '100-continue'], 'me')).toEqual(['B', '1', 'a', '2', 'B', '3', 'via', '1.1 me'])
  })

  test('that Connection names end here, in both directions', () => {
    const headers = ['Connection', 'close, X-Hop', 'connection', 'x-other', 'X-Hop', '1', 'x-other', '2', 'X-Kept', '3']
    expect(toWorker(headers, 'me')).toEqual(['X-Kept', '3', 'via', '1.1 me'])
    expect(toCaller(headers)).toEqual(['X-Kept', '3'])
  })

  test.each([
    ['plain', 'plain'],
    [Buffer.from('grün').toString('latin1'), 'grün'],
    [Buffer.from('grün', 'latin1').toString('latin1'), 'grün'],
    [undefined, undefined],
  ])('%j is the text %j', (value, text) => {
    expect(textOf(value)).toBe(text)
  })
})
