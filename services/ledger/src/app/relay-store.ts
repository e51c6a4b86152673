/** What the relay of the feed needs of the database (P1–P4). */
import type { CorrelationRung, EventAttributes } from '@a2a-ledger/domain'

/** One event on its way to the feed. */
export interface RelayedEvent {
  readonly position: number
  readonly recordedAtMs: number
  readonly attributes: EventAttributes
  readonly correlationId: string
  readonly rung: CorrelationRung
  readonly refused: { readonly code: string; readonly correlationId: string } | undefined
  readonly derivedFrom: number | undefined
  readonly digest: string | undefined
  /** `undefined`: erased, or larger than was asked for. */
  readonly data: Uint8Array | undefined
}

/** What was published to one partition. */
export interface PartitionCursor {
  readonly topic: string
  readonly partition: number
  readonly lastPosition: number
  readonly nextOffset: number
}

/** Leadership of one feed: void as soon as a later term exists. */
export interface RelayTerm {
  readonly term: number
  /** Everything up to here is published. */
  readonly position: number
}

export interface RelayStore {
  /** A new term when the feed has no leader, or an expired one, or us; else nothing. */
  readonly acquire: (topic: string, owner: string, ttlMs: number) => Promise<RelayTerm | undefined>
  /**
   * Moves the cursor from `held.position` to `position`, keeps the partitions' cursors and renews
   * the lease: all or nothing.
   *
   * False: another term has begun, or the cursor is not where we left it. Nothing was written.
   */
  readonly commit: (
    topic: string,
    held: RelayTerm,
    progress: { readonly position: number; readonly partitions: readonly PartitionCursor[] },
    ttlMs: number,
  ) => Promise<boolean>
  readonly release: (topic: string, held: RelayTerm) => Promise<void>
  /** The term and the cursor as they are, without taking them; `undefined`: never published. */
  readonly current: (topic: string) => Promise<RelayTerm | undefined>
  /** Every partition of these topics that was ever published to, or is meant to be. */
  readonly partitions: (topics: readonly string[]) => Promise<readonly PartitionCursor[]>
  /** Fixes the number of partitions of a topic that has none yet. */
  readonly fixPartitions: (topic: string, partitionCount: number) => Promise<void>
  /** Events behind `after`, ascending; data above `dataBytesMax` is left out. Few enough to hold at once. */
  readonly events: (after: number, dataBytesMax: number) => Promise<readonly RelayedEvent[]>
}
