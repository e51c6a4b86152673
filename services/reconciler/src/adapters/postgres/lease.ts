/** Who applies the feed: one row, whose epoch rises with every owner (P5). */
import type pg from 'pg'
import { LedgerError } from '@a2a-ledger/domain'
import type { Lease, LedgerIdentity } from '../../app/ports.ts'

/** The Postgres tail is one partition; a Kafka feed has more. */
const feed = ['reconciler', 0] as const

/** Tables that hold what was folded; all can be made again from the ledger. */
export const foldedTables = [
  'streams', 'facts', 'inside_facts', 'attempt_streams', 'links', 'workers', 'worker_facts', 'worker_answers', 'rechecks',
  'worker_rechecks', 'task_list', 'task_participants', 'worker_evidence', 'artifact_digests', 'questions',
] as const

/**
 * Takes the lease when it is free, expired or one's own; what an older fold made is dropped then,
 * so that it is folded again from the start (P7).
 *
 * Errors: throws `internal` when a newer version of the fold wrote here: it must not be overwritten.
 */
export async function acquireLease(
  client: pg.ClientBase,
  owner: string,
  ttlMs: number,
  foldVersion: number,
): Promise<Lease | undefined> {
  await client.query('INSERT INTO feed_offsets (feed_group, feed_partition) VALUES ($1, $2) ON CONFLICT DO NOTHING', [...feed])
  await client.query('INSERT INTO meta (fold_version) VALUES ($1) ON CONFLICT DO NOTHING', [foldVersion])
  const taken = await client.query<{ fencing_epoch: number; next_position: number }>(
    `UPDATE feed_offsets
        SET fencing_epoch = fencing_epoch + 1, owner = $3, lease_until = clock_timestamp() + $4 * interval '1 ms'
      WHERE feed_group = $1 AND feed_partition = $2
        AND (owner = $3 OR lease_until IS NULL OR lease_until < clock_timestamp())
      RETURNING fencing_epoch, next_position`,
    [...feed, owner, ttlMs],
  )
  const lease = taken.rows[0]
  if (lease === undefined) return undefined
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
  const fencingEpoch = lease.fencing_epoch
  if (meta.fold_version < foldVersion) {
    for (const table of foldedTables) await client.query(`DELETE FROM ${table}`)
    await client.query('UPDATE meta SET fold_version = $1', [foldVersion])
    await client.query('UPDATE feed_offsets SET next_position = 1 WHERE feed_group = $1 AND feed_partition = $2', [...feed])
    return { fencingEpoch, nextPosition: 1, ledger: identityOf(meta) }
  }
  return { fencingEpoch, nextPosition: lease.next_position, ledger: identityOf(meta) }
}

export const identityOf = (row: { ledger_id: string | null; epoch: number | null }): LedgerIdentity | undefined =>
  row.ledger_id === null || row.epoch === null ? undefined : { ledgerId: row.ledger_id, epoch: row.epoch }

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

export async function readOffset(client: pg.ClientBase | pg.Pool): Promise<number> {
  const { rows } = await client.query<{ next_position: number }>(
    'SELECT next_position FROM feed_offsets WHERE feed_group = $1 AND feed_partition = $2',
    [...feed],
  )
  return (rows[0]?.next_position ?? 1) - 1
}
