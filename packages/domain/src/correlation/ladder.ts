/** Which stream an event goes to, and by which rung of the ladder (design §5). */
import type { CorrelationRung, LedgerEvent } from '../event/ledger-event.ts'
import { clockSkewMsMax } from '../fact/facts-of.ts'
import { deploymentCorrelationId, isReservedCorrelationId, syntheticCorrelationId, workerCorrelationId } from './correlation-id.ts'
import type { CorrelationKeys } from './correlation-keys.ts'
import type { MessageLink } from './known-correlations.ts'
import type { LadderView } from './ladder-view.ts'
import type { Observation } from './observation.ts'
import { applyRule } from './rule.ts'

/** A claim of another correlation ID that was not followed. */
export type RefusedClaim = NonNullable<LedgerEvent['refused']>

export interface Rung {
  readonly correlationId: string
  readonly rung: CorrelationRung
  readonly refused?: RefusedClaim
}

/** The first rung that holds for `observation`; the last one always does. */
export const climbLadder = (
  view: LadderView,
  keys: CorrelationKeys,
  { observation, witnessMs }: Seen,
): Rung => {
  const { role, workerId, explicit, claim } = observation
  if (role === 'worker-fact' && workerId !== undefined) {
    return { correlationId: workerCorrelationId(workerId), rung: 'synthetic' }
  }
  if (explicit !== undefined) return { correlationId: explicit, rung: 'explicit' }
  if (workerId === undefined) return { correlationId: deploymentCorrelationId, rung: 'synthetic' }
  if (role === 'record') return { correlationId: workerCorrelationId(workerId), rung: 'synthetic' }
  const about = { ...observation, workerId, witnessMs }
  if (claim === undefined) return climbLinks(view, keys, about)
  if (role === 'dispatch' || isClaimCounted(view, keys, { workerId, correlationId: claim })) {
    return { correlationId: claim, rung: 'claim' }
  }
  return { ...climbLinks(view, keys, about), refused: { code: 'correlation_claimed', correlationId: claim } }
}

/** K1: a client may name its own work; a worker only work that it may have been sent. */
const isClaimCounted = (
  view: LadderView,
  keys: CorrelationKeys,
  { workerId, correlationId }: { readonly workerId: string; readonly correlationId: string },
): boolean => {
  const correlation = keys.correlation(correlationId)
  return !view.dispatched.get(correlation) || view.dispatchedTo.get(correlation + keys.worker(workerId)) > 0
}

interface Seen {
  readonly observation: Observation
  /** When the witness saw it. */
  readonly witnessMs: number
}

type AboutWorker = Observation & { readonly workerId: string; readonly witnessMs: number }

/**
 * K3: whose the message is that was seen at `seenMs`. The id of one that several had sent by then
 * says nothing, give or take what clocks may differ by.
 */
export const senderOf = (sent: readonly MessageLink[], seenMs: number): MessageLink | undefined => {
  const [only, ...others] = sent
  if (others.length === 0) return only
  const byThen = sent.filter(({ firstMs }) => firstMs <= seenMs + clockSkewMsMax)
  return byThen.length === 1 ? byThen[0] : undefined
}

/**
 * Rungs 3 to 5, and the rules of the mesh among them.
 *
 * What is known of a task, a message or a stream comes before a rule, since a rule reads a name of one call
 * and a link is what earlier calls taught. Except that a send says itself what it is for, whatever
 * its message id was used for before; and that the answer to a send belongs to that send, whosever
 * the task id was before (K2).
 */
const climbLinks = (view: LadderView, keys: CorrelationKeys, about: AboutWorker): Rung => {
  const { role, workerId, taskId, messageId, answersOpenSend } = about
  const messages = messageId === undefined ? [] : view.messageLinks.get(keys.message(workerId, messageId))
  const sent = senderOf(messages, about.witnessMs)
  const byMessage = (): Rung | undefined => sent && { correlationId: sent.correlationId, rung: 'message-link' }
  const byTask = (): Rung | undefined => {
    const link = taskId === undefined ? undefined : view.taskLinks.get(keys.task(workerId, taskId))[0]
    return link?.correlationId === undefined ? undefined : { correlationId: link.correlationId, rung: 'task-link' }
  }
  const byStream = (): Rung | undefined => climbStream(view, keys, about)
  let refused: RefusedClaim | undefined
  const byRule = (): Rung | undefined => {
    const found = climbRules(view, keys, about)
    refused = found.refused
    return found.rung
  }
  const isSendFirst = answersOpenSend && sent?.namedTask === undefined
  const order =
    role === 'dispatch'
      ? [byTask, byRule, byMessage]
      : isSendFirst
        ? [byMessage, byStream, byRule, byTask]
        : [byTask, byMessage, byStream, byRule]
  const found = order.reduce<Rung | undefined>((rung, climb) => rung ?? climb(), undefined)
  const rung = found ?? { correlationId: syntheticIdOf(workerId, taskId), rung: 'synthetic' }
  return refused === undefined ? rung : { ...rung, refused }
}

const syntheticIdOf = (workerId: string, taskId: string | undefined): string =>
  taskId === undefined ? workerCorrelationId(workerId) : syntheticCorrelationId(workerId, taskId)

/**
 * What comes on the stream of a call answers that call, whatever task it names: it belongs where the
 * first event on the stream went, unless that was taken back.
 */
const climbStream = (view: LadderView, keys: CorrelationKeys, { workerId, stream }: AboutWorker): Rung | undefined => {
  const link = stream && view.streamLinks.get(keys.stream(workerId, stream.source, stream.streamId))
  if (link === undefined) return undefined
  const [newest] = link.task === undefined || isReservedCorrelationId(link.correlationId) ? [] : view.taskLinks.get(link.task)
  const isTakenBack = newest !== undefined && newest.correlationId === undefined
  return isTakenBack ? undefined : { correlationId: link.correlationId, rung: 'stream-link' }
}

/** The first rule of the worker's mesh that finds a name; what a worker says of itself is a claim (K1). */
const climbRules = (
  view: LadderView,
  keys: CorrelationKeys,
  { role, workerId, stated }: AboutWorker,
): { readonly rung?: Rung; readonly refused?: RefusedClaim } => {
  if (stated === undefined) return {}
  let refused: RefusedClaim | undefined
  for (const rule of view.rulesOfMesh.get(keys.mesh(view.meshOfWorker.get(keys.worker(workerId))))) {
    const correlationId = applyRule(rule, stated, workerId)
    if (correlationId === undefined) continue
    const isClaim = role !== 'dispatch' && (rule.from === 'metadata' || (rule.from === 'context' && rule.acrossWorkers === true))
    if (!isClaim || isClaimCounted(view, keys, { workerId, correlationId })) {
      return { rung: { correlationId, rung: rule.from }, ...(refused !== undefined && { refused }) }
    }
    refused ??= { code: 'correlation_claimed', correlationId }
  }
  return refused === undefined ? {} : { refused }
}
