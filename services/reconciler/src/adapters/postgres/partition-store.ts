/** The places of a partitioned feed on PostgreSQL: they move in the transaction that applies (P5). */
import type pg from 'pg'
import type { PartitionLease, PartitionMove, PartitionStore, TopicPartitions } from '../../app/partition-store.ts'
import type { FeedChange } from '../../app/ports.ts'
import { writeChange } from './apply-change.ts'
import { type FeedName, noteLedger, openPartitions, prepareFold, requireOwnFeed } from './feed-places.ts'
import { isRefusal, transaction, withStoreErrors } from './pool.ts'

export interface PartitionStoreOptions {
  readonly pool: pg.Pool
  /** Rows of an older fold are made again, rows of a newer one never touched (P7). */
  readonly foldVersion: number
  /** What a change does, beside the place in the feed; absent: it is written to the tables of the fold. */
  readonly write?: (client: pg.ClientBase, change: FeedChange) => Promise<void>
}

export interface PlaceRow {
  readonly partition: number
  readonly next_offset: number | null
  readonly complete_position: number
  readonly fencing_epoch: number
}

/** The partitions of a topic; whose they are is told by its consumer group. */
export function createPostgresTopicPartitions(options: PartitionStoreOptions & FeedName): TopicPartitions {
  const { pool, group, topic, foldVersion } = options
  return {
    acquire: (partitions, partitionCount) =>
      transaction(pool, 'read committed', async (client) => {
        const ledger = await prepareFold(client, foldVersion)
        await openPartitions(client, { group, topic }, partitionCount)
        // In order of the key, as every transaction on several of them, so that none waits in a circle.
        await client.query(
          `SELECT FROM feed_partitions WHERE feed_group = $1 AND topic = $2 AND partition = ANY($3::integer[])
            ORDER BY partition FOR UPDATE`,
          [group, topic, partitions],
        )
        const { rows } = await client.query<PlaceRow>(
          `UPDATE feed_partitions SET fencing_epoch = fencing_epoch + 1
            WHERE feed_group = $1 AND topic = $2 AND partition = ANY($3::integer[])
            RETURNING partition, next_offset, complete_position, fencing_epoch`,
          [group, topic, partitions],
        )
        return { ledger, partitionCount, leases: rows.map(toLease) }
      }),
    requireOwn: () => withStoreErrors(() => requireOwnFeed(pool, { group, topic })),
    apply: applyTo(options, { group, topic }),
  }
}

/**
 * What `PartitionStore.apply` promises, for the partitions of one feed. A lease that has an end is
 * prolonged by `leaseTtlMs` then.
 */
export function applyTo(
  { pool, write = writeChange }: PartitionStoreOptions,
  { group, topic }: FeedName,
  leaseTtlMs = 0,
): PartitionStore['apply'] {
  return async (moves, change) => {
    try {
      return { outcome: await transaction(pool, 'read committed', (client) => move(client, moves, change)) }
    } catch (error) {
      if (isRefusal(error)) return { outcome: 'refused', detail: error.message }
      throw error
    }
  }

  async function move(
    client: pg.ClientBase,
    moves: readonly PartitionMove[],
    change: FeedChange | undefined,
  ): Promise<'applied' | 'fenced' | 'moved'> {
    const partitions = moves.map(({ lease }) => lease.partition)
    const { rows } = await client.query<PlaceRow>(
      `SELECT partition, next_offset, complete_position, fencing_epoch FROM feed_partitions
        WHERE feed_group = $1 AND topic = $2 AND partition = ANY($3::integer[]) ORDER BY partition FOR UPDATE`,
      [group, topic, partitions],
    )
    const stored = new Map(rows.map((row) => [row.partition, row]))
    if (moves.some(({ lease }) => stored.get(lease.partition)?.fencing_epoch !== lease.fencingEpoch)) return 'fenced'
    if (!moves.every(({ lease }) => isAt(lease, stored.get(lease.partition)))) return 'moved'
    if (change !== undefined) {
      await noteLedger(client, change.ledger)
      await write(client, change)
    }
    await client.query(
      `UPDATE feed_partitions AS place
          SET next_offset = moved.next_offset, complete_position = moved.complete_position,
              lease_until = CASE WHEN lease_until IS NOT NULL THEN clock_timestamp() + $6 * interval '1 ms' END
         FROM unnest($3::integer[], $4::bigint[], $5::bigint[]) AS moved (partition, next_offset, complete_position)
        WHERE feed_group = $1 AND topic = $2 AND place.partition = moved.partition`,
      [
        group,
        topic,
        partitions,
        moves.map(({ to }) => to.nextOffset ?? null),
        moves.map(({ to }) => to.completePosition),
        leaseTtlMs,
      ],
    )
    return 'applied'
  }
}

const isAt = (lease: PartitionLease, row: PlaceRow | undefined): boolean =>
  row?.next_offset === (lease.nextOffset ?? null) && row.complete_position === lease.completePosition

export const toLease = (row: PlaceRow): PartitionLease => ({
  partition: row.partition,
  fencingEpoch: row.fencing_epoch,
  nextOffset: row.next_offset ?? undefined,
  completePosition: row.complete_position,
})

/** By how many partitions the ledger spreads its feed; `undefined`: it was never relayed to this topic. */
export const partitionCountOf = (pool: pg.Pool, topic: string): Promise<number | undefined> =>
  withStoreErrors(async () => {
    const { rows } = await pool.query<{ partition_count: number }>('SELECT partition_count FROM ledger.relay_v1 WHERE topic = $1', [topic])
    return rows[0]?.partition_count
  })
