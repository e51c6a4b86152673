/** Makes calls, reads what comes of them, tells the witness, and counts. */
import { type ErrorReading, readPayload, type Reading } from '@a2a-ledger/domain'
import { callFailureOf, OutboundError } from '@a2a-ledger/outbound'
import { createParser } from 'eventsource-parser'
import type { AnswerHead, ProbeClient, ProbePorts, WitnessedCall } from './ports.ts'
import type { Call } from './wire.ts'

/** What came of one call. */
export type CallResult =
  | { readonly outcome: 'read'; readonly readings: readonly Reading[] }
  | { readonly outcome: 'error'; readonly error: ErrorReading }
  /** Something came that is no A2A. */
  | { readonly outcome: 'unreadable'; readonly detail: string }
  | { readonly outcome: 'none'; readonly reason: Extract<WitnessedCall['answer'], { kind: 'none' }>['reason'] }

export interface CallOptions {
  readonly signal: AbortSignal
  /** Reading a stream ends as soon as this is true of what came. */
  readonly isEnough?: (readings: readonly Reading[]) => boolean
  /** Given the data of the events of a stream as they come, and awaited before more is read; nothing of them is kept then. */
  readonly onEvents?: (data: readonly string[], answer: AnswerHead) => Promise<void>
  readonly believed?: WitnessedCall['believed']
}

/** What came where a card may be; `failure`: why nothing came. */
export type CardAnswer = { readonly status: number; readonly body: string } | { readonly failure: string }

/** Calls and bytes of the step that runs. */
export interface Counter {
  calls: number
  bytes: number
}

export interface WorkerClient {
  readonly fetchCard: (url: string, signal: AbortSignal) => Promise<CardAnswer>
  readonly call: (call: Call, options: CallOptions) => Promise<CallResult>
  readonly close: () => Promise<void>
}

export interface ClientParts {
  readonly client: ProbeClient
  readonly witness: ProbePorts['witness']
  readonly counter: Counter
  /** What goes along to an address. */
  readonly headers: (url: string) => Readonly<Record<string, string>>
}

export function createWorkerClient({ client, witness, counter, headers }: ClientParts): WorkerClient {
  const exchange = async (call: Call, options: CallOptions): Promise<{ answer: WitnessedCall['answer']; result: CallResult }> => {
    const { signal } = options
    try {
      const response = await client.fetch(call.url, { ...call.init, headers: { ...headers(call.url), ...call.init.headers }, signal })
      const head = headOf(response)
      const isStream = /^text\/event-stream\s*(?:;|$)/i.test(head.header('content-type') ?? '')
      if (isStream) return await readEvents(call, response, options, counter)
      const body = await response.text()
      counter.bytes += body.length
      return { answer: { kind: 'body', ...head, body }, result: resultOf([read(call, 'a2a.response', response.status, body)]) }
    } catch (error) {
      const reason = callFailureOf(error)
      return { answer: { kind: 'none', reason, error }, result: { outcome: 'none', reason } }
    }
  }
  return {
    fetchCard: async (url, signal) => {
      counter.calls += 1
      const told = { operation: 'GetAgentCard' }
      try {
        const response = await client.fetch(url, { headers: { ...headers(url), 'a2a-version': '1.0' }, signal })
        const body = await response.text()
        counter.bytes += body.length
        await witness({ ...told, answer: { kind: 'body', ...headOf(response), body } })
        return { status: response.status, body }
      } catch (error) {
        const reason = callFailureOf(error)
        await witness({ ...told, answer: { kind: 'none', reason, error } })
        return { failure: error instanceof OutboundError ? error.message : `no answer (${reason})` }
      }
    },
    call: async (call, options) => {
      counter.calls += 1
      const told = toldOf(call, options.believed)
      if (call.request !== undefined) await witness({ ...told, answer: { kind: 'sent' } })
      const { answer, result } = await exchange(call, options)
      await witness({ ...told, answer })
      return result
    },
    close: client.close,
  }
}

const headOf = ({ status, headers }: Response): AnswerHead => ({ status, header: (name) => headers.get(name) ?? undefined })

const toldOf = (call: Call, believed: WitnessedCall['believed']): Omit<WitnessedCall, 'answer'> => ({
  operation: call.operation,
  binding: call.target.binding,
  protocolVersion: call.target.protocolVersion,
  ...(call.request !== undefined && { request: call.request }),
  ...(call.messageId !== undefined && { messageId: call.messageId }),
  ...(call.taskId !== undefined && { taskId: call.taskId }),
  ...(believed !== undefined && { believed }),
})

type Read = ReturnType<typeof readPayload>

const read = ({ operation, target: { binding, protocolVersion } }: Call, type: string, httpStatus: number, body: string): Read =>
  readPayload({ type, operation, binding, protocolVersion, httpStatus }, body)

const resultOf = (reads: readonly Read[]): CallResult => {
  const readings = reads.flatMap((each) => (each.outcome === 'read' ? [each.reading] : []))
  const [first] = readings
  if (first?.kind === 'error') return { outcome: 'error', error: first.error }
  if (first !== undefined && first.kind !== 'nothing') return { outcome: 'read', readings }
  const [refused] = reads.flatMap((each) => (each.outcome === 'quarantined' ? [`${each.reason}: ${each.detail}`] : []))
  return { outcome: 'unreadable', detail: refused ?? 'the answer is empty' }
}

/** A stream is read until it is enough, or ends, or breaks: what came before counts in each case. */
async function readEvents(
  call: Call,
  response: Response,
  { isEnough = () => false, onEvents }: CallOptions,
  counter: Counter,
): Promise<{ answer: WitnessedCall['answer']; result: CallResult }> {
  const head = headOf(response)
  const events: string[] = []
  const reads: Read[] = []
  let came: string[] = []
  let isEnded = false
  const parser = createParser({ onEvent: ({ data }) => came.push(data) })
  const isDone = (): boolean => isEnough(reads.flatMap((each) => (each.outcome === 'read' ? [each.reading] : [])))
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) {
      counter.bytes += chunk.length
      parser.feed(decoder.decode(chunk, { stream: true }))
      const now = came
      came = []
      if (onEvents !== undefined) {
        if (now.length > 0) await onEvents(now, head)
        continue
      }
      events.push(...now)
      reads.push(...now.map((data) => read(call, 'a2a.stream-response', head.status, data)))
      if (isDone()) break
    }
    isEnded = !isDone()
  } catch (error) {
    // Whoever is given the events as they come is told how it ended as well.
    if (onEvents !== undefined || events.length === 0) throw error
  }
  return { answer: { kind: 'events', ...head, events, isEnded }, result: onEvents === undefined ? resultOf(reads) : { outcome: 'read', readings: [] } }
}
