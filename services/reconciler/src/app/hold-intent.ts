/**
 * Intents to send, recorded so that one of all who try has it (ADR 80).
 *
 * What is decided rests on the task as of everything that is recorded at this moment, and is appended
 * against that prefix (L14). Where others were first, the task is looked at again.
 */
import { intentEvent, LedgerError, type DispatchIntentData, type TaskAnalysis } from '@a2a-ledger/domain'
import { analysisOf, recordIn, type Fold } from './analyse.ts'
import type { Applied } from './applied.ts'
import { catchUp, reach } from './catch-up.ts'
import type { FactStore, FeedReader, LedgerClient, NewEvent, Seal } from './ports.ts'

export interface IntentPorts {
  readonly feed: Pick<FeedReader, 'head' | 'at'>
  readonly store: Pick<FactStore, 'tasks' | 'taskOfDecision'>
  readonly ledger: LedgerClient
  readonly applied: Applied
  readonly fold: Fold
  readonly seal: Seal
}

/** A task as of everything that was recorded when it was asked for. */
export interface TaskNow {
  readonly analysis: TaskAnalysis
  readonly appliedPosition: number
}

/** The task under this ID, or what it was merged into; nothing is known of it: an empty one. Errors: throws `not_caught_up`. */
export async function taskNow(ports: Pick<IntentPorts, 'feed' | 'store' | 'applied' | 'fold'>, correlationId: string): Promise<TaskNow> {
  await catchUp(ports.feed, ports.applied)
  const { content, appliedPosition, asOfMs } = await ports.store.tasks([correlationId])
  const lookup = content.get(correlationId)
  if (lookup?.outcome === 'merged') return taskNow(ports, lookup.into)
  return { analysis: analysisOf(recordIn(lookup, correlationId), asOfMs, ports.fold), appliedPosition }
}

/** The task of a decision. Errors: throws `decision_not_found`, `not_caught_up`. */
export async function taskOfDecision(ports: IntentPorts, decisionId: string): Promise<TaskNow> {
  await catchUp(ports.feed, ports.applied)
  const correlationId = await ports.store.taskOfDecision(decisionId)
  if (correlationId === undefined) throw decisionNotFound()
  return taskNow(ports, correlationId)
}

export const decisionNotFound = (): LedgerError =>
  new LedgerError('decision_not_found', 'No recorded verdict, and no permission to send, has this id. An answer without `decisionId` cannot be claimed.')

/** How often others may be first, or the task may change, before the caller is told to come again. */
const roundsMax = 20

/** Does `round` until it says something. Errors: throws `stream_moved` when others are first again and again. */
export async function untilFirst<Result>(round: () => Promise<Result | undefined>): Promise<Result> {
  for (let n = 1; n <= roundsMax; n += 1) {
    const result = await round()
    if (result !== undefined) return result
  }
  throw new LedgerError('stream_moved', 'This task is changing all the time. Nothing was recorded; ask again.')
}

export interface HeldIntent {
  readonly intentId: string
  readonly position: number
  /** By the ledger's clock. */
  readonly untilMs: number
}

/**
 * The intent is recorded, and is this caller's; nothing where others were first or the task has changed.
 *
 * Errors: throws `ledger_unavailable`, `parameter_invalid`.
 */
export async function recordIntent(ports: IntentPorts, task: TaskNow, data: DispatchIntentData): Promise<HeldIntent | undefined> {
  const event = intentEvent(data, task.analysis.correlationId, ports.fold.codec)
  const position = await appendOwn(ports, event, task.appliedPosition)
  if (position === undefined) return undefined
  const [recorded] = await ports.feed.at([position])
  if (recorded === undefined) throw new LedgerError('internal', `The ledger has no event at ${position}, where it recorded one.`)
  return { intentId: event.attributes.id, position, untilMs: recorded.recordedAtMs + data.ttlMs }
}

/** Its position when it was recorded now; nothing where it was there before, or rests on what is no longer so. */
export async function appendOwn(
  { ledger, applied }: Pick<IntentPorts, 'ledger' | 'applied'>,
  event: NewEvent,
  ifStreamPosition?: number,
): Promise<number | undefined> {
  const outcome = await ledger.append(event, ifStreamPosition)
  switch (outcome.outcome) {
    case 'recorded':
      return outcome.position
    case 'duplicate':
      await reach(applied, outcome.position)
      return undefined
    case 'stale':
      return undefined
    case 'quarantined':
    case 'rejected':
      throw new LedgerError('parameter_invalid', `The ledger does not take this: ${outcome.detail}`)
    case 'conflict':
      throw new LedgerError('internal', 'An event of this deployment cannot be a conflict.')
  }
}

/** What shows that an intent is one's own: only this deployment can make it, so it is stored nowhere. */
export const leaseOf = (seal: Seal, intentId: string): Promise<string> => seal(JSON.stringify(['lease', intentId]))
