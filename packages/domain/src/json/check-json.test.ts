import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seed } from '../testing/seed.ts'
import { checkJson } from './check-json.ts'

const passesParse = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('checkJson', () => {
  test.each([
    '', ' ', 'nul', 'nulll', 'true false', '01', '-', '-01', '1.', '.1', '1e', '1e+', '+1', '1.e1', '0x1', 'NaN', '"', '"a', '"\\', '"\\x"', '"\\u12"',
    '"\\u12g4"', '"\t"', '"\u0000"', '[', '[1', '[1,', '[,1]', '[1,]', '[1 2]', ']', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{a:1}',
    '{"a" 1}', '{"a":1 "b":2}', '{1:2}', '[}', '{]', '[]]', '\ufeff1', '\u00a01', '1\u0000', '"\ud800', "'a'",
  ])('%j is refused, as by JSON.parse', (text) => {
    expect([checkJson(text).outcome, passesParse(text)]).toEqual(['malformed', false])
  })

  test.each([
    'null', ' true ', 'false', '0', '-0', '10', '-1.5e-10', '1E+2', '0.0', '""', '"\\u0000\\ud800\\n\\/"', '"\ud800"', '"\u007f\u2028"', '[]', '[ ]', '{ }',
    '[1,2 , 3]', '{"a":{"b":[{}]},"a":1}', '\n\t\r 1', '{"":""}',
  ])('%j passes, as with JSON.parse', (text) => {
    expect([checkJson(text).outcome, passesParse(text)]).toEqual(['ok', true])
  })

  test('the same texts pass as with JSON.parse', () => {
    const json = fc.json({ maxDepth: 5 })
    const broken = fc.tuple(json, fc.nat(), fc.nat(3), fc.constantFrom(...'{}[]",:\\ue0-.1 \u0001tn'.split(''))).map(([text, at, cut, put]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + put + text.slice(place + cut)
    })
    fc.assert(
      fc.property(fc.oneof(json, broken), (text) => (checkJson(text).outcome === 'ok') === passesParse(text)),
      { numRuns: 3_000, seed },
    )
  })

  test('says where the fault is', () => {
    expect(checkJson('{"a":1,]')).toEqual({ outcome: 'malformed', detail: 'unexpected "]" at position 7' })
    expect(checkJson('{"a":')).toEqual({ outcome: 'malformed', detail: 'it ends too early' })
  })

  test.each([
    ['two levels', '[[1]]', { depthMax: 2 }, 'ok'],
    ['three levels where two are allowed', '[{"a":[]}]', { depthMax: 2 }, 'too-deep'],
    ['too deep before it is malformed', '[[[', { depthMax: 2 }, 'too-deep'],
    ['three values', '{"a":[1]}', { valuesMax: 3 }, 'ok'],
    ['four values where three are allowed', '{"a":[1,2]}', { valuesMax: 3 }, 'too-many'],
  ] as const)('%s', (_, text, limits, outcome) => {
    expect(checkJson(text, limits).outcome).toBe(outcome)
  })

  test('a million levels take no stack', () => {
    expect(checkJson('['.repeat(1_000_000) + ']'.repeat(1_000_000)).outcome).toBe('ok')
  })
})
