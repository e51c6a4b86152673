import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { connectKafka, type Kafka, type KafkaLog } from '@a2a-ledger/service-kit/kafka'
import { withKafkaAdmin } from '@a2a-ledger/test/support'
import { Kafka as Client, logLevel, Partitioners, type Message } from 'kafkajs'

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface TestLog extends KafkaLog {
  readonly lines: readonly LogLine[]
}

export function createTestLog(): TestLog {
  const lines: LogLine[] = []
  const write = (level: LogLine['level']) => (details: LogLine['details'], message: string) => void lines.push({ level, message, details })
  return { lines, info: write('info'), warn: write('warn'), error: write('error') }
}

export const connectTestKafka = (brokers: readonly string[], log: KafkaLog = createTestLog()): Kafka =>
  connectKafka({ brokers, clientId: 'a2a-ledger-test', isTls: false, sasl: undefined }, log)

/** A producer that knows nothing of our port, as witnesses have it. */
export async function sendAsWitness(brokers: readonly string[], topic: string, messages: readonly Message[]): Promise<void> {
  const producer = new Client({ brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries: 5 } }).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
  })
  await producer.connect()
  try {
    await producer.send({ topic, messages: [...messages] })
  } finally {
    await producer.disconnect()
  }
}

/** Offsets that a group committed, by partition; -1: none. */
export async function committedOffsets(brokers: readonly string[], groupId: string, topic: string): Promise<readonly number[]> {
  const [offsets] = await withKafkaAdmin(brokers, (admin) => admin.fetchOffsets({ groupId, topics: [topic] }))
  return (offsets?.partitions ?? []).toSorted((one, other) => one.partition - other.partition).map(({ offset }) => Number(offset))
}

/** Waits until `read` answers what `isEnough` accepts; throws the last answer when it does not. */
export async function eventually<Value>(
  read: () => Promise<Value> | Value,
  isEnough: (value: Value) => boolean,
  withinMs = 60_000,
  everyMs = 50,
): Promise<Value> {
  const deadlineMs = Date.now() + withinMs
  for (;;) {
    const value = await read()
    if (isEnough(value)) return value
    if (Date.now() > deadlineMs) throw new Error(`Not within ${withinMs} ms: ${JSON.stringify(value)}`)
    await delay(everyMs)
  }
}

export interface ReadRecord {
  readonly partition: number
  readonly offset: number
  readonly key: string | undefined
  readonly value: Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Every record of `topic` that is there now, by partition and offset. */
export async function readTopic(kafka: Kafka, topic: string): Promise<readonly ReadRecord[]> {
  const ranges = await kafka.topics.offsets(topic)
  const missing = new Map([...ranges].filter(([, { low, high }]) => high > low).map(([partition, { high }]) => [partition, high]))
  const read: ReadRecord[] = []
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
  const consumer = kafka.consume({
    groupId: `read-${randomUUID()}`,
    topic,
    partitionsAtOnce: 1,
    sessionTimeoutMs: 10_000,
    offsets: { assigned: async (partitions) => new Map(partitions.map((partition) => [partition, 0])) },
    onBatch: async ({ partition, records, nextOffset, done }) => {
      for (const { offset, key, value, headers } of records) {
        const texts = Object.fromEntries(headers.map(([name, bytes]) => [name, text(bytes)]))
        read.push({ partition, offset, key: key && text(key), value, headers: texts })
      }
      if (nextOffset >= (missing.get(partition) ?? 0)) missing.delete(partition)
      await done(nextOffset)
    },
  })
  await eventually(() => missing.size, (size) => size === 0)
  await consumer.stop(5_000)
  return read.toSorted((one, other) => one.partition - other.partition || one.offset - other.offset)
}
