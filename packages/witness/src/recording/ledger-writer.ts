/**
 * Tells the ledger what was seen: many small events in one batch, a large one by itself in binary
 * mode, since a batch is no larger than one event may be.
 */
import { LedgerError } from '@a2a-ledger/domain'
import { z } from 'zod'
import type { GapReport, LedgerWriter, Told, WitnessedEvent } from './ports.ts'
import { structuredEvent } from './structured-event.ts'

export interface LedgerWriterOptions {
  readonly url: string
  /** Why a call was given up, so that stopping does not wait for it. */
  readonly signal: AbortSignal
}

/** Long enough for a ledger that waits for its database. */
const timeoutMs = 10_000
const batchBytesMax = 4 * 1024 * 1024
const singleBytesMin = 512 * 1024

const resultSchema = z.object({ outcome: z.string(), detail: z.string().optional(), problem: z.object({ detail: z.string() }).optional(), differsIn: z.array(z.string()).optional() })
const answerSchema = z.object({ results: z.array(resultSchema) })

export function createLedgerWriter({ url, signal }: LedgerWriterOptions): LedgerWriter {
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: Uint8Array<ArrayBuffer>): Promise<Response> => {
    try {
      return await fetch(new URL(path, url), { method: 'POST', headers, body, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    } catch (cause) {
      throw new LedgerError('ledger_unavailable', 'The ledger does not answer. Sending the same again is safe.', { cause })
    }
  }

  /** What became of `count` inputs; where the ledger took none of the body, each is tried by itself. */
  const told = async (response: Response, count: number): Promise<readonly Told[] | 'apart'> => {
    const text = await response.text().catch((cause: unknown) => {
      throw new LedgerError('ledger_unavailable', 'The ledger broke off its answer. Sending the same again is safe.', { cause })
    })
    if (response.status >= 500 || response.status === 429 || response.status === 408) {
      throw new LedgerError('ledger_unavailable', `The ledger answered ${response.status}: ${text.slice(0, 300)}`)
    }
    if (!response.ok) return count > 1 ? 'apart' : [{ outcome: 'refused', detail: `${response.status}: ${text.slice(0, 300)}` }]
    const answer = answerSchema.safeParse(jsonOf(text))
    if (!answer.success || answer.data.results.length !== count) {
      throw new LedgerError('ledger_unavailable', `The ledger answered in a form of its own: ${text.slice(0, 300)}`)
    }
    return answer.data.results.map(({ outcome, problem }) => (outcome === 'rejected' ? { outcome: 'refused', detail: problem?.detail ?? '' } : { outcome: 'kept' }))
  }

  const batch = async (events: readonly WitnessedEvent[]): Promise<readonly Told[]> => {
    const [first] = events
    const answer =
      events.length === 1 && first !== undefined && first.data.length >= singleBytesMin
        ? await told(await post('/v1/events', binaryHeaders(first), Buffer.from(first.data)), 1)
        : await told(await post('/v1/events', { 'content-type': 'application/cloudevents-batch+json' }, batchBody(events)), events.length)
    if (answer !== 'apart') return answer
    const [left, right] = [events.slice(0, events.length >> 1), events.slice(events.length >> 1)]
    return [...(await batch(left)), ...(await batch(right))]
  }

  return {
    events: (events) => batch(batchOf(events)),
    gaps: async (reports) => {
      const answer = await told(await postGaps(post, reports), reports.length)
      if (answer !== 'apart') return answer
      const apart: Told[] = []
      for (const report of reports) {
        const single = await told(await postGaps(post, [report]), 1)
        if (single !== 'apart') apart.push(...single)
      }
      return apart
    },
  }
}

const postGaps = (post: (path: string, headers: Readonly<Record<string, string>>, body: Uint8Array<ArrayBuffer>) => Promise<Response>, gaps: readonly GapReport[]) =>
  post('/v1/gaps', { 'content-type': 'application/json' }, Buffer.from(JSON.stringify({ gaps })))

/** As many as go into one batch; a large event goes alone. */
function batchOf(events: readonly WitnessedEvent[]): readonly WitnessedEvent[] {
  let bytes = 0
  const end = events.findIndex(({ data }, at) => {
    bytes += data.length
    return at > 0 && (data.length >= singleBytesMin || bytes > batchBytesMax)
  })
  const [first] = events
  if (first !== undefined && first.data.length >= singleBytesMin) return [first]
  return end < 0 ? events : events.slice(0, end)
}

const batchBody = (events: readonly WitnessedEvent[]): Uint8Array<ArrayBuffer> => Buffer.from(`[${events.map(structuredEvent).join(',')}]`)

const binaryHeaders = ({ attributes: { datacontenttype, ...attributes } }: WitnessedEvent): Readonly<Record<string, string>> => ({
  'content-type': datacontenttype ?? 'application/json',
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerValue(value ?? '')])),
})

/** As the HTTP binding of CloudEvents says (§3.1.3.2). */
const headerValue = (text: string): string => text.replaceAll(/[^\u0021\u0023\u0024\u0026-\u007e]/gu, (character) => encodeURIComponent(character))

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
