import { LedgerError } from '@a2a-ledger/domain'
import { failureKindOf } from './sqlstate.ts'

/** Runs a read; an outage is `store_unavailable`, anything else of PostgreSQL's a defect. */
export async function storeCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof LedgerError) throw error
    const message = error instanceof Error ? error.message : String(error)
    const kind = failureKindOf(error)
    const isOutage = kind === 'unavailable' || kind === 'lock-timeout'
    throw new LedgerError(isOutage ? 'store_unavailable' : 'internal', `Postgres: ${message}`, { cause: error })
  }
}
