import { LedgerError, type ErrorKind } from '@a2a-ledger/domain'

/**
 * What a failed append does to the records it was about. None of these is a fault of a record:
 * those are outcomes, and quarantined.
 *
 * - `wait`: the same again later; nothing is skipped.
 * - `wait-and-page`: also that, since skipping would lose what was sent, but somebody has to look.
 */
export type Disposition = 'wait' | 'wait-and-page'

const dispositions = {
  unavailable: 'wait',
  conflict: 'wait',
  rejected: 'wait-and-page',
  defect: 'wait-and-page',
} as const satisfies Record<ErrorKind, Disposition>

export const dispositionOf = (error: unknown): Disposition =>
  error instanceof LedgerError ? dispositions[error.kind] : 'wait-and-page'
