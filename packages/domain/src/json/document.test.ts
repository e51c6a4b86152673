import { describe, expect, test } from 'vitest'
import { scanJson, type JsonValue } from './document.ts'

const scan = (text: string) => {
  const result = scanJson(text)
  if (result.outcome !== 'ok') throw new Error(`${result.outcome}: ${result.detail}`)
  return result.document
}

const plain = (value: JsonValue): unknown => {
  switch (value.kind) {
    case 'object':
      return Object.fromEntries([...value.members()].map((each) => [each.name, plain(each.value)]))
    case 'array':
      return [...value.items()].map(plain)
    case 'string':
      return value.string
    case 'number':
      return value.number
    case 'boolean':
      return value.boolean
    case 'null':
      return null
  }
}

describe('a scanned document', () => {
  test.each([
    ['{}'],
    ['[]'],
    [' [ 1 , -2.5e3 , true , false , null , "a" ] '],
    ['{"a":{"b":[{"c":"\\"\\\\"},[]]},"d":""}'],
    ['{"x\\u0061":"\\ud83d\\ude00 \\u0000"}'],
    ['"text"'],
    ['0'],
  ])('holds what JSON.parse gives: %s', (text) => {
    expect(plain(scan(text).root)).toEqual(JSON.parse(text))
  })

  test('knows the exact text of every value', () => {
    const { root } = scan('{"a" : { "b":1.0 } ,"c":[ "x" , 2 ]}')
    expect(root.get('a')?.raw).toBe('{ "b":1.0 }')
    expect(root.get('a')?.get('b')?.raw).toBe('1.0')
    expect([...(root.get('c')?.items() ?? [])].map((each) => each.raw)).toEqual(['"x"', '2'])
  })

  test('finds members by decoded names, the last of duplicates first', () => {
    const { root } = scan(String.raw`{"a":1,"\u0061":2,"b":3}`)
    expect(root.get('a')?.number).toBe(2)
    expect(root.all('a').map((each) => each.number)).toEqual([1, 2])
  })

  test('says which names are duplicated, and where', () => {
    const { duplicates } = scan('{"a":1,"b":[0,{"x":1,"x":2,"x":3}],"a":2}')
    expect(duplicates).toEqual([
      { path: ['b', 1], name: 'x' },
      { path: ['b', 1], name: 'x' },
      { path: [], name: 'a' },
    ])
  })

  test('passes a mark of the byte order over, and keeps the places of values', () => {
    const { text, root } = scan('\uFEFF{"a":[1]}')
    expect([text.slice(root.start, root.end), root.get('a')?.raw]).toEqual(['{"a":[1]}', '[1]'])
  })

  test('says whether a number would lose its value', () => {
    expect(scan('[9007199254740993]').hasImpreciseNumber).toBe(true)
    expect(scan('["9007199254740993", 0.1]').hasImpreciseNumber).toBe(false)
  })

  test.each([
    [''],
    ['{'],
    ['{"a":1,}'],
    ["{'a':1}"],
    ['NaN'],
    ['"\n"'],
    ['{\uFEFF}'],
    ['\uFEFF\uFEFF{}'],
    ['\uFEFF'],
    ['"open'],
    ['{}{}'],
  ])('refuses what is not JSON: %j', (text) => {
    expect(scanJson(text)).toMatchObject({ outcome: 'malformed' })
  })

  test('refuses the 65th level, and not brackets in strings', () => {
    expect(scanJson('['.repeat(64) + ']'.repeat(64)).outcome).toBe('ok')
    expect(scanJson('['.repeat(65) + ']'.repeat(65)).outcome).toBe('too-deep')
    expect(scanJson('['.repeat(100_000)).outcome).toBe('too-deep')
    expect(scanJson(`"${'['.repeat(1000)}"`).outcome).toBe('ok')
  })

  test('refuses the 500,001st value', () => {
    expect(scanJson(`[${'1,'.repeat(499_998)}1]`).outcome).toBe('ok')
    expect(scanJson(`[${'1,'.repeat(499_999)}1]`)).toEqual({ outcome: 'too-many', detail: 'more than 500000 values' })
  })

  test('reads two hundred thousand small values without a call a value', () => {
    const text = `[${'{"a":1},'.repeat(200_000)}{}]`
    let count = 0
    for (const item of scan(text).root.items()) count += item.kind === 'object' ? 1 : 0
    expect(count).toBe(200_001)
  })
})

describe('every object of a document', () => {
  test.each<[string, string, readonly string[]]>([
    ['itself first, then those in it, in order of the text', '{"a":{"b":1},"c":[{"d":{"e":[]}},2]}', ['{"a":{"b":1},"c":[{"d":{"e":[]}},2]}', '{"b":1}', '{"d":{"e":[]}}', '{"e":[]}']],
    ['none without a member', '[{},[],"{}",{"a":{}}]', ['{"a":{}}']],
    ['none in a scalar', '"{\\"a\\":1}"', []],
    ['names that look like one are none', '{"{":1}', ['{"{":1}']],
  ])('%s', (_fact, text, objects) => {
    expect([...scan(text).root.objects()].map(({ raw }) => raw)).toEqual(objects)
  })

  test('of a part are those of the part alone', () => {
    const [first] = scan('[{"a":1},{"b":2}]').root.items()
    expect([...(first?.objects() ?? [])].map(({ raw }) => raw)).toEqual(['{"a":1}'])
  })
})
