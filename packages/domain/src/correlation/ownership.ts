/** What it means when an event of one logical task is about a server task (K2). */
import type { CorrelationKeys } from './correlation-keys.ts'
import type { LadderView } from './ladder-view.ts'
import type { Observation } from './observation.ts'

export interface ServerTask {
  readonly workerId: string
  readonly taskId: string
}

/**
 * - `link`: the task belongs to that logical task from here on.
 * - `nothing`: it does already, or the event does not say so, or nobody knows yet.
 * - `conflict`: it belongs to another one, and a mere claim changes nothing.
 */
export type Meeting = 'link' | 'nothing' | 'conflict'

/** What `observation`, in the stream of `correlationId`, means for the task it is about. */
export const meetOwner = (
  view: LadderView,
  keys: CorrelationKeys,
  { observation, server, correlationId }: {
    readonly observation: Observation
    readonly server: ServerTask
    readonly correlationId: string
  },
): Meeting => {
  const task = keys.task(server.workerId, server.taskId)
  const links = view.taskLinks.get(task)
  if (!view.taskLinks.isKnown(task)) return 'nothing'
  const owner = links[0]
  if (owner === undefined) return 'link'
  if (owner.correlationId === correlationId) return 'nothing'
  const there = keys.correlation(correlationId) + keys.worker(server.workerId)
  const message =
    observation.messageId === undefined ? undefined : keys.message(server.workerId, observation.messageId)
  if (!isAnswerToOpenSend(view, observation, { correlationId, message, triple: there + task })) {
    return observation.claimsTask ? 'conflict' : 'nothing'
  }
  // A late answer of an earlier send, whose task was bound then, binds nothing back.
  const before = links.find((former) => former.correlationId === correlationId)
  return before === undefined || view.dispatchedTo.get(there) > before.position ? 'link' : 'nothing'
}

/** K2: the send named no task, as far as the envelope and what is recorded of the send tell. */
const isAnswerToOpenSend = (
  view: LadderView,
  { answersOpenSend }: Observation,
  { correlationId, message, triple }: {
    readonly correlationId: string
    readonly message: string | undefined
    readonly triple: string
  },
): boolean => {
  if (!answersOpenSend) return false
  const answered =
    message === undefined
      ? undefined
      : view.messageLinks.get(message).find((sent) => sent.correlationId === correlationId)
  return answered === undefined ? !view.dispatchNamed.get(triple) : answered.namedTask === undefined
}
