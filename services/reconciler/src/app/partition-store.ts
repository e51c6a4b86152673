/**
 * The feed in several partitions, each applied by one process at a time (P5).
 *
 * Those of a Kafka feed are those of its topic, and its consumer group says whose they are. Those of
 * the Postgres tail are hash slots, leased to the processes that live. The same function tells the
 * partition of a correlation ID, and the same rows how far each one is.
 *
 * What a partition has applied is told by two numbers that change together with what was made of
 * its events: where reading goes on, and up to which position of the ledger it is complete. The
 * deployment is complete up to the smallest of the latter.
 */
import type { Codec } from '@a2a-ledger/domain'
import type { ApplyOutcome, FeedChange, LedgerIdentity, WorkShare } from './ports.ts'

/** Proof of being the one that may apply a partition: void as soon as somebody acquired it again. */
export interface PartitionLease {
  readonly partition: number
  readonly fencingEpoch: number
  /** Absent: no topic was read, what is complete came from the ledger. */
  readonly nextOffset: number | undefined
  /** Every event of this partition up to here is applied. */
  readonly completePosition: number
}

/** Where a partition is, or will be. */
export type PartitionPoint = Pick<PartitionLease, 'nextOffset' | 'completePosition'>

export interface PartitionMove {
  readonly lease: PartitionLease
  readonly to: PartitionPoint
}

export interface PartitionStore {
  /**
   * `change`, if any, and the new places are committed together, all or none.
   *
   * `fenced`: another process acquired one of the partitions; `moved`: one is not where its lease
   * says, so the same moves again are `moved`. `refused`: Postgres cannot store something in
   * `change`, however often it is tried. Nothing is written in any of these cases.
   */
  readonly apply: (moves: readonly PartitionMove[], change: FeedChange | undefined) => Promise<ApplyOutcome>
}

/** What was just acquired, and of what. */
export interface Acquired {
  /** Whose events were applied so far; absent: nobody's. */
  readonly ledger: LedgerIdentity | undefined
  /** Of the whole feed; it never changes. */
  readonly partitionCount: number
  readonly leases: readonly PartitionLease[]
}

/** The places of a feed whose owners are told by somebody else. */
export interface TopicPartitions extends PartitionStore {
  /**
   * The partitions are ours, every earlier lease of them is void.
   *
   * `partitionCount`: of the whole feed; those never acquired are where the Postgres tail was.
   * Errors: throws `ledger_rewound` when what is there was applied from another feed; `internal` when
   * a newer version of the fold wrote it; `not_caught_up` while the slots of the tail are not level.
   */
  readonly acquire: (partitions: readonly number[], partitionCount: number) => Promise<Acquired>
  /**
   * Returns when nothing is there so far, or what is there was applied from this feed or from the
   * Postgres tail. Reads only: also for one whose topic gives it nothing to acquire.
   *
   * Errors: throws `ledger_rewound` when it was applied from another topic.
   */
  readonly requireOwn: () => Promise<void>
}

/** One slot as the database has it. */
export interface SlotSeen {
  readonly partition: number
  /** Absent: free, its lease expired, or its process is gone. */
  readonly owner: string | undefined
  readonly fencingEpoch: number
  readonly completePosition: number
}

export interface SlotsSeen {
  /** All of them, or none before the first `take`. */
  readonly slots: readonly SlotSeen[]
  /** Who gave a sign of life within its time, and is not gone since. */
  readonly members: readonly string[]
}

/**
 * The slots of the Postgres tail, leased by the database's clock. The leases of a process that the
 * database saw end, or that is of before the database's last start, are over at once.
 */
export interface SlotStore extends PartitionStore {
  /** How long a member and its leases count without a sign of life; every apply is one of its slots. */
  readonly leaseTtlMs: number
  /** Reads only. */
  readonly look: () => Promise<SlotsSeen>
  /** `member` lives, and goes on holding these leases. Answers those of them that are still its own. */
  readonly beat: (member: string, leases: readonly PartitionLease[]) => Promise<readonly PartitionLease[]>
  /**
   * At most `countMax` slots that are free, as `owner` tells, or the member's own, but for those in
   * `held`, are the member's; where `fromOthers`, whoever holds them. Earlier leases of them are
   * void. What an older fold made is dropped first, so that it is folded again from the start (P7).
   *
   * The first call on fresh tables makes the slots. A slot that somebody applies at this moment is
   * left out.
   * Errors: as `acquire` of a topic.
   */
  readonly take: (
    member: string,
    options: { readonly countMax: number; readonly held: readonly number[]; readonly fromOthers?: boolean },
  ) => Promise<Acquired>
  /** Whoever takes them next goes on from there, without waiting for the lease to expire. */
  readonly release: (leases: readonly PartitionLease[]) => Promise<void>
  /** As `release`, and `member` counts no more. */
  readonly leave: (member: string, leases: readonly PartitionLease[]) => Promise<void>
}

/**
 * The partition of a correlation ID: the first four bytes of its SHA-256. The relay and the stored
 * keys go by the same.
 */
export const partitionOf = (correlationId: string, partitionCount: number, { sha256Hex }: Pick<Codec, 'sha256Hex'>): number =>
  Number.parseInt(sha256Hex(correlationId).slice(0, 8), 16) % partitionCount

/** Whether `correlationId` is in one of the partitions of `share`. */
export const isInShare = ({ partitions, partitionCount }: WorkShare, correlationId: string, codec: Pick<Codec, 'sha256Hex'>): boolean =>
  partitions.length === partitionCount || partitions.includes(partitionOf(correlationId, partitionCount, codec))
