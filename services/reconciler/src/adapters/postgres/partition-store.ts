/** The places of a partitioned feed on PostgreSQL: each moves in the transaction that applies (P5). */
import type pg from 'pg'
import type { PartitionLease, PartitionStore } from '../../app/partition-store.ts'
import type { FeedChange } from '../../app/ports.ts'
import { writeChange } from './apply-change.ts'
import { noteLedger, openPartitions, prepareFold } from './lease.ts'
import { isRefusal, transaction, withStoreErrors } from './pool.ts'

export interface PartitionStoreOptions {
  readonly pool: pg.Pool
  readonly group: string
  readonly topic: string
  /** Rows of an older fold are made again, rows of a newer one never touched (P7). */
  readonly foldVersion: number
  /** What a change does, beside the place in the feed; absent: it is written to the tables of the fold. */
  readonly write?: (client: pg.ClientBase, change: FeedChange) => Promise<void>
}

interface PartitionRow {
  readonly partition: number
  readonly next_offset: number | null
  readonly complete_position: number
  readonly fencing_epoch: number
}

export function createPostgresPartitionStore(options: PartitionStoreOptions): PartitionStore {
  const { pool, group, topic, foldVersion, write = writeChange } = options
  const inTransaction = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    transaction(pool, 'read committed', work)

  return {
    acquire: (partitions, partitionCount) =>
      inTransaction(async (client) => {
        const ledger = await prepareFold(client, foldVersion)
        await openPartitions(client, group, topic, partitionCount)
        // In order of the key, as every transaction on several of them, so that none waits in a circle.
        await client.query(
          `SELECT FROM feed_partitions WHERE feed_group = $1 AND topic = $2 AND partition = ANY($3::integer[])
            ORDER BY partition FOR UPDATE`,
          [group, topic, partitions],
        )
        const { rows } = await client.query<PartitionRow>(
          `UPDATE feed_partitions SET fencing_epoch = fencing_epoch + 1
            WHERE feed_group = $1 AND topic = $2 AND partition = ANY($3::integer[])
            RETURNING partition, next_offset, complete_position, fencing_epoch`,
          [group, topic, partitions],
        )
        return { ledger, leases: rows.map(toLease) }
      }),
    apply: async (lease, to, change) => {
      try {
        return { outcome: await inTransaction((client) => applyInPlace(client, lease, to, change)) }
      } catch (error) {
        if (isRefusal(error)) return { outcome: 'refused', detail: error.message }
        throw error
      }
    },
    completePosition: () =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ complete: number | null }>(
          'SELECT min(complete_position) AS complete FROM feed_partitions WHERE feed_group = $1 AND topic = $2',
          [group, topic],
        )
        return rows[0]?.complete ?? 0
      }),
  }

  async function applyInPlace(
    client: pg.ClientBase,
    lease: PartitionLease,
    to: Pick<PartitionLease, 'nextOffset' | 'completePosition'>,
    change: FeedChange | undefined,
  ): Promise<'applied' | 'fenced' | 'moved'> {
    const place = [group, topic, lease.partition]
    const { rows } = await client.query<PartitionRow>(
      `SELECT partition, next_offset, complete_position, fencing_epoch FROM feed_partitions
        WHERE feed_group = $1 AND topic = $2 AND partition = $3 FOR UPDATE`,
      place,
    )
    const [row] = rows
    if (row?.fencing_epoch !== lease.fencingEpoch) return 'fenced'
    const isThere = row.next_offset === (lease.nextOffset ?? null) && row.complete_position === lease.completePosition
    if (!isThere) return 'moved'
    if (change !== undefined) {
      await noteLedger(client, change.ledger)
      await write(client, change)
    }
    await client.query(
      'UPDATE feed_partitions SET next_offset = $4, complete_position = $5 WHERE feed_group = $1 AND topic = $2 AND partition = $3',
      [...place, to.nextOffset ?? null, to.completePosition],
    )
    return 'applied'
  }
}

const toLease = (row: PartitionRow): PartitionLease => ({
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
