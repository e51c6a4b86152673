/**
 * The feed in several partitions, each applied by one process at a time (P5).
 *
 * What a partition has applied is told by two numbers that change together with what was made of
 * its events: where reading goes on, and up to which position of the ledger it is complete. The
 * deployment is complete up to the smallest of the latter.
 */
import type { FeedChange, LedgerIdentity } from './ports.ts'

/** Proof of being the one that may apply a partition: void as soon as somebody acquired it again. */
export interface PartitionLease {
  readonly partition: number
  readonly fencingEpoch: number
  /** Absent: the topic was never read, what is complete came from the ledger. */
  readonly nextOffset: number | undefined
  /** Every event of this partition up to here is applied. */
  readonly completePosition: number
}

export interface PartitionStore {
  /**
   * The partitions are ours, every earlier lease of them is void.
   *
   * `partitionCount`: of the whole feed; those never acquired are where the Postgres tail was.
   * Errors: throws `ledger_rewound` when what is there was applied from another feed; `internal` when
   * a newer version of the fold wrote it.
   */
  readonly acquire: (
    partitions: readonly number[],
    partitionCount: number,
  ) => Promise<{ readonly ledger: LedgerIdentity | undefined; readonly leases: readonly PartitionLease[] }>
  /**
   * `change`, if any, and the new place are committed together.
   *
   * `fenced`: another process acquired the partition; `moved`: it is not where `lease` says. Nothing
   * is written in either case. `refused`: something in `change` cannot be stored, whoever tries.
   */
  readonly apply: (
    lease: PartitionLease,
    to: Pick<PartitionLease, 'nextOffset' | 'completePosition'>,
    change: FeedChange | undefined,
  ) => Promise<{ readonly outcome: 'applied' | 'fenced' | 'moved' } | { readonly outcome: 'refused'; readonly detail: string }>
  /** Every partition is complete up to here; 0 while none was acquired. */
  readonly completePosition: () => Promise<number>
}
