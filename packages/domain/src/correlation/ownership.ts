/** Whose a server task is, and what it means when an event of one logical task is about it (K2, K6). */
import { syntheticCorrelationId } from './correlation-id.ts'
import type { CorrelationKeys } from './correlation-keys.ts'
import { taughtBy, type Alias, type Taught } from './known-correlations.ts'
import type { LadderView } from './ladder-view.ts'
import type { ServerTask } from './lessons.ts'
import type { Observation } from './observation.ts'

export interface Owner {
  readonly correlationId: string
  readonly taught: Taught
}

/** The logical task that a server task is bound to, else the one that its synthetic stream was linked to. */
export const ownerOf = (view: LadderView, keys: CorrelationKeys, server: ServerTask): Owner | undefined => {
  const [newest] = view.taskLinks.get(keys.task(server.workerId, server.taskId))
  if (newest?.correlationId !== undefined) return { correlationId: newest.correlationId, taught: newest.taught }
  const alias = standingAlias(view, keys, server)
  return alias && { correlationId: alias.to, taught: 'statement' }
}

/** What became of the synthetic stream of a task, newest first; nothing where it holds no events. */
export const aliasesOf = (view: LadderView, keys: CorrelationKeys, { workerId, taskId }: ServerTask): readonly Alias[] => {
  const stream = keys.correlation(syntheticCorrelationId(workerId, taskId))
  return view.syntheticStreams.get(stream) ? view.aliases.get(stream) : []
}

/** The logical task that the synthetic stream of a task is part of now. */
export const standingAlias = (view: LadderView, keys: CorrelationKeys, server: ServerTask): Alias | undefined => {
  const [newest] = aliasesOf(view, keys, server)
  return newest?.isLinked === true ? newest : undefined
}

/** True when a person said that the synthetic stream of a task is not part of that logical task. */
export const isUndoneByHand = (view: LadderView, keys: CorrelationKeys, server: ServerTask, correlationId: string): boolean => {
  const last = aliasesOf(view, keys, server).find(({ to }) => to === correlationId)
  return last !== undefined && !last.isLinked && last.isByHand
}

const isStronger = (one: Taught, other: Taught): boolean => taughtBy.indexOf(one) > taughtBy.indexOf(other)

/**
 * - `bind`: the task belongs to that logical task from here on, or does so on better evidence.
 * - `nothing`: it does already, or the event does not say so, or nobody knows yet.
 * - `conflict`: it belongs to another one, and a mere claim changes nothing.
 */
export type Meeting = 'bind' | 'nothing' | 'conflict'

/** What `observation`, in the stream of `correlationId`, means for the task it is about. */
export const meetOwner = (
  view: LadderView,
  keys: CorrelationKeys,
  { observation, server, correlationId, taught }: {
    readonly observation: Observation
    readonly server: ServerTask
    readonly correlationId: string
    readonly taught: Taught
  },
): Meeting => {
  const task = keys.task(server.workerId, server.taskId)
  const links = view.taskLinks.get(task)
  if (!view.taskLinks.isKnown(task)) return 'nothing'
  const owner = ownerOf(view, keys, server)
  if (owner === undefined) return isUndoneByHand(view, keys, server, correlationId) && taught !== 'answer' ? 'nothing' : 'bind'
  if (owner.correlationId === correlationId) return isStronger(taught, owner.taught) ? 'bind' : 'nothing'
  const there = keys.correlation(correlationId) + keys.worker(server.workerId)
  const message =
    observation.messageId === undefined ? undefined : keys.message(server.workerId, observation.messageId)
  if (!isAnswerToOpenSend(view, observation, { correlationId, message, triple: there + task })) {
    return observation.claimsTask ? 'conflict' : 'nothing'
  }
  // A late answer of an earlier send, whose task was bound then, binds nothing back.
  const before = links.find((former) => former.correlationId === correlationId)
  return before === undefined || view.dispatchedTo.get(there) > before.position ? 'bind' : 'nothing'
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
