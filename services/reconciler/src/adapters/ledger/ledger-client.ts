/** The ledger over HTTP: observations like any witness, decisions through its inner door. */
import { LedgerError } from '@a2a-ledger/domain'
import { z } from 'zod'
import type { AppendOutcome, LedgerClient, NewEvent, WitnessClient, WitnessedEvent } from '../../app/ports.ts'

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
const answerSchema = z.object({ results: z.array(resultSchema) })

export function createLedgerClient({ url, internalToken }: LedgerClientOptions): LedgerClient & WitnessClient {
  const post = async (path: string, events: readonly object[], headers: Readonly<Record<string, string>>): Promise<Response> => {
    try {
      return await fetch(new URL(path, url), {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents-batch+json', ...headers },
        body: JSON.stringify(events),
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (cause) {
      throw new LedgerError('ledger_unavailable', 'The ledger does not answer. Sending the same again is safe.', { cause })
    }
  }
  return {
    observe: async (event) => outcomeOf(await post('/v1/events', [structured(event)], {})),
    observeAll: async (events) => outcomesOf(await post('/v1/events', events.map(witnessed), {}), events.length),
    append: async (event, ifStreamPosition, isOurs = () => true) => {
      const conditional =
        ifStreamPosition === undefined
          ? event
          : { ...event, attributes: { ...event.attributes, ifstreamposition: String(ifStreamPosition) } }
      const authorization = `Bearer ${await internalToken()}`
      if (!isOurs()) return { outcome: 'stale' }
      return outcomeOf(await post('/internal/v1/events', [structured(conditional)], { authorization }))
    },
  }
}

const structured = ({ attributes, data }: NewEvent): object => ({ ...attributes, data })

/** Bytes go as they are: what came over the wire is evidence, whatever it is (L9). */
const witnessed = ({ attributes, bytes }: WitnessedEvent): object => ({ ...attributes, data_base64: Buffer.from(bytes).toString('base64') })

async function outcomeOf(response: Response): Promise<AppendOutcome> {
  const [outcome] = await outcomesOf(response, 1)
  if (outcome === undefined) throw new LedgerError('internal', 'One outcome is none.')
  return outcome
}

async function outcomesOf(response: Response, count: number): Promise<readonly AppendOutcome[]> {
  const text = await response.text()
  if (!response.ok) {
    throw new LedgerError('ledger_unavailable', `The ledger answered ${response.status}: ${text.slice(0, 500)}`)
  }
  const { results } = answerSchema.safeParse(JSON.parse(text)).data ?? {}
  if (results?.length !== count) throw new LedgerError('ledger_unavailable', `The ledger answered in a form of its own: ${text.slice(0, 500)}`)
  return results.map((result) => (result.outcome === 'rejected' ? { outcome: 'rejected', detail: result.problem.detail } : result))
}
