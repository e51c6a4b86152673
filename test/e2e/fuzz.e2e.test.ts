/** A slice of `npm run fuzz -- --http`. `FUZZ_SEED` plays it again. */
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { fuzzHttp } from '../fuzz/fuzz-http.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31 - 1))

test(`no damaged input over HTTP makes a 5xx, and each is accounted for, seed ${seed}`, { timeout: 400_000 }, async () => {
  const { problems, inputs, head } = await fuzzHttp({ inputs: 300, seed, say: () => undefined })
  expect(problems).toEqual([])
  expect(inputs).toBeGreaterThanOrEqual(300)
  expect(head).toBeGreaterThan(0)
})
