/** One server task as one try at a logical task: its states, its life, its oddities (F3 to F12). */
import { policyOf, restartsOf } from '../capability/knowledge.ts'
import { signOfLifeRepeatMs } from '../correlation/listed-again.ts'
import type { ErrorFact, TaskFact } from '../fact/fact.ts'
import { isAfter, latestOf, type Moment } from '../fact/moment.ts'
import type { AttemptAnalysis, DispatchAnalysis, NotFound, StateChange, Violation, WorkerKnowledge } from './analysis.ts'
import { brokenClaimsOf, claimedOf } from './claimed.ts'
import { analyseLife, type LifeAnalysis, type Sign } from './life.ts'
import { unionOfMetadata } from './metadata.ts'
import { judgeNotFounds, type Creation } from './not-found.ts'
import { orderSigns, type Ordered, type SignFact } from './order.ts'
import { isTerminal, rankOf, type TaskState } from './state.ts'

export interface AttemptInput {
  readonly workerId: string
  readonly taskId: string
  /** Facts that name this server task, in order of position; at least one sign of life. */
  readonly facts: readonly TaskFact[]
  /** Dispatches that this task answers, oldest first. */
  readonly dispatches: readonly DispatchAnalysis[]
  /** Under which scope and binding it was created. */
  readonly creation: Creation
  readonly worker: WorkerKnowledge | undefined
}

/** The task is new with that send: its message asked for a new one, or for another, or nothing had been heard of it before. */
export const beginsTask = ({ namedTaskId, isOpening }: DispatchAnalysis, taskId: string | undefined): boolean =>
  namedTaskId !== taskId || isOpening === true

/** What one attempt concludes, before emissions are held against the contract. */
export interface AttemptResult {
  readonly attempt: Omit<AttemptAnalysis, 'conforms'>
  readonly violations: readonly Violation[]
  /** Its signs of life in order; what artifacts are assembled from. */
  readonly ordered: readonly Ordered[]
}

export const isSign = (fact: TaskFact): fact is SignFact =>
  fact.kind === 'report' || fact.kind === 'artifact' || fact.kind === 'message'

export const deriveAttempt = (input: AttemptInput): AttemptResult => {
  const { workerId, taskId, facts, dispatches, worker } = input
  const creating = dispatches.find((send) => beginsTask(send, taskId))
  const last = dispatches.at(-1)
  const ordered = orderSigns(facts.filter(isSign), creating?.atMs)
  const errors = facts.filter((fact): fact is ErrorFact => fact.kind === 'error')
  const notFounds = judgeNotFounds(errors, taskId, input.creation, worker)
  const signs = ordered.map(signOf)
  const life = analyseLife([...signs, ...listingOf(worker, taskId, facts)], notFounds, restartsOf(worker), policyOf(worker).replicas)
  const states = walkStates(ordered, notFounds)
  const isEnded = isTerminal(states.state)
  const strong = life.since.filter(({ evidence }) => evidence === 'strong')
  const claims = isEnded ? [] : errors.filter(claimsEnd)
  const contexts = walkContexts(ordered)
  const positions = ordered.map(({ fact }) => fact.position)
  const doubt = isEnded || life.isLost ? undefined : doubtOf(life, claims, facts)
  const claimed = claimedOf(ordered)
  const owner = { workerId, taskId }
  return {
    ordered,
    violations: [
      ...brokenClaimsOf(ordered).map((violation) => ({ ...violation, ...owner })),
      ...states.violations.map((violation) => ({ ...violation, ...owner })),
      ...contexts.violations.map((violation) => ({ ...violation, ...owner })),
      ...claims.map(({ position, text }) => ({ code: 'terminal_claimed' as const, position, detail: text, ...owner })),
    ],
    attempt: {
      workerId,
      taskId,
      state: states.state,
      statePosition: states.position,
      life: isEnded ? 'ended' : life.isLost ? 'lost' : 'live',
      contested: life.contradictions > 0,
      firstSeenPosition: leastOf(positions),
      firstSeenMs: leastOf(ordered.map(({ fact }) => fact.atMs)),
      lastSeenPosition: positions.reduce((last, position) => Math.max(last, position), 0),
      changes: states.changes,
      lastLife: life.lastSign,
      notFounds,
      contradictions: life.contradictions,
      metadata: unionOfMetadata(ordered.flatMap(({ fact }) => (fact.kind === 'report' ? [fact] : []))),
      ...(contexts.contextId !== undefined && { contextId: contexts.contextId }),
      ...(strong[0] !== undefined && { firstStrongNotFound: strong[0] }),
      ...(life.since[0] !== undefined && { firstNotFound: life.since[0] }),
      ...(life.restart !== undefined && !isEnded && { restartPosition: life.restart.position }),
      ...(doubt !== undefined && { doubt }),
      ...(claimed !== undefined && { claimed }),
      ...(last !== undefined && { dispatchPosition: last.position, dispatchMs: last.atMs }),
      ...(creating !== undefined && { createdMs: creating.atMs }),
      ...(input.creation.binding !== undefined && { binding: input.creation.binding }),
    },
  }
}

/** The least of them; a spread of a long task's numbers would not fit on the stack. */
const leastOf = (numbers: readonly number[]): number => numbers.reduce((least, number) => Math.min(least, number), Infinity)

/** F9: an answer is life when it was seen, an update when it happened. */
const signOf = ({ fact, effectiveMs }: Ordered): Sign => ({
  atMs: fact.channel === 'answer' ? fact.atMs : effectiveMs,
  position: fact.position,
  ...(fact.instance !== undefined && { instance: fact.instance }),
})

/**
 * L13: a listing that was worth no event of its own is life all the same: it repeats the state that the
 * newest event about the attempt had shown at most a minute before. Any other listing speaks through its
 * events, or of another task that has this id by now (K2).
 */
const listingOf = (worker: WorkerKnowledge | undefined, taskId: string, facts: readonly TaskFact[]): readonly Sign[] => {
  const listed = (worker?.facts ?? []).filter((fact) => fact.kind === 'listed')
  const newest = latestOf(listed.filter((fact) => fact.taskId === taskId))
  if (newest === undefined) return []
  const { atMs, position, instance, state } = newest
  const before = facts.findLast((fact) => fact.position < position)
  if (before?.kind !== 'report' || before.state !== state || Math.abs(atMs - before.atMs) > signOfLifeRepeatMs) return []
  return [{ atMs, position, ...(instance !== undefined && { instance }) }]
}

interface States {
  readonly state: TaskState
  readonly position: number
  readonly changes: readonly StateChange[]
  readonly violations: readonly Violation[]
}

/** F4, F5, F12: the state after every report, and what broke the order. */
const walkStates = (ordered: readonly Ordered[], notFounds: readonly NotFound[]): States => {
  const changes: StateChange[] = []
  const violations: Violation[] = []
  let latest: Moment | undefined
  let latestMs = -Infinity
  let flagged: TaskState | undefined
  for (const entry of ordered) {
    const { fact, effectiveMs } = entry
    if (fact.kind !== 'report' || fact.state === undefined) continue
    const current = changes.at(-1)
    const { state } = fact
    const change: StateChange = {
      position: fact.position,
      atMs: fact.atMs,
      effectiveMs,
      state,
      source: fact.source,
      hasMessage: fact.hasMessage === true,
      ...(fact.text !== undefined && { text: fact.text }),
    }
    const flag = (code: Violation['code'], detail: string) => violations.push({ code, position: fact.position, detail })
    if (fact.isStateUnknown === true) flag('state_unknown', `${JSON.stringify(fact.stateOnWire)} is no state of A2A.`)
    const accept = (isChange: boolean) => {
      if (isChange) changes.push(change)
      latest = signOf(entry)
      latestMs = effectiveMs
      flagged = undefined
    }
    /** Told where it begins: the same state polled again breaks nothing more. */
    const refuse = (code: 'terminal_left' | 'state_regressed', from: TaskState) => {
      if (flagged !== state) flag(code, `${state} was reported after ${from}.`)
      flagged = state
    }
    const isBehind = effectiveMs > latestMs && fact.isStateUnknown !== true
    if (current === undefined) {
      accept(true)
    } else if (isTerminal(current.state)) {
      if (state === current.state) accept(false)
      else if (isBehind || isTerminal(state)) refuse('terminal_left', current.state)
    } else if (rankOf(state) >= rankOf(current.state)) {
      accept(state !== current.state || change.text !== current.text)
    } else if (wasMissedBetween(latest, signOf(entry), notFounds)) {
      flag('task_id_reused', `${state} was reported after ${current.state} and a not-found: the task was made again.`)
      accept(true)
    } else if (isBehind) {
      refuse('state_regressed', current.state)
    }
  }
  const last = changes.at(-1)
  return {
    state: last?.state ?? 'unknown',
    position: last?.position ?? ordered[0]?.fact.position ?? 0,
    changes,
    violations,
  }
}

const wasMissedBetween = (from: Moment | undefined, to: Moment, notFounds: readonly NotFound[]): boolean =>
  from !== undefined &&
  notFounds.some((miss) => miss.evidence === 'strong' && isAfter(miss, from) && isAfter(to, miss))

/** The context is the first one stated; updates without one inherit it. */
const walkContexts = (ordered: readonly Ordered[]) => {
  const violations: Violation[] = []
  let contextId: string | undefined
  for (const { fact } of ordered) {
    if (fact.contextId === undefined || fact.contextId === contextId) continue
    if (contextId !== undefined) {
      violations.push({
        code: 'context_changed',
        position: fact.position,
        detail: `The context was ${JSON.stringify(contextId)} and is ${JSON.stringify(fact.contextId)} here.`,
      })
    }
    contextId ??= fact.contextId
  }
  return { contextId, violations }
}

/** F8: an error that says the task has ended. */
const claimsEnd = ({ saysTerminal, name }: ErrorFact): boolean => saysTerminal === true || name === 'TaskNotCancelable'

/** V6: why an open attempt has to be asked about again; gone once life returns. */
const doubtOf = (
  life: LifeAnalysis,
  claims: readonly ErrorFact[],
  facts: readonly TaskFact[],
): AttemptAnalysis['doubt'] => {
  const isNewer = (moment: Moment) => isAfter(moment, life.lastSign)
  const strong = life.since.filter(({ evidence }) => evidence === 'strong')
  if (strong.length > 0) return { because: 'not-enough', positions: strong.map(({ position }) => position) }
  if (life.since.length > 0) return { because: 'weak-evidence', positions: life.since.map(({ position }) => position) }
  const newClaims = claims.filter(isNewer)
  if (newClaims.length > 0) return { because: 'terminal-claimed', positions: newClaims.map(({ position }) => position) }
  const silences = facts.filter((fact) => fact.kind === 'no-answer' && isNewer(fact))
  if (silences.length > 0) return { because: 'no-answer', positions: silences.map(({ position }) => position) }
  return undefined
}
