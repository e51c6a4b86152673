/** What had to be believed to put an event where it is: what it may be taken back by (K1, K2, K3). */
import type { LedgerEvent } from './ledger-event.ts'

/**
 * - `claim`: its worker's word alone; what a client writes into its own message is no such claim.
 * - `link`: what was known of its task, message or stream.
 *
 * `undefined`: it was stated, or is nobody's, or a claim that merges nothing; then it stays where it is.
 */
export const placedBy = ({
  rung,
  attributes,
  refused,
}: Pick<LedgerEvent, 'rung' | 'attributes' | 'refused'>): 'claim' | 'link' | undefined => {
  if (refused?.code === 'correlation_conflict') return undefined
  switch (rung) {
    case 'claim':
    case 'metadata':
    case 'context':
      return attributes.type === 'a2a.dispatch' ? undefined : 'claim'
    case 'task-link':
    case 'message-link':
    case 'stream-link':
      return 'link'
    case 'explicit':
    case 'attribute':
    case 'trace':
    case 'synthetic':
      return undefined
  }
}
