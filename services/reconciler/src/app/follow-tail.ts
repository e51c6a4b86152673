/**
 * Follows the Postgres tail together with the other processes that live, each on its share of the
 * slots (P5).
 *
 * waiting:   no slot is ours: the others have not given one up yet, or there are more processes than
 *            slots. Leaves to following with the first one.
 * following: reads behind the slot that is least far, applies to all of ours in one transaction,
 *            again. Between two of them: gives signs of life, gives up what is more than its share,
 *            takes what is free or expired.
 * rewound:   the ledger is another one or shorter than what was applied (L7). Final: leaves by a
 *            rebuild.
 * stopped:   `stop()`; the slots are given back.
 *
 * Worst case: stopped for longer than the lease, between reading and committing. Others took the
 * slots and raised their epochs: what is committed then is `fenced`, nothing is written; it looks
 * anew at what is its own. By its own clock it knows at once that its share may be somebody else's,
 * and settles nothing more of it.
 */
import { LedgerError, type Codec } from '@a2a-ledger/domain'
import { applyNext, leastOf, LostPartition, shareOf, type Place } from './apply-from-ledger.ts'
import type { Applied } from './applied.ts'
import { fairShare } from './fair-share.ts'
import type { Acquired, SlotsSeen, SlotStore } from './partition-store.ts'
import type { FeedReader, LedgerIdentity, Log, Outage, Timer, WorkShare } from './ports.ts'

export interface FollowTailPorts {
  readonly feed: FeedReader
  readonly store: SlotStore
  readonly timer: Timer
  readonly codec: Codec
  readonly log: Log
  /** That of the feed and of what is applied of it. */
  readonly outage: Outage
  readonly applied: Applied
  /** Called after each commit: there may be tasks to look at. */
  readonly onApplied: () => void
}

export interface FollowTailOptions {
  /** Names this process in its leases. */
  readonly member: string
  /** Also without a wake-up the feed is read this often, and the slots are looked at. */
  readonly pollMs: number
  readonly batchCountMax: number
}

export type TailStatus =
  | { readonly status: 'waiting' | 'following' | 'stopped' }
  | { readonly status: 'rewound'; readonly detail: string }

export interface TailFollower {
  readonly status: () => TailStatus
  /** What this process applies, while it can be sure that nobody else does. */
  readonly share: () => WorkShare
  /** True while it applies, and is not far behind the ledger. */
  readonly isAbreast: () => boolean
  readonly stop: () => Promise<void>
}

/** After an outage of a database. */
const retryMs = 500
/** A slice has events of other slots in it; it may be longer by this factor at most. */
const longerMax = 8

export function followTail(ports: FollowTailPorts, options: FollowTailOptions): TailFollower {
  const { feed, store, timer, log, outage, applied } = ports
  const { leaseTtlMs } = store
  const { member, pollMs, batchCountMax } = options
  let status: TailStatus = { status: 'waiting' }
  let ledger: LedgerIdentity | undefined
  let slotCount = 0
  let held: readonly Place[] = []
  let head = 0
  /** By our own clock: until then nobody else takes what we hold, unless the database lost sight of us. */
  let heldUntilMs = -Infinity
  let beatAtMs = -Infinity
  let lookAtMs = -Infinity
  let isStopping = false
  let wake: () => void = () => undefined

  const leases = () => held.map(({ lease }) => lease)
  const slotsOf = (places: readonly Place[]) => shareOf(places, slotCount).partitions

  const drop = (lost: readonly Place[]): void => {
    if (lost.length === 0) return
    held = held.filter((place) => !lost.includes(place))
    log.warn({ slots: slotsOf(lost), left: slotsOf(held) }, 'slots were taken over by another process')
  }

  const add = (acquired: Acquired): void => {
    ledger = acquired.ledger ?? ledger
    slotCount = acquired.partitionCount
    if (acquired.leases.length === 0) return
    const taken = acquired.leases.map((lease): Place => ({ lease }))
    held = [...held, ...taken]
    log.info({ slots: slotsOf(taken), all: slotsOf(held) }, 'slots taken')
    tellApplied()
  }

  /** Where all slots are ours nobody has to ask the database how far they are. */
  const tellApplied = (): void => {
    if (held.length > 0 && held.length === slotCount) applied.advanceTo(leastOf(held))
  }

  const beat = async (): Promise<void> => {
    const nowMs = timer.elapsedMs()
    if (nowMs < beatAtMs) return
    const kept = new Set(await store.beat(member, leases()))
    drop(held.filter(({ lease }) => !kept.has(lease)))
    beatAtMs = nowMs + leaseTtlMs / 3
    heldUntilMs = nowMs + leaseTtlMs
  }

  /** Gives up or takes slots, until the share is fair. */
  const balance = async (): Promise<void> => {
    const nowMs = timer.elapsedMs()
    if (nowMs < lookAtMs) return
    lookAtMs = nowMs + pollMs
    const seen = await store.look()
    if (!seen.members.includes(member)) beatAtMs = -Infinity // the tables were made anew
    drop(held.filter(({ lease }) => !isOwn(seen, lease)))
    if (seen.slots.length === 0) {
      add(await store.take(member, { countMax: Infinity, held: [] }))
      return
    }
    const fair = fairShare(seen, member)
    const surplus = held.slice(fair)
    if (surplus.length > 0) {
      held = held.slice(0, fair)
      await store.release(surplus.map(({ lease }) => lease))
      log.info({ slots: slotsOf(surplus), all: slotsOf(held) }, 'slots given up')
      return
    }
    const mine = held.map(({ lease }) => lease.partition)
    const others = seen.slots.filter(({ partition }) => !mine.includes(partition))
    // What we lost sight of in an outage is ours until somebody else takes it.
    const forgotten = others.filter(({ owner }) => owner === member).length
    const countMax = Math.max(forgotten, fair - held.length)
    if (countMax > 0 && (forgotten > 0 || others.some(({ owner }) => owner === undefined))) {
      add(await store.take(member, { countMax, held: mine }))
    }
  }

  const isOwn = ({ slots }: SlotsSeen, { partition, fencingEpoch }: Place['lease']): boolean =>
    slots.some((slot) => slot.partition === partition && slot.fencingEpoch === fencingEpoch)

  /** One turn; true when there may be more at once. */
  const turn = async (): Promise<boolean> => {
    await beat()
    await balance()
    if (held.length === 0) {
      status = { status: 'waiting' }
      return false
    }
    const nowMs = timer.elapsedMs()
    const before = leastOf(held)
    const countMax = batchCountMax * Math.min(longerMax, Math.ceil(slotCount / held.length))
    const step = await applyNext(ports, held, { partitionCount: slotCount, applied: ledger, countMax })
    head = step.head
    ledger ??= step.ledger
    status = { status: 'following' }
    if (step.through > before) heldUntilMs = nowMs + leaseTtlMs // it was prolonged with the places
    tellApplied()
    return step.through > before && step.through < head
  }

  /** Its end is a promise of its own: one that is raced again and again would keep every race. */
  const unlessStopped = async (...pauses: readonly Promise<void>[]): Promise<void> => {
    if (isStopping) return
    await Promise.race([...pauses, new Promise<void>((resolve) => (wake = resolve))])
  }

  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        const isMore = await turn()
        outage.over(() => log.info({ slots: slotsOf(held) }, 'the feed is read and applied again'))
        if (isMore) continue
        await unlessStopped(feed.more(pollMs))
      } catch (error) {
        if (error instanceof LedgerError && error.code === 'ledger_rewound') {
          status = { status: 'rewound', detail: error.detail }
          log.error({ detail: error.detail }, 'ledger_rewound: nothing more is applied')
          break
        }
        // What is ours is asked of the database: it knows what became of a commit.
        held = []
        lookAtMs = -Infinity
        if (error instanceof LostPartition) {
          log.warn({ detail: error.message }, 'slots were taken over by another process')
          continue
        }
        outage.met(() => log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the feed cannot be read or applied now'))
        await unlessStopped(timer.after(retryMs))
      }
    }
    await unlessStopped() // rewound
    const last = leases()
    held = []
    await store.leave(member, last).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the slots could not be given back: others take them when the lease is over')
    })
    if (status.status !== 'rewound') status = { status: 'stopped' }
  }

  const running = run()
  return {
    status: () => status,
    share: () => shareOf(timer.elapsedMs() < heldUntilMs ? held : [], slotCount),
    isAbreast: () => status.status === 'following' && held.length > 0 && head - leastOf(held) < batchCountMax * 2,
    stop: async () => {
      isStopping = true
      wake()
      await running
    },
  }
}

/**
 * Every slot is complete up to where one of them is, so that a feed in other partitions can go on
 * from there. Whoever holds them loses them.
 *
 * Errors: as `applyNext`.
 */
export async function levelSlots(
  ports: Pick<FollowTailPorts, 'feed' | 'store' | 'codec' | 'log' | 'onApplied'>,
  { member, batchCountMax }: Omit<FollowTailOptions, 'pollMs'>,
): Promise<void> {
  const complete = (await ports.store.look()).slots.map(({ completePosition }) => completePosition)
  if (complete.every((position) => position === complete[0])) return
  const acquired = await ports.store.take(member, { countMax: Infinity, held: [], fromOthers: true })
  const places = acquired.leases.map((lease): Place => ({ lease }))
  const upTo = Math.max(...places.map(({ lease }) => lease.completePosition))
  ports.log.info({ upTo }, 'the slots of the Postgres tail are made level')
  while (leastOf(places) < upTo) {
    const before = leastOf(places)
    const { through } = await applyNext(ports, places, { partitionCount: acquired.partitionCount, applied: acquired.ledger, countMax: batchCountMax, upTo })
    if (through === before) throw new Error(`The ledger has nothing between ${before} and ${upTo}.`)
  }
}
