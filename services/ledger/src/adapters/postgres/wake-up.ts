/** L8: readers hear of a new head after the commit, on another connection, at most one at a time. */
import type { Pool } from 'pg'
import { wakeReaders } from './sql/wake-readers.ts'

/** Announces heads through `pool`; the newest one waits while another is on its way. */
export function createWakeUp(pool: Pool, report: (problem: unknown) => void): (head: number) => void {
  let announced = 0
  let newest = 0
  let isRunning = false

  const run = async (): Promise<void> => {
    while (announced < newest) {
      announced = newest
      await wakeReaders(pool, announced)
    }
  }

  return (head) => {
    newest = Math.max(newest, head)
    if (isRunning) return
    isRunning = true
    run()
      .catch(report)
      .finally(() => {
        isRunning = false
      })
  }
}
