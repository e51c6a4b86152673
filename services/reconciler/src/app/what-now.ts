/**
 * "The worker gives no answer, what now?" (contract §4): what the caller saw is recorded like any
 * observation, applied, and its task settled at once; the answer is the verdict.
 */
import {
  answerOf,
  LedgerError,
  syntheticCorrelationId,
  type AskReason,
  type TaskAnalysis,
  type VerdictAnswer,
} from '@a2a-ledger/domain'
import { analysisOf, recordIn, type Fold } from './analyse.ts'
import type { Applied } from './applied.ts'
import { catchUp, reach } from './catch-up.ts'
import type { MessageSender } from './execute-redispatch.ts'
import { questionSource } from './feed-change.ts'
import type { FactStore, FeedReader, LedgerClient, Log, NewEvent, RecordedQuestion, Timer } from './ports.ts'
import { candidatesFor, settle } from './settle-tasks.ts'

/** What the caller says; absent members were not said. */
export interface Question {
  readonly correlationId?: string | undefined
  readonly workerId?: string | undefined
  readonly taskId?: string | undefined
  readonly reason: AskReason
  readonly operation?: string | undefined
  readonly error?: unknown
  readonly scope?: string | undefined
  readonly time?: string | undefined
  readonly httpstatus?: string | undefined
  readonly binding?: string | undefined
  readonly protocolversion?: string | undefined
  readonly instance?: string | undefined
  readonly messageid?: string | undefined
  readonly lastobserved?: string | undefined
}

export interface WhatNowPorts {
  readonly feed: Pick<FeedReader, 'head' | 'at'>
  readonly store: FactStore
  readonly ledger: LedgerClient
  readonly applied: Applied
  readonly timer: Timer
  readonly log: Log
  readonly fold: Fold
  readonly sender: Pick<MessageSender, 'refusal'>
}

/** A caller who asks waits no longer than this for tasks that others ask about. */
const settledWaitMs = 1_000
const settledPollMs = 10

/** Which server task of which logical task the question is about. */
interface Subject {
  readonly correlationId: string | undefined
  readonly workerId: string | undefined
  readonly taskId: string | undefined
}

/**
 * What the caller saw is durable, and this is what to do.
 *
 * Idempotent: one `idempotencyKey` is one observation, whatever happened since; without a key, the
 * same question within a second, or with the same stated time, is one.
 * Errors: throws `task_not_found`, `task_ambiguous`, `idempotency_mismatch`, `parameter_invalid`,
 * `ledger_unavailable`, `not_caught_up`.
 */
export async function whatNow(
  ports: WhatNowPorts,
  question: Question,
  idempotencyKey: string | undefined,
): Promise<VerdictAnswer> {
  await catchUp(ports.feed, ports.applied)
  const id = ports.fold.codec.sha256Hex(JSON.stringify(['key', idempotencyKey]))
  const before = idempotencyKey === undefined ? undefined : await ports.store.question(id)
  const members = Object.entries(question).filter(([, value]) => value !== undefined)
  const bodyDigest = ports.fold.codec.sha256Hex(JSON.stringify(members.toSorted(([left], [right]) => (left < right ? -1 : 1))))
  if (before !== undefined) {
    if (before.bodyDigest !== bodyDigest) throw mismatch()
    return answer(ports, before, question.reason)
  }
  const { subject, nowMs } = await subjectOf(ports, question)
  if (question.reason === 'restarted-myself') return answer(ports, subject, question.reason)
  const event = observationOf(question, subject, {
    id:
      idempotencyKey === undefined
        ? ports.fold.codec.sha256Hex(JSON.stringify([bodyDigest, question.time ?? Math.floor(nowMs / 1_000)]))
        : id,
    questiondigest: bodyDigest,
  })
  const recorded = await record(ports, event, idempotencyKey !== undefined)
  return answer(ports, { ...subject, correlationId: recorded ?? subject.correlationId }, question.reason)
}

/** The correlation ID under which the observation was recorded; `undefined`: it had been before. */
async function record(ports: WhatNowPorts, event: NewEvent, hasKey: boolean): Promise<string | undefined> {
  const outcome = await ports.ledger.observe(event)
  switch (outcome.outcome) {
    case 'recorded':
    case 'duplicate':
      await reach(ports.applied, outcome.position)
      return outcome.correlationId
    case 'conflict':
      // Without a key: the same words within a second, about an attempt that is a new one by now.
      if (hasKey) throw mismatch()
      return undefined
    case 'quarantined':
      throw new LedgerError('parameter_invalid', `The ledger does not understand what the worker answered (${outcome.reason}): ${outcome.detail}`)
    case 'rejected':
      throw new LedgerError('parameter_invalid', outcome.detail)
    case 'stale':
      throw new LedgerError('internal', 'An observation cannot be stale.')
  }
}

const mismatch = (): LedgerError =>
  new LedgerError('idempotency_mismatch', 'This Idempotency-Key came with another body before. Take a new key for a new question.')

async function subjectOf(ports: WhatNowPorts, question: Question): Promise<{ readonly subject: Subject; readonly nowMs: number }> {
  const { correlationId, workerId, taskId } = question
  if (correlationId === undefined) {
    if (workerId === undefined || taskId === undefined) {
      throw new LedgerError('parameter_invalid', 'Name `correlationId`, or `workerId` and `taskId`.')
    }
    const known = await ports.store.streamOf(workerId, taskId)
    const { asOfMs } = await ports.store.tasks([])
    return { subject: { correlationId: known, workerId, taskId }, nowMs: asOfMs }
  }
  const { content, asOfMs } = await ports.store.tasks([correlationId])
  const lookup = content.get(correlationId)
  if (lookup?.outcome === 'merged') return subjectOf(ports, { ...question, correlationId: lookup.into })
  if (workerId !== undefined && taskId !== undefined) {
    return { subject: { correlationId, workerId, taskId }, nowMs: asOfMs }
  }
  if (lookup?.outcome !== 'found') {
    throw new LedgerError('task_not_found', 'No event that was applied so far carries this correlation ID.')
  }
  const analysis = analysisOf(lookup.record, asOfMs, ports.fold)
  return { subject: { correlationId, ...namedIn(analysis, workerId, taskId) }, nowMs: asOfMs }
}

/** The attempt that the named ids leave, else the current one, else the worker it was sent to last. */
function namedIn(
  { attempts, current, dispatches }: TaskAnalysis,
  workerId: string | undefined,
  taskId: string | undefined,
): Omit<Subject, 'correlationId'> {
  if (workerId === undefined && taskId === undefined && current !== undefined) {
    return { workerId: current.workerId, taskId: current.taskId }
  }
  const fitting = attempts.filter(
    (attempt) => (workerId ?? attempt.workerId) === attempt.workerId && (taskId ?? attempt.taskId) === attempt.taskId,
  )
  const preferred = fitting.find((attempt) => attempt === current) ?? (fitting.length === 1 ? fitting[0] : undefined)
  if (preferred !== undefined) return { workerId: preferred.workerId, taskId: preferred.taskId }
  if (fitting.length > 1) {
    const known = fitting.map((attempt) => `${attempt.workerId} ${attempt.taskId}`).slice(0, 10)
    throw new LedgerError('task_ambiguous', `Several server tasks fit: ${known.join(', ')}. Name workerId and taskId.`)
  }
  const sentTo = workerId ?? dispatches.at(-1)?.workerId
  if (sentTo === undefined) {
    throw new LedgerError('task_ambiguous', 'Nobody is known to have got this work. Name workerId and taskId.')
  }
  return { workerId: sentTo, taskId }
}

const taskNotFound = { code: -32001, message: 'Task not found' }

/** What the caller saw, in the words of contract §2. */
function observationOf(
  question: Question,
  subject: Subject,
  own: { readonly id: string; readonly questiondigest: string },
): NewEvent {
  const { type, data, operation } = saidBy(question, subject.taskId !== undefined)
  const named = question.correlationId === undefined || subject.correlationId?.startsWith('~') ? undefined : subject.correlationId
  const optional = {
    correlationid: named,
    workerid: subject.workerId,
    taskid: subject.taskId,
    operation: question.operation ?? operation,
    scope: question.scope,
    time: question.time,
    httpstatus: question.httpstatus,
    binding: question.binding,
    protocolversion: question.protocolversion,
    instance: question.instance,
    messageid: question.messageid,
    lastobserved: question.lastobserved,
  }
  const stated = Object.entries(optional).filter(([, value]) => value !== undefined)
  return {
    attributes: { specversion: '1.0', source: questionSource, type, ...own, ...Object.fromEntries(stated) },
    data,
  }
}

function saidBy(
  { reason, error }: Question,
  isAboutTask: boolean,
): { readonly type: string; readonly data: unknown; readonly operation: string } {
  const asked = isAboutTask ? 'GetTask' : 'SendMessage'
  switch (reason) {
    case 'not-found':
      return { type: 'a2a.error', data: error ?? taskNotFound, operation: asked }
    case 'error':
      if (error === undefined) throw new LedgerError('parameter_invalid', 'With reason `error`, say which one: `error`.')
      return { type: 'a2a.error', data: error, operation: asked }
    case 'timeout':
    case 'reset':
      return { type: 'a2a.no-answer', data: { reason }, operation: asked }
    case 'stream-ended':
      return { type: 'a2a.stream-ended', data: { reason: 'closed' }, operation: isAboutTask ? 'SubscribeToTask' : 'SendStreamingMessage' }
    case 'restarted-myself':
      throw new LedgerError('internal', 'A restart of the caller says nothing about the worker.')
  }
}

/** The task is settled now, its verdict applied; what that means for the caller. */
async function answer(
  ports: WhatNowPorts,
  subject: Subject | RecordedQuestion,
  reason: AskReason,
): Promise<VerdictAnswer> {
  const { workerId, taskId } = subject
  const correlationId = await targetOf(ports, subject)
  const head = await catchUp(ports.feed, ports.applied)
  await untilSettled(ports, head)
  const settled = (await settle(ports, [correlationId], head)).get(correlationId)
  if (settled?.verdictPosition !== undefined) await reach(ports.applied, settled.verdictPosition)
  const { content, asOfMs } = await ports.store.tasks([correlationId])
  const asked = { ...(workerId !== undefined && { workerId }), ...(taskId !== undefined && { taskId }), reason }
  const analysis = analysisOf(recordIn(content.get(correlationId), correlationId), asOfMs, ports.fold)
  const { workers, beyondCount } = await candidatesFor(ports.store.candidates, analysis)
  return answerOf(analysis, asked, workers, beyondCount)
}

/** What other tasks said of the candidates up to `head` counts (V7), if it is not too far behind. */
async function untilSettled({ store, timer }: WhatNowPorts, head: number): Promise<void> {
  const deadlineMs = timer.elapsedMs() + settledWaitMs
  while (timer.elapsedMs() < deadlineMs && (await store.queue()).settledPosition < head) await timer.after(settledPollMs)
}

/** The stream to settle: where the observation went, or where a synthetic one was merged into. */
async function targetOf(ports: WhatNowPorts, { correlationId, workerId, taskId }: Subject | RecordedQuestion): Promise<string> {
  const named = correlationId ?? syntheticCorrelationId(workerId ?? '', taskId ?? '')
  const lookup = (await ports.store.tasks([named])).content.get(named)
  return lookup?.outcome === 'merged' ? lookup.into : named
}
