/** A slice of `npm run fuzz`, and everything that it found so far. `FUZZ_SEED` plays a slice again. */
import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { foldCase } from './fold-case.ts'
import { readFound } from './found.ts'
import { fuzzFold } from './fuzz-fold.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31 - 1))

describe('what fuzzing found', () => {
  test.each(readFound())('$name holds: $because', ({ inputs }) => {
    expect(foldCase(inputs)).toHaveLength(inputs.length)
  })
})

test(`damaged inputs and large bodies end recorded, quarantined or rejected, seed ${seed}`, { timeout: 600_000 }, () => {
  const { failure, inputs, outcomes } = fuzzFold({ inputs: 1_000, seed })
  expect(failure).toBeUndefined()
  expect(inputs).toBeGreaterThanOrEqual(1_000)
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(inputs)
})
