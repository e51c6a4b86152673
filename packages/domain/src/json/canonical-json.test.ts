import { describe, expect, test } from 'vitest'
import { canonicalJson, compactText } from './canonical-json.ts'
import { scanJson } from './document.ts'
import { losesPrecision } from './number.ts'

describe('equality of JSON values (L2)', () => {
  test.each([
    ['{"b":1,"a":[true, null]}', '{ "a":[true,null], "b":1.0 }'],
    ['"\\u0061\\/"', '"a/"'],
    ['1e2', '100'],
    ['-0', '0'],
    ['0.10', '1e-1'],
  ])('%s equals %s', (one, other) => {
    expect(canonicalJson(one)).toBe(canonicalJson(other))
  })

  test.each([
    ['9007199254740993', '9007199254740992'],
    ['3364326223160287232', '3.364326223160287e+18'],
    ['[1,2]', '[2,1]'],
    ['{"k":1,"k":2}', '{"k":2,"k":1}'],
    ['{"k":1,"k":2}', '{"k":2}'],
    ['"1"', '1'],
    ['1e400', '1e401'],
    ['null', '{}'],
  ])('%s differs from %s', (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other))
  })

  test('what is not JSON stands for itself', () => {
    expect(canonicalJson('{oops')).toBe('{oops')
  })
})

describe('numbers in a double', () => {
  test.each([
    ['9007199254740993', true],
    ['9223372036854775807', true],
    ['9223372036854770000', false],
    ['3.364326223160287e+18', false],
    ['0.1', false],
    ['0.1000000000000000055511151231257827', true],
    ['1e400', true],
    ['1e-400', true],
    ['123456789012345', false],
    ['-1.50', false],
  ])('%s loses its value: %s', (text, loses) => {
    expect(losesPrecision(text)).toBe(loses)
  })
})

describe('text without insignificant white space', () => {
  test.each([
    ['{ "a" : [ 1.0 , " x " ] }', '{"a":[1.0," x "]}'],
    ['"\\" : "', '"\\" : "'],
    ['[\n]', '[]'],
    ['7', '7'],
  ])('%s is %s', (text, expected) => {
    const scan = scanJson(text)
    expect(scan.outcome === 'ok' ? compactText(scan.document.root) : undefined).toBe(expected)
  })
})
