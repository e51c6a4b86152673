/** How far the feed is applied, of which ledger, and by which fold: the rows that are not folded themselves. */
import type pg from 'pg'
import { LedgerError } from '@a2a-ledger/domain'
import type { LedgerIdentity } from '../../app/ports.ts'

/** Whose partitions these are: a topic read by a group, or the Postgres tail. */
export interface FeedName {
  readonly group: string
  readonly topic: string
}

/** The Postgres tail among the topics: no topic of ours is called so. */
export const tail: FeedName = { group: 'reconciler', topic: 'ledger.feed_v1' }

/** Tables that hold what was folded; all can be made again from the ledger. */
export const foldedTables = [
  'streams', 'facts', 'inside_facts', 'attempt_streams', 'kin_marks', 'links', 'exchanges', 'link_marks', 'suggested_links', 'meshes', 'workers', 'worker_facts', 'worker_answers', 'worker_listings',
  'probe_moments', 'probe_words', 'probes', 'probe_schedules', 'observed_workers',
  'rechecks', 'worker_rechecks', 'task_list', 'task_participants', 'worker_evidence', 'artifact_digests', 'questions', 'decisions', 'mesh_acts',
] as const

/**
 * Where the tail was when one process led it by a single lease: the place that partitions begin at.
 * A process of that version is fenced by its epoch, and applies nothing where there are partitions.
 */
const single = "feed_group = 'reconciler' AND feed_partition = 0"

/** The last position up to which everything is applied: of the partition that is behind all others. */
export const appliedPosition = `SELECT coalesce((SELECT min(complete_position) FROM feed_partitions),
  (SELECT next_position - 1 FROM feed_offsets WHERE ${single}), 0)`

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
    await client.query(`UPDATE feed_offsets SET next_position = 1, fencing_epoch = fencing_epoch + 1 WHERE ${single}`)
    await client.query('SELECT FROM feed_partitions ORDER BY feed_group, topic, partition FOR UPDATE')
    await client.query(
      `UPDATE feed_partitions SET next_offset = NULL, complete_position = 0, fencing_epoch = fencing_epoch + 1, owner = NULL, lease_until = NULL`,
    )
    for (const table of foldedTables) await client.query(`DELETE FROM ${table}`)
    await client.query('UPDATE meta SET fold_version = $1', [foldVersion])
  }
  return identityOf(meta)
}

/**
 * There is a place for every partition of `feed`, as many as there were first, and `partitionCount`
 * where there were none: they begin where the tail was. Answers how many there are.
 *
 * Errors: throws `ledger_rewound` when these tables are applied from another topic, or from the tail
 * by one that follows no topic; `not_caught_up` while the slots of the tail are not level.
 */
export async function openPartitions(client: pg.ClientBase, feed: FeedName, partitionCount: number): Promise<number> {
  const known = await knownFeed(client)
  if (known?.topic === feed.topic && (known.count === partitionCount || feed === tail)) return known.count
  if (known !== undefined && known.topic !== tail.topic) throw appliedOtherwise(known)
  const base = known === undefined ? await endSingleLease(client) : await endSlots(client)
  await client.query(
    `INSERT INTO feed_partitions (feed_group, topic, partition, complete_position, fencing_epoch)
     SELECT $1, $2, partition, $4, $5 FROM generate_series(0, $3::integer - 1) AS partition`,
    [feed.group, feed.topic, partitionCount, base.complete_position, base.fencing_epoch],
  )
  return partitionCount
}

/** Throws as `openPartitions` where these tables are applied from a topic that is not ours. Changes nothing. */
export async function requireOwnFeed(client: pg.ClientBase | pg.Pool, feed: FeedName): Promise<void> {
  const known = await knownFeed(client)
  if (known !== undefined && known.topic !== feed.topic && known.topic !== tail.topic) throw appliedOtherwise(known)
}

interface KnownFeed {
  readonly topic: string
  readonly count: number
}

/** The feed that these tables are applied from, and in how many partitions; `undefined`: none so far. */
async function knownFeed(client: pg.ClientBase | pg.Pool): Promise<KnownFeed | undefined> {
  const { rows } = await client.query<KnownFeed>('SELECT topic, count(*) AS count FROM feed_partitions GROUP BY feed_group, topic')
  return rows[0]
}

interface Base {
  readonly complete_position: number
  readonly fencing_epoch: number
}

/** A process that holds it writes nothing more. */
async function endSingleLease(client: pg.ClientBase): Promise<Base> {
  const { rows } = await client.query<Base>(
    `UPDATE feed_offsets SET fencing_epoch = fencing_epoch + 1, owner = NULL, lease_until = NULL
      WHERE ${single} RETURNING next_position - 1 AS complete_position, fencing_epoch`,
  )
  return rows[0] ?? { complete_position: 0, fencing_epoch: 0 }
}

/** Processes that hold some of them write nothing more. */
async function endSlots(client: pg.ClientBase): Promise<Base> {
  await client.query('SELECT FROM feed_partitions ORDER BY feed_group, topic, partition FOR UPDATE')
  const { rows } = await client.query<Base & { least_position: number }>(
    'SELECT min(complete_position) AS least_position, max(complete_position) AS complete_position, max(fencing_epoch) + 1 AS fencing_epoch FROM feed_partitions',
  )
  const base = rows[0]
  if (base === undefined || base.least_position < base.complete_position) {
    throw new LedgerError('not_caught_up', `The slots of the Postgres tail are complete from ${base?.least_position} to ${base?.complete_position}.`)
  }
  await client.query('DELETE FROM feed_partitions')
  await client.query('DELETE FROM feed_members')
  return base
}

const appliedOtherwise = ({ topic, count }: KnownFeed): LedgerError =>
  new LedgerError(
    'ledger_rewound',
    `These tables are applied from topic ${topic} in ${count} partitions, and this process would read another feed. ` +
      'Give it the same KAFKA_BROKERS and KAFKA_TOPIC_PREFIX; or stop all, run npm run rebuild, and start with the other feed.',
  )

export const identityOf = (row: { ledger_id: string | null; epoch: number | null }): LedgerIdentity | undefined =>
  row.ledger_id === null || row.epoch === null ? undefined : { ledgerId: row.ledger_id, epoch: row.epoch }

/** The first change that is applied says whose events these are (L7). */
export async function noteLedger(client: pg.ClientBase, { ledgerId, epoch }: LedgerIdentity): Promise<void> {
  await client.query('UPDATE meta SET ledger_id = $1, epoch = $2 WHERE ledger_id IS NULL', [ledgerId, epoch])
}

export async function readApplied(client: pg.ClientBase | pg.Pool): Promise<number> {
  const { rows } = await client.query<{ applied: number }>(`SELECT (${appliedPosition}) AS applied`)
  return rows[0]?.applied ?? 0
}
