/**
 * What one event did to a task, and in words why it did not do more: it repeats what was known, it is
 * older than what was applied, the attempt is contested, or a rule says that it changes nothing.
 */
import type { ErrorFact, TaskFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { AttemptAnalysis, TaskAnalysis } from './analysis.ts'
import { isSign } from './attempt.ts'

export type Effect = 'applied' | 'duplicate' | 'late' | 'contested' | 'ignored'

export interface EffectOfEvent {
  readonly effect: Effect
  /** Why it changed nothing, or why it is contested. */
  readonly because?: string
}

/** The effect of `fact`, whose event changed the task from `before` to `after`; `isChanged`: any field of it. */
export const effectOf = (
  fact: TaskFact | undefined,
  isChanged: boolean,
  before: TaskAnalysis | undefined,
  after: TaskAnalysis,
): EffectOfEvent => {
  if (fact === undefined) return { effect: 'ignored', because: 'It says nothing about the task.' }
  const known = attemptOf(before, fact)
  const now = attemptOf(after, fact)
  if (now?.contested === true && known?.contested === false) {
    return { effect: 'contested', because: 'Life was seen after a strong not-found.' }
  }
  if (isSign(fact) && isOlder(fact, known)) return { effect: 'late', because: 'It is older than what was already applied.' }
  if (isChanged) return { effect: 'applied' }
  return unchangedBy(fact, known, now, before, after)
}

const attemptOf = (analysis: TaskAnalysis | undefined, { workerId, taskId }: TaskFact): AttemptAnalysis | undefined =>
  analysis?.attempts.find((attempt) => attempt.workerId === workerId && attempt.taskId === taskId)

const isOlder = (fact: TaskFact, known: AttemptAnalysis | undefined): boolean => {
  const newest = known?.changes.at(-1)
  const happenedMs = fact.kind === 'report' ? (fact.statusAtMs ?? fact.atMs) : fact.atMs
  return newest !== undefined && happenedMs < newest.effectiveMs
}

const ignored = (because: string): EffectOfEvent => ({ effect: 'ignored', because })
const duplicate = (because: string): EffectOfEvent => ({ effect: 'duplicate', because })

const unchangedBy = (
  fact: TaskFact,
  known: AttemptAnalysis | undefined,
  now: AttemptAnalysis | undefined,
  before: TaskAnalysis | undefined,
  after: TaskAnalysis,
): EffectOfEvent => {
  const violation = after.violations.find(({ position }) => position === fact.position)
  switch (fact.kind) {
    case 'dispatch':
      return after.dispatches.some(({ position, positions }) => position !== fact.position && positions.includes(fact.position))
        ? duplicate('Another witness told of the same send.')
        : ignored(violation?.detail ?? 'It changed nothing.')
    case 'report':
      return fact.state === known?.state
        ? duplicate('It repeats the state that was already known.')
        : ignored(violation?.detail ?? 'It changed nothing.')
    case 'artifact':
    case 'message':
      return isToldBefore(fact, before)
        ? duplicate('Another witness told of the same content.')
        : ignored(violation?.detail ?? 'It changed nothing.')
    case 'error':
      return errorUnchanged(fact, now, violation?.detail)
    case 'conclusion':
      return ignored('What an orchestrator concludes for itself changes no task.')
    case 'no-answer':
      return ignored('That a call got no answer proves nothing about the task.')
    case 'stream-ended':
      return ignored('That a stream ended proves nothing about the task.')
    case 'unreadable':
      return ignored('It cannot be read any more.')
    case 'nothing':
    case 'linked':
    case 'unlinked':
    case 'moved':
    case 'verdict':
    case 'intent':
    case 'intent-settled':
    case 'cancel':
    case 'approval':
      return ignored(violation?.detail ?? 'It changed nothing.')
  }
}

/** A chunk or a message with the same content at the same task, that another witness told of. */
const isToldBefore = (fact: Extract<TaskFact, { kind: 'artifact' | 'message' }>, before: TaskAnalysis | undefined): boolean =>
  before?.facts.some(
    (other) =>
      other.kind === fact.kind &&
      other.source !== fact.source &&
      other.workerId === fact.workerId &&
      other.taskId === fact.taskId &&
      other.piece.digest === fact.piece.digest &&
      other.piece.artifactId === fact.piece.artifactId,
  ) === true

const errorUnchanged = (error: ErrorFact, now: AttemptAnalysis | undefined, violation: string | undefined): EffectOfEvent => {
  const miss = now?.notFounds.find(({ position }) => position === error.position)
  if (now === undefined || miss === undefined) return ignored(violation ?? 'The error says nothing about a task that is known (F6).')
  if (compareMoments(miss, now.lastLife) < 0) return { effect: 'late', because: 'The task was seen alive after it.' }
  if (now.life === 'ended') return ignored('The task had ended: that it is not found any more is no news (F5).')
  if (miss.isForeign) return ignored('It was asked for under another scope or binding than it was created under (F7).')
  if (miss.evidence === 'weak') return ignored('Weak evidence alone loses nothing (F8).')
  if (now.life === 'lost') return duplicate('It repeats that the task is not found.')
  return now.contested
    ? { effect: 'contested', because: 'It was found again after an earlier not-found: one more is not enough (F10).' }
    : ignored('Not every replica has missed it (F11).')
}
