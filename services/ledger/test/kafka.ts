import { setTimeout as delay } from 'node:timers/promises'
import { connectKafka, type Kafka, type KafkaLog } from '@a2a-ledger/service-kit/kafka'
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
  const admin = new Client({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] })
    return (offsets?.partitions ?? []).toSorted((one, other) => one.partition - other.partition).map(({ offset }) => Number(offset))
  } finally {
    await admin.disconnect()
  }
}

/** Waits until `read` answers what `isEnough` accepts; throws the last answer when it does not. */
export async function eventually<Value>(
  read: () => Promise<Value> | Value,
  isEnough: (value: Value) => boolean,
  withinMs = 20_000,
): Promise<Value> {
  const deadlineMs = Date.now() + withinMs
  for (;;) {
    const value = await read()
    if (isEnough(value)) return value
    if (Date.now() > deadlineMs) throw new Error(`Not within ${withinMs} ms: ${JSON.stringify(value)}`)
    await delay(50)
  }
}
