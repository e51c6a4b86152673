/**
 * The one function that concludes: facts of a task, knowledge about its workers and a clock in,
 * everything we say about the logical task out (F1). No rule of the fold lives anywhere else.
 *
 * Worst case: linear in facts times attempts; both are bounded by the caller.
 */
import { evidenceOf } from '../a2a/error/evidence.ts'
import { assembleArtifacts, type Assembly } from '../artifact/assemble.ts'
import { deriveArtifacts, type Candidate } from '../artifact/variants.ts'
import { checkEmissions, judgementsOf, negotiatedAt } from '../capability/emission.ts'
import { policyOf, restartsOf } from '../capability/knowledge.ts'
import { isCanaryCorrelationId } from '../correlation/canary.ts'
import { isReservedCorrelationId } from '../correlation/correlation-id.ts'
import type { ApprovalFact, FactNote, MessageFact, TaskFact, VerdictFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import { violationTable, type ViolationCode } from '../invariant/violation.ts'
import { cancelsOf } from '../reconcile/cancel.ts'
import { intentsOf } from '../reconcile/intent.ts'
import { openQuestionOf, verdictOn } from '../reconcile/question.ts'
import { withoutRejections } from '../reconcile/turned-down.ts'
import type {
  AttemptAnalysis,
  DispatchAnalysis,
  OpenQuestion,
  TaskAnalysis,
  TaskInput,
  VariantAnalysis,
  Violation,
} from './analysis.ts'
import { beginsTask, deriveAttempt, isSign, type AttemptInput, type AttemptResult } from './attempt.ts'
import { deriveDispatches } from './dispatch.ts'
import { divergencesOf, duplicateExecutionsOf } from './divergence.ts'
import { logicalStateOf } from './logical-state.ts'
import type { Creation } from './not-found.ts'
import type { SignFact } from './order.ts'
import { isTerminal } from './state.ts'

interface Attempted extends AttemptResult {
  readonly key: string
  readonly input: AttemptInput
  readonly signs: readonly SignFact[]
  readonly dispatches: readonly DispatchAnalysis[]
  readonly emissionViolations: readonly Violation[]
}

/** Derives the logical task. Pure; the same input gives the same analysis, whatever the order of facts. */
export const deriveTask = (input: TaskInput): TaskAnalysis => {
  const told = flagMoved(uniqueByPosition(input.facts), input.correlationId)
  const dispatches = deriveDispatches(told.filter(isOwn))
  const facts = told.map((fact) => nameTask(fact, dispatches))
  const own = facts.filter(isOwn)
  const attempted = deriveAttempts(own, dispatches, input)
  const attempts: readonly AttemptAnalysis[] = attempted.map(({ attempt, emissionViolations }) => ({
    ...attempt,
    conforms: !emissionViolations.some(({ code }) => code === 'media_type_not_negotiated'),
  }))
  const intents = intentsOf(facts, dispatches, attempts)
  const logical = logicalStateOf(withoutRejections(attempts, dispatches, facts), dispatches, intents)
  const answers = wholeAnswers(own, dispatches)
  const assembled = attempted.map((entry) => ({ entry, ...assembleArtifacts(entry.signs) }))
  const canonicalKey = logical.canonical === undefined ? undefined : keyOf(logical.canonical)
  const artifacts = deriveArtifacts([
    ...assembled.flatMap(({ entry, assemblies }) =>
      assemblies.map((assembly) => candidateOf(assembly, entry, entry.key === canonicalKey, input)),
    ),
    ...answers.map((answer) => messageCandidate(answer, dispatches, input)),
  ])
  const violations = [
    ...facts.flatMap((fact) => noteViolations(fact, input.correlationId)),
    ...streamViolations(own),
    ...attempted.flatMap((entry) => [...entry.violations, ...entry.emissionViolations]),
    ...assembled.flatMap(({ entry, violations: found }) =>
      found.map((violation) => ({ ...violation, workerId: entry.attempt.workerId, taskId: entry.attempt.taskId })),
    ),
    ...answers.flatMap((answer) => messageViolations(answer, dispatches, input)),
  ]
  const byAttempt = new Map(attempts.map((attempt, index) => [attempt, attempted[index]]))
  const duplicateExecutions = duplicateExecutionsOf(attempts, dispatches, (attempt, atMs) => {
    const entry = byAttempt.get(attempt)
    return entry !== undefined && (isGoneWithRestart(entry, atMs) || isKnownGone(entry, atMs))
  })
  const analysis: Omit<TaskAnalysis, 'question' | 'terminal'> = {
    correlationId: input.correlationId,
    asOfMs: input.asOfMs,
    state: logical.state,
    ...(logical.lastObserved !== undefined && { lastObserved: logical.lastObserved }),
    dispatches,
    attempts,
    ...(logical.current !== undefined && { current: logical.current }),
    ...(logical.canonical !== undefined && { canonical: logical.canonical }),
    artifacts,
    divergences: divergencesOf(attempts, artifacts, violations),
    violations: uniqueViolations(violations),
    incomplete: facts.filter(({ kind }) => kind === 'unreadable').map(({ position }) => position),
    duplicateExecutions,
    verdicts: facts.filter((fact): fact is VerdictFact => fact.kind === 'verdict'),
    approvals: approvalsIn(facts),
    intents,
    cancels: cancelsOf(facts),
    lastPosition: facts.at(-1)?.position ?? 0,
    facts,
    workers: input.workers,
    settings: input.settings,
  }
  // V3: a canary is nobody's work, so nobody has to take it over.
  const question = isCanaryCorrelationId(input.correlationId) ? undefined : openQuestionOf(analysis, input.codec)
  return {
    ...analysis,
    terminal: isTerminal(logical.state) || isClosed(analysis, question),
    ...(question !== undefined && { question }),
  }
}

/** Of each decision the first word of a person. */
const approvalsIn = (facts: readonly TaskFact[]): readonly ApprovalFact[] => {
  const first = new Map<string, ApprovalFact>()
  for (const fact of facts) if (fact.kind === 'approval' && !first.has(fact.decisionId)) first.set(fact.decisionId, fact)
  return [...first.values()]
}

/** F16: closed by policy as recorded; until that is done by the trust that will decide it (F2). */
const isClosed = (analysis: Pick<TaskAnalysis, 'asOfMs' | 'workers'>, question: OpenQuestion | undefined): boolean => {
  if (question?.about !== 'loss') return false
  const verdict = verdictOn(question)
  return verdict === undefined
    ? analysis.asOfMs >= question.dueMs && policyOf(analysis.workers.get(question.workerId)).trust === 'card'
    : verdict.verdict === 'closed-by-policy'
}

/**
 * K2: where a task turned out to be of another logical task from some position on, what was stated of it
 * here meanwhile is a second claim.
 */
const flagMoved = (facts: readonly TaskFact[], correlationId: string): readonly TaskFact[] => {
  const moves = facts.filter((fact) => fact.kind === 'moved' && fact.from === correlationId && !isReservedCorrelationId(fact.to))
  if (moves.length === 0) return facts
  return facts.map((fact) => {
    const moved = moves.find(
      (move) =>
        move.kind === 'moved' &&
        move.workerId === fact.workerId &&
        move.taskId === fact.taskId &&
        fact.position >= move.since &&
        fact.position < move.position,
    )
    if (moved?.kind !== 'moved' || fact.kind === 'dispatch' || fact.kind === 'verdict') return fact
    return { ...fact, refused: { code: 'correlation_conflict', correlationId: moved.to } }
  })
}

/** An event that claims somebody else's task is shown and merges nothing (K2). */
const isOwn = (fact: TaskFact): boolean => fact.refused?.code !== 'correlation_conflict'

/**
 * F6, F8, V6: a not-found, a claimed end or no answer to a message is about the task that the message
 * named, also where only the send tells which; by itself it cannot say so.
 */
const nameTask = (fact: TaskFact, dispatches: readonly DispatchAnalysis[]): TaskFact => {
  const notFound = fact.kind === 'error' ? fact.notFound : undefined
  const isTold = notFound !== undefined || fact.kind === 'no-answer' || (fact.kind === 'error' && fact.saysTerminal === true)
  if (!isTold || fact.taskId !== undefined) return fact
  const taskId = dispatches.find(({ answerPosition }) => answerPosition === fact.position)?.namedTaskId
  if (taskId === undefined) return fact
  return { ...fact, taskId, ...(notFound !== undefined && { evidence: evidenceOf('message-to-task', notFound) }) }
}

/** Union of facts (F1): one a position, in order; a second delivery changes nothing. */
const uniqueByPosition = (facts: readonly TaskFact[]): readonly TaskFact[] =>
  [...new Map(facts.map((fact) => [fact.position, fact])).values()].toSorted(
    (left, right) => left.position - right.position,
  )

const keyOf = ({ workerId, taskId }: Pick<TaskFact, 'workerId' | 'taskId'>): string => JSON.stringify([workerId, taskId])

/** Attempts in order of first sight; a server task never seen positively is none (F14). */
const deriveAttempts = (
  facts: readonly TaskFact[],
  dispatches: readonly DispatchAnalysis[],
  input: TaskInput,
): readonly Attempted[] => {
  const groups = Map.groupBy(
    facts.filter(({ kind }) => kind !== 'dispatch'),
    keyOf,
  )
  const answering = Map.groupBy(dispatches, ({ workerId, taskId = '' }) => keyOf({ workerId, taskId }))
  const byPosition = new Map(facts.map((fact) => [fact.position, fact]))
  return [...groups]
    .flatMap(([key, group]) => {
      const signs = group.filter(isSign).toSorted(compareMoments)
      const [first] = signs
      if (first?.workerId === undefined || first.taskId === undefined) return []
      const { workerId, taskId } = first
      const worker = input.workers.get(workerId)
      const answered = answering.get(key) ?? []
      const creation = creationOf(signs, answered, byPosition)
      const attemptInput: AttemptInput = { workerId, taskId, facts: group, dispatches: answered, creation, worker }
      const result = deriveAttempt(attemptInput)
      const emissionViolations = checkEmissions({
        workerId,
        taskId,
        signs,
        changes: result.attempt.changes,
        dispatches: answered,
        worker,
      })
      return [{ ...result, key, input: attemptInput, signs, dispatches: answered, emissionViolations }]
    })
    .toSorted(
      ({ attempt: left }, { attempt: right }) =>
        left.firstSeenMs - right.firstSeenMs || left.firstSeenPosition - right.firstSeenPosition,
    )
}

/** True when a restart by `atMs` turned out to have lost the attempt: it was at work no more, whoever knew. */
const isGoneWithRestart = ({ attempt, input }: Attempted, atMs: number): boolean => {
  const restart = restartsOf(input.worker).find(({ position }) => position === attempt.restartPosition)
  return attempt.life === 'lost' && restart !== undefined && restart.atMs <= atMs
}

/**
 * True when the attempt was lost or ended by what had been seen of it at `atMs` (F15). What a bare 404
 * had meant may be learned later (F7): the worker had lost the task all the same.
 */
const isKnownGone = ({ input }: Attempted, atMs: number): boolean => {
  const facts = input.facts.filter((fact) => fact.atMs <= atMs)
  // Without an end and without an error it can be neither ended nor lost; most pairs are told apart here.
  if (!facts.some(isEndOrError) || !facts.some(isSign)) return false
  const worker = input.worker && {
    ...input.worker,
    facts: input.worker.facts.filter((fact) => fact.kind !== 'listed' || fact.atMs <= atMs),
  }
  return deriveAttempt({ ...input, facts, worker }).attempt.life !== 'live'
}

const isEndOrError = (fact: TaskFact): boolean => fact.kind === 'error' || (fact.kind === 'report' && isTerminal(fact.state))

/** F7: scope and binding at creation, by the creating dispatch, else by the first sign that states them. */
const creationOf = (
  signs: readonly SignFact[],
  answered: readonly DispatchAnalysis[],
  byPosition: ReadonlyMap<number, TaskFact>,
): Creation => {
  const created = answered.find((send) => beginsTask(send, send.taskId))
  const sent = (created?.positions ?? []).map((position) => byPosition.get(position))
  const answer = created?.answerPosition === undefined ? undefined : byPosition.get(created.answerPosition)
  const known = [...sent, answer, ...signs.filter(({ channel }) => channel === 'answer')]
  const scope = known.find((fact) => fact?.scope !== undefined)?.scope
  const binding = known.find((fact) => fact?.binding !== undefined)?.binding
  return { ...(scope !== undefined && { scope }), ...(binding !== undefined && { binding }) }
}

const candidateOf = (
  assembly: Assembly,
  entry: Attempted,
  isOfCanonicalAttempt: boolean,
  input: TaskInput,
): Candidate => {
  const { attempt } = entry
  const positions = [...new Set(assembly.stretches.map(({ position }) => position))]
  const emittedMs = assembly.stretches.reduce((latestMs, { atMs }) => Math.max(latestMs, atMs), -Infinity)
  const worker = input.workers.get(attempt.workerId)
  const [only] = assembly.stretches
  const mediaTypes = [...new Set(assembly.stretches.flatMap(({ piece }) => piece.mediaTypes))]
  return {
    ordinal: assembly.ordinal,
    attemptKey: entry.key,
    isOfCanonicalAttempt,
    contract: negotiatedAt(entry.dispatches, worker, emittedMs).contract,
    emittedMs,
    worker,
    variant: {
      workerId: attempt.workerId,
      taskId: attempt.taskId,
      ...(assembly.artifactId !== undefined && { artifactId: assembly.artifactId }),
      ...(assembly.name !== undefined && { name: assembly.name }),
      mediaTypes,
      metadata: assembly.metadata,
      judgedBy: judgementsOf(mediaTypes, entry.dispatches, worker, emittedMs),
      complete: assembly.isSealed || assembly.stretches.every(({ isFromEnd }) => isFromEnd) || attempt.state === 'completed',
      content: assembly.stretches.map(({ position, piece }) => ({ position, at: piece.at })),
      bytes: assembly.bytes,
      ...(assembly.stretches.length === 1 && only !== undefined && { digest: only.piece.digest }),
      isLinked: assembly.stretches.some(({ piece }) => piece.isLinked === true),
      firstPosition: positions.reduce((first, position) => Math.min(first, position), Infinity),
      positions,
      ...(assembly.disputedBy.length > 0 && { disputedBy: assembly.disputedBy }),
    },
  }
}

/** Messages that were the whole answer to a send (F13). */
const wholeAnswers = (facts: readonly TaskFact[], dispatches: readonly DispatchAnalysis[]): readonly MessageFact[] =>
  facts.filter(
    (fact): fact is MessageFact =>
      fact.kind === 'message' &&
      dispatches.some(({ outcome, answerPosition }) => outcome === 'message' && answerPosition === fact.position),
  )

const dispatchesOfAnswer = (answer: MessageFact, dispatches: readonly DispatchAnalysis[]) =>
  dispatches.filter(({ answerPosition }) => answerPosition === answer.position)

const messageCandidate = (
  answer: MessageFact,
  dispatches: readonly DispatchAnalysis[],
  input: TaskInput,
): Candidate => {
  const worker = answer.workerId === undefined ? undefined : input.workers.get(answer.workerId)
  const variant: Omit<VariantAnalysis, 'because'> = {
    workerId: answer.workerId ?? '',
    artifactId: answer.ownMessageId ?? `#${answer.position}`,
    mediaTypes: answer.piece.mediaTypes,
    complete: true,
    content: [{ position: answer.position, at: 0 }],
    bytes: answer.piece.bytes,
    digest: answer.piece.digest,
    isLinked: answer.piece.isLinked === true,
    metadata: [],
    judgedBy: judgementsOf(answer.piece.mediaTypes, dispatchesOfAnswer(answer, dispatches), worker, answer.atMs),
    firstPosition: answer.position,
    positions: [answer.position],
  }
  return {
    variant,
    ordinal: 0,
    attemptKey: JSON.stringify(['message', answer.position]),
    isOfCanonicalAttempt: true,
    contract: negotiatedAt(dispatchesOfAnswer(answer, dispatches), worker, answer.atMs).contract,
    emittedMs: answer.atMs,
    worker,
  }
}

const messageViolations = (
  answer: MessageFact,
  dispatches: readonly DispatchAnalysis[],
  input: TaskInput,
): readonly Violation[] =>
  answer.workerId === undefined
    ? []
    : checkEmissions({
        workerId: answer.workerId,
        signs: [answer],
        changes: [],
        dispatches: dispatchesOfAnswer(answer, dispatches),
        worker: input.workers.get(answer.workerId),
      })

const isViolationCode = (note: FactNote): note is FactNote & ViolationCode => Object.hasOwn(violationTable, note)

/** Oddities that one event shows by itself; a claim that was followed later is none any more (K1). */
const noteViolations = (fact: TaskFact, correlationId: string): readonly Violation[] => {
  const owner = {
    position: fact.position,
    ...(fact.workerId !== undefined && { workerId: fact.workerId }),
    ...(fact.taskId !== undefined && { taskId: fact.taskId }),
  }
  const codes: readonly ViolationCode[] = (fact.notes ?? []).filter(isViolationCode)
  const notes = codes.map((code) => ({ code, detail: violationTable[code], ...owner }))
  const { refused } = fact
  if (refused === undefined || refused.correlationId === correlationId) return notes
  return [
    ...notes,
    { code: refused.code, detail: refusalDetail(refused), ...owner },
  ]
}

/** Of a claim the id is the claimed one, of a conflict the owner's. */
const refusalDetail = ({ code, correlationId }: NonNullable<TaskFact['refused']>): string =>
  code === 'correlation_claimed'
    ? `The worker claims ${JSON.stringify(correlationId)} and was never sent that work.`
    : `The task belongs to ${JSON.stringify(correlationId)}.`

/** `task_id_changed`: one stream of one source that tells of two tasks. */
const streamViolations = (facts: readonly TaskFact[]): readonly Violation[] => {
  const streamed = facts
    .filter(isSign)
    .toSorted(compareMoments)
    .filter(({ streamId, taskId, channel }) => streamId !== undefined && taskId !== undefined && channel === 'update')
  const streams = Map.groupBy(streamed, ({ source, streamId }) => JSON.stringify([source, streamId]))
  return [...streams.values()].flatMap((stream) => {
    const [first] = stream
    const other = stream.find(({ taskId }) => taskId !== first?.taskId)
    return other === undefined || first === undefined
      ? []
      : [
          {
            code: 'task_id_changed' as const,
            position: other.position,
            detail: `The stream began with task ${JSON.stringify(first.taskId)} and goes on with ${JSON.stringify(other.taskId)}.`,
            ...(other.workerId !== undefined && { workerId: other.workerId }),
            ...(other.taskId !== undefined && { taskId: other.taskId }),
          },
        ]
  })
}

/** One entry a code and position, in order of position. */
const uniqueViolations = (violations: readonly Violation[]): readonly Violation[] =>
  [...new Map(violations.map((violation) => [`${violation.code} ${violation.position}`, violation])).values()].toSorted(
    (left, right) => left.position - right.position || (left.code < right.code ? -1 : 1),
  )
