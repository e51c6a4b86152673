/**
 * Records what an operator decided, in the ledger, since decisions rest on it.
 *
 * The event's id is a seal of the content and the position of the decision before it. So the same
 * request twice is one event, and back to an earlier policy is a new one.
 */
import { LedgerError, type EventAttributes } from '@a2a-ledger/domain'
import type { Applied } from './applied.ts'
import { reach } from './catch-up.ts'
import type { FeedReader, LedgerClient, Seal } from './ports.ts'

export interface PolicyPorts {
  readonly feed: Pick<FeedReader, 'head'>
  readonly ledger: LedgerClient
  readonly applied: Applied
  readonly seal: Seal
}

/**
 * The policy is recorded and applied; answers the position of the decision in force. `content` is all that was asked for, secrets included; `before`
 * is the last decision that is applied.
 *
 * Idempotent while no other decision on the same subject came in between.
 * Errors: throws `parameter_invalid`, `ledger_unavailable`, `not_caught_up`.
 */
export async function recordPolicy(
  { ledger, applied, seal }: PolicyPorts,
  event: {
    readonly content: unknown
    readonly before: { readonly position: number; readonly eventId: string } | undefined
    readonly attributes: Pick<EventAttributes, 'type' | 'correlationid' | 'workerid'>
    readonly data: unknown
  },
): Promise<number> {
  const { content, before, attributes, data } = event
  const sealed = await seal(JSON.stringify(content))
  if (before?.eventId.startsWith(`${sealed}.`)) return before.position
  const outcome = await ledger.append({
    attributes: { specversion: '1.0', id: `${sealed}.${before?.position ?? 0}`, source: 'urn:a2a-ledger:reconciler', ...attributes },
    data,
  })
  switch (outcome.outcome) {
    case 'recorded':
    case 'duplicate':
      await reach(applied, outcome.position)
      return outcome.position
    case 'quarantined':
    case 'rejected':
      throw new LedgerError('parameter_invalid', `The ledger does not take this policy: ${outcome.detail}`)
    case 'conflict':
    case 'stale':
      throw new LedgerError('internal', `A policy of this deployment cannot be ${outcome.outcome}.`)
  }
}
