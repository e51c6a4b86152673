import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testCodec } from '../testing/index.ts'
import { createCorrelationKeys, hashOfParts } from './correlation-keys.ts'

const keys = createCorrelationKeys(testCodec)

test('L3: a key is 16 bytes, whatever the length of the ids', () => {
  expect(keys.task('🙂'.repeat(1024), 'ü'.repeat(1024))).toMatch(/^[0-9a-f]{32}$/)
})

test('L3: keys of different kinds differ for the same text', () => {
  const all = [keys.correlation('a'), keys.worker('a'), keys.task('a', 'a'), keys.message('a', 'a'), keys.claim('a', 'a')]
  expect(new Set(all).size).toBe(all.length)
})

test('L3: parts that join to the same text have different keys', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      expect(hashOfParts(testCodec, 'tag', one) === hashOfParts(testCodec, 'tag', other)).toBe(isSame)
    }),
  )
})

test('L3: a key is the same on every machine', () => {
  expect(keys.task('w-1', 't-1')).toBe('eb1818ea29fa03431bdc8b3e6aa63090')
})
