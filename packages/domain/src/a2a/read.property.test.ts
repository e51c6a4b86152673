import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalOf } from './canonical-of.ts'
import { redactCredentials } from './credentials.ts'
import { bodies } from '../testing/wire/bodies.ts'
import { mutated } from '../testing/wire/mutated.ts'
import { readPayload } from './read.ts'

const numRuns = 2000

describe('whatever comes in', () => {
  test('readPayload answers with a reading or a reason, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.constantFrom(...bodies),
        mutated,
        (one, other, mutate) => {
          const result = readPayload(other.context, mutate(one.text))
          if (result.outcome === 'read')
            expect(canonicalOf(result.reading).kind).toBe(result.reading.kind)
          else expect(result.reason).toMatch(/^(data_|id_)/)
        },
      ),
      { numRuns, verbose: true },
    )
  })

  test('reading is a function of context and text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bodies), mutated, ({ context, text }, mutate) => {
        const input = mutate(text)
        expect(readPayload(context, input)).toEqual(readPayload(context, input))
      }),
      { numRuns: numRuns / 4, verbose: true },
    )
  })

  test('redacting keeps the length in bytes and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bodies), mutated, ({ context, text }, mutate) => {
        const input = mutate(text)
        const once = redactCredentials(context, input)
        const twice = redactCredentials(context, once.text)
        expect(new TextEncoder().encode(once.text)).toHaveLength(
          new TextEncoder().encode(input).length,
        )
        expect(twice).toEqual({ text: once.text, secrets: [], isRedacted: false, isTold: false })
      }),
      { numRuns, verbose: true },
    )
  })
})
