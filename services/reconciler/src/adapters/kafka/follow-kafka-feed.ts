/**
 * Applies the partitions of a Kafka feed that the group gives to this process (P5–P7).
 *
 * joining:   no partition is ours: none so far, or they are being shared out anew, or their places
 *            are not loaded yet.
 * following: for each of our partitions: records in order, applied together with the new place in
 *            one fenced transaction. A record that is known is left out, and so is one of a relay whose
 *            term is over (P1): what it says comes again from the relay that took over. One whose
 *            `prev` is not complete yet shows a gap, which is filled from the ledger by position first.
 * broken:    the connection to Kafka; it is made again.
 * rewound:   the ledger is another one or shorter than what was applied or is on the topic, or the
 *            topic is shorter than what was read of it (L7), or the tables are applied from another
 *            topic. Looked at in the beginning, with every assignment, with what a batch brings, and
 *            from time to time. Nothing more is applied. Final: leaves by a rebuild, or by repairing
 *            what is wrong.
 * stopped:   `stop()`.
 *
 * A partition that was never read, or whose records are gone, is read from the ledger to its head,
 * and from the topic behind what was its end before: whatever comes later is in there.
 *
 * Worst case: stopped for a while, and the partitions given to others. What is applied then is
 * `fenced`: the other one raised the epoch when it acquired them, nothing is written.
 */
import { LedgerError, type Codec, type LedgerEvent } from '@a2a-ledger/domain'
import { LeftGroup, stayFor, stayWhile, type ConsumerStatus, type Kafka, type KafkaBatch } from '@a2a-ledger/service-kit/kafka'
import { applyEvents, applyNext, leastOf, LostPartition, type Place, type Reached, shareOf } from '../../app/apply-from-ledger.ts'
import type { TopicPartitions } from '../../app/partition-store.ts'
import type { FeedReader, LedgerIdentity, Log, WorkShare } from '../../app/ports.ts'
import { requireReached, requireSameLedger } from '../../app/same-ledger.ts'
import { readFeedRecord, type FeedRecord } from './read-feed-record.ts'

export interface FollowKafkaFeedPorts {
  readonly kafka: Pick<Kafka, 'consume' | 'topics'>
  /** The ledger by position: fills gaps, tells the head. */
  readonly feed: Pick<FeedReader, 'after' | 'at' | 'head'>
  readonly store: TopicPartitions
  /** The slots of a Postgres tail that was here before are level: the topic can go on from there. */
  readonly levelTail: () => Promise<void>
  /** By how many partitions the ledger spreads the feed; `undefined`: nothing was relayed yet. */
  readonly partitionCount: () => Promise<number | undefined>
  readonly codec: Codec
  readonly log: Log
  /** Called after each commit: there may be tasks to look at. */
  readonly onApplied: () => void
}

export interface FollowKafkaFeedOptions {
  readonly topic: string
  readonly groupId: string
  /** How soon others take over the partitions of a process that is gone. */
  readonly sessionTimeoutMs: number
  /** How often ledger and topic are looked at when nothing comes: what became shorter says nothing. */
  readonly lookMs?: number
}

export type KafkaFeedStatus =
  | { readonly status: 'joining' | 'following' | 'stopped' }
  | { readonly status: 'broken'; readonly detail: string }
  | { readonly status: 'rewound'; readonly detail: string }

export interface KafkaFeedFollower {
  readonly status: () => KafkaFeedStatus
  /** What this process applies, while it can be sure that nobody else does. */
  readonly share: () => WorkShare
  readonly stop: (withinMs: number) => Promise<void>
}

/** Events of one transaction. */
const changeCountMax = 500
const partitionsAtOnce = 3
const pauseMsMin = 100
const pauseMsMax = 5_000
/** Watermarks that say nothing new are put down this often, so that few are read again. */
const restPlaceMs = 5_000

/** Reading may be ahead of what is stored by watermarks that say nothing new. */
interface TopicPlace extends Place {
  nextOffset: number
  storedAtMs: number
  /** The latest term of a relay that was read here. */
  term: number
}

export function followKafkaFeed(ports: FollowKafkaFeedPorts, options: FollowKafkaFeedOptions): KafkaFeedFollower {
  const { kafka, feed, store, codec, log } = ports
  const { topic, groupId, sessionTimeoutMs, lookMs = 5_000 } = options
  /** Absent: not loaded since the group changed. */
  let places: Map<number, TopicPlace> | undefined
  /** All that were ever ours: a topic that is gone is assigned to nobody, and was applied up to there at least. */
  let looked: ReadonlyMap<number, TopicPlace> = new Map()
  /** Up to which offset they were read; what is stored, and loaded when the group changes, may be behind. */
  const readTo = new Map<number, number>()
  let partitionCount = 0
  let ledger: LedgerIdentity | undefined
  let rewound: string | undefined
  /** The ledger was seen to end here, or later. */
  let headSeen = 0

  /** L7 */
  const noteLedger = (found: LedgerIdentity | undefined): void => {
    requireSameLedger(found, ledger)
    ledger ??= found
  }

  /** What a topic still holds of an earlier life of our ledger was superseded, and is passed over. */
  const isSuperseded = (found: LedgerIdentity): boolean =>
    ledger !== undefined && found.ledgerId === ledger.ledgerId && found.epoch < ledger.epoch

  /** The head of the ledger, which is that of before and goes at least up to `applied`. */
  const requireLedger = async (applied: number): Promise<number> => {
    noteLedger((await feed.after(0, 1)).ledger)
    headSeen = await feed.head()
    requireReached(headSeen, applied)
    return headSeen
  }

  /** What is published was committed before. */
  const requirePublished = async (position: number): Promise<void> => {
    if (position <= headSeen) return
    headSeen = await feed.head()
    requireReached(headSeen, position, 'published')
  }

  const noteRead = (partition: number, nextOffset: number): void =>
    void readTo.set(partition, Math.max(nextOffset, readTo.get(partition) ?? 0))

  /** A topic, too, never becomes shorter. */
  const requireRead = (partition: number, high: number): void => {
    const nextOffset = readTo.get(partition) ?? 0
    if (nextOffset <= high) return
    throw new LedgerError(
      'ledger_rewound',
      `Partition ${partition} of ${topic} ends at offset ${high}, but ${nextOffset} was read: the topic was deleted and ` +
        'made again, or lost records. Set next_offset of its rows in feed_partitions to NULL to read the ledger instead.',
    )
  }

  const assigned = async (partitions: readonly number[]): Promise<ReadonlyMap<number, number>> => {
    places = undefined
    await ports.levelTail()
    const count = await ports.partitionCount()
    if (count === undefined) throw new Error(`Nothing was relayed to ${topic} yet.`)
    partitionCount = count
    const ranges = await kafka.topics.offsets(topic) // before the head: what comes behind them may be above it
    const acquired = await store.acquire(partitions.filter((partition) => partition < count), count)
    ledger = acquired.ledger
    const head = await requireLedger(0)
    const mine = new Map<number, TopicPlace>()
    const lacking: TopicPlace[] = []
    for (const lease of acquired.leases) {
      const { low = 0, high = 0 } = ranges.get(lease.partition) ?? {}
      requireReached(head, lease.completePosition)
      const place = { lease, nextOffset: lease.nextOffset ?? high, storedAtMs: 0, term: 0 }
      noteRead(lease.partition, place.nextOffset)
      requireRead(lease.partition, high)
      mine.set(lease.partition, place)
      if (lease.nextOffset === undefined || lease.nextOffset < low) lacking.push({ ...place, nextOffset: high })
    }
    for (const place of lacking) mine.set(place.lease.partition, place)
    await fill(lacking, head)
    for (const place of lacking) await apply(place, [], { nextOffset: place.nextOffset, completePosition: head })
    places = mine
    looked = new Map([...looked, ...mine])
    log.info({ topic, partitions: shareOf([...mine.values()], count).partitions }, 'partitions taken')
    return new Map([...mine].map(([partition, { nextOffset }]) => [partition, nextOffset]))
  }

  /** Every event of these partitions up to `upTo` is applied, read from the ledger in one go; no offset moves. */
  const fill = async (lacking: readonly TopicPlace[], upTo: number): Promise<void> => {
    while (lacking.length > 0 && leastOf(lacking) < upTo) {
      const before = leastOf(lacking)
      const step = await applyNext(ports, lacking, { partitionCount, applied: ledger, countMax: changeCountMax, upTo })
      noteLedger(step.ledger)
      if (step.through === before) throw new Error(`The ledger has nothing between ${before} and ${upTo}.`)
    }
  }

  const apply = async (place: TopicPlace, events: readonly LedgerEvent[], to: Reached): Promise<void> => {
    await applyEvents(ports, [place], events, ledger, to)
    place.storedAtMs = performance.now()
  }

  const applyBatch = async (batch: KafkaBatch): Promise<void> => {
    const place = places?.get(batch.partition)
    if (place === undefined) throw new LostPartition(`Partition ${batch.partition} is not ours any more.`)
    if (place.nextOffset !== batch.fetchedOffset) {
      throw new LostPartition(`Partition ${batch.partition} was read from offset ${batch.fetchedOffset}, and is applied up to ${place.nextOffset}.`)
    }
    try {
      await applyRecords(place, batch)
    } catch (error) {
      if (error instanceof LostPartition && places?.get(batch.partition) === place) places.delete(batch.partition)
      throw error
    }
  }

  const applyRecords = async (place: TopicPlace, batch: KafkaBatch): Promise<void> => {
    let pending: LedgerEvent[] = []
    let { term } = place
    let complete = place.lease.completePosition
    const flush = async (nextOffset?: number): Promise<void> => {
      await apply(place, pending, { ...(nextOffset !== undefined && { nextOffset }), completePosition: complete })
      pending = []
    }
    for (const record of batch.records) {
      const read = readFeedRecord(record, codec.utf8Decode)
      if (read.kind === 'foreign') log.warn({ topic, partition: batch.partition, offset: record.offset }, 'a record that no relay wrote')
      if (read.kind === 'foreign' || isSuperseded(read.ledger)) continue
      noteLedger(read.ledger)
      if (read.term < term) continue
      term = read.term
      await requirePublished(read.kind === 'watermark' ? read.through : read.position)
      if (read.prev > complete) {
        await flush()
        log.warn({ topic, partition: batch.partition, complete, prev: read.prev }, 'a gap in the feed is filled from the ledger')
        await fill([place], read.prev)
        complete = read.prev
      }
      if (read.kind === 'watermark') complete = Math.max(complete, read.through)
      else if (read.position > complete) {
        pending.push(await whole(read))
        complete = read.position
        if (pending.length >= changeCountMax) await flush(record.offset + 1)
      }
    }
    const isNews = pending.length > 0 || complete > place.lease.completePosition
    if (isNews || performance.now() - place.storedAtMs > restPlaceMs) await flush(batch.nextOffset)
    place.nextOffset = batch.nextOffset
    noteRead(batch.partition, batch.nextOffset)
    place.term = term // not before: a batch that failed is read again from its beginning
  }

  const whole = async ({ event, position }: FeedRecord & { readonly kind: 'event' }): Promise<LedgerEvent> => {
    if (event !== undefined) return event
    const [found] = await feed.at([position])
    if (found === undefined) throw new LedgerError('ledger_rewound', `The feed has position ${position}, and the ledger does not.`)
    return found
  }

  const giveUp = (error: unknown): boolean => {
    if (!(error instanceof LedgerError) || error.code !== 'ledger_rewound') return false
    if (rewound === undefined) log.error({ topic, detail: error.detail }, 'ledger_rewound: nothing more is applied')
    rewound = error.detail
    places?.clear()
    void consumer.stop(sessionTimeoutMs)
    return true
  }

  /** True when the batch is applied; false when it is not ours any more, or nothing is. */
  const applyInTime = async (batch: KafkaBatch): Promise<boolean> => {
    if (places === undefined) return false // of before the group changed: it is read again, from its place
    for (let pauseMs = pauseMsMin; batch.isCurrent(); pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        await stayWhile(batch, applyBatch(batch))
        return true
      } catch (error) {
        if (error instanceof LeftGroup) throw error
        if (giveUp(error)) return false
        if (error instanceof LostPartition && !batch.isCurrent()) return false
        if (error instanceof LostPartition) throw new LeftGroup(error.message) // joins again, and asks where it is
        log.warn({ topic, partition: batch.partition, detail: error instanceof Error ? error.message : String(error) }, 'the feed cannot be applied now')
        await stayFor(batch, pauseMs)
      }
    }
    return false
  }

  const consumer = kafka.consume({
    groupId,
    topic,
    partitionsAtOnce,
    sessionTimeoutMs,
    offsets: {
      assigned: async (partitions) => {
        try {
          return await assigned(partitions)
        } catch (error) {
          if (giveUp(error)) return new Map()
          throw error
        }
      },
    },
    onBatch: async (batch) => {
      if (await applyInTime(batch)) await batch.done(batch.nextOffset)
    },
  })

  const look = async (): Promise<void> => {
    if (rewound !== undefined) return
    if (looked.size === 0) return store.requireOwn() // a topic that is absent or empty gives nothing to acquire
    await requireLedger(Math.max(...[...looked.values()].map(({ lease }) => lease.completePosition)))
    const ranges = await kafka.topics.offsets(topic)
    for (const partition of looked.keys()) requireRead(partition, ranges.get(partition)?.high ?? 0)
  }
  // A failure to look is no news: what is read or applied next meets it too, and says so.
  const lookNow = (): void => void look().catch(giveUp)
  lookNow()
  const looking = setInterval(lookNow, lookMs).unref()

  return {
    status: () => (rewound === undefined ? statusOf(consumer.status(), places !== undefined) : { status: 'rewound', detail: rewound }),
    share: () => shareOf(consumer.isMember() && places !== undefined ? [...places.values()] : [], partitionCount),
    stop: (withinMs) => {
      clearInterval(looking)
      return consumer.stop(withinMs)
    },
  }
}

const statusOf = (status: ConsumerStatus, isPlaced: boolean): KafkaFeedStatus =>
  status.status === 'consuming' ? { status: isPlaced ? 'following' : 'joining' } : status.status === 'broken' ? status : { status: status.status }
