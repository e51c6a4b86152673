/**
 * Tells the ledger through its Kafka topic of observations. The client is the agent's own: all that
 * is needed of it is `send`, which a kafkajs producer has.
 *
 * Everything about one worker has one key, so that it stays in order. What is too large for a record,
 * and reports of gaps, which Kafka does not take, go over HTTP where an address is given.
 */
import { LedgerError } from '@a2a-ledger/domain'
import type { LedgerWriter, Told, WitnessedEvent } from './recording/ports.ts'
import { structuredEvent } from './recording/structured-event.ts'

export interface ObservationProducer {
  /** Resolves once the broker has the messages. */
  readonly send: (record: { readonly topic: string; readonly messages: ObservationRecord[] }) => Promise<unknown>
}

export interface ObservationRecord {
  readonly key: string
  readonly value: Buffer
  readonly headers: { readonly 'content-type': string }
}

export interface KafkaWriterOptions {
  readonly producer: ObservationProducer
  readonly topic: string
  /** For what Kafka does not take; absent: it is refused, and counted. */
  readonly http: LedgerWriter | undefined
}

/** Below what a broker takes in one batch unless it is told otherwise (1 MiB), with room for keys and headers. */
const sendBytesMax = 900 * 1024
const headers = { 'content-type': 'application/cloudevents+json' }

export function createKafkaWriter({ producer, topic, http }: KafkaWriterOptions): LedgerWriter {
  const send = async (messages: ObservationRecord[]): Promise<'sent' | 'too_large'> => {
    try {
      await producer.send({ topic, messages })
      return 'sent'
    } catch (cause) {
      if (isTooLarge(cause)) return 'too_large'
      throw new LedgerError('ledger_unavailable', 'Kafka does not take what was seen. Sending the same again is safe.', { cause })
    }
  }
  const large = async (event: WitnessedEvent): Promise<readonly Told[]> =>
    http === undefined ? [{ outcome: 'refused', detail: 'It is too large for a record of Kafka, and no address of the ledger is given.' }] : http.events([event])

  const tell = async (events: readonly WitnessedEvent[]): Promise<readonly Told[]> => {
    const messages: ObservationRecord[] = []
    let bytes = 0
    for (const event of events) {
      const message = { key: event.attributes.workerid ?? '', value: Buffer.from(structuredEvent(event)), headers }
      bytes += message.value.length
      if (bytes > sendBytesMax) break
      messages.push(message)
    }
    const [first] = events
    if (first === undefined) return []
    if (messages.length === 0) return large(first)
    if ((await send(messages)) === 'sent') return messages.map(() => ({ outcome: 'kept' }))
    return messages.length === 1 ? large(first) : tell(events.slice(0, messages.length >> 1)) // this broker takes less
  }

  return {
    events: tell,
    gaps: (reports) =>
      http?.gaps(reports) ?? Promise.resolve(reports.map(() => ({ outcome: 'refused', detail: 'Kafka takes no reports of gaps, and no address of the ledger is given.' }))),
  }
}

/** As kafkajs names what the broker says. */
const isTooLarge = (error: unknown): boolean => error instanceof Error && 'type' in error && error.type === 'MESSAGE_TOO_LARGE'
