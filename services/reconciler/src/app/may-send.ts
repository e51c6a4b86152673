/**
 * "May I send this?", asked before a send (contract §4): of all who ask about one task one is told to go,
 * and paid work that was lost to its caller is given back instead of being repeated.
 */
import {
  isReservedCorrelationId,
  LedgerError,
  maySend as standingOf,
  rfc3339Of,
  sendMetadataOf,
  type Go,
  type SendAsked,
  type SendStanding,
  type TaskAnalysis,
  type WorkerKnowledge,
} from '@a2a-ledger/domain'
import { leaseMsDefault, previousOf } from './claim-decision.ts'
import { leaseOf, recordIntent, taskNow, untilFirst, type IntentPorts, type TaskNow } from './hold-intent.ts'
import type { FactStore } from './ports.ts'
import { artifactsOf, type ReadPorts } from './read-task.ts'

export interface SendQuestion extends SendAsked {
  readonly contentDigest?: string | undefined
  readonly ttlMs?: number | undefined
}

export type MaySendPorts = IntentPorts & ReadPorts & { readonly store: Pick<FactStore, 'worker'> }

/** The body of the answer; what stands in it beside `answer` depends on that. */
export interface SendAnswer {
  readonly answer: SendStanding['answer']
  readonly correlationId: string
  readonly [member: string]: unknown
}

/**
 * Says whether the message may be sent. `go` is durable when it is answered, and its caller's until it
 * lapses: it is settled like a claim.
 *
 * Idempotent for a `by` that holds it.
 * Errors: throws `parameter_invalid`, `stream_moved`, `ledger_unavailable`, `not_caught_up`.
 */
export async function maySend(ports: MaySendPorts, correlationId: string, question: SendQuestion): Promise<SendAnswer> {
  return untilFirst(async () => {
    const task = await taskNow(ports, correlationId)
    const { analysis } = task
    if (analysis.lastPosition === 0 && isReservedCorrelationId(correlationId)) {
      throw new LedgerError('parameter_invalid', 'Correlation IDs that begin with ~ are made by the ledger; choose another one.')
    }
    const target = analysis.workers.get(question.workerId) ?? (await knowledgeOf(ports, question.workerId))
    const standing = standingOf(analysis, question, target, ports.fold.codec)
    const answer = standing.answer === 'go' ? await go(ports, task, question, standing) : await refusal(ports, analysis, standing)
    return answer && { answer: standing.answer, correlationId: analysis.correlationId, ...answer }
  })
}

async function knowledgeOf({ store }: MaySendPorts, workerId: string): Promise<WorkerKnowledge> {
  const { content } = await store.worker(workerId)
  return { workerId, facts: content?.facts ?? [], losses: [] }
}

type Members = Readonly<Record<string, unknown>>

/** Nothing where somebody else was first. */
async function go(ports: MaySendPorts, task: TaskNow, question: SendQuestion, standing: Go): Promise<Members | undefined> {
  const { workerId, messageId, taskId, by, contentDigest, ttlMs = leaseMsDefault } = question
  const intent =
    standing.held ??
    (await recordIntent(ports, task, {
      ...standing.intent,
      ...(by !== undefined && { by }),
      actor: 'caller',
      workerId,
      messageId,
      ...(contentDigest !== undefined && { contentDigest }),
      ttlMs,
    }))
  return (
    intent && {
      decisionId: standing.intent.decisionId,
      lease: await leaseOf(ports.seal, intent.intentId),
      until: rfc3339Of(intent.untilMs),
      workerId,
      messageId,
      ...(taskId !== undefined && { taskId }),
      ...(standing.contextId !== undefined && { contextId: standing.contextId }),
      metadata: sendMetadataOf(task.analysis.correlationId),
      duplicateRisk: standing.duplicateRisk,
      ...(standing.lapsed !== undefined && { previous: previousOf(standing.lapsed) }),
      position: intent.position,
    }
  )
}

async function refusal(ports: MaySendPorts, analysis: TaskAnalysis, standing: Exclude<SendStanding, Go>): Promise<Members> {
  switch (standing.answer) {
    case 'wait': {
      const { by, workerId, messageId, decisionId, untilMs, position } = standing.intent
      return {
        until: rfc3339Of(untilMs),
        retryAfterMs: Math.max(retryMsMin, Math.min(retryMsMax, untilMs - analysis.asOfMs)),
        ...(by !== undefined && { by }),
        workerId,
        messageId,
        decisionId,
        because: [position],
      }
    }
    case 'running':
      return { ...standing }
    case 'done':
      return { ...standing, artifacts: await recoveredFrom(ports, analysis) }
    case 'unknown-outcome': {
      const { lapsed, ...told } = standing
      return {
        ...told,
        ...(lapsed !== undefined && {
          previous: previousOf(lapsed),
          settle: { decisionId: lapsed.decisionId, lease: await leaseOf(ports.seal, lapsed.intentId) },
        }),
      }
    }
  }
}

/** Who waits is told at once when it may ask again: a holder settles long before its lease ends. */
const retryMsMin = 250
const retryMsMax = 5_000

/** What there is of the result, and where its content is. */
async function recoveredFrom(ports: ReadPorts, analysis: TaskAnalysis): Promise<readonly Members[]> {
  const task = encodeURIComponent(analysis.correlationId)
  return (await artifactsOf(ports, analysis)).map(({ key, divergent, canonical }) => {
    const { workerId, taskId, artifactId, name, mediaTypes, complete, bytes, digest } = canonical
    return {
      key,
      divergent,
      workerId,
      ...(taskId !== undefined && { taskId }),
      ...(artifactId !== undefined && { artifactId }),
      ...(name !== undefined && { name }),
      mediaTypes,
      complete,
      bytes,
      ...(digest !== undefined && { digest }),
      content: `/v1/tasks/${task}/artifacts/${encodeURIComponent(key)}/content`,
    }
  })
}
