/** What became of a claim, or of a permission to send, by who held it (V8, ADR 80). */
import { LedgerError, settledEvent, type IntentAnalysis, type SettledOutcome } from '@a2a-ledger/domain'
import { holderOf } from './claim-decision.ts'
import { reach } from './catch-up.ts'
import { appendOwn, leaseOf, taskOfDecision, untilFirst, type IntentPorts } from './hold-intent.ts'

export interface Settlement {
  readonly decisionId: string
  readonly outcome: SettledOutcome
  readonly taskId?: string
  readonly position: number
}

/**
 * The outcome is recorded: of each claim the first word stands. A claim that lapsed meanwhile is settled
 * all the same, since what happened is the truth whenever it is told.
 *
 * Idempotent.
 * Errors: throws `decision_not_found`, `lease_invalid`, `claim_settled` when it was settled otherwise,
 * `claim_superseded` when it lapsed and somebody else has claimed since (it is recorded then as well),
 * `stream_moved`, `ledger_unavailable`, `not_caught_up`.
 */
export async function settleDecision(
  ports: IntentPorts,
  decisionId: string,
  { lease, outcome, taskId }: { readonly lease: string; readonly outcome: SettledOutcome; readonly taskId?: string | undefined },
): Promise<Settlement> {
  return untilFirst(async () => {
    const { analysis } = await taskOfDecision(ports, decisionId)
    const intents = analysis.intents.filter((intent) => intent.decisionId === decisionId)
    const own = await intentOf(ports, intents, lease)
    if (own === undefined) throw new LedgerError('lease_invalid', 'Nobody was given this lease for this decision.')
    if (own.said === undefined) {
      const data = { decisionId, intentId: own.intentId, outcome, ...(taskId !== undefined && { taskId }) }
      const position = await appendOwn(ports, settledEvent(data, analysis.correlationId, ports.fold.codec))
      if (position !== undefined) await reach(ports.applied, position)
      return undefined // what is recorded now says the rest
    }
    if (own.said.outcome !== outcome || (taskId !== undefined && own.said.taskId !== taskId)) {
      throw new LedgerError('claim_settled', `It was settled as ${own.said.outcome}${own.said.taskId === undefined ? '' : ` with task ${own.said.taskId}`}. The first word stands.`)
    }
    const other = intents.find(({ position, outcome: became }) => position > own.position && became !== 'not-sent')
    if (other !== undefined) {
      throw new LedgerError('claim_superseded', 'The claim had lapsed, and somebody else has claimed since. What you said is recorded.', {
        members: { holder: holderOf(other) },
      })
    }
    const { said } = own
    return { decisionId, outcome, ...(said.taskId !== undefined && { taskId: said.taskId }), position: said.position }
  })
}

/** The intent that the lease is of. Compared under the seal, so that the time it takes tells nothing. */
async function intentOf({ seal }: IntentPorts, intents: readonly IntentAnalysis[], lease: string): Promise<IntentAnalysis | undefined> {
  const shown = await seal(lease)
  for (const intent of intents) {
    if ((await seal(await leaseOf(seal, intent.intentId))) === shown) return intent
  }
  return undefined
}
