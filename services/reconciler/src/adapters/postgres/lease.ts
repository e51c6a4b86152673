/** Who applies the feed: one row, whose epoch rises with every owner (P5). */
import type pg from 'pg'
import { LedgerError } from '@a2a-ledger/domain'
import type { Lease, LedgerIdentity } from '../../app/ports.ts'

/** The Postgres tail is one partition; those of a Kafka feed have their places in `feed_partitions`. */
const feed = ['reconciler', 0] as const

/** Tables that hold what was folded; all can be made again from the ledger. */
export const foldedTables = [
  'streams', 'facts', 'inside_facts', 'attempt_streams', 'kin_marks', 'links', 'exchanges', 'link_marks', 'suggested_links', 'meshes', 'workers', 'worker_facts', 'worker_answers', 'worker_listings',
  'rechecks', 'worker_rechecks', 'task_list', 'task_participants', 'worker_evidence', 'artifact_digests', 'questions',
] as const

/** The last position up to which everything is applied: of the partition that is behind all others, where there are some. */
export const appliedPosition = `SELECT coalesce((SELECT min(complete_position) FROM feed_partitions),
  (SELECT next_position - 1 FROM feed_offsets WHERE feed_group = '${feed[0]}' AND feed_partition = ${feed[1]}), 0)`

/**
 * Takes the lease when it is free, expired or one's own; what an older fold made is dropped then,
 * so that it is folded again from the start (P7).
 *
 * Errors: throws `internal` when a newer version of the fold wrote here: it must not be overwritten;
 * `ledger_rewound` when these tables are applied from Kafka.
 */
export async function acquireLease(
  client: pg.ClientBase,
  owner: string,
  ttlMs: number,
  foldVersion: number,
): Promise<Lease | undefined> {
  await client.query('INSERT INTO feed_offsets (feed_group, feed_partition) VALUES ($1, $2) ON CONFLICT DO NOTHING', [...feed])
  const taken = await client.query(
    `UPDATE feed_offsets
        SET fencing_epoch = fencing_epoch + 1, owner = $3, lease_until = clock_timestamp() + $4 * interval '1 ms'
      WHERE feed_group = $1 AND feed_partition = $2
        AND (owner = $3 OR lease_until IS NULL OR lease_until < clock_timestamp())`,
    [...feed, owner, ttlMs],
  )
  if (taken.rowCount === 0) return undefined
  const { rows: partitions } = await client.query<{ topic: string }>('SELECT topic FROM feed_partitions LIMIT 1')
  if (partitions[0] !== undefined) throw appliedOtherwise(`topic ${partitions[0].topic}`)
  const ledger = await prepareFold(client, foldVersion)
  const { rows } = await client.query<{ fencing_epoch: number; next_position: number }>(
    'SELECT fencing_epoch, next_position FROM feed_offsets WHERE feed_group = $1 AND feed_partition = $2',
    [...feed],
  )
  return { fencingEpoch: rows[0]?.fencing_epoch ?? 0, nextPosition: rows[0]?.next_position ?? 1, ledger }
}

/**
 * The tables are of this version of the fold, or empty; answers whose events are in them. Everyone
 * who acquires waits here for the others.
 *
 * Errors: throws `internal` when a newer version of the fold wrote here: it must not be overwritten.
 */
export async function prepareFold(client: pg.ClientBase, foldVersion: number): Promise<LedgerIdentity | undefined> {
  await client.query('INSERT INTO meta (fold_version) VALUES ($1) ON CONFLICT DO NOTHING', [foldVersion])
  const { rows } = await client.query<{ fold_version: number; ledger_id: string | null; epoch: number | null }>(
    'SELECT fold_version, ledger_id, epoch FROM meta FOR UPDATE',
  )
  const meta = rows[0]
  if (meta === undefined) throw new LedgerError('internal', 'The table meta lost its row.')
  if (meta.fold_version > foldVersion) {
    throw new LedgerError(
      'internal',
      `The tables are of fold version ${meta.fold_version}, this process has ${foldVersion}: start the newer version.`,
    )
  }
  if (meta.fold_version < foldVersion) {
    // The places first: what somebody applies at this moment is waited for, and dropped with the rest.
    await client.query(
      `UPDATE feed_offsets SET next_position = 1,
              fencing_epoch = greatest(fencing_epoch, (SELECT max(fencing_epoch) FROM feed_partitions)) + 1
        WHERE feed_group = $1 AND feed_partition = $2`,
      [...feed],
    )
    await client.query('DELETE FROM feed_partitions')
    for (const table of foldedTables) await client.query(`DELETE FROM ${table}`)
    await client.query('UPDATE meta SET fold_version = $1', [foldVersion])
  }
  return identityOf(meta)
}

/**
 * There is a place for every partition of `topic`: first where the Postgres tail was, whose lease is
 * void from now on.
 *
 * Errors: throws `ledger_rewound` when these tables are applied from another topic.
 */
export async function openPartitions(client: pg.ClientBase, group: string, topic: string, partitionCount: number): Promise<void> {
  const { rows } = await client.query<{ topic: string; count: number }>(
    'SELECT topic, count(*) AS count FROM feed_partitions GROUP BY feed_group, topic',
  )
  const [known] = rows
  if (known !== undefined) {
    if (known.topic === topic && known.count === partitionCount) return
    throw appliedOtherwise(`topic ${known.topic} in ${known.count} partitions`)
  }
  await client.query('INSERT INTO feed_offsets (feed_group, feed_partition) VALUES ($1, $2) ON CONFLICT DO NOTHING', [...feed])
  await client.query(
    `WITH base AS (
       UPDATE feed_offsets SET fencing_epoch = fencing_epoch + 1, owner = NULL, lease_until = NULL
        WHERE feed_group = $1 AND feed_partition = $2 RETURNING next_position - 1 AS complete_position, fencing_epoch)
     INSERT INTO feed_partitions (feed_group, topic, partition, complete_position, fencing_epoch)
     SELECT $3, $4, partition, complete_position, fencing_epoch FROM base, generate_series(0, $5::integer - 1) AS partition`,
    [...feed, group, topic, partitionCount],
  )
}

const appliedOtherwise = (from: string): LedgerError =>
  new LedgerError(
    'ledger_rewound',
    `These tables are applied from ${from}, and this process would read another feed. ` +
      'Give it the same KAFKA_BROKERS and KAFKA_TOPIC_PREFIX; or stop all, run npm run rebuild, and start with the other feed.',
  )

export const identityOf = (row: { ledger_id: string | null; epoch: number | null }): LedgerIdentity | undefined =>
  row.ledger_id === null || row.epoch === null ? undefined : { ledgerId: row.ledger_id, epoch: row.epoch }

/** The first change that is applied says whose events these are (L7). */
export async function noteLedger(client: pg.ClientBase, { ledgerId, epoch }: LedgerIdentity): Promise<void> {
  await client.query('UPDATE meta SET ledger_id = $1, epoch = $2 WHERE ledger_id IS NULL', [ledgerId, epoch])
}

export async function renewLease(client: pg.ClientBase | pg.Pool, { fencingEpoch }: Lease, ttlMs: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE feed_offsets SET lease_until = clock_timestamp() + $4 * interval '1 ms'
      WHERE feed_group = $1 AND feed_partition = $2 AND fencing_epoch = $3`,
    [...feed, fencingEpoch, ttlMs],
  )
  return rowCount === 1
}

export async function releaseLease(client: pg.ClientBase | pg.Pool, { fencingEpoch }: Lease): Promise<void> {
  await client.query(
    `UPDATE feed_offsets SET owner = NULL, lease_until = NULL
      WHERE feed_group = $1 AND feed_partition = $2 AND fencing_epoch = $3`,
    [...feed, fencingEpoch],
  )
}

/** Locks the offset for this transaction and says whether `lease` may go on from `position`. */
export async function lockOffset(
  client: pg.ClientBase,
  lease: Lease,
  position: number,
): Promise<'mine' | 'fenced' | 'moved'> {
  const { rows } = await client.query<{ fencing_epoch: number; next_position: number }>(
    'SELECT fencing_epoch, next_position FROM feed_offsets WHERE feed_group = $1 AND feed_partition = $2 FOR UPDATE',
    [...feed],
  )
  if (rows[0]?.fencing_epoch !== lease.fencingEpoch) return 'fenced'
  return rows[0].next_position === position ? 'mine' : 'moved'
}

export async function moveOffset(client: pg.ClientBase, nextPosition: number): Promise<void> {
  await client.query('UPDATE feed_offsets SET next_position = $3 WHERE feed_group = $1 AND feed_partition = $2', [
    ...feed,
    nextPosition,
  ])
}

export async function readApplied(client: pg.ClientBase | pg.Pool): Promise<number> {
  const { rows } = await client.query<{ applied: number }>(`SELECT (${appliedPosition}) AS applied`)
  return rows[0]?.applied ?? 0
}
