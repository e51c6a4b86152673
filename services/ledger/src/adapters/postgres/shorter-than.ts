import { LedgerError } from '@a2a-ledger/domain'

/** L7: position `headSeen` was recorded, as this process knows, and the log ends before it. */
export const shorterThan = (headSeen: number): LedgerError =>
  new LedgerError(
    'ledger_rewound',
    `Position ${headSeen} was recorded and is not there: the database was restored to an earlier state. ` +
      'Restore the newest one, or give the log a new epoch and restart.',
  )
