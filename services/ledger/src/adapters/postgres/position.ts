/** Positions are `bigint` in SQL and numbers in JavaScript, as long as those are exact. */
import { LedgerError } from '@a2a-ledger/domain'

/** Throws `internal` for a position that a number cannot hold: nine thousand years away. */
export const positionOf = (value: string | number): number => {
  const position = Number(value)
  if (Number.isSafeInteger(position)) return position
  throw new LedgerError('internal', `Position ${value} is beyond 2^53.`)
}
