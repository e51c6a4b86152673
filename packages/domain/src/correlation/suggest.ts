/**
 * Suggested links: two tasks that may be one piece of work, shown with the reason and never merged until
 * a person says so (K6).
 *
 * A task bears marks: the content it was sent, the contexts it was in, the messages it is known by.
 * Equal marks of two tasks within a window are a suggestion, where at least one of them has no
 * correlation ID. Equal content of two tasks that both got to work is probable double work.
 */
import { isSend } from '../a2a/operation.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import type { TaskFact } from '../fact/fact.ts'
import { isReservedCorrelationId } from './correlation-id.ts'

/** Strongest first: where two tasks share several, this is the one that is told. */
export const suggestionReasons = ['same-content', 'same-message', 'same-context'] as const

export type SuggestionReason = (typeof suggestionReasons)[number]

/** How far apart two equal marks may be, by the clocks of their witnesses. Milliseconds. */
export const suggestionWindowMs: Readonly<Record<SuggestionReason, number>> = {
  'same-content': 6 * 3_600_000,
  'same-message': 24 * 3_600_000,
  'same-context': 24 * 3_600_000,
}

/** What came more often than this within its window is routine, and no sign of anything. */
export const routineCount = 20
/** Marks of one kind that a task bears; the first ones. */
export const marksMax = 10

export interface LinkMark {
  readonly reason: SuggestionReason
  readonly workerId: string
  /** Equal for equal content, context at one worker, or message at one worker. */
  readonly key: string
  readonly atMs: number
  readonly position: number
  /** The work is known to have reached a server task. */
  readonly hasTask: boolean
}

/** A send, or an answer to one, that no correlation ID was found for. */
export interface Exchange {
  readonly kind: 'send' | 'answer'
  readonly position: number
  readonly atMs: number
  readonly messageId?: string
  /** Of a send: SHA-256 of what was sent. */
  readonly contentDigest?: string
}

/** SHA-256 of nothing: a message without content says nothing about work. */
const emptyDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** A send that nobody answered for so long is waited for no longer. */
const pendingMsMax = 600_000

/**
 * The content that the answer at `position` answers: of the message it names, else of the sends that
 * wait for an answer, where all of them say the same. Nothing is guessed among different ones.
 *
 * Shape: `exchanges` of one witness with one worker, in order of position, up to that answer.
 */
export const answeredContent = (exchanges: readonly Exchange[], position: number): string | undefined => {
  let pending: readonly Exchange[] = []
  for (const exchange of exchanges) {
    if (exchange.kind === 'send') {
      pending = [...pending.filter(({ atMs }) => exchange.atMs - atMs <= pendingMsMax), exchange]
      continue
    }
    const named = pending.filter(({ messageId }) => messageId !== undefined && messageId === exchange.messageId)
    const [first, ...others] = named.length > 0 ? named : exchange.messageId === undefined ? pending : []
    const isClear = first !== undefined && others.every(({ contentDigest }) => contentDigest === first.contentDigest)
    if (exchange.position === position) return isClear ? first.contentDigest : undefined
    if (isClear) pending = pending.filter((send) => send !== first)
  }
  return undefined
}

/** An answer whose send is not in the task: what it was sent has to be looked for elsewhere. */
export interface UnsentAnswer {
  readonly workerId: string
  readonly taskId: string
  readonly source: string
  readonly position: number
  readonly atMs: number
}

/** Answers to sends, of server tasks that nobody saw dispatched. */
export const unsentAnswersOf = ({ attempts, facts }: TaskAnalysis): readonly UnsentAnswer[] =>
  attempts
    .filter(({ dispatchPosition }) => dispatchPosition === undefined)
    .slice(0, marksMax)
    .flatMap(({ workerId, taskId }) => {
      const answer = facts.find((fact) => fact.workerId === workerId && fact.taskId === taskId && isSendAnswer(fact))
      return answer === undefined ? [] : [{ workerId, taskId, source: answer.source, position: answer.position, atMs: answer.atMs }]
    })

/** True for what a worker answers to a send. */
export const isSendAnswer = ({ kind, operation }: Pick<TaskFact, 'kind' | 'operation'>): boolean =>
  isSend(operation) &&
  (kind === 'report' || kind === 'message' || kind === 'error' || kind === 'no-answer')

/** The marks of a task; `contents`: what was found for the answers of `unsentAnswersOf`, by position. */
export const linkMarksOf = (analysis: TaskAnalysis, contents: ReadonlyMap<number, string>): readonly LinkMark[] => {
  const { dispatches, attempts, facts } = analysis
  const content = (workerId: string, digest: string, at: { readonly atMs: number; readonly position: number }, hasTask = true): LinkMark => ({
    reason: 'same-content', workerId, key: digest, atMs: at.atMs, position: at.position, hasTask,
  })
  const unsent = attempts.filter(({ dispatchPosition }) => dispatchPosition === undefined)
  const isUnsent = (fact: TaskFact): boolean => unsent.some(({ workerId, taskId }) => workerId === fact.workerId && taskId === fact.taskId)
  const shown = facts.filter((fact) => fact.workerId !== undefined && fact.kind === 'report' && isUnsent(fact))
  const message = (workerId: string, messageId: string, at: { readonly atMs: number; readonly position: number }): LinkMark => ({
    reason: 'same-message', workerId, key: JSON.stringify([workerId, messageId]), atMs: at.atMs, position: at.position, hasTask: true,
  })
  const marks = [
    ...dispatches
      .filter(({ namedTaskId }) => namedTaskId === undefined)
      .map((sent) => content(sent.workerId, sent.contentDigest, sent, sent.outcome === 'task' || sent.outcome === 'message')),
    ...unsentAnswersOf(analysis).flatMap((answer) => {
      const digest = contents.get(answer.position)
      return digest === undefined ? [] : [content(answer.workerId, digest, answer)]
    }),
    ...shown.flatMap((fact) =>
      fact.kind === 'report' && fact.historyContentDigest !== undefined ? [content(fact.workerId ?? '', fact.historyContentDigest, fact)] : [],
    ),
    ...dispatches.flatMap((sent) => (sent.messageId === undefined ? [] : [message(sent.workerId, sent.messageId, sent)])),
    ...shown.flatMap((fact) => {
      const messageId = fact.messageId ?? (fact.kind === 'report' ? fact.historyMessageId : undefined)
      return messageId === undefined ? [] : [message(fact.workerId ?? '', messageId, fact)]
    }),
    ...attempts.flatMap(({ workerId, contextId, firstSeenMs, firstSeenPosition }): readonly LinkMark[] =>
      contextId === undefined
        ? []
        : [{ reason: 'same-context', workerId, key: JSON.stringify([workerId, contextId]), atMs: firstSeenMs, position: firstSeenPosition, hasTask: true }],
    ),
  ]
  const unique = [...new Map(marks.toReversed().map((mark) => [JSON.stringify([mark.reason, mark.workerId, mark.key]), mark])).values()]
  const ordered = unique.filter(({ key }) => key !== emptyDigest).toSorted((left, right) => left.position - right.position)
  return suggestionReasons.flatMap((reason) => ordered.filter((mark) => mark.reason === reason).slice(0, marksMax))
}

/** Two tasks that share a mark, the one of the earlier mark first. */
export interface SharedMark {
  readonly correlationIds: readonly [string, string]
  readonly workerIds: readonly [string, string]
  readonly positions: readonly [number, number]
  readonly reason: SuggestionReason
  /** Both got to work. */
  readonly haveTasks: boolean
  /** Position at which a person undid a link of these two; absent: nobody did. */
  readonly undoneAt?: number
}

/** A suggested link as the API shows it. */
export interface SuggestedLink {
  readonly correlationIds: readonly [string, string]
  readonly workerIds: readonly [string, string]
  readonly reason: SuggestionReason
  readonly because: readonly [number, number]
  /** Both got to work on the same content: probably it was done twice. */
  readonly finding?: 'duplicate_execution'
  /** What `POST /v1/links` takes, but for who says so; absent where neither has a correlation ID. */
  readonly accept?: { readonly from: string; readonly to: string }
  readonly how: string
  readonly undoneAt?: number
}

/** What a shared mark suggests. */
export const suggestedLink = (shared: SharedMark): SuggestedLink => {
  const { correlationIds, workerIds, reason, positions, undoneAt } = shared
  const from = correlationIds.find(isReservedCorrelationId)
  const to = correlationIds.find((correlationId) => !isReservedCorrelationId(correlationId))
  const accept = from === undefined || to === undefined ? undefined : { from, to }
  return {
    correlationIds,
    workerIds,
    reason,
    because: positions,
    ...(reason === 'same-content' && shared.haveTasks && { finding: 'duplicate_execution' as const }),
    ...(accept !== undefined && { accept }),
    how:
      accept === undefined
        ? 'Neither has a correlation ID: link each of them to one of your own, with POST /v1/links.'
        : 'POST /v1/links with these members, and who says so as `by`.',
    ...(undoneAt !== undefined && { undoneAt }),
  }
}
