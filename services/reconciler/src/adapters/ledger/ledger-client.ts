/** The ledger over HTTP: observations like any witness, decisions through its inner door. */
import { LedgerError } from '@a2a-ledger/domain'
import { z } from 'zod'
import type { AppendOutcome, LedgerClient, NewEvent } from '../../app/ports.ts'

export interface LedgerClientOptions {
  readonly url: string
  /** Read again when the ledger refuses the one that is known. */
  readonly internalToken: () => Promise<string>
}

/** Long enough for a ledger that waits for its database. */
const timeoutMs = 10_000

const position = z.int()
const resultSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['recorded', 'duplicate']), position, correlationId: z.string() }),
  z.object({ outcome: z.literal('conflict'), differsIn: z.array(z.string()) }),
  z.object({ outcome: z.literal('quarantined'), reason: z.string(), detail: z.string().default('') }),
  z.object({ outcome: z.literal('rejected'), problem: z.object({ detail: z.string() }) }),
  z.object({ outcome: z.literal('stale') }),
])
const answerSchema = z.object({ results: z.array(resultSchema).length(1) })

export function createLedgerClient({ url, internalToken }: LedgerClientOptions): LedgerClient {
  const post = async (path: string, event: NewEvent, headers: Readonly<Record<string, string>>): Promise<Response> => {
    try {
      return await fetch(new URL(path, url), {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents-batch+json', ...headers },
        body: JSON.stringify([{ ...event.attributes, data: event.data }]),
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (cause) {
      throw new LedgerError('ledger_unavailable', 'The ledger does not answer. Sending the same again is safe.', { cause })
    }
  }
  return {
    observe: async (event) => outcomeOf(await post('/v1/events', event, {})),
    append: async (event, ifStreamPosition, isOurs = () => true) => {
      const conditional =
        ifStreamPosition === undefined
          ? event
          : { ...event, attributes: { ...event.attributes, ifstreamposition: String(ifStreamPosition) } }
      const authorization = `Bearer ${await internalToken()}`
      if (!isOurs()) return { outcome: 'stale' }
      return outcomeOf(await post('/internal/v1/events', conditional, { authorization }))
    },
  }
}

async function outcomeOf(response: Response): Promise<AppendOutcome> {
  const text = await response.text()
  if (!response.ok) {
    throw new LedgerError('ledger_unavailable', `The ledger answered ${response.status}: ${text.slice(0, 500)}`)
  }
  const answer = answerSchema.safeParse(JSON.parse(text))
  const result = answer.data?.results[0]
  if (result === undefined) throw new LedgerError('ledger_unavailable', `The ledger answered in a form of its own: ${text.slice(0, 500)}`)
  return result.outcome === 'rejected' ? { outcome: 'rejected', detail: result.problem.detail } : result
}
