/**
 * The one loop of a deployment that applies the feed.
 *
 * waiting:   another process holds the lease. Leaves to following when it is free or expired.
 * following: reads after the applied position, applies, again. Leaves to waiting when a newer owner
 *            took the lease (its fencing epoch makes our commit fail), to rewound, or to stopped.
 * rewound:   the ledger is another one or shorter than what was applied (L7). Leaves by a rebuild.
 * stopped:   `stop()`; the lease is given back.
 *
 * Worst case: killed between reading and committing. Nothing was written, the next owner reads the
 * same events again.
 */
import { LedgerError, type Codec, type LedgerEvent } from '@a2a-ledger/domain'
import { changeOf, unreadableChangeOf } from './feed-change.ts'
import type { Applied } from './applied.ts'
import type { FactStore, FeedReader, FeedSlice, Lease, LedgerIdentity, Log, Timer } from './ports.ts'

export interface FollowFeedPorts {
  readonly feed: FeedReader
  readonly store: FactStore
  readonly timer: Timer
  readonly codec: Codec
  readonly log: Log
  readonly applied: Applied
  /** Called after each commit: there may be tasks to look at. */
  readonly onApplied: () => void
}

export interface FollowFeedOptions {
  /** Names this process in the lease. */
  readonly owner: string
  readonly leaseTtlMs: number
  /** Also without a wake-up the feed is read this often. */
  readonly pollMs: number
  readonly batchCountMax: number
}

export type FeedStatus =
  | { readonly status: 'waiting' | 'following' | 'stopped'; readonly head: number }
  | { readonly status: 'rewound'; readonly head: number; readonly detail: string }

export interface FeedFollower {
  readonly status: () => FeedStatus
  /** True while this process is the one that applies, and is not far behind the ledger. */
  readonly isAbreast: () => boolean
  readonly stop: () => Promise<void>
}

/** After an outage of a database. */
const retryMs = 500

export function followFeed(ports: FollowFeedPorts, options: FollowFeedOptions): FeedFollower {
  const { feed, store, timer, log, applied } = ports
  let status: FeedStatus = { status: 'waiting', head: 0 }
  let lease: Lease | undefined
  let renewAtMs = 0
  let isStopping = false
  let wake: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => (wake = resolve))

  const holdLease = async (): Promise<Lease | undefined> => {
    if (lease === undefined) {
      lease = await store.acquire(options.owner, options.leaseTtlMs)
      renewAtMs = timer.elapsedMs() + options.leaseTtlMs / 3
      if (lease !== undefined) applied.advanceTo(lease.nextPosition - 1)
    } else if (timer.elapsedMs() >= renewAtMs) {
      if (!(await store.renew(lease, options.leaseTtlMs))) lease = undefined
      renewAtMs = timer.elapsedMs() + options.leaseTtlMs / 3
    }
    return lease
  }

  /** One turn; true when there may be more at once. */
  const turn = async (): Promise<boolean> => {
    const held = await holdLease()
    if (held === undefined) {
      status = { status: 'waiting', head: await feed.head() }
      return false
    }
    const slice = await feed.after(held.nextPosition - 1, options.batchCountMax)
    requireSameLedger(slice, held.ledger, held.nextPosition - 1)
    status = { status: 'following', head: slice.head }
    const events = withoutGap(slice, held.nextPosition)
    const last = events.at(-1)
    if (last === undefined && slice.events.length > 0) {
      log.warn({ expected: held.nextPosition, found: slice.events[0]?.position }, 'a gap in the feed: reading again')
    }
    if (last === undefined || slice.ledger === undefined) return false
    if (await applyRun(events, slice.ledger)) {
      return last.position < slice.head
    }
    log.warn({ position: held.nextPosition }, 'the feed is applied by another process')
    lease = undefined
    return false
  }

  /** One event that cannot be stored does not hold up the others (L6, L11). False: not the owner. */
  const applyRun = async (events: readonly LedgerEvent[], ledger: LedgerIdentity, refused?: string): Promise<boolean> => {
    const [first] = events
    const last = events.at(-1)
    if (first === undefined || last === undefined || lease === undefined) return false
    const change =
      refused === undefined ? changeOf(events, ledger, ports.codec) : unreadableChangeOf(first, ledger, refused)
    const result = await store.apply(change, lease)
    if (result.outcome === 'applied') {
      lease = { ...lease, ledger, nextPosition: last.position + 1 }
      applied.advanceTo(last.position)
      ports.onApplied()
      return true
    }
    if (result.outcome !== 'refused') return false
    if (refused !== undefined) throw new LedgerError('internal', `Not even that position ${first.position} is unreadable can be stored.`)
    if (events.length === 1) {
      log.error({ position: first.position, detail: result.detail }, 'the facts of an event cannot be stored')
      return applyRun(events, ledger, result.detail)
    }
    const middle = Math.ceil(events.length / 2)
    return (await applyRun(events.slice(0, middle), ledger)) && applyRun(events.slice(middle), ledger)
  }

  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        if (await turn()) continue
        await Promise.race([stopped, feed.more(options.pollMs)])
      } catch (error) {
        if (error instanceof LedgerError && error.code === 'ledger_rewound') {
          status = { status: 'rewound', head: status.head, detail: error.detail }
          log.error({ detail: error.detail }, 'ledger_rewound: nothing more is applied')
          break
        }
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the feed cannot be read or applied now')
        lease = undefined
        await Promise.race([stopped, timer.after(retryMs)])
      }
    }
    await stopped
    if (lease !== undefined) await store.release(lease)
    if (status.status !== 'rewound') status = { status: 'stopped', head: status.head }
  }

  const running = run()
  return {
    status: () => status,
    isAbreast: () => status.status === 'following' && status.head - (lease?.nextPosition ?? 0) < options.batchCountMax * 2,
    stop: async () => {
      isStopping = true
      wake()
      await running
    },
  }
}

/** L7: a cursor belongs to one life of one ledger, which never becomes shorter. */
function requireSameLedger(slice: FeedSlice, known: LedgerIdentity | undefined, appliedPosition: number): void {
  if (slice.head < appliedPosition) {
    throw new LedgerError(
      'ledger_rewound',
      `The ledger ends at position ${slice.head}, but ${appliedPosition} were applied. ` +
        'Restore the ledger, or rebuild the reconciler from this one.',
    )
  }
  if (known === undefined || slice.ledger === undefined) return
  if (known.ledgerId !== slice.ledger.ledgerId || known.epoch !== slice.ledger.epoch) {
    throw new LedgerError(
      'ledger_rewound',
      `The feed is of ledger ${slice.ledger.ledgerId} epoch ${slice.ledger.epoch}, ` +
        `but ${known.ledgerId} epoch ${known.epoch} was applied. Restore that one, or rebuild from this one.`,
    )
  }
}

/** P1: what was applied before is left out; a gap ends the run, and is read again from there. */
export function withoutGap(slice: FeedSlice, nextPosition: number): FeedSlice['events'] {
  const run: FeedSlice['events'][number][] = []
  let expected = nextPosition
  for (const event of slice.events) {
    if (event.position < expected) continue
    if (event.position > expected) break
    run.push(event)
    expected += 1
  }
  return run
}
