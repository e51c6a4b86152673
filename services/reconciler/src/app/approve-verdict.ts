/** What a person says to a `redispatch`: that the ledger may send it, or that nobody shall (V8). */
import {
  approvalEvent,
  claimOf,
  LedgerError,
  meshOf,
  modeOf,
  verdictInForce,
  verdictViewOf,
  type ApprovalAnswer,
  type TaskAnalysis,
  type VerdictFact,
  type VerdictView,
} from '@a2a-ledger/domain'
import { reach } from './catch-up.ts'
import { appendOwn, taskNow, untilFirst, type IntentPorts } from './hold-intent.ts'
import type { FactStore } from './ports.ts'

export type ApprovePorts = IntentPorts & { readonly store: Pick<FactStore, 'mesh'> }

/**
 * What the person said is recorded, and the verdict shows it. Approved, the ledger sends; declined,
 * nobody does.
 *
 * Idempotent; of a decision the first word stands.
 * Errors: throws `task_not_found`, `nothing_to_approve`, `verdict_answered`, `decision_closed` when it was
 * sent, `stream_moved`, `ledger_unavailable`, `not_caught_up`.
 */
export async function approveVerdict(
  ports: ApprovePorts,
  correlationId: string,
  answer: ApprovalAnswer,
  said: { readonly by: string; readonly because?: string | undefined },
): Promise<VerdictView> {
  return untilFirst(async () => {
    const { analysis, appliedPosition } = await taskNow(ports, correlationId)
    if (analysis.lastPosition === 0) throw new LedgerError('task_not_found', 'No event that was applied so far carries this correlation ID.')
    const verdict = redispatchOf(analysis)
    const { decisionId } = verdict
    const former = analysis.approvals.find((approval) => approval.decisionId === decisionId)
    if (former !== undefined) {
      const view = verdictViewOf(analysis)
      if (former.answer === answer && view !== undefined) return view
      throw new LedgerError('verdict_answered', `${JSON.stringify(former.by)} ${former.answer} it. The first word stands.`, { members: { approval: view?.approval } })
    }
    await refuseWhatIsVain(ports, analysis, verdict, answer)
    const { by, because } = said
    const event = approvalEvent({ decisionId, answer, by, ...(because !== undefined && { because }) }, analysis.correlationId, ports.fold.codec)
    const position = await appendOwn(ports, event, appliedPosition)
    if (position !== undefined) await reach(ports.applied, position)
    return undefined // what is recorded now says the rest
  })
}

function redispatchOf(analysis: TaskAnalysis): VerdictFact {
  const verdict = verdictInForce(analysis)
  if (verdict?.verdict === 'redispatch') return verdict
  throw new LedgerError(
    'nothing_to_approve',
    verdict === undefined ? 'No verdict is in force: the task lives, has ended, or nothing is decided yet.' : `The verdict is ${verdict.verdict}: it sends nothing.`,
  )
}

/** A word that would change nothing any more, or that nobody would act on. */
async function refuseWhatIsVain({ store }: ApprovePorts, analysis: TaskAnalysis, { decisionId }: VerdictFact, answer: ApprovalAnswer): Promise<void> {
  if (claimOf(analysis, decisionId).status === 'sent') throw new LedgerError('decision_closed', 'It was sent already.')
  if (answer === 'declined') return
  const mesh = meshOf(analysis)
  if (modeOf(analysis, (await store.mesh(mesh))?.policy) !== 'advise') return
  throw new LedgerError(
    'nothing_to_approve',
    `The mesh ${JSON.stringify(mesh)} only advises: its callers send. Put "redispatch": "approve" to have the ledger send what you approve.`,
  )
}
