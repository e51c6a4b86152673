/**
 * Ingest from Kafka: records of `<prefix>observations` are appended like what comes over HTTP.
 *
 * consuming: a chunk of records is appended, then its offset committed (L1). A record that is no
 *            event, or one the ledger cannot understand, is in quarantine before that.
 * blocked:   the ledger cannot record now (Postgres away, overloaded, outcome unknown). The chunk
 *            is tried again, ever more slowly up to `pauseMsMax`, and nothing new is read. The group
 *            hears of us meanwhile. Leaves to consuming when an append is answered.
 * joining, broken, stopped: of the consumer beneath.
 *
 * Worst case: killed between the append and the commit of the offset. The records are read again
 * and are duplicates (L2).
 */
import type { Codec } from '@a2a-ledger/domain'
import { LeftGroup, stayFor, stayWhile, type ConsumerStatus, type Kafka, type KafkaBatch, type KafkaLog } from '@a2a-ledger/service-kit/kafka'
import type { AppendOutcome, Ledger } from '../../app/ports.ts'
import { dispositionOf } from './disposition.ts'
import { readRecord, type Input } from './read-record.ts'
import { topicNames } from './topics.ts'

export interface ConsumeObservationsOptions {
  readonly kafka: Pick<Kafka, 'consume'>
  readonly ledger: Pick<Ledger, 'append' | 'quarantine'>
  readonly codec: Codec
  readonly log: KafkaLog
  readonly topicPrefix: string
  /** How soon another ledger takes over the partitions of one that is gone. */
  readonly sessionTimeoutMs?: number
  /** Told what became of each record, for the counters. */
  readonly counted?: (outcome: AppendOutcome['outcome']) => void
}

export type ObservationsStatus = ConsumerStatus | { readonly status: 'blocked'; readonly detail: string }

export interface ObservationsConsumer {
  readonly status: () => ObservationsStatus
  /** Ends within `withinMs`; what was read and not yet recorded is read again by the next one. */
  readonly stop: (withinMs: number) => Promise<void>
}

/** Records of one append; of each partition that many are in memory at once. */
const chunkCountMax = 500
const chunkBytesMax = 4 * 1024 * 1024
const partitionsAtOnce = 3
const pauseMsMin = 100
const pauseMsMax = 5_000

export function consumeObservations(options: ConsumeObservationsOptions): ObservationsConsumer {
  const { ledger, codec, log, topicPrefix, counted = () => undefined } = options
  const topic = topicNames(topicPrefix).observations
  const blocked = new Map<number, string>()

  const record = async (inputs: readonly Input[]): Promise<void> => {
    const events = inputs.flatMap((input) => (input.kind === 'event' ? [input.event] : []))
    const refused = inputs.flatMap((input) => (input.kind === 'quarantine' ? [input.input] : []))
    // Both at once: they share a transaction then.
    const [outcomes] = await Promise.all([
      events.length === 0 ? [] : ledger.append(events),
      Promise.all(refused.map((input) => ledger.quarantine(input))),
    ])
    for (const { outcome } of outcomes) counted(outcome)
    for (const _ of refused) counted('quarantined')
  }

  /** True when the chunk is recorded; false when it is not ours any more. */
  const recordInTime = async (batch: KafkaBatch, inputs: readonly Input[]): Promise<boolean> => {
    for (let pauseMs = pauseMsMin; batch.isCurrent(); pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        await stayWhile(batch, record(inputs))
        if (blocked.delete(batch.partition)) log.info({ topic, partition: batch.partition }, 'records are recorded again')
        return true
      } catch (error) {
        if (error instanceof LeftGroup) throw error
        const detail = error instanceof Error ? error.message : String(error)
        const level = dispositionOf(error) === 'wait' ? 'warn' : 'error'
        if (!blocked.has(batch.partition)) log[level]({ topic, partition: batch.partition, detail }, 'records cannot be recorded now')
        blocked.set(batch.partition, detail)
        await stayFor(batch, pauseMs)
      }
    }
    return false
  }

  const consumer = options.kafka.consume({
    groupId: `${topicPrefix}ledger-ingest`,
    topic,
    partitionsAtOnce,
    sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
    onBatch: async (batch) => {
      try {
        for (const { inputs, nextOffset } of chunksOf(batch, topic, codec)) {
          if (!(await recordInTime(batch, inputs))) return
          await batch.done(nextOffset)
        }
      } finally {
        blocked.delete(batch.partition) // by whoever reads it next
      }
    },
  })

  return {
    status: () => {
      const [detail] = blocked.values()
      return detail === undefined ? consumer.status() : { status: 'blocked', detail }
    },
    stop: consumer.stop,
  }
}

interface Chunk {
  readonly inputs: readonly Input[]
  readonly nextOffset: number
}

function* chunksOf({ records, partition, nextOffset }: KafkaBatch, topic: string, codec: Codec): Generator<Chunk> {
  let inputs: Input[] = []
  let bytes = 0
  for (const record of records) {
    const size = record.value?.length ?? 0
    if (inputs.length >= chunkCountMax || (inputs.length > 0 && bytes + size > chunkBytesMax)) {
      yield { inputs, nextOffset: record.offset }
      inputs = []
      bytes = 0
    }
    inputs.push(readRecord(record, { topic, partition }, codec))
    bytes += size
  }
  yield { inputs, nextOffset }
}
