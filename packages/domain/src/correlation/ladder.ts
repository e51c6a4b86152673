/** Which stream an event goes to, and by which rung of the ladder (design §5). */
import type { CorrelationRung, LedgerEvent } from '../event/ledger-event.ts'
import { deploymentCorrelationId, syntheticCorrelationId, workerCorrelationId } from './correlation-id.ts'
import type { CorrelationKeys } from './correlation-keys.ts'
import type { LadderView } from './ladder-view.ts'
import type { Observation } from './observation.ts'

/** A claim of another correlation ID that was not followed. */
export type RefusedClaim = NonNullable<LedgerEvent['refused']>

export interface Rung {
  readonly correlationId: string
  readonly rung: CorrelationRung
  readonly refused?: RefusedClaim
}

/** The first rung that holds for `observation`; the last one always does. */
export const climbLadder = (view: LadderView, keys: CorrelationKeys, observation: Observation): Rung => {
  const { role, workerId, explicit, claim } = observation
  if (role === 'worker-fact' && workerId !== undefined) {
    return { correlationId: workerCorrelationId(workerId), rung: 'synthetic' }
  }
  if (explicit !== undefined) return { correlationId: explicit, rung: 'explicit' }
  if (workerId === undefined) return { correlationId: deploymentCorrelationId, rung: 'synthetic' }
  if (role === 'record') return { correlationId: workerCorrelationId(workerId), rung: 'synthetic' }
  if (claim === undefined) return climbLinks(view, keys, { ...observation, workerId })
  const isCounted =
    role === 'dispatch' || isClaimCounted(view, keys.correlation(claim), keys.worker(workerId))
  if (isCounted) return { correlationId: claim, rung: 'claim' }
  const refused = { code: 'correlation_claimed', correlationId: claim } as const
  return { ...climbLinks(view, keys, { ...observation, workerId }), refused }
}

/** K1: a client may name its own work; a worker only work that it may have been sent. */
const isClaimCounted = (view: LadderView, correlation: string, worker: string): boolean =>
  !view.dispatched.get(correlation) || view.dispatchedTo.get(correlation + worker) > 0

/** Rungs 3 to 5. */
const climbLinks = (
  view: LadderView,
  keys: CorrelationKeys,
  { workerId, taskId, messageId, answersOpenSend }: Observation & { readonly workerId: string },
): Rung => {
  const byTask = taskId === undefined ? undefined : view.taskLinks.get(keys.task(workerId, taskId))[0]
  const messages = messageId === undefined ? [] : view.messageLinks.get(keys.message(workerId, messageId))
  const byMessage = messages.length === 1 ? messages[0] : undefined
  // K2: the answer to a send belongs to that send, whosever the task id was before.
  const isSendFirst = answersOpenSend && byMessage?.namedTask === undefined
  if (byMessage !== undefined && (byTask === undefined || isSendFirst)) {
    return { correlationId: byMessage.correlationId, rung: 'message-link' }
  }
  if (byTask !== undefined) return { correlationId: byTask.correlationId, rung: 'task-link' }
  return {
    correlationId:
      taskId === undefined ? workerCorrelationId(workerId) : syntheticCorrelationId(workerId, taskId),
    rung: 'synthetic',
  }
}
