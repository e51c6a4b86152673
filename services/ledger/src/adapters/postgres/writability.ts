/**
 * Whether the database takes writes, as far as the last group to be written tells.
 *
 * A full disk cannot be asked for: it shows when a table has to grow. So a group that was refused for
 * it counts for a while, and no longer than the next one that is written; then callers try again.
 */
import { LedgerError } from '@a2a-ledger/domain'
import type { GroupStore } from '../../app/append-queue.ts'
import { refusesWrites } from './sqlstate.ts'

/** How long one refusal speaks for the database. */
const refusalMs = 10_000

export interface Writability {
  /** `store`, watched. */
  readonly watch: (store: GroupStore) => GroupStore
  /** Throws `store_unavailable` while the last group was refused a moment ago. */
  readonly require: () => void
}

/** `elapsedMs`: of a clock that never goes back. */
export const createWritability = (elapsedMs: () => number): Writability => {
  let refusal: { readonly detail: string; readonly untilMs: number } | undefined
  return {
    watch: (store) => ({
      commit: async (group) => {
        try {
          const outcomes = await store.commit(group)
          refusal = undefined
          return outcomes
        } catch (error) {
          if (error instanceof LedgerError && refusesWrites(error.cause)) {
            refusal = { detail: error.detail, untilMs: elapsedMs() + refusalMs }
          }
          throw error
        }
      },
    }),
    require: () => {
      if (refusal === undefined || elapsedMs() >= refusal.untilMs) return
      throw new LedgerError('store_unavailable', `The last events were refused: ${refusal.detail}`)
    },
  }
}
