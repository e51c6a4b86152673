/**
 * What the services need of a Kafka client. No type of the client in use leaves this folder, so
 * that another one can take its place.
 */

export interface KafkaSettings {
  readonly brokers: readonly string[]
  /** Shown in the broker's logs and quotas. */
  readonly clientId: string
  readonly isTls: boolean
  readonly sasl: KafkaSasl | undefined
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

export interface KafkaLog {
  readonly info: (details: Readonly<Record<string, unknown>>, message: string) => void
  readonly warn: (details: Readonly<Record<string, unknown>>, message: string) => void
  readonly error: (details: Readonly<Record<string, unknown>>, message: string) => void
}

/** Name and value as they stood in the record, repetitions included; headers without a value are left out. */
export type KafkaHeader = readonly [name: string, value: Uint8Array]

export interface KafkaRecord {
  readonly offset: number
  readonly key: Uint8Array | undefined
  /** `undefined` is null on the wire: a tombstone. Empty is empty. */
  readonly value: Uint8Array | undefined
  readonly headers: readonly KafkaHeader[]
}

/** What is read of one partition in one go. */
export interface KafkaBatch {
  readonly partition: number
  /** What was asked for; the first record may be later, where the log was cleaned. */
  readonly fetchedOffset: number
  /** Where reading goes on behind this batch. */
  readonly nextOffset: number
  readonly records: readonly KafkaRecord[]
  /** False as soon as the partition may be somebody else's, or the consumer stops. */
  readonly isCurrent: () => boolean
  /** Tells the group that we live. Throws when the group changes: let it pass. */
  readonly heartbeat: () => Promise<void>
  /** Everything before `offset` is dealt with: it is not read again by this consumer. */
  readonly done: (offset: number) => Promise<void>
}

/** Offsets that are kept outside Kafka. */
export interface PartitionOffsets {
  /**
   * The partitions are ours from now on: where each is to be read from. One that is left out is
   * not read. Called after every change of the group; a failure is tried again.
   */
  readonly assigned: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>
}

export interface ConsumeOptions {
  readonly groupId: string
  readonly topic: string
  /** Absent: Kafka keeps them, beginning with the earliest. */
  readonly offsets?: PartitionOffsets
  /** What it leaves undone, by throwing or by not calling `done`, is read again. */
  readonly onBatch: (batch: KafkaBatch) => Promise<void>
  /** How many partitions are dealt with side by side. */
  readonly partitionsAtOnce: number
  /** How soon others take over from a member that is gone. */
  readonly sessionTimeoutMs: number
}

export type ConsumerStatus =
  | { readonly status: 'joining' | 'consuming' | 'stopped' }
  | { readonly status: 'broken'; readonly detail: string }

export interface KafkaConsumer {
  readonly status: () => ConsumerStatus
  /** By our own clock: the group heard of us so lately that our partitions cannot be others' yet. */
  readonly isMember: () => boolean
  /** Ends within `withinMs`, whether or not a broker answers. */
  readonly stop: (withinMs: number) => Promise<void>
}

export interface OutgoingRecord {
  readonly partition: number
  readonly key: string | undefined
  readonly value: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface KafkaProducer {
  /**
   * Every record is on all in-sync replicas, in this order in each partition; answers the offset
   * of the first one of each partition.
   *
   * Errors: throws when that is not known; some of it may have been written then.
   */
  readonly send: (topic: string, records: readonly OutgoingRecord[]) => Promise<ReadonlyMap<number, number>>
}

export interface TopicDescription {
  readonly partitionCount: number
  readonly config: ReadonlyMap<string, string>
}

export interface OffsetRange {
  /** The first record that is still there. */
  readonly low: number
  /** Where the next record will be. */
  readonly high: number
}

export interface KafkaTopics {
  /** `undefined`: there is no such topic. */
  readonly describe: (topic: string) => Promise<TopicDescription | undefined>
  /** It exists afterwards, by us or by somebody else who was as quick. */
  readonly create: (topic: string, partitionCount: number, config: Readonly<Record<string, string>>) => Promise<void>
  readonly offsets: (topic: string) => Promise<ReadonlyMap<number, OffsetRange>>
  /** The record at each of these offsets, or the next one behind it; read by a group that is made for it. */
  readonly recordsAt: (
    topic: string,
    offsets: ReadonlyMap<number, number>,
    groupPrefix: string,
  ) => Promise<ReadonlyMap<number, KafkaRecord>>
}

export interface Kafka {
  readonly topics: KafkaTopics
  readonly producer: KafkaProducer
  readonly consume: (options: ConsumeOptions) => KafkaConsumer
  /** Ends every connection within `withinMs`, whether or not a broker answers. Stop consumers first. */
  readonly close: (withinMs: number) => Promise<void>
}
