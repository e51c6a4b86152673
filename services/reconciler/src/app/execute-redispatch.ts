/**
 * The ledger sends what was decided (V8, ADR 82): the recorded message, under the same correlation ID, to
 * the worker that was chosen.
 *
 *     intent recorded ──► call ──► dispatch and answer recorded ──► settled
 *
 * The intent is durable before the call. A crash before it leaves the decision as it was; a crash after it
 * leaves an intent that lapses, and then nobody knows whether the message went out: it is sent once more
 * only to a worker that declares that it knows messages again, and held for a person otherwise.
 */
import {
  actDefaults,
  conversationOf,
  enrolledSettingsOf,
  intentEvent,
  isLeftToLedger,
  LedgerError,
  meshOf,
  nextAct,
  readContextOf,
  readPayload,
  redispatchMessageId,
  resendOf,
  rfc3339Of,
  sendAddressOf,
  settledEvent,
  verdictInForce,
  type CancelOutcome,
  type HeldReason,
  type NextAct,
  type SendAddress,
  type TaskAnalysis,
  type VerdictFact,
} from '@a2a-ledger/domain'
import { appendOwn, taskNow, type IntentPorts } from './hold-intent.ts'
import type { FactStore, FeedReader, WitnessClient, WitnessedEvent } from './ports.ts'

/** What came of a call. Times are those of this machine. */
export type SendOutcome = { readonly startedAtMs: number; readonly endedAtMs: number; readonly body: Uint8Array } & (
  | { readonly outcome: 'answered'; readonly status: number; readonly contentType: string | undefined; readonly answer: Uint8Array }
  | { readonly outcome: 'unanswered'; readonly reason: 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls' }
)

export interface MessageSender {
  /**
   * Sends a SendMessageRequest and waits for the answer, for a bounded time.
   *
   * Never throws for what comes of the call: addresses that must not be called are `refused`.
   */
  readonly send: (
    address: SendAddress,
    message: { readonly request: string; readonly messageId: string; readonly headers: Readonly<Record<string, string>> },
  ) => Promise<SendOutcome>
  /** Sends a CancelTask about that task, and waits in the same way. Never throws for what comes of it. */
  readonly cancel: (
    address: SendAddress,
    canceled: { readonly taskId: string; readonly headers: Readonly<Record<string, string>> },
  ) => Promise<SendOutcome>
}

export type ActPorts = IntentPorts & {
  readonly store: Pick<FactStore, 'meshLoad' | 'takePermit' | 'worker' | 'secretHeaders'>
  readonly witness: WitnessClient
  readonly sender: MessageSender
  /** Longer than any call may take. */
  readonly intentTtlMs: number
}

export type Executed =
  /** There is nothing for the ledger to do, or somebody else does it. */
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'held'; readonly because: HeldReason }
  | { readonly outcome: 'sent' | 'not-sent' | 'unanswered' | CancelOutcome; readonly workerId: string }

/** Who holds the ledger's own intents. */
const ledgerName = 'a2a-ledger'

/**
 * What the ledger has to do about a task now is done, or held.
 *
 * Idempotent: of all who try at once one gets the intent.
 * Errors: throws `ledger_unavailable`, `store_unavailable`, `not_caught_up`; what was begun is taken up again
 * when the task is looked at the next time.
 */
export async function executeRedispatch(ports: ActPorts, correlationId: string): Promise<Executed> {
  const task = await taskNow(ports, correlationId)
  const { analysis } = task
  const mesh = meshOf(analysis)
  const load = await ports.store.meshLoad(mesh)
  const act = nextAct(analysis, load)
  if (act.act === 'held') return { outcome: 'held', because: act.because }
  const verdict = verdictInForce(analysis)
  if (act.act === 'nothing' || verdict === undefined) return { outcome: 'nothing' }
  const prepared = await prepare(ports, analysis, verdict, act)
  if (typeof prepared === 'string') return { outcome: 'held', because: prepared }
  const { decisionId, workerId, actor, n } = act
  const { messageId } = prepared
  const headers = await ports.store.secretHeaders(workerId)
  const intent = intentEvent(
    { decisionId, purpose: 'redispatch', n, by: ledgerName, actor, workerId, messageId, mesh, ttlMs: ports.intentTtlMs },
    analysis.correlationId,
    ports.fold.codec,
  )
  const perMinute = load.policy?.ratePerMinute ?? actDefaults.ratePerMinute
  if (!(await ports.store.takePermit(mesh, intent.attributes.id, perMinute))) return { outcome: 'held', because: 'rate' }
  if ((await appendOwn(ports, intent, task.appliedPosition)) === undefined) return { outcome: 'nothing' }
  // Nothing else in between: what fails here leaves a send of which nobody knows.
  const came = await ports.sender.send(prepared.address, { request: prepared.request, messageId, headers })
  const intentId = intent.attributes.id
  const told = tell(analysis.correlationId, intentId, { workerId, messageId, address: prepared.address }, came)
  await ports.witness.observeAll(told.events)
  const settled = { decisionId, intentId, outcome: told.wasSent ? ('sent' as const) : ('not-sent' as const) }
  const data = { ...settled, ...(told.taskId !== undefined && { taskId: told.taskId }) }
  await appendOwn(ports, settledEvent(data, analysis.correlationId, ports.fold.codec))
  return { outcome: !told.wasSent ? 'not-sent' : came.outcome === 'answered' ? 'sent' : 'unanswered', workerId }
}

type Send = Extract<NextAct, { act: 'send' }>

interface Prepared {
  readonly address: SendAddress
  readonly request: string
  readonly messageId: string
}

/** Why the ledger does not send what was left to it; nothing where it does, or has nothing to send. */
export async function heldBecause(ports: PreparePorts, analysis: TaskAnalysis): Promise<HeldReason | undefined> {
  if (!isLeftToLedger(analysis)) return undefined
  const act = nextAct(analysis, await ports.store.meshLoad(meshOf(analysis)))
  const verdict = verdictInForce(analysis)
  if (act.act !== 'send' || verdict === undefined) return act.act === 'held' ? act.because : undefined
  const prepared = await prepare(ports, analysis, verdict, act)
  return typeof prepared === 'string' ? prepared : undefined
}

export interface PreparePorts {
  readonly feed: Pick<FeedReader, 'at'>
  readonly store: Pick<FactStore, 'meshLoad' | 'worker'>
}

/** Everything that can fail before anything is promised. */
async function prepare(ports: PreparePorts, analysis: TaskAnalysis, verdict: VerdictFact, { decisionId, workerId }: Send): Promise<Prepared | HeldReason> {
  const address = await addressOf(ports, workerId)
  if (address === undefined) return 'no-address'
  const conversation = conversationOf(analysis, verdict)
  if (conversation === undefined) return 'no-message'
  const positions = [conversation.original, ...conversation.turns.flatMap(({ asked, sent }) => (asked === undefined ? [sent] : [asked, sent]))]
  const events = new Map((await ports.feed.at([...new Set(positions)].toSorted((left, right) => left - right))).map((event) => [event.position, event]))
  const askedAt = (position: number | undefined): string | undefined => {
    const event = position === undefined ? undefined : events.get(position)
    if (event?.data === undefined) return undefined
    const read = readPayload(readContextOf(event), event.data)
    return read.outcome === 'read' && 'status' in read.reading ? read.reading.status.message?.text : undefined
  }
  const messageId = redispatchMessageId(decisionId)
  const made = resendOf({
    original: events.get(conversation.original)?.data ?? '',
    turns: conversation.turns.map(({ asked, sent }) => ({ asked: askedAt(asked), sent: events.get(sent)?.data ?? '' })),
    messageId,
    correlationId: analysis.correlationId,
    version: address.version,
    binding: address.binding,
  })
  return made.outcome === 'ok' ? { address, request: made.request, messageId } : made.outcome
}

/** The enrolled address, spoken to as the worker's last card says. */
export async function addressOf(ports: PreparePorts, workerId: string): Promise<SendAddress | undefined> {
  const facts = (await ports.store.worker(workerId)).content?.facts ?? []
  const card = facts.findLast((fact) => fact.kind === 'card' && fact.isValid)
  const [event] = card === undefined ? [] : await ports.feed.at([card.position])
  return sendAddressOf(enrolledSettingsOf({ workerId, facts, losses: [] }).interface?.url, event?.data)
}

interface Told {
  readonly events: readonly WitnessedEvent[]
  /** False where it is certain that nothing left. */
  readonly wasSent: boolean
  readonly taskId: string | undefined
}

/** The call as any witness tells it, the send and what came of it together: half of it would be a send without end. */
function tell(
  correlationId: string,
  intentId: string,
  sent: { readonly workerId: string; readonly messageId: string; readonly address: SendAddress },
  came: SendOutcome,
): Told {
  const { workerId, messageId, address } = sent
  const common = {
    specversion: '1.0' as const,
    source: 'urn:a2a-ledger:reconciler',
    correlationid: correlationId,
    workerid: workerId,
    operation: 'SendMessage',
    binding: address.binding,
    protocolversion: address.version,
  }
  const dispatch: WitnessedEvent = {
    attributes: { ...common, id: `${intentId}.dispatch`, type: 'a2a.dispatch', time: rfc3339Of(came.startedAtMs), datacontenttype: 'application/json' },
    bytes: came.body,
  }
  const ofAnswer = { ...common, id: `${intentId}.answer`, time: rfc3339Of(came.endedAtMs), messageid: messageId }
  if (came.outcome === 'unanswered') {
    const { reason } = came
    const afterMs = Math.max(0, came.endedAtMs - came.startedAtMs)
    const event: WitnessedEvent = {
      attributes: { ...ofAnswer, type: 'a2a.no-answer', datacontenttype: 'application/json' },
      bytes: new TextEncoder().encode(JSON.stringify({ reason, afterMs })),
    }
    // No connection, so no message: as no send is told it stays the decision's.
    const wasSent = reason !== 'refused' && reason !== 'dns'
    return { events: wasSent ? [dispatch, event] : [event], wasSent, taskId: undefined }
  }
  const httpstatus = String(came.status)
  const text = new TextDecoder().decode(came.answer)
  const read = readPayload({ type: 'a2a.response', operation: 'SendMessage', binding: address.binding, httpStatus: came.status }, text)
  const reading = read.outcome === 'read' ? read.reading : undefined
  const event: WitnessedEvent = {
    attributes: { ...ofAnswer, type: reading?.kind === 'error' ? 'a2a.error' : 'a2a.response', httpstatus, ...(came.contentType !== undefined && { datacontenttype: came.contentType }) },
    bytes: came.answer,
  }
  return { events: [dispatch, event], wasSent: true, taskId: reading?.kind === 'task' ? reading.taskId : undefined }
}

/** What happened to be in the way, in a few words for the log. */
export const failureOf = (error: unknown): string => (error instanceof LedgerError ? error.message : String(error))
