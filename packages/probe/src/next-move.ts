/**
 * What a probe does next, told from its record alone (pure).
 *
 * Every step is ended in order: done, or skipped with the reason. After a crash a step that only reads is
 * begun again; one that sends is given up, since nobody knows whether its message got out, and then only
 * cleaning up is left.
 */
import { isInterrupted, isResting, isTerminal, type ProbeRecord, probeStepNames, probeSteps, type ProbeStepName } from '@a2a-ledger/domain'

/** Whether the worker was restarted since the second canary was left waiting; `never`: nobody waits for it any longer. */
export type RestartWord = 'unknown' | 'known' | 'never'

export interface Situation {
  readonly nowMs: number
  readonly restart: RestartWord
  readonly hasPushReceiver: boolean
}

export type NextMove =
  | { readonly kind: 'do'; readonly step: ProbeStepName; readonly attempt: number }
  | { readonly kind: 'skip'; readonly step: ProbeStepName; readonly because: string }
  /** Somebody began to send and is gone. */
  | { readonly kind: 'give-up'; readonly step: ProbeStepName; readonly attempt: number }
  /** Somebody else is at it until then. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'park'; readonly untilMs: number }
  | { readonly kind: 'close'; readonly state: 'done' | 'abandoned'; readonly because?: string }
  | { readonly kind: 'over' }

/** Reading steps are begun this often; then something about the step itself kills whoever does it. */
const attemptsMax = 3

export const nextMove = (record: ProbeRecord, situation: Situation): NextMove => {
  if (record.closed !== undefined) return { kind: 'over' }
  const { open } = record
  if (open !== undefined) {
    if (situation.nowMs < open.untilMs) return { kind: 'wait', untilMs: open.untilMs }
    const isRepeatable = !probeSteps[open.step].sends && open.attempt < attemptsMax
    return isRepeatable ? { kind: 'do', step: open.step, attempt: open.attempt + 1 } : { kind: 'give-up', step: open.step, attempt: open.attempt }
  }
  const ended = new Set(record.ended.map(({ step }) => step))
  const step = probeStepNames.find((name) => !ended.has(name))
  if (step === undefined) return closing(record)
  const because = reasonToSkip(record, step, situation)
  if (because !== undefined) return { kind: 'skip', step, because }
  const untilMs = parkedUntilMs(record)
  return step === 'after-restart' && situation.restart !== 'known' ? { kind: 'park', untilMs } : { kind: 'do', step, attempt: 1 }
}

/** When a parked canary is given up. */
const parkedUntilMs = (record: ProbeRecord): number =>
  (record.ended.find(({ step }) => step === 'parked')?.atMs ?? record.plannedAtMs) + record.plan.parkMsMax

const closing = (record: ProbeRecord): NextMove => {
  const interrupted = record.ended.find(({ isInterrupted: isGone }) => isGone)
  if (interrupted !== undefined) return { kind: 'close', state: 'abandoned', because: `${interrupted.step} was interrupted` }
  const first = record.ended.find(({ step, outcome }) => outcome === 'failed' && (step === 'card' || step === 'send'))
  return first === undefined ? { kind: 'close', state: 'done' } : { kind: 'close', state: 'abandoned', because: first.detail ?? `${first.step} failed` }
}

const wasOk = ({ ended }: ProbeRecord, step: ProbeStepName): boolean => ended.some((each) => each.step === step && each.outcome === 'ok')

const reasonToSkip = (record: ProbeRecord, step: ProbeStepName, situation: Situation): string | undefined => {
  if (step === 'card') return undefined
  if (step === 'clean-up') return openTasksOf(record).length === 0 ? 'nothing is open' : undefined
  if (record.learned.card === undefined) return 'there is no card'
  const interrupted = record.ended.find(({ isInterrupted: isGone }) => isGone)
  if (interrupted !== undefined) return `${interrupted.step} was interrupted`
  return step === 'after-restart' ? withoutRestart(record, situation) : (overBudget(record, situation.nowMs) ?? withoutNeed(record, step, situation))
}

const withoutRestart = (record: ProbeRecord, { nowMs, restart }: Situation): string | undefined => {
  if (!wasOk(record, 'parked')) return 'nothing waits for a restart'
  const isOver = restart === 'never' || (restart === 'unknown' && nowMs >= parkedUntilMs(record))
  return isOver ? 'no restart became known in time' : undefined
}

const overBudget = ({ plan, calls, bytes, plannedAtMs }: ProbeRecord, nowMs: number): string | undefined => {
  if (calls >= plan.callsMax) return `the budget of ${plan.callsMax} calls is used up`
  if (bytes >= plan.bytesMax) return `the budget of ${plan.bytesMax} bytes is used up`
  return nowMs - plannedAtMs >= plan.totalMsMax ? `the budget of ${plan.totalMsMax} ms is used up` : undefined
}

/** Why there is nothing to do in this step. */
const withoutNeed = (record: ProbeRecord, step: ProbeStepName, { hasPushReceiver }: Situation): string | undefined => {
  const { learned, plan } = record
  const canary = learned.tasks?.canary
  const isAtRest = wasOk(record, 'rest') && isResting(canary?.state)
  const noTask = learned.isMessage === true ? 'a message was the whole answer' : 'there is no task to ask for'
  switch (step) {
    case 'rest':
      return canary === undefined ? noTask : undefined
    case 'fresh-client':
      return isAtRest ? undefined : canary === undefined ? noTask : 'the task came to no rest'
    case 'other-binding':
      if (!isAtRest) return noTask
      return otherTargetsOf(record).length === 0 ? 'the card offers no other binding of this version' : undefined
    case 'subscribe':
      if (!isAtRest) return noTask
      return learned.card?.isStreaming === true ? undefined : 'the card offers no streaming'
    case 'same-message':
      return canary === undefined ? noTask : undefined
    case 'answer':
      return isAtRest && isInterrupted(canary?.state) ? undefined : 'the task does not wait for input'
    case 'end':
      return wasOk(record, 'answer') ? undefined : 'nothing was answered'
    case 'push':
      if (canary === undefined) return noTask
      if (!hasPushReceiver) return 'no address was given to push to'
      return learned.card?.isPushing === true ? undefined : 'the card offers no push notifications'
    case 'retention':
      return isTerminal(canary?.state) ? undefined : 'the task has not ended'
    case 'park':
      return !plan.park ? 'not asked for' : canary === undefined ? noTask : undefined
    case 'parked':
      return learned.tasks?.parked === undefined ? 'nothing was parked' : undefined
    case 'card':
    case 'unknown-task':
    case 'send':
    case 'after-restart':
    case 'clean-up':
      return undefined
  }
}

/** Other bindings of the version that is used. */
export const otherTargetsOf = ({ learned }: ProbeRecord) => {
  const [used, ...others] = learned.card?.targets ?? []
  return others.filter(({ binding, protocolVersion }) => binding !== used?.binding && protocolVersion === used?.protocolVersion)
}

/** Tasks of this probe that have not ended, as far as it knows. */
export const openTasksOf = ({ learned }: ProbeRecord) => {
  const tasks = Object.entries(learned.tasks ?? {}).filter(([, { state }]) => !isTerminal(state))
  return [...new Map(tasks.map(([role, { taskId }]) => [taskId, { role, taskId }])).values()]
}
