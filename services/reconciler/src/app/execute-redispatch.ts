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

/** What came of a call that was made. Times are those of this machine. */
export type CallOutcome = { readonly startedAtMs: number; readonly endedAtMs: number; readonly body: Uint8Array } & (
  | { readonly outcome: 'answered'; readonly status: number; readonly contentType: string | undefined; readonly answer: Uint8Array }
  | { readonly outcome: 'unanswered'; readonly reason: 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls' }
)

/** `not-called`: our own rules refused the call, and nothing left this machine; `because` says why, in words. */
export type SendOutcome = CallOutcome | { readonly outcome: 'not-called'; readonly because: string }

export interface MessageSender {
  /** Why a message to that address would not be let out now, in words; `undefined` where it would. Calls nobody, and never throws. */
  readonly refusal: (address: SendAddress) => Promise<string | undefined>
  /** Sends a SendMessageRequest and waits for the answer, for a bounded time. Never throws for what comes of it. */
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
  | { readonly outcome: 'held'; readonly because: HeldReason; readonly detail?: string }
  | { readonly outcome: 'sent' | 'not-sent' | 'unanswered' | CancelOutcome; readonly workerId: string; readonly detail?: string }

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
  if (prepared.outcome === 'held') return prepared
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
  if (came.outcome === 'not-called') {
    // Nothing happened at the worker, so no witness has anything to tell of it.
    await appendOwn(ports, settledEvent({ decisionId, intentId, outcome: 'not-sent', because: came.because }, analysis.correlationId, ports.fold.codec))
    return { outcome: 'not-sent', workerId, detail: came.because }
  }
  const told = tell(analysis.correlationId, intentId, { workerId, messageId, address: prepared.address }, came)
  await ports.witness.observeAll(told.events)
  const settled = { decisionId, intentId, outcome: told.wasSent ? ('sent' as const) : ('not-sent' as const) }
  const data = { ...settled, ...(told.taskId !== undefined && { taskId: told.taskId }) }
  await appendOwn(ports, settledEvent(data, analysis.correlationId, ports.fold.codec))
  return { outcome: !told.wasSent ? 'not-sent' : came.outcome === 'answered' ? 'sent' : 'unanswered', workerId }
}

type Send = Extract<NextAct, { act: 'send' }>

interface Prepared {
  readonly outcome: 'ok'
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
  return prepared.outcome === 'held' ? prepared.because : undefined
}

export interface PreparePorts {
  readonly feed: Pick<FeedReader, 'at'>
  readonly store: Pick<FactStore, 'meshLoad' | 'worker'>
  readonly sender: Pick<MessageSender, 'refusal'>
}

type Held = Extract<Executed, { outcome: 'held' }>

/** Everything that can fail before anything is promised. */
async function prepare(ports: PreparePorts, analysis: TaskAnalysis, verdict: VerdictFact, { decisionId, workerId }: Send): Promise<Prepared | Held> {
  const conversation = conversationOf(analysis, verdict)
  if (conversation === undefined) return { outcome: 'held', because: 'no-message' }
  const way = await wayTo(ports, workerId)
  const positions = [conversation.original, ...conversation.turns.flatMap(({ asked, sent }) => (asked === undefined ? [sent] : [asked, sent]))]
  const events = new Map((await ports.feed.at([...new Set(positions)].toSorted((left, right) => left - right))).map((event) => [event.position, event]))
  const askedAt = (position: number | undefined): string | undefined => {
    const event = position === undefined ? undefined : events.get(position)
    if (event?.data === undefined) return undefined
    const read = readPayload(readContextOf(event), event.data)
    return read.outcome === 'read' && 'status' in read.reading ? read.reading.status.message?.text : undefined
  }
  const messageId = redispatchMessageId(decisionId)
  // What the message lacks it lacks for every worker: that is told before what the way to this one does.
  const { version, binding } = way.outcome === 'ok' ? way.address : ({ version: '1.0', binding: 'JSONRPC' } as const)
  const made = resendOf({
    original: events.get(conversation.original)?.data ?? '',
    turns: conversation.turns.map(({ asked, sent }) => ({ asked: askedAt(asked), sent: events.get(sent)?.data ?? '' })),
    messageId,
    correlationId: analysis.correlationId,
    version,
    binding,
  })
  if (made.outcome !== 'ok') return { outcome: 'held', because: made.outcome }
  return way.outcome === 'ok' ? { outcome: 'ok', address: way.address, request: made.request, messageId } : way
}

/** The address of a worker, where the ledger may call it; else why it cannot. */
export async function wayTo(ports: PreparePorts, workerId: string): Promise<{ readonly outcome: 'ok'; readonly address: SendAddress } | Held> {
  const address = await addressOf(ports, workerId)
  if (address === undefined) return { outcome: 'held', because: 'no-address' }
  const detail = await ports.sender.refusal(address)
  return detail === undefined ? { outcome: 'ok', address } : { outcome: 'held', because: 'not-called', detail }
}

/** The enrolled address, spoken to as the worker's last card says. */
async function addressOf(ports: PreparePorts, workerId: string): Promise<SendAddress | undefined> {
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
  came: CallOutcome,
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
