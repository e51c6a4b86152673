/**
 * Publishes committed events to Kafka: to `<prefix>ledger`, and verdicts to `<prefix>decisions` too.
 *
 * waiting: another process holds the term. Leaves to leading when it is free or expired.
 * leading: the one that publishes. Events by position, a watermark behind them in every partition,
 *          then the cursor, which names the term: one of an earlier term cannot move it. Leaves to
 *          waiting when the cursor cannot be moved, or when it was silent for as long as its term
 *          lasts: whatever happened meanwhile, everything is looked at again. Leaves to refused by a
 *          problem that somebody has to solve.
 * refused: says what is wrong, publishes nothing, and looks again from time to time.
 * stopped: `stop()`; the term is given back.
 *
 * Worst case: killed between a publish and its cursor, or stopped for a while and resumed as a
 * zombie. The same events are published again with the same `prev`: duplicates, which a reader tells
 * by the position. Nothing is skipped, since the next term begins at the cursor.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { LedgerError } from '@a2a-ledger/domain'
import { partitionOf, type Kafka, type KafkaLog, type OutgoingRecord } from '@a2a-ledger/service-kit/kafka'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import { messageOf } from '@a2a-ledger/service-kit/process'
import type { LedgerReader } from '../../app/ports.ts'
import type { PartitionCursor, RelayedEvent, RelayStore, RelayTerm } from '../../app/relay-store.ts'
import { checkFeed, recreated } from './check-feed.ts'
import { eventRecord, isVerdict, recordBytes, recordBytesMax, verdictRecord, watermarkRecord, type FeedOrigin } from './feed-record.ts'
import { batchBytesMax, prepareTopics, problemsOfFeed, topicNames, type TopicSettings } from './topics.ts'

export interface RelayOptions {
  readonly kafka: Pick<Kafka, 'producer' | 'topics'>
  readonly store: RelayStore
  readonly reader: Pick<LedgerReader, 'identity'>
  readonly log: KafkaLog
  readonly settings: TopicSettings
  /** Names this process. */
  readonly owner: string
  /** How long nobody else takes over from a leader that says nothing. */
  readonly termTtlMs?: number
  /** Watermarks come at least this often (P2). */
  readonly watermarkMs?: number
  /** What a topic has become is noticed within this time; new partitions get watermarks from then on. */
  readonly lookMs?: number
}

export type RelayStatus =
  | { readonly status: 'waiting' | 'leading' | 'stopped'; readonly position: number }
  | { readonly status: 'refused'; readonly position: number; readonly problems: readonly string[] }

export interface Relay {
  readonly status: () => RelayStatus
  /** There may be new events. Without it they are found within `pollMs`. */
  readonly wake: () => void
  readonly stop: (withinMs: number) => Promise<void>
}

const pollMs = 50
const retryMs = 500
const refusedRetryMs = 5_000
/** The rest of a batch is what its frame and the watermark take. */
const sliceBytesMax = batchBytesMax - 64 * 1024

interface Leadership {
  held: RelayTerm
  readonly origin: FeedOrigin
  /** Of the event at `held.position`. */
  recordedAtMs: number | undefined
  cursors: ReadonlyMap<string, PartitionCursor>
  readonly feedPartitionCount: number
  readonly decisionsPartitionCount: number
  /** Those that watermarks go to: the topic may have got more than it had. */
  watermarkPartitionCount: number
  lookAtMs: number
  /** When it was last confirmed that the term is ours. */
  heldAtMs: number
  saidAtMs: number
  events: readonly RelayedEvent[]
}

/** Something that time does not heal. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(' '))
    this.problems = problems
  }
}

export function startRelay(options: RelayOptions): Relay {
  const { kafka, store, reader, log, settings, owner, termTtlMs = 5_000, watermarkMs = 200, lookMs = 10_000 } = options
  const names = topicNames(settings.prefix)
  const stopping = new AbortController()
  let status: RelayStatus = { status: 'waiting', position: 0 }
  let lead: Leadership | undefined
  const outage = createOutage()
  let wake: () => void = () => undefined

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timeout = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timeout)
        resolve()
      }
      if (stopping.signal.aborted) wake()
    })

  const takeOver = async (): Promise<Leadership | undefined> => {
    const acquiredAtMs = performance.now()
    const held = await store.acquire(names.ledger, owner, termTtlMs)
    if (held === undefined) return undefined
    try {
      // Before topics are made: one that was published to and is gone must not be made again.
      const changed = await checkFeed({ topics: kafka.topics, store, reader, names })
      if (changed.length > 0) throw new Refused(changed)
      const unfit = await prepareTopics(kafka.topics, settings)
      if (unfit.length > 0) throw new Refused(unfit)
      const { ledgerId, epoch } = await reader.identity()
      const [before] = held.position === 0 ? [] : await store.events(held.position - 1, 0)
      const watermarkPartitionCount = await fixPartitions(names.ledger)
      await fixPartitions(names.decisions)
      const cursors = await store.partitions([names.ledger, names.decisions])
      const nowMs = performance.now()
      log.info({ topic: names.ledger, term: held.term, position: held.position }, 'relaying the feed')
      return {
        held,
        origin: { ledgerId, epoch, term: held.term },
        recordedAtMs: before?.recordedAtMs,
        cursors: new Map(cursors.map((cursor) => [keyOf(cursor), cursor])),
        feedPartitionCount: cursors.filter(({ topic }) => topic === names.ledger).length,
        decisionsPartitionCount: cursors.filter(({ topic }) => topic === names.decisions).length,
        watermarkPartitionCount,
        lookAtMs: nowMs + lookMs,
        heldAtMs: acquiredAtMs,
        saidAtMs: 0,
        events: [],
      }
    } catch (error) {
      await store.release(names.ledger, held).catch(() => undefined)
      throw error
    }
  }

  const fixPartitions = async (topic: string): Promise<number> => {
    const { partitionCount = 0 } = (await kafka.topics.describe(topic)) ?? {}
    await store.fixPartitions(topic, partitionCount)
    return partitionCount
  }

  /** One turn of the leader; false when there is nothing to do for a moment. */
  const turn = async (mine: Leadership): Promise<boolean> => {
    const nowMs = performance.now()
    if (nowMs - mine.heldAtMs >= termTtlMs) {
      lead = undefined
      return true
    }
    if (nowMs >= mine.lookAtMs) await look(mine)
    if (mine.events.length === 0) mine.events = await store.events(mine.held.position, recordBytesMax)
    if (mine.events.length > 0) {
      const slice = await publish(mine, mine.events)
      await move(mine, slice.at(-1))
      mine.events = mine.events.slice(slice.length)
      return true
    }
    if (nowMs - mine.saidAtMs >= watermarkMs) await publish(mine, [])
    if (nowMs - mine.heldAtMs >= termTtlMs / 3) await move(mine, undefined)
    return false
  }

  const look = async (mine: Leadership): Promise<void> => {
    const [feed, decisions] = [await kafka.topics.describe(names.ledger), await kafka.topics.describe(names.decisions)]
    if (feed === undefined || decisions === undefined) throw new Error('A topic that was published to is gone.')
    const unfit = [...problemsOfFeed(names.ledger, feed), ...problemsOfFeed(names.decisions, decisions)]
    if (unfit.length > 0) throw new Refused(unfit)
    mine.watermarkPartitionCount = feed.partitionCount
    mine.lookAtMs = performance.now() + lookMs
  }

  /** Sends as many of `events` as fit, with the watermark behind them; answers which. */
  const publish = async (mine: Leadership, events: readonly RelayedEvent[]): Promise<readonly RelayedEvent[]> => {
    const lastPositions = new Map<number, number>()
    const prevOf = (partition: number): number =>
      lastPositions.get(partition) ?? mine.cursors.get(keyOf({ topic: names.ledger, partition }))?.lastPosition ?? 0
    const feed: OutgoingRecord[] = []
    const verdicts: OutgoingRecord[] = []
    let bytes = 0
    for (const event of events) {
      const partition = partitionOf(event.correlationId, mine.feedPartitionCount)
      const record = eventRecord(event, mine.origin, { partition, prev: prevOf(partition) })
      bytes += recordBytes(record)
      if (feed.length > 0 && bytes > sliceBytesMax) break
      feed.push(record)
      lastPositions.set(partition, event.position)
      if (isVerdict(event)) verdicts.push(verdictRecord(event, mine.origin, mine.decisionsPartitionCount))
    }
    const slice = events.slice(0, feed.length)
    const last = slice.at(-1) ?? { position: mine.held.position, recordedAtMs: mine.recordedAtMs }
    for (let partition = 0; partition < mine.watermarkPartitionCount; partition += 1) {
      feed.push(watermarkRecord(mine.origin, { partition, prev: prevOf(partition) }, last))
    }
    const cursors = new Map(mine.cursors)
    await send(names.ledger, feed, cursors, lastPositions)
    for (const batch of batches(verdicts)) await send(names.decisions, batch, cursors, new Map())
    mine.cursors = cursors
    mine.saidAtMs = performance.now()
    return slice
  }

  const send = async (
    topic: string,
    records: readonly OutgoingRecord[],
    cursors: Map<string, PartitionCursor>,
    lastPositions: ReadonlyMap<number, number>,
  ): Promise<void> => {
    const firstOffsets = await kafka.producer.send(topic, records)
    for (const [partition, firstOffset] of firstOffsets) {
      const cursor = cursors.get(keyOf({ topic, partition }))
      if (cursor === undefined) continue // of a partition that the topic got later: only watermarks
      if (firstOffset < cursor.nextOffset) throw new Refused([recreated(cursor, firstOffset)])
      cursors.set(keyOf(cursor), {
        ...cursor,
        lastPosition: lastPositions.get(partition) ?? cursor.lastPosition,
        nextOffset: firstOffset + records.filter((record) => record.partition === partition).length,
      })
    }
  }

  /** The cursor behind `last`; where it stands without one, which renews the term. */
  const move = async (mine: Leadership, last: RelayedEvent | undefined): Promise<void> => {
    const position = last?.position ?? mine.held.position
    const askedAtMs = performance.now()
    const partitions = [...mine.cursors.values()]
    if (!(await store.commit(names.ledger, mine.held, { position, partitions }, termTtlMs))) {
      log.warn({ topic: names.ledger, term: mine.held.term }, 'another process relays the feed')
      lead = undefined
      return
    }
    mine.held = { ...mine.held, position }
    mine.recordedAtMs = last?.recordedAtMs ?? mine.recordedAtMs
    mine.heldAtMs = askedAtMs
    status = { status: 'leading', position }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        lead ??= await takeOver()
        if (lead === undefined) {
          status = { status: 'waiting', position: (await store.current(names.ledger))?.position ?? 0 }
          tellOver()
          await pause(termTtlMs / 3)
          continue
        }
        const isMore = await turn(lead)
        tellOver()
        if (!isMore) await pause(pollMs)
      } catch (error) {
        await recover(error)
      }
    }
  }

  const tellOver = (): void => outage.over(() => log.info({ topic: names.ledger, ...status }, 'the feed can be relayed again'))

  const recover = async (error: unknown): Promise<void> => {
    if (stopping.signal.aborted) return
    const problems = error instanceof Refused ? error.problems : rewoundOf(error)
    if (problems !== undefined) {
      const { position } = status
      if (status.status !== 'refused' || status.problems.join() !== problems.join()) {
        log.error({ topic: names.ledger, problems }, 'the feed cannot be relayed')
      }
      status = { status: 'refused', position, problems }
      if (lead !== undefined) await store.release(names.ledger, lead.held).catch(() => undefined)
      lead = undefined
      await pause(refusedRetryMs)
      return
    }
    outage.met(() => log.warn({ topic: names.ledger, detail: messageOf(error) }, 'the feed cannot be relayed now'))
    // What failed may be a topic that is gone: everything is looked at again before the next record.
    lead = undefined
    await pause(retryMs)
  }

  const running = run()
  return {
    status: () => status,
    wake: () => wake(),
    stop: async (withinMs) => {
      stopping.abort()
      wake()
      const leave = async (): Promise<void> => {
        await running
        if (lead === undefined) return
        await move(lead, undefined)
        if (lead !== undefined) await store.release(names.ledger, lead.held)
      }
      await Promise.race([leave().catch(() => undefined), delay(withinMs, undefined, { ref: false })])
      status = { status: 'stopped', position: status.position }
    },
  }
}

/** L7: a log that became shorter under us is nothing that time heals either. */
const rewoundOf = (error: unknown): readonly string[] | undefined =>
  error instanceof LedgerError && error.code === 'ledger_rewound' ? [error.detail] : undefined

/** In order; each of them fits into what a topic takes at once. */
function* batches(records: readonly OutgoingRecord[]): Generator<readonly OutgoingRecord[]> {
  let batch: OutgoingRecord[] = []
  let bytes = 0
  for (const record of records) {
    const size = recordBytes(record)
    if (batch.length > 0 && bytes + size > sliceBytesMax) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(record)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

const keyOf = ({ topic, partition }: Pick<PartitionCursor, 'topic' | 'partition'>): string => `${topic}/${partition}`
