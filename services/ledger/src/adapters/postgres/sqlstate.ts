/** What a failure of PostgreSQL or of the way there means for an append (L5, L6). */

import { isAccessRefused } from '@a2a-ledger/service-kit/database-access'

/** SQLSTATE values that are told apart by name. */
export const sqlState = {
  lockNotAvailable: '55P03',
  checkViolation: '23514',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  idleInTransactionTimeout: '25P03',
} as const

/**
 * - `poison`: something in the batch cannot be stored; bisect.
 * - `partition-missing`: our own omission; make it and try again.
 * - `lock-timeout`: somebody holds the append lock.
 * - `unavailable`: PostgreSQL is away, full, shutting down or keeps us out; the same may work later.
 * - `defect`: none of these; our mistake, or a database that is not ours.
 */
export type FailureKind = 'poison' | 'partition-missing' | 'lock-timeout' | 'unavailable' | 'defect'

interface PostgresFailure {
  readonly code: string
  readonly constraint?: string
}

const isPostgresFailure = (error: unknown): error is PostgresFailure =>
  error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string'

/** The kind of one failure; whatever PostgreSQL did not report is a lost or refused connection. */
export const failureKindOf = (error: unknown): FailureKind => {
  if (!isPostgresFailure(error)) return isProgrammingError(error) ? 'defect' : 'unavailable'
  const { code, constraint } = error
  if (code === sqlState.lockNotAvailable) return 'lock-timeout'
  // A server that became a standby; a process that was frozen and wakes up without its session.
  if (code === sqlState.readOnlyTransaction || code === sqlState.idleInTransactionTimeout) return 'unavailable'
  if (isAccessRefused(error)) return 'unavailable'
  // A row for which no partition exists is reported like a CHECK that has no name.
  if (code === sqlState.checkViolation && constraint === undefined) return 'partition-missing'
  // Our own keys: somebody wrote without the lock. Quarantining innocent events would hide that.
  if (code === sqlState.uniqueViolation) return 'defect'
  switch (code.slice(0, 2)) {
    case '22':
    case '23':
    case '54':
      return 'poison'
    case '08':
    case '40':
    case '53':
    case '57':
    case '58':
      return 'unavailable'
    default:
      return 'defect'
  }
}

/**
 * True when PostgreSQL answers and takes no writes: read-only, full, or unable to write its files.
 * Reads go on working then, so nobody notices who only asks whether it answers.
 */
export const refusesWrites = (error: unknown): boolean =>
  isPostgresFailure(error) && (error.code === sqlState.readOnlyTransaction || /^5[38]/.test(error.code))

const isProgrammingError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
