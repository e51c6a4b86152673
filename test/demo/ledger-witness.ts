/**
 * The orchestrator's side of the ledger: every A2A call it makes is reported with the bytes as
 * they were on the wire, a send before it leaves, an answer when it is there.
 *
 * The bodies are taken from a wrapped `fetch`, below the SDK, because an SDK object printed again
 * is not what the worker said. Events go in CloudEvents binary mode: there the body is the data.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'

/** What the orchestrator knows about a call and the wire does not say. */
export type Call = {
  readonly operation: 'SendMessage' | 'GetTask' | 'GetAgentCard'
  readonly workerId: string
  readonly binding?: string
  readonly correlationId?: string
  readonly taskId?: string
  readonly messageId?: string
  /** The state the orchestrator itself believed in when it asked. */
  readonly lastObserved?: string
}
/** The last answer of a call as it came: the evidence a question to the reconciler carries. */
export type WireAnswer = { readonly httpStatus: number; readonly body: string }

export type LedgerWitness = {
  /** To be given to the SDK client; calls outside {@link witness} pass unreported. */
  readonly fetch: typeof fetch
  readonly lastAnswer: () => WireAnswer
  witness<T>(call: Call, run: () => Promise<T>): Promise<T>
}

export function createLedgerWitness(ledgerUrl: string, source: string): LedgerWitness {
  const calls = new AsyncLocalStorage<Call>()
  let lastAnswer: WireAnswer = { httpStatus: 0, body: '' }

  const witnessingFetch: typeof fetch = async (input, init) => {
    const call = calls.getStore()
    if (call === undefined) return fetch(input, init)
    const attributes = toAttributes(call)
    if (call.operation === 'SendMessage') {
      const data = toSendMessageRequest(init?.body as string, call)
      await recordEvent(ledgerUrl, { ...attributes, source, type: 'a2a.dispatch' }, data)
    }
    const response = await fetch(input, init)
    const body = await response.clone().text()
    lastAnswer = { httpStatus: response.status, body }
    const isCard = call.operation === 'GetAgentCard'
    const type = isCard ? 'a2a.agent-card' : 'a2a.response'
    const answered = isCard ? toCacheAttributes(response) : { httpstatus: String(response.status) }
    await recordEvent(ledgerUrl, { ...attributes, ...answered, source, type }, body)
    return response
  }
  return {
    fetch: witnessingFetch,
    lastAnswer: () => lastAnswer,
    witness: (call, run) => calls.run(call, run),
  }
}

/**
 * Records one event durably and answers its position, or throws. The id is made once and the same event is sent again
 * while the ledger is away: repeats are duplicates to it, never second observations.
 */
export async function recordEvent(
  ledgerUrl: string,
  attributes: { type: string; source: string; [attribute: string]: string | undefined },
  data: string,
): Promise<number> {
  const headers = new Headers({ 'content-type': 'application/json', 'ce-specversion': '1.0' })
  const event = { id: crypto.randomUUID(), time: new Date().toISOString(), ...attributes }
  for (const [name, value] of Object.entries(event)) {
    if (value !== undefined) headers.set(`ce-${name}`, encodeHeader(value))
  }
  for (;;) {
    const response = await fetch(`${ledgerUrl}/v1/events`, { method: 'POST', headers, body: data })
    const answer = await response.text()
    if (response.status === 503) {
      await delay(Number(response.headers.get('retry-after') ?? 1) * 1000)
      continue
    }
    const [result] = (JSON.parse(answer) as { results?: { outcome: string; position: number }[] }).results ?? []
    if (result?.outcome === 'recorded' || result?.outcome === 'duplicate') return result.position
    throw new Error(`The ledger did not take ${attributes.type}: ${response.status} ${answer}`)
  }
}

/** CloudEvents HTTP binding §3.1.3.2: everything but visible ASCII is percent-encoded. */
function encodeHeader(value: string): string {
  return value.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, encodeURIComponent)
}

function toAttributes(call: Call) {
  return {
    operation: call.operation,
    workerid: call.workerId,
    binding: call.binding,
    correlationid: call.correlationId,
    taskid: call.taskId,
    messageid: call.messageId,
    lastobserved: call.lastObserved,
    protocolversion: '1.0',
  }
}

function toCacheAttributes(response: Response) {
  return {
    cachecontrol: response.headers.get('cache-control') ?? undefined,
    etag: response.headers.get('etag') ?? undefined,
  }
}

/** Over JSON-RPC the request is the `params` of the call, over REST it is the whole body. */
function toSendMessageRequest(body: string, call: Call): string {
  if (call.binding !== 'JSONRPC') return body
  return JSON.stringify((JSON.parse(body) as { params: unknown }).params)
}
