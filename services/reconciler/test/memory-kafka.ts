/**
 * One topic and one consumer group in memory: as much of Kafka as the feed adapter asks for, with
 * members that can be shut out while they think that they belong.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { ConsumeOptions, Kafka, KafkaBatch, KafkaRecord, OutgoingRecord } from '@a2a-ledger/service-kit/kafka'

export interface MemoryKafka extends Pick<Kafka, 'topics' | 'producer'> {
  /** What one process has of it: `pass` is awaited wherever it would hear of the broker. */
  readonly connect: (process: string, own: OwnOfProcess) => Pick<Kafka, 'consume' | 'topics'>
  /** The group goes on without this process, which is not told before it asks. */
  readonly evict: (process: string) => void
}

export interface OwnOfProcess {
  readonly pass: (point: string) => Promise<void>
  /** What its own clock says. */
  readonly isMember: () => boolean
}

interface Member extends OwnOfProcess {
  readonly process: string
  readonly options: ConsumeOptions
  /** Rises with every assignment that it was told. */
  generation: number
  isShutOut: boolean
  isStopped: boolean
}

const batchCountMax = 4

export function createMemoryKafka(partitionCount: number): MemoryKafka {
  const logs: KafkaRecord[][] = Array.from({ length: partitionCount }, () => [])
  let members: readonly Member[] = []
  let wakes: (() => void)[] = []
  const wakeAll = (): void => {
    for (const wake of wakes.splice(0)) wake()
  }

  const send = async (_topic: string, records: readonly OutgoingRecord[]): Promise<ReadonlyMap<number, number>> => {
    for (const { partition, key, value, headers } of records) {
      const log = logs[partition] ?? []
      const bytes = Object.entries(headers).map(([name, text]): [string, Uint8Array] => [name, Buffer.from(text)])
      log.push({ offset: log.length, key: key === undefined ? undefined : Buffer.from(key), value, headers: bytes })
    }
    wakeAll()
    return new Map()
  }

  /** Every member is told its partitions, and begins anew. */
  const rebalance = (): void => {
    for (const [index, member] of members.entries()) {
      member.generation += 1
      void serve(member, Array.from({ length: partitionCount }, (_, partition) => partition).filter((partition) => partition % members.length === index))
    }
    wakeAll()
  }

  const serve = async (member: Member, partitions: readonly number[]): Promise<void> => {
    const { generation, options } = member
    const isCurrent = (): boolean => generation === member.generation && !member.isStopped
    let offsets: ReadonlyMap<number, number> | undefined
    while (isCurrent() && offsets === undefined) {
      offsets = await options.offsets?.assigned(partitions).catch(() => undefined)
      if (offsets === undefined) await turn()
    }
    if (!isCurrent()) return
    await Promise.all([...(offsets ?? [])].map(([partition, offset]) => read(member, partition, offset, isCurrent)))
  }

  const read = async (member: Member, partition: number, from: number, isCurrent: () => boolean): Promise<void> => {
    let offset = from
    while (isCurrent()) {
      await member.pass('kafka.fetch')
      if (member.isShutOut) rejoin(member)
      if (!isCurrent()) return
      const records = (logs[partition] ?? []).slice(offset, offset + batchCountMax)
      if (records.length === 0) {
        await new Promise<void>((resolve) => wakes.push(resolve))
        continue
      }
      const batch: KafkaBatch = {
        partition,
        fetchedOffset: offset,
        nextOffset: offset + records.length,
        records,
        isCurrent,
        heartbeat: () => beat(member, isCurrent),
        done: () => beat(member, isCurrent),
      }
      try {
        await member.options.onBatch(batch)
        offset += records.length
      } catch {
        if (!isCurrent()) return
        rejoin(member)
        return
      }
    }
  }

  /** Throws where the group has changed: here one learns that one was shut out. */
  const beat = async (member: Member, isCurrent: () => boolean): Promise<void> => {
    await member.pass('kafka.heartbeat')
    if (member.isShutOut) rejoin(member)
    if (!isCurrent()) throw new Error('the group is rebalancing')
  }

  const rejoin = (member: Member): void => {
    member.isShutOut = false
    if (!members.includes(member)) members = [...members, member]
    rebalance()
  }

  return {
    producer: { send },
    topics: topicsOf(logs),
    connect: (process, own) => ({
      topics: topicsOf(logs),
      consume: (options) => {
        const member: Member = { ...own, process, options, generation: 0, isShutOut: false, isStopped: false }
        members = [...members, member]
        rebalance()
        return {
          status: () => ({ status: member.generation > 0 ? 'consuming' : 'joining' }),
          isMember: own.isMember,
          stop: async () => {
            member.isStopped = true
            members = members.filter((other) => other !== member)
            rebalance()
          },
        }
      },
    }),
    evict: (process) => {
      const evicted = members.filter((member) => member.process === process)
      if (evicted.length === 0) return
      for (const member of evicted) member.isShutOut = true
      members = members.filter((member) => !member.isShutOut)
      rebalance()
    },
  }
}

const topicsOf = (logs: readonly (readonly KafkaRecord[])[]): Kafka['topics'] => ({
  create: async () => undefined,
  describe: async () => ({ partitionCount: logs.length, config: new Map() }),
  offsets: async () => new Map(logs.map((log, partition) => [partition, { low: 0, high: log.length }])),
  recordsAt: async () => new Map(),
})
