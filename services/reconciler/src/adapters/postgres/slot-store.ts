/**
 * The slots of the Postgres tail, and the processes that share them, by the database's clock (P5).
 *
 * A member holds an advisory lock on its name while its session lasts: when its process is killed,
 * or the server starts anew, the lock is gone, and its leases are over before their time. That
 * changes only when others may take slots; who may write is told by the epochs alone.
 *
 * Worst case: the lock says little, behind a pooler that shares sessions. One that stays behind has
 * the others wait until the lease is over; one that is lost while its member lives has them take
 * slots of it, which fences it, and it takes part again with its next sign of life.
 */
import type pg from 'pg'
import type { PartitionLease, SlotStore } from '../../app/partition-store.ts'
import { openPartitions, prepareFold, tail } from './feed-places.ts'
import { applyTo, type PartitionStoreOptions, type PlaceRow, toLease } from './partition-store.ts'
import { transaction, withStoreErrors } from './pool.ts'

/** Of fresh tables; those that are there keep theirs. Shared evenly by 2, 3, 4, 6 or 12 processes. */
const slotCountAtFirst = 12

export interface SlotStoreOptions extends PartitionStoreOptions {
  readonly leaseTtlMs: number
  /** One connection that is kept open: PostgreSQL sees by its end that the process is gone. */
  readonly session: pg.Pool
}

/** Who is asked for among the advisory locks; the other half of the key is the member. */
const lockClass = "hashtext('feed_members')"

/** Members whose session ended, though their time is not over. */
const goneMembers = `SELECT member FROM feed_members WHERE NOT EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND (classid, objid, objsubid) = (${lockClass}::oid, hashtext(member)::oid, 2))`

interface SlotRow {
  readonly partition: number
  readonly owner: string | null
  readonly fencing_epoch: number
  readonly complete_position: number
}

export function createPostgresSlotStore(options: SlotStoreOptions): SlotStore {
  const { pool, session, foldVersion, leaseTtlMs } = options
  const inTransaction = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    transaction(pool, 'read committed', work)

  return {
    leaseTtlMs,
    look: () =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ slots: readonly SlotRow[] | null; members: readonly string[] }>(
          `WITH gone AS MATERIALIZED (${goneMembers})
           SELECT (SELECT json_agg(json_build_object(
                            'partition', partition, 'fencing_epoch', fencing_epoch, 'complete_position', complete_position,
                            'owner', CASE WHEN lease_until >= clock_timestamp() AND owner NOT IN (TABLE gone) THEN owner END) ORDER BY partition)
                     FROM feed_partitions WHERE feed_group = $1 AND topic = $2) AS slots,
                  ARRAY(SELECT member FROM feed_members WHERE lease_until >= clock_timestamp() AND member NOT IN (TABLE gone)) AS members`,
          [tail.group, tail.topic],
        )
        const { slots, members = [] } = rows[0] ?? {}
        return {
          members,
          slots: (slots ?? []).map((row) => ({
            partition: row.partition,
            owner: row.owner ?? undefined,
            fencingEpoch: row.fencing_epoch,
            completePosition: row.complete_position,
          })),
        }
      }),
    beat: (member, leases) =>
      transaction(session, 'read committed', async (client) => {
        // Each time: the session may be another one by now. Before the row: who sees it finds the lock.
        await client.query(`SELECT pg_advisory_lock_shared(${lockClass}, hashtext($1))`, [member])
        await client.query(
          `INSERT INTO feed_members (member, lease_until) VALUES ($1, clock_timestamp() + $2 * interval '1 ms')
           ON CONFLICT (member) DO UPDATE SET lease_until = excluded.lease_until`,
          [member, leaseTtlMs],
        )
        await client.query(
          `DELETE FROM feed_members WHERE member IN
             (SELECT member FROM feed_members WHERE lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED)`,
        )
        const { rows } = await client.query<{ partition: number }>(
          `WITH own AS (
             SELECT feed_group, topic, partition FROM feed_partitions
               JOIN unnest($3::integer[], $4::bigint[]) AS held (partition, fencing_epoch) USING (partition, fencing_epoch)
              WHERE feed_group = $1 AND topic = $2 ORDER BY partition FOR UPDATE OF feed_partitions)
           UPDATE feed_partitions SET lease_until = clock_timestamp() + $5 * interval '1 ms'
             FROM own WHERE (feed_partitions.feed_group, feed_partitions.topic, feed_partitions.partition) = (own.feed_group, own.topic, own.partition)
           RETURNING feed_partitions.partition`,
          [tail.group, tail.topic, ...columnsOf(leases), leaseTtlMs],
        )
        const own = new Set(rows.map(({ partition }) => partition))
        return leases.filter(({ partition }) => own.has(partition))
      }),
    take: (member, { countMax, held, fromOthers = false }) =>
      inTransaction(async (client) => {
        const ledger = await prepareFold(client, foldVersion)
        const partitionCount = await openPartitions(client, tail, slotCountAtFirst)
        const { rows } = await client.query<PlaceRow>(
          `WITH taken AS (
             SELECT feed_group, topic, partition FROM feed_partitions
              WHERE feed_group = $1 AND topic = $2 AND partition <> ALL($4::integer[])
                AND ($6 OR owner IS NULL OR owner = $3 OR lease_until < clock_timestamp() OR owner IN (${goneMembers}))
              ORDER BY owner IS DISTINCT FROM $3, partition LIMIT $5 FOR UPDATE SKIP LOCKED)
           UPDATE feed_partitions AS place
              SET fencing_epoch = fencing_epoch + 1, owner = $3, lease_until = clock_timestamp() + $7 * interval '1 ms'
             FROM taken WHERE (place.feed_group, place.topic, place.partition) = (taken.feed_group, taken.topic, taken.partition)
           RETURNING place.partition, next_offset, complete_position, fencing_epoch`,
          [tail.group, tail.topic, member, held, Math.min(countMax, partitionCount), fromOthers, leaseTtlMs],
        )
        return { ledger, partitionCount, leases: rows.map(toLease).toSorted((one, other) => one.partition - other.partition) }
      }),
    release: (leases) => withStoreErrors(() => release(pool, leases)),
    leave: (member, leases) =>
      inTransaction(async (client) => {
        await client.query('DELETE FROM feed_members WHERE member = $1', [member])
        await release(client, leases)
      }),
    apply: applyTo(options, tail, leaseTtlMs),
  }
}

const columnsOf = (leases: readonly PartitionLease[]) => [
  leases.map(({ partition }) => partition),
  leases.map(({ fencingEpoch }) => fencingEpoch),
]

async function release(client: pg.ClientBase | pg.Pool, leases: readonly PartitionLease[]): Promise<void> {
  await client.query(
    `UPDATE feed_partitions AS place SET owner = NULL, lease_until = NULL
       FROM unnest($3::integer[], $4::bigint[]) AS held (partition, fencing_epoch)
      WHERE feed_group = $1 AND topic = $2 AND (place.partition, place.fencing_epoch) = (held.partition, held.fencing_epoch)`,
    [tail.group, tail.topic, ...columnsOf(leases)],
  )
}
