/** L7: a place in the feed belongs to one life of one ledger, which never becomes shorter. */
import { LedgerError } from '@a2a-ledger/domain'
import type { LedgerIdentity } from './ports.ts'

/** Errors: throws `ledger_rewound` when `found` is not what was applied before. */
export function requireSameLedger(found: LedgerIdentity | undefined, applied: LedgerIdentity | undefined): void {
  if (found === undefined || applied === undefined) return
  if (found.ledgerId === applied.ledgerId && found.epoch === applied.epoch) return
  throw new LedgerError(
    'ledger_rewound',
    `The feed is of ledger ${found.ledgerId} epoch ${found.epoch}, ` +
      `but ${applied.ledgerId} epoch ${applied.epoch} was applied. Restore that one, or rebuild from this one.`,
  )
}

/** Errors: throws `ledger_rewound` when somebody was told of a position that is not there. */
export function requireReached(head: number, position: number, was: 'applied' | 'published' = 'applied'): void {
  if (position <= head) return
  throw new LedgerError(
    'ledger_rewound',
    `The ledger ends at position ${head}, but ${position} was ${was}: its database was restored to an earlier state. ` +
      'Restore the newest one, or rebuild the reconciler from this one.',
  )
}
