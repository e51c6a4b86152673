import { describe, expect, test } from 'vitest'
import { itemSpans, memberSpan } from './span.ts'

const cut = (text: string, span: { readonly start: number; readonly end: number } | undefined) =>
  span === undefined ? undefined : text.slice(span.start, span.end)

describe('spans', () => {
  test.each([
    ['{"id":"1","data" :  {"a": 1.0,\n"b":[ ]} ,"x":2}', '{"a": 1.0,\n"b":[ ]}'],
    ['{"data":"text"}', '"text"'],
    ['{"data":null}', 'null'],
    ['{"data":1,"data":2}', '2'],
    [String.raw`{"d\u0061ta":7}`, '7'],
    ['{"inner":{"data":1}}', undefined],
    ['[{"data":1}]', undefined],
    ['{"data":', undefined],
  ])('the data of %s is %s, byte for byte', (text, expected) => {
    expect(cut(text, memberSpan(text, 'data'))).toBe(expected)
  })

  test('the elements of an array are cut as they stand', () => {
    const text = '[ {"a" : 1} ,2, "x" ]'
    expect(itemSpans(text)?.map((span) => cut(text, span))).toEqual(['{"a" : 1}', '2', '"x"'])
    expect(itemSpans('[]')).toEqual([])
    expect(itemSpans('{}')).toBeUndefined()
  })
})
