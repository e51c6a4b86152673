/**
 * Of two attempts at one work the one that lost is canceled at its worker, where its mesh or its dispatch says so
 * (ADR 97).
 *
 *     intended recorded ──► call ──► answer recorded ──► settled
 *
 * Its id names the attempt, so of all who try one calls, and calls once: a crash in between leaves a cancel of
 * which nobody knows, and it is not made again.
 */
import {
  cancelEvent,
  cancelIdOf,
  loserOf,
  nextCancel,
  readPayload,
  rfc3339Of,
  type CancelOutcome,
  type Loser,
  type SendAddress,
} from '@a2a-ledger/domain'
import { wayTo, type ActPorts, type CallOutcome, type Executed } from './execute-redispatch.ts'
import { appendOwn, taskNow } from './hold-intent.ts'
import type { WitnessedEvent } from './ports.ts'

/**
 * The attempt that lost now, if there is one, is canceled.
 *
 * Idempotent: an attempt is canceled once, whoever tries and however often.
 * Errors: throws `ledger_unavailable`, `store_unavailable`, `not_caught_up`.
 */
export async function cancelLoser(ports: ActPorts, correlationId: string): Promise<Executed> {
  const { analysis, appliedPosition } = await taskNow(ports, correlationId)
  const mesh = loserOf(analysis)?.mesh
  const loser = mesh === undefined ? undefined : nextCancel(analysis, (await ports.store.meshLoad(mesh)).policy)
  if (loser === undefined) return { outcome: 'nothing' }
  const { workerId, taskId, decisionId, winner } = loser
  const way = await wayTo(ports, workerId)
  if (way.outcome === 'held') return way
  const { address } = way
  const { codec } = ports.fold
  const headers = await ports.store.secretHeaders(workerId)
  const intended = { phase: 'intended' as const, workerId, taskId, decisionId, winner, ttlMs: ports.intentTtlMs }
  if ((await appendOwn(ports, cancelEvent(intended, analysis.correlationId, loser, codec), appliedPosition)) === undefined) return { outcome: 'nothing' }
  // Nothing else in between: what fails here leaves a cancel of which nobody knows.
  const came = await ports.sender.cancel(address, { taskId, headers })
  const cancelId = cancelIdOf(analysis.correlationId, loser, codec)
  if (came.outcome === 'not-called') {
    const settled = { phase: 'settled' as const, cancelId, outcome: 'not-sent' as const, because: came.because }
    await appendOwn(ports, cancelEvent(settled, analysis.correlationId, loser, codec))
    return { outcome: 'not-sent', workerId, detail: came.because }
  }
  const told = tell(analysis.correlationId, cancelId, loser, address, came)
  await ports.witness.observeAll([told.event])
  await appendOwn(ports, cancelEvent({ phase: 'settled', cancelId, outcome: told.outcome }, analysis.correlationId, loser, codec))
  return { outcome: told.outcome, workerId }
}

/** The answer as any witness tells it, and what it means. */
function tell(
  correlationId: string,
  cancelId: string,
  { workerId, taskId }: Loser,
  { binding, version }: SendAddress,
  came: CallOutcome,
): { readonly event: WitnessedEvent; readonly outcome: CancelOutcome } {
  const common = {
    specversion: '1.0' as const,
    id: `${cancelId}.answer`,
    source: 'urn:a2a-ledger:reconciler',
    correlationid: correlationId,
    workerid: workerId,
    taskid: taskId,
    operation: 'CancelTask',
    binding,
    protocolversion: version,
    time: rfc3339Of(came.endedAtMs),
  }
  if (came.outcome === 'unanswered') {
    const { reason } = came
    const bytes = new TextEncoder().encode(JSON.stringify({ reason, afterMs: Math.max(0, came.endedAtMs - came.startedAtMs) }))
    const isConnected = reason !== 'refused' && reason !== 'dns'
    return { event: { attributes: { ...common, type: 'a2a.no-answer', datacontenttype: 'application/json' }, bytes }, outcome: isConnected ? 'unanswered' : 'not-sent' }
  }
  const text = new TextDecoder().decode(came.answer)
  const read = readPayload({ type: 'a2a.response', operation: 'CancelTask', binding, httpStatus: came.status }, text)
  const reading = read.outcome === 'read' ? read.reading : undefined
  const attributes = {
    ...common,
    type: reading?.kind === 'error' ? 'a2a.error' : 'a2a.response',
    httpstatus: String(came.status),
    ...(came.contentType !== undefined && { datacontenttype: came.contentType }),
  }
  const isCanceled = reading?.kind === 'task' && reading.status.state === 'canceled'
  return { event: { attributes, bytes: came.answer }, outcome: isCanceled ? 'canceled' : 'refused' }
}
