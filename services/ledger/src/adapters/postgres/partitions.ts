/** Partitions are made before they are needed, and never inside an append unless it is too late. */
import type { Pool } from 'pg'
import { makePartitions } from './sql/make-partitions.ts'

/** How far ahead of the head partitions exist: at 40,000 events a second, half a minute. */
const aheadMin = 1_000_000

export interface Partitions {
  /** Positions up to `upto` have a partition; more are made in the background when few are left. */
  readonly ensure: (upto: number) => Promise<void>
}

/** Partitions made through `pool`, on a connection that does not append. */
export function createPartitions(pool: Pool, report: (problem: unknown) => void): Partitions {
  let madeUpTo = 0
  let making: Promise<void> | undefined

  const make = async (upto: number): Promise<void> => {
    const client = await pool.connect()
    try {
      madeUpTo = Math.max(madeUpTo, await makePartitions(client, upto))
    } finally {
      client.release()
    }
  }

  return {
    ensure: async (upto) => {
      if (upto >= madeUpTo) await make(upto + aheadMin)
      if (upto + aheadMin < madeUpTo || making !== undefined) return
      making = make(upto + 2 * aheadMin)
        .catch(report)
        .finally(() => {
          making = undefined
        })
    },
  }
}
