/** The Kafka port on kafkajs. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import kafkajs, { type Admin, type Kafka as Client, type Producer, type SASLOptions } from 'kafkajs'
import { consume } from './consume.ts'
import { tellsChangeOfGroup } from './group-change.ts'
import type { Kafka, KafkaConsumer, KafkaLog, KafkaRecord, KafkaSettings, KafkaTopics } from './port.ts'
import { createSockets } from './sockets.ts'

// CommonJS: Node finds only some of its names by itself.
const { ConfigResourceTypes, Kafka: KafkaClient, KafkaJSProtocolError, logLevel, Partitioners } = kafkajs

/** Connects when first used. */
export function connectKafka(settings: KafkaSettings, log: KafkaLog): Kafka {
  const sockets = createSockets()
  const client = new KafkaClient({
    clientId: settings.clientId,
    brokers: [...settings.brokers],
    ssl: settings.isTls,
    ...(settings.sasl !== undefined && { sasl: settings.sasl as SASLOptions }),
    connectionTimeout: 5_000,
    requestTimeout: 15_000,
    retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 2_000 },
    socketFactory: sockets.factory,
    logLevel: logLevel.ERROR,
    logCreator: () => quietLog(log),
  })
  const producing = createProducing(client)
  const administer = administerWith(client)
  const startConsumer: Kafka['consume'] = (options) => consume(client, log, options)

  return {
    topics: topicsOf(administer, startConsumer),
    producer: {
      send: async (topic, records) => {
        const messages = records.map(({ partition, key, value, headers }) => ({
          partition,
          key: key ?? null,
          value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
          headers,
        }))
        const sent = await producing.use((producer) => producer.send({ topic, acks: -1, messages }))
        return new Map(sent.map(({ partition, baseOffset }) => [partition, Number(baseOffset)]))
      },
    },
    consume: startConsumer,
    close: async (withinMs) => {
      await Promise.race([producing.end(), delay(withinMs, undefined, { ref: false })])
      sockets.destroy()
    },
  }
}

/** One producer, until it fails: a new one takes its place, for the same reason as below. */
function createProducing(client: Client) {
  let connected: Promise<Producer> | undefined
  const connect = async (): Promise<Producer> => {
    const producer = client.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
    })
    await producer.connect()
    return producer
  }
  const end = async (): Promise<void> => {
    const ending = connected
    connected = undefined
    await ending?.then((producer) => producer.disconnect()).catch(() => undefined)
  }
  return {
    end,
    use: async <Result>(work: (producer: Producer) => Promise<Result>): Promise<Result> => {
      connected ??= connect()
      try {
        return await work(await connected)
      } catch (error) {
        void end()
        throw error
      }
    },
  }
}

type Administer = <Result>(work: (admin: Admin) => Promise<Result>) => Promise<Result>

/** A new connection each time: one that ever asked about a topic fails for good once that is deleted. */
const administerWith =
  (client: Client): Administer =>
  async (work) => {
    const admin = client.admin()
    await admin.connect()
    try {
      return await work(admin)
    } finally {
      await admin.disconnect()
    }
  }

function topicsOf(administer: Administer, startConsumer: Kafka['consume']): KafkaTopics {
  const offsets: KafkaTopics['offsets'] = async (topic) => {
    const ranges = await administer((admin) => admin.fetchTopicOffsets(topic))
    return new Map(ranges.map(({ partition, low, high }) => [partition, { low: Number(low), high: Number(high) }]))
  }
  return {
    offsets,
    describe: (topic) =>
      administer(async (admin) => {
        if (!(await admin.listTopics()).includes(topic)) return undefined
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
        const { resources } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
        })
        const entries = resources[0]?.configEntries ?? []
        return {
          partitionCount: topics[0]?.partitions.length ?? 0,
          config: new Map(entries.map(({ configName, configValue }) => [configName, configValue])),
        }
      }),
    create: async (topic, partitionCount, config) => {
      const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
      try {
        // Leaders are waited for by hand below: the client's own wait fails on a young topic.
        const topics = [{ topic, numPartitions: partitionCount, configEntries }]
        await administer((admin) => admin.createTopics({ topics, waitForLeaders: false }))
      } catch (error) {
        if (!isAlreadyThere(error)) throw error
      }
      await untilReadable(() => offsets(topic))
    },
    recordsAt: async (topic, wanted, groupPrefix) => {
      const groupId = `${groupPrefix}.${randomUUID()}`
      const found = await recordsAt(startConsumer, topic, wanted, groupId)
      await administer((admin) => admin.deleteGroups([groupId])).catch(() => undefined) // else it expires by itself
      return found
    },
  }
}

const isAlreadyThere = (error: unknown): boolean =>
  (error instanceof KafkaJSProtocolError && error.type === 'TOPIC_ALREADY_EXISTS') ||
  (error instanceof AggregateError && error.errors.every(isAlreadyThere))

async function untilReadable(read: () => Promise<unknown>): Promise<void> {
  const deadlineMs = Date.now() + 15_000
  for (;;) {
    try {
      await read()
      return
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await delay(100)
    }
  }
}

/** The client cannot fetch without a group: one of its own is made for it. */
async function recordsAt(
  startConsumer: Kafka['consume'],
  topic: string,
  wanted: ReadonlyMap<number, number>,
  groupId: string,
): Promise<ReadonlyMap<number, KafkaRecord>> {
  const found = new Map<number, KafkaRecord>()
  if (wanted.size === 0) return found
  let consumer: KafkaConsumer | undefined
  try {
    const complete = new Promise<void>((resolve) => {
      consumer = startConsumer({
        groupId,
        topic,
        partitionsAtOnce: 1,
        sessionTimeoutMs: 10_000,
        offsets: { assigned: async () => wanted },
        onBatch: async ({ partition, records, nextOffset, done }) => {
          const record = records.find(({ offset }) => offset >= (wanted.get(partition) ?? 0))
          if (record !== undefined && !found.has(partition)) found.set(partition, record)
          if (found.size === wanted.size) resolve()
          else await done(nextOffset)
        },
      })
    })
    const patience = new AbortController()
    const tooLong = delay(30_000, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`The last records of ${topic} cannot be read.`)
    })
    tooLong.catch(() => undefined)
    await Promise.race([complete, tooLong])
    patience.abort()
    return found
  } finally {
    await consumer?.stop(5_000)
  }
}

/** An outage makes the client say the same many times a second: it is passed on once in a while. */
function quietLog(log: KafkaLog) {
  const saidAtMs = new Map<string, number>()
  return ({ namespace, log: entry }: { readonly namespace: string; readonly log: { readonly message: string; readonly error?: unknown } }): void => {
    if (tellsChangeOfGroup(entry)) return
    const text = `${namespace}: ${entry.message}`
    const nowMs = Date.now()
    if (nowMs - (saidAtMs.get(text) ?? 0) < 30_000) return
    if (saidAtMs.size > 100) saidAtMs.clear()
    saidAtMs.set(text, nowMs)
    log.warn({ error: entry.error }, `Kafka client: ${text}`)
  }
}
