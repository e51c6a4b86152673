import { expect, test } from 'vitest'
import { fromWireRecord } from './records.ts'

const wire = (headers: object) => ({
  key: null,
  value: Buffer.alloc(0),
  timestamp: '0',
  attributes: 0,
  offset: '9007199254740991',
  headers: headers as never,
})

test('headers are names and bytes in order, repetitions included, whatever the client made of them', () => {
  const [one, two] = [Buffer.from('1'), Buffer.from('2')]
  const { headers } = fromWireRecord(
    wire({ plain: one, twice: [one, two], text: 'x', none: null, some: [null, one, undefined], constructor: [Object, two] }),
  )
  expect(headers.map(([name, value]) => [name, Buffer.from(value).toString()])).toEqual([
    ['plain', '1'],
    ['twice', '1'],
    ['twice', '2'],
    ['text', 'x'],
    ['some', '1'],
    ['constructor', '2'],
  ])
})

test('an empty value is empty and a null one is absent', () => {
  expect(fromWireRecord(wire({})).value).toHaveLength(0)
  expect(fromWireRecord({ ...wire({}), value: null })).toMatchObject({ value: undefined, key: undefined, offset: 9007199254740991 })
})
