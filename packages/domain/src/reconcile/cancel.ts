/**
 * Which attempt lost against another one, and is to be canceled where its mesh or its dispatch says so (ADR 97).
 *
 *   nothing      : nobody asked for it, there is one attempt, or it was tried once;
 *   cancel       : a re-dispatch made two attempts that live, or one that lives beside a result.
 *
 * The attempt whose outcome counts is never it: what completed, else what gives the task its state (F14).
 */
import { policyOf } from '../capability/knowledge.ts'
import type { Codec } from '../codec.ts'
import { cancelDataSchema, type CancelData } from '../event/cancel.ts'
import type { MeshPolicy } from '../event/mesh-policy.ts'
import type { CancelFact, TaskFact, VerdictFact } from '../fact/fact.ts'
import type { AttemptAnalysis, CancelAnalysis, TaskAnalysis } from '../task/analysis.ts'
import { evidenceAgeMsMax } from './next-act.ts'
import { redispatchMessageId } from './intent.ts'

/** An attempt that is to be canceled. */
export interface Loser {
  readonly workerId: string
  readonly taskId: string
  readonly decisionId: string
  readonly winner: { readonly workerId: string; readonly taskId?: string }
  /** The mesh whose policy counts: that of the worker whose task was sent on. */
  readonly mesh: string
}

/** One worker's task of one logical task is canceled by us once, so this names it. */
export const cancelIdOf = (correlationId: string, { workerId, taskId }: Pick<Loser, 'workerId' | 'taskId'>, codec: Codec): string =>
  codec.sha256Hex(JSON.stringify(['cancel', correlationId, workerId, taskId]))

/** The cancels of one logical task in order of recording, each with what came of it. */
export const cancelsOf = (facts: readonly TaskFact[]): readonly CancelAnalysis[] => {
  const own = facts.filter((fact): fact is CancelFact => fact.kind === 'cancel')
  return own.flatMap(({ moment, eventId, position, recordedAtMs }) => {
    if (moment.phase !== 'intended') return []
    const { workerId, taskId, decisionId, ttlMs } = moment
    const settled = own.map((other) => other.moment).find((other) => other.phase === 'settled' && other.cancelId === eventId)
    const { outcome, because } = settled?.phase === 'settled' ? settled : { outcome: 'open' as const, because: undefined }
    return [
      {
        cancelId: eventId,
        workerId,
        taskId,
        decisionId,
        outcome,
        ...(because !== undefined && { because }),
        untilMs: recordedAtMs + ttlMs,
        position,
      },
    ]
  })
}

/** The attempt that is to be canceled now, whether anybody wants that or not. */
export const loserOf = (analysis: TaskAnalysis): Loser | undefined => {
  const { attempts, canonical, incomplete, verdicts, cancels, workers } = analysis
  if (incomplete.length > 0) return undefined
  for (const verdict of verdicts) {
    const winner = winnerOver(verdict, analysis)
    if (winner === undefined) continue
    const loser = attempts.find(
      (attempt) =>
        attempt !== canonical &&
        attempt.life === 'live' &&
        attempt.doubt === undefined &&
        competes(attempt, verdict, analysis) &&
        isFresh(attempt, analysis) &&
        !cancels.some(({ workerId, taskId }) => workerId === attempt.workerId && taskId === attempt.taskId),
    )
    if (loser === undefined) continue
    const { workerId, taskId } = loser
    return { workerId, taskId, decisionId: verdict.decisionId, winner, mesh: policyOf(workers.get(verdict.askedWorkerId)).mesh }
  }
  return undefined
}

/** The loser that is to be canceled as its dispatch, else its mesh, wants it; nothing where nobody asked for that. */
export const nextCancel = (analysis: TaskAnalysis, policy: MeshPolicy | undefined): Loser | undefined => {
  const stated = analysis.dispatches.findLast(({ cancelLoser }) => cancelLoser !== undefined)?.cancelLoser
  return (stated ?? policy?.cancelLoser) === true ? loserOf(analysis) : undefined
}

/** What stands for the task once the re-dispatch was taken: a result, or an attempt that lives and is in no doubt. */
const winnerOver = (verdict: VerdictFact, analysis: TaskAnalysis): Loser['winner'] | undefined => {
  const { dispatches, canonical } = analysis
  const taken = dispatches.find((dispatch) => isOf(verdict, dispatch) && (dispatch.outcome === 'task' || dispatch.outcome === 'message'))
  if (taken === undefined) return undefined
  if (canonical === undefined) return taken.outcome === 'message' ? { workerId: taken.workerId } : undefined
  const isStanding = canonical.state === 'completed' || (canonical.life === 'live' && canonical.doubt === undefined)
  return isStanding && competes(canonical, verdict, analysis) ? { workerId: canonical.workerId, taskId: canonical.taskId } : undefined
}

const isOf = ({ decisionId, targetWorkerId }: VerdictFact, { workerId, messageId }: { readonly workerId: string; readonly messageId?: string }): boolean =>
  workerId === targetWorkerId && messageId === redispatchMessageId(decisionId)

/** It is what the verdict was about, or what came of its message: others under this ID are no rivals. */
const competes = ({ workerId, taskId }: AttemptAnalysis, verdict: VerdictFact, { dispatches }: TaskAnalysis): boolean =>
  (workerId === verdict.askedWorkerId && taskId === verdict.askedTaskId) ||
  dispatches.some(
    (dispatch) =>
      dispatch.workerId === workerId &&
      dispatch.taskId === taskId &&
      (isOf(verdict, dispatch) || (verdict.askedTaskId === undefined && workerId === verdict.askedWorkerId && dispatch.position < verdict.position)),
  )

/** V5: that it lives was recorded when it was seen; history is not acted on. */
const isFresh = ({ lastLife }: AttemptAnalysis, { facts }: TaskAnalysis): boolean => {
  const sign = facts.find(({ position }) => position === lastLife.position)
  return sign !== undefined && sign.recordedAtMs - lastLife.atMs <= evidenceAgeMsMax
}

export interface CancelEvent {
  readonly attributes: {
    readonly specversion: '1.0'
    readonly id: string
    readonly source: 'urn:a2a-ledger:reconciler'
    readonly type: 'reconciler.cancel'
    readonly correlationid: string
    readonly workerid: string
    readonly taskid: string
  }
  readonly data: CancelData
}

/** What is recorded before the call, or after it: of each the first one stands. */
export const cancelEvent = (data: CancelData, correlationId: string, { workerId, taskId }: Pick<Loser, 'workerId' | 'taskId'>, codec: Codec): CancelEvent => {
  const cancelId = cancelIdOf(correlationId, { workerId, taskId }, codec)
  return {
    attributes: {
      specversion: '1.0',
      id: data.phase === 'intended' ? cancelId : codec.sha256Hex(JSON.stringify(['cancel settled', cancelId])),
      source: 'urn:a2a-ledger:reconciler',
      type: 'reconciler.cancel',
      correlationid: correlationId,
      workerid: workerId,
      taskid: taskId,
    },
    data: cancelDataSchema.parse(data),
  }
}
