import { randomUUID } from 'node:crypto'
import { Kafka, logLevel, type IHeaders } from 'kafkajs'

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

/** Reads everything that is on the feed topic now, as a reader who knows nothing of the ledger. */
export async function readFeed(brokers: readonly string[], topic: string): Promise<ReadFeed> {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  const admin = client.admin()
  await admin.connect()
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]))
  await admin.disconnect()

  const applied = new Map<number, number>()
  const lastOfKey = new Map<string, number>()
  const positions: number[] = []
  const gaps: string[] = []
  const disordered = new Set<string>()
  let duplicates = 0
  const take = (partition: number, offset: string, key: Buffer | null, headers: IHeaders | undefined): void => {
    const number = (name: string): number => Number(String(headers?.[name] ?? 0))
    const complete = applied.get(partition) ?? 0
    const position = number('ce_position')
    if (position !== 0 && position <= complete) duplicates += 1
    else if (number('ce_prev') > complete) gaps.push(`${partition}/${offset}`)
    else if (position !== 0) {
      const id = key?.toString('utf8') ?? ''
      if (position <= (lastOfKey.get(id) ?? 0)) disordered.add(id)
      lastOfKey.set(id, position)
      positions.push(position)
      applied.set(partition, position)
    }
  }

  const left = new Set([...ends].filter(([, end]) => end > 0).map(([partition]) => partition))
  const consumer = client.consumer({ groupId: `read-${randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await new Promise<void>((resolve, reject) => {
    consumer.on('consumer.crash', ({ payload }) => reject(payload.error))
    consumer
      .run({
        autoCommit: false,
        eachMessage: async ({ partition, message }) => {
          const end = ends.get(partition) ?? 0
          if (Number(message.offset) < end) take(partition, message.offset, message.key, message.headers)
          if (Number(message.offset) >= end - 1) left.delete(partition)
          if (left.size === 0) resolve()
        },
      })
      .catch(reject)
  })
  await consumer.disconnect()
  return { positions: positions.toSorted((one, other) => one - other), duplicates, gaps, disordered: [...disordered] }
}
