/** One seed for all random tests of a file: `FC_SEED` to play a run again, else a new one. */
import { randomInt } from 'node:crypto'
import { env } from 'node:process'

export const seed = Number(env['FC_SEED'] ?? randomInt(2 ** 31 - 1))
