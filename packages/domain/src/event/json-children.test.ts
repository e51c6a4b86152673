import { expect, test } from 'vitest'
import { jsonChildren } from './json-children.ts'

test.each([
  ['{}', []],
  [' [ ] ', []],
  ['{"a":1}', [['a', '1', 0]]],
  ['{"a" : 1.0e+5 , "b":"x"}', [['a', '1.0e+5', 0], ['b', '"x"', 0]]],
  ['{"\\u0061":null,"a":true}', [['a', 'null', 0], ['a', 'true', 0]]],
  ['{"a":{ "b": [1,\n2] } }', [['a', '{ "b": [1,\n2] }', 2]]],
  ['[1,"]",[],{"}":"{"}]', [[undefined, '1', 0], [undefined, '"]"', 0], [undefined, '[]', 1], [undefined, '{"}":"{"}', 1]]],
  ['["\\"", "\\\\", "\\\\\\""]', [[undefined, '"\\""', 0], [undefined, '"\\\\"', 0], [undefined, '"\\\\\\""', 0]]],
  ['{"__proto__":"p"}', [['__proto__', '"p"', 0]]],
  ['{"a":9007199254740993}', [['a', '9007199254740993', 0]]],
])('the children of %s', (json, expected) => {
  expect(jsonChildren(json).map(({ name, json: value, depth }) => [name, value, depth])).toEqual(expected)
})

test('text nested a million deep is measured', () => {
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
  expect(jsonChildren(`{"a":${deep},"b":1}`).map((child) => child.depth)).toEqual([1_000_000, 0])
})
