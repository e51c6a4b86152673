/** Who may send on a recorded `redispatch`: of all who ask one, until its lease lapses (V8, ADR 80). */
import {
  claimOf,
  LedgerError,
  redispatchMessageId,
  rfc3339Of,
  sendMetadataOf,
  type ClaimStanding,
  type DuplicateRisk,
  type IntentAnalysis,
} from '@a2a-ledger/domain'
import { decisionNotFound, leaseOf, recordIntent, taskOfDecision, untilFirst, type IntentPorts } from './hold-intent.ts'

/** How long a lease holds unless it is said. */
export const leaseMsDefault = 60_000

/** The claim is the caller's. */
export interface Claimed {
  readonly decisionId: string
  readonly lease: string
  readonly until: string
  /** Send this, then settle. */
  readonly send: { readonly workerId: string; readonly messageId: string; readonly metadata: unknown }
  readonly duplicateRisk: DuplicateRisk
  /** Who held it before, and let it lapse: nobody knows whether it was sent. */
  readonly previous?: { readonly by?: string; readonly until: string; readonly outcome: 'unknown' }
  readonly position: number
}

/** Who holds a decision, or has sent on it. */
export const holderOf = ({ by, untilMs, workerId, messageId, outcome, position }: IntentAnalysis) => ({
  ...(by !== undefined && { by }),
  until: rfc3339Of(untilMs),
  workerId,
  messageId,
  ...(outcome !== 'open' && { outcome }),
  position,
})

/**
 * The decision is this caller's until the answered moment: it may send, and nobody else.
 *
 * Idempotent: the same `by` gets the same lease while it holds.
 * Errors: throws `decision_not_found`, `claim_held`, `decision_closed`, `stream_moved`,
 * `ledger_unavailable`, `not_caught_up`.
 */
export async function claimDecision(
  ports: IntentPorts,
  decisionId: string,
  { by, ttlMs = leaseMsDefault }: { readonly by: string; readonly ttlMs?: number | undefined },
): Promise<Claimed> {
  return untilFirst(async () => {
    const task = await taskOfDecision(ports, decisionId)
    const standing = claimOf(task.analysis, decisionId)
    if (standing.status === 'held' && standing.intent.by === by) return claimed(ports, task.analysis.correlationId, standing)
    if (standing.status !== 'free') throw refusalOf(standing)
    const { verdict, n } = standing
    const intent = await recordIntent(ports, task, {
      decisionId,
      purpose: 'redispatch',
      n,
      by,
      actor: 'caller',
      workerId: verdict.targetWorkerId,
      messageId: redispatchMessageId(decisionId),
      ttlMs,
    })
    if (intent === undefined) return undefined
    const { lapsed, duplicateRisk } = standing
    return {
      ...(await grant(ports, decisionId, intent)),
      send: sendOf(verdict.targetWorkerId, decisionId, task.analysis.correlationId),
      duplicateRisk,
      ...(lapsed !== undefined && { previous: previousOf(lapsed) }),
      position: intent.position,
    }
  })
}

type Held = Extract<ClaimStanding, { status: 'held' }>

/** What the holder was told before, once more. */
async function claimed(ports: IntentPorts, correlationId: string, { intent, duplicateRisk, lapsed }: Held): Promise<Claimed> {
  return {
    ...(await grant(ports, intent.decisionId, intent)),
    send: sendOf(intent.workerId, intent.decisionId, correlationId),
    duplicateRisk,
    ...(lapsed !== undefined && { previous: previousOf(lapsed) }),
    position: intent.position,
  }
}

async function grant(
  { seal }: IntentPorts,
  decisionId: string,
  { intentId, untilMs }: { readonly intentId: string; readonly untilMs: number },
): Promise<Pick<Claimed, 'decisionId' | 'lease' | 'until'>> {
  return { decisionId, lease: await leaseOf(seal, intentId), until: rfc3339Of(untilMs) }
}

const sendOf = (workerId: string, decisionId: string, correlationId: string): Claimed['send'] => ({
  workerId,
  messageId: redispatchMessageId(decisionId),
  metadata: sendMetadataOf(correlationId),
})

export const previousOf = ({ by, untilMs }: IntentAnalysis): NonNullable<Claimed['previous']> => ({
  ...(by !== undefined && { by }),
  until: rfc3339Of(untilMs),
  outcome: 'unknown',
})

function refusalOf(standing: Exclude<ClaimStanding, { status: 'free' }>): LedgerError {
  switch (standing.status) {
    case 'unknown':
      return decisionNotFound()
    case 'nothing-to-send':
      return new LedgerError('decision_closed', `The verdict is ${standing.verdict.verdict}: it sends nothing.`)
    case 'unapproved':
      return new LedgerError('approval_missing', 'Its mesh wants a person to approve it; then the ledger sends it.')
    case 'declined':
      return new LedgerError('decision_closed', `${quoted(standing.approval.by)} declined it.`)
    case 'withdrawn':
      return new LedgerError('decision_closed', 'What it was about is no longer so: the task lives, has ended, or is sent by somebody else. Ask again what to do.')
    case 'sent':
      return new LedgerError('decision_closed', `It was sent${byWhom(standing.intent)}.`, { members: { holder: holderOf(standing.intent) } })
    case 'held':
      return new LedgerError('claim_held', `It is held${byWhom(standing.intent)} until ${rfc3339Of(standing.intent.untilMs)}.`, {
        members: { holder: holderOf(standing.intent) },
      })
  }
}

const byWhom = ({ by }: IntentAnalysis): string => (by === undefined ? '' : ` by ${quoted(by)}`)

const quoted = (name: string): string => JSON.stringify(name)
