import { randomUUID } from 'node:crypto'
import { Kafka, logLevel } from 'kafkajs'
import { withKafkaAdmin } from './kafka-admin.ts'

export interface ReadRecord {
  readonly partition: number
  readonly offset: string
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ReadFeed {
  /** Every position that a reader applies who goes by `ce_prev` alone, ascending. */
  readonly positions: readonly number[]
  /** Records that came again. */
  readonly duplicates: number
  /** Records in front of which something is missing on their partition. */
  readonly gaps: readonly string[]
  /** Keys whose records are not in order of position once duplicates are dropped. */
  readonly disordered: readonly string[]
}

/** What a reader sees in `records`, each partition in order, who knows nothing of the ledger. */
export function foldFeed(records: readonly ReadRecord[]): ReadFeed {
  const applied = new Map<number, number>()
  const lastOfKey = new Map<string, number>()
  const positions: number[] = []
  const gaps: string[] = []
  const disordered = new Set<string>()
  let duplicates = 0
  for (const { partition, offset, key, headers } of records) {
    const complete = applied.get(partition) ?? 0
    const position = Number(headers['ce_position'] ?? 0)
    if (position !== 0 && position <= complete) duplicates += 1
    else if (Number(headers['ce_prev']) > complete) gaps.push(`${partition}/${offset}`)
    else if (position !== 0) {
      if (position <= (lastOfKey.get(key) ?? 0)) disordered.add(key)
      lastOfKey.set(key, position)
      positions.push(position)
      applied.set(partition, position)
    }
  }
  return { positions: positions.toSorted((one, other) => one - other), duplicates, gaps, disordered: [...disordered] }
}

/** Everything that is on the topic now. */
export async function readRecords(brokers: readonly string[], topic: string): Promise<readonly ReadRecord[]> {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, connectionTimeout: 10_000 })
  const offsets = await withKafkaAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic))
  const ends = new Map(offsets.map(({ partition, high }) => [partition, Number(high)]))

  const read: ReadRecord[] = []
  const left = new Set([...ends].filter(([, end]) => end > 0).map(([partition]) => partition))
  if (left.size === 0) return read
  const consumer = client.consumer({ groupId: `read-${randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await new Promise<void>((resolve, reject) => {
    consumer.on('consumer.crash', ({ payload }) => reject(payload.error))
    consumer
      .run({
        autoCommit: false,
        eachMessage: async ({ partition, message: { offset, key, value, headers = {} } }) => {
          const end = ends.get(partition) ?? 0
          if (Number(offset) < end) {
            const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
            read.push({ partition, offset, key: String(key ?? ''), value: String(value ?? ''), headers: Object.fromEntries(texts) })
          }
          if (Number(offset) >= end - 1) left.delete(partition)
          if (left.size === 0) resolve()
        },
      })
      .catch(reject)
  })
  await consumer.disconnect()
  return read
}
