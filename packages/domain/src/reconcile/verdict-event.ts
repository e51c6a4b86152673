/** The CloudEvent that records a decision (V4): its id is the decision's, so it is recorded once. */
import type { Actor } from '../event/dispatch-intent.ts'
import { verdictDataSchema, type VerdictData } from '../event/verdict.ts'
import type { Decision } from '../task/analysis.ts'

export interface VerdictEvent {
  readonly attributes: {
    readonly specversion: '1.0'
    readonly id: string
    readonly source: 'urn:a2a-ledger:reconciler'
    readonly type: 'reconciler.verdict'
    readonly correlationid: string
    readonly workerid: string
    readonly taskid?: string
  }
  readonly data: VerdictData
}

/** `actor`: to whom a `redispatch` is left; `mesh`: whose policy said so. */
export const verdictEvent = (
  decision: Decision,
  correlationId: string,
  { actor = 'caller', mesh }: { readonly actor?: Actor; readonly mesh?: string } = {},
): VerdictEvent => {
  const { question } = decision
  return {
    attributes: {
      specversion: '1.0',
      id: decision.decisionId,
      source: 'urn:a2a-ledger:reconciler',
      type: 'reconciler.verdict',
      correlationid: correlationId,
      workerid: question.workerId,
      ...(question.taskId !== undefined && { taskid: question.taskId }),
    },
    data: verdictDataSchema.parse({
      decisionId: decision.decisionId,
      kind: decision.kind,
      state: 'indeterminate',
      lastObserved: decision.lastObserved,
      workerId: decision.workerId,
      because: decision.because,
      considered: decision.considered,
      counts: decision.counts,
      duplicateRisk: decision.duplicateRisk,
      ...(decision.kind === 'redispatch' && actor !== 'caller' && { actor }),
      mesh,
      insteadOf: decision.insteadOf,
      question: { workerId: question.workerId, taskId: question.taskId, openedAt: question.openedAt },
    }),
  }
}
