/**
 * Events of the ledger into partitions of ours: how the Postgres tail is followed, and how a Kafka
 * feed is begun and its gaps are filled (P7).
 */
import { LedgerError, type Codec, type LedgerEvent } from '@a2a-ledger/domain'
import { changeOf, unreadableChangeOf } from './feed-change.ts'
import { partitionOf, type PartitionLease, type PartitionPoint, type PartitionStore } from './partition-store.ts'
import type { FeedChange, FeedReader, FeedSlice, LedgerIdentity, Log, WorkShare } from './ports.ts'
import { requireReached, requireSameLedger } from './same-ledger.ts'

export interface ApplyPorts {
  readonly store: PartitionStore
  readonly codec: Codec
  readonly log: Log
  /** Called after each commit: there may be tasks to look at. */
  readonly onApplied: () => void
}

/** A partition of ours, whose lease says where it is after every commit. */
export interface Place {
  lease: PartitionLease
}

/** What we know about a partition is not what is stored: somebody else has it, or had it. */
export class LostPartition extends Error {
  override readonly name = 'LostPartition'
}

/** Where places move; without an offset each keeps its own. */
export type Reached = Partial<PartitionPoint> & Pick<PartitionPoint, 'completePosition'>

export interface Step {
  readonly head: number
  readonly ledger: LedgerIdentity | undefined
  /** All of the places are complete up to here. */
  readonly through: number
}

/**
 * Applies the next events after the place that is behind the others, at most `countMax` of the
 * ledger's and none above `upTo`, in one transaction. Places that are ahead get only what they lack.
 *
 * Errors: throws `ledger_rewound` (L7), `LostPartition`.
 */
export async function applyNext(
  { feed, ...ports }: ApplyPorts & { readonly feed: Pick<FeedReader, 'after'> },
  places: readonly Place[],
  {
    partitionCount,
    applied,
    countMax,
    upTo = Infinity,
  }: {
    readonly partitionCount: number
    /** Whose events were applied so far. */
    readonly applied: LedgerIdentity | undefined
    readonly countMax: number
    readonly upTo?: number
  },
): Promise<Step> {
  const from = leastOf(places)
  const partitions = places.map(({ lease }) => lease.partition)
  const slice = await feed.after(from, countMax, partitions.length === partitionCount ? undefined : { partitions, partitionCount })
  const { head, ledger } = slice
  requireReached(head, Math.max(...places.map(({ lease }) => lease.completePosition)))
  requireSameLedger(ledger, applied)
  const run = withoutGap(slice, from)
  const through = Math.min(run.through, upTo)
  if (through > from && ledger !== undefined) {
    const lacking = lackedBy(places, partitionCount, ports.codec)
    const events = run.events.filter((event) => event.position <= through && lacking(event))
    await applyEvents(ports, places, events, ledger, { completePosition: through })
  } else if (slice.events.length > 0) {
    ports.log.warn({ expected: from + 1, found: slice.events[0]?.position }, 'a gap in the feed: reading again')
  }
  return { head, ledger, through: leastOf(places) }
}

/** All of `places` are complete up to here. */
export const leastOf = (places: readonly Place[]): number => Math.min(...places.map(({ lease }) => lease.completePosition))

/** Tells which events are not applied yet where they belong. */
function lackedBy(places: readonly Place[], partitionCount: number, codec: Codec): (event: LedgerEvent) => boolean {
  const least = leastOf(places)
  if (places.every(({ lease }) => lease.completePosition === least)) return () => true
  const complete = new Map(places.map(({ lease }) => [lease.partition, lease.completePosition]))
  return ({ correlationId, position }) => position > (complete.get(partitionOf(correlationId, partitionCount, codec)) ?? Infinity)
}

/** P1: what was applied before is left out; a gap ends the run, and is read again from there. */
function withoutGap({ events, elsewhere }: FeedSlice, from: number): { readonly events: readonly LedgerEvent[]; readonly through: number } {
  const passed = new Set(elsewhere)
  const run: LedgerEvent[] = []
  let through = from
  const pass = (): void => {
    while (passed.has(through + 1)) through += 1
  }
  pass()
  for (const event of events) {
    if (event.position <= through) continue
    if (event.position > through + 1) break
    run.push(event)
    through += 1
    pass()
  }
  return { events: run, through }
}

/**
 * `events` are applied and every place moves: to `to.nextOffset`, where there is one, and to
 * `to.completePosition`, where it is not there already. One event that cannot be stored does not
 * hold up the others (L6, L11).
 *
 * Errors: throws `LostPartition`; then nothing of the last transaction is written.
 */
export async function applyEvents(
  ports: ApplyPorts,
  places: readonly Place[],
  events: readonly LedgerEvent[],
  ledger: LedgerIdentity | undefined,
  to: Reached,
): Promise<void> {
  const [first] = events
  if (first === undefined) {
    await move(ports, places, to, undefined)
    return
  }
  if (ledger === undefined) throw new LedgerError('internal', `Nobody knows of which ledger position ${first.position} is.`)
  const refusal = await move(ports, places, to, changeOf(events, ledger, ports.codec))
  if (refusal === undefined) return
  if (events.length === 1) {
    ports.log.error({ position: first.position, detail: refusal }, 'the facts of an event cannot be stored')
    const again = await move(ports, places, to, unreadableChangeOf(first, ledger, refusal))
    if (again !== undefined) throw new LedgerError('internal', `Not even that position ${first.position} is unreadable can be stored.`)
    return
  }
  const middle = Math.ceil(events.length / 2)
  const [head, tail] = [events.slice(0, middle), events.slice(middle)]
  await applyEvents(ports, places, head, ledger, { completePosition: head.at(-1)?.position ?? 0 })
  await applyEvents(ports, places, tail, ledger, to)
}

/** Answers why the change is refused, if it is. */
async function move(
  { store, onApplied }: ApplyPorts,
  places: readonly Place[],
  to: Reached,
  change: FeedChange | undefined,
): Promise<string | undefined> {
  const moves = places.map(({ lease }) => ({
    lease,
    to: {
      nextOffset: to.nextOffset ?? lease.nextOffset,
      completePosition: Math.max(lease.completePosition, to.completePosition),
    },
  }))
  const result = await store.apply(moves, change)
  switch (result.outcome) {
    case 'refused':
      return result.detail
    case 'fenced':
    case 'moved':
      throw new LostPartition(`Another process applies ${moves.map(({ lease }) => lease.partition).join(', ')} (${result.outcome}).`)
    case 'applied':
      for (const [index, { lease, to: reached }] of moves.entries()) {
        const place = places[index]
        if (place !== undefined) place.lease = { ...lease, ...reached }
      }
      onApplied()
      return undefined
  }
}

/** What these places are of the whole. */
export const shareOf = (places: readonly Place[], partitionCount: number): WorkShare => ({
  partitions: places.map(({ lease }) => lease.partition).toSorted((one, other) => one - other),
  partitionCount,
})
