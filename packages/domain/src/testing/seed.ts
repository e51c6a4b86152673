/** Random tests: `FC_SEED` plays a run again, `FC_RUNS` makes it longer. */
import { randomInt } from 'node:crypto'
import { env } from 'node:process'

/** One seed for all random tests of a file. */
export const seed = Number(env['FC_SEED'] ?? randomInt(2 ** 31 - 1))

export const runCount = Number(env['FC_RUNS'] ?? 150)
