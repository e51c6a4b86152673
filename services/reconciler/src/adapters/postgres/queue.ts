/** Which tasks wait to be looked at, and which ones a change of their worker concerns (P6). */
import type pg from 'pg'
import type { HeldActs, QueueState, WorkShare } from '../../app/ports.ts'
import { appliedPosition, readApplied } from './feed-places.ts'
import { dropMarks } from './suggestions.ts'

/** As `partitionOf`: a key begins with the bytes that the partition is made of. */
const isInShare = (count: string, partitions: string): string =>
  `(${count}::integer IS NULL OR
    (('x' || encode(substr(stream_key, 1, 4), 'hex'))::bit(32)::bigint & 4294967295) % ${count}::integer = ANY(${partitions}::integer[]))`

const shareValues = (share: WorkShare | undefined) =>
  share === undefined || share.partitions.length === share.partitionCount ? [null, null] : [share.partitionCount, share.partitions]

/** Queued tasks in order of what queued them, then those that are due. */
export async function takeWork(client: pg.Pool, limit: number, withDue: boolean, share?: WorkShare): Promise<readonly string[]> {
  const { rows } = await client.query<{ correlation_id: string }>(
    `(SELECT correlation_id FROM
        (SELECT stream_key, since_position FROM rechecks WHERE since_position <= (${appliedPosition}) AND ${isInShare('$3', '$4')}
          ORDER BY since_position LIMIT $1) AS queued
        JOIN streams USING (stream_key) ORDER BY queued.since_position)
     UNION ALL
     (SELECT correlation_id FROM task_list
       WHERE $2 AND due_at_ms <= floor(extract(epoch FROM clock_timestamp()) * 1000) AND ${isInShare('$3', '$4')}
       ORDER BY due_at_ms LIMIT $1)`,
    [limit, withDue, ...shareValues(share)],
  )
  return [...new Set(rows.map(({ correlation_id }) => correlation_id))].slice(0, limit)
}

export async function nextDue(client: pg.Pool, share?: WorkShare): Promise<{ readonly inMs: number } | undefined> {
  const { rows } = await client.query<{ in_ms: number | null }>(
    `SELECT min(due_at_ms) - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS in_ms
       FROM task_list WHERE due_at_ms IS NOT NULL AND ${isInShare('$1', '$2')}`,
    shareValues(share),
  )
  const inMs = rows[0]?.in_ms
  return inMs === undefined || inMs === null ? undefined : { inMs }
}

/**
 * Queues the next tasks that one change of a worker concerns: those not ended by then, and, where
 * the worker can be a candidate (V6, V7), those of its mesh that wait for one. False: no change waits.
 *
 * Runs after the queue of tasks is empty, so that their rows are as new as the change.
 */
export async function spreadWorkerRecheck(client: pg.ClientBase, limit: number): Promise<boolean> {
  const { rows } = await client.query<{
    worker_key: Buffer
    reason: 'changed' | 'answered'
    position: number
    since_ms: number
    after_key: Buffer
  }>('SELECT * FROM worker_rechecks ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED')
  const change = rows[0]
  if (change === undefined) return false
  const concerned =
    change.reason === 'answered'
      ? `SELECT stream_key FROM task_participants WHERE worker_key = $1 AND awaits_answer AND $3::bigint IS NOT NULL`
      : `SELECT stream_key FROM task_participants JOIN task_list USING (stream_key)
          WHERE worker_key = $1 AND (is_open OR latest_ms >= $3)
         UNION
         SELECT stream_key FROM task_list
          WHERE awaits_candidate AND (SELECT can_take_over FROM workers WHERE worker_key = $1) AND EXISTS (
            SELECT FROM task_participants AS participant JOIN workers AS asking USING (worker_key)
             WHERE participant.stream_key = task_list.stream_key
               AND asking.mesh = (SELECT mesh FROM workers WHERE worker_key = $1))`
  const { rows: found } = await client.query<{ stream_key: Buffer }>(
    `SELECT DISTINCT stream_key FROM (${concerned}) AS concerned WHERE stream_key > $2 ORDER BY stream_key LIMIT $4`,
    [change.worker_key, change.after_key, change.since_ms, limit],
  )
  const keys = found.map(({ stream_key }) => stream_key)
  await client.query(
    `INSERT INTO rechecks (stream_key, position, since_position) SELECT stream_key, $2, $2 FROM unnest($1::bytea[]) AS stream_key
     ON CONFLICT (stream_key) DO UPDATE
       SET position = greatest(rechecks.position, excluded.position),
           since_position = least(rechecks.since_position, excluded.since_position)`,
    [keys, change.position],
  )
  const last = keys.at(-1)
  if (last === undefined || keys.length < limit) {
    await client.query('DELETE FROM worker_rechecks WHERE worker_key = $1 AND reason = $2', [change.worker_key, change.reason])
  } else {
    await client.query('UPDATE worker_rechecks SET after_key = $3 WHERE worker_key = $1 AND reason = $2', [
      change.worker_key,
      change.reason,
      last,
    ])
  }
  return true
}

/** How many tasks wait, and up to which position every list row and every worker's view is right. */
export async function queueState(client: pg.Pool): Promise<QueueState> {
  const { rows } = await client.query<{ recheck_count: number; incomplete_count: number; first_position: number | null }>(
    `SELECT (SELECT count(*) FROM rechecks) AS recheck_count,
            (SELECT count(*) FROM task_list WHERE is_incomplete) AS incomplete_count,
            least((SELECT min(since_position) FROM rechecks), (SELECT min(position) FROM worker_rechecks)) AS first_position`,
  )
  const applied = await readApplied(client)
  const first = rows[0]?.first_position
  return {
    recheckCount: rows[0]?.recheck_count ?? 0,
    incompleteCount: rows[0]?.incomplete_count ?? 0,
    settledPosition: first === undefined || first === null ? applied : Math.min(applied, first - 1),
  }
}

/** By the partial indexes on what is held: most tasks hold nothing. */
export async function heldActs(client: pg.Pool): Promise<HeldActs> {
  const secondsSince = (moment: string): string =>
    `coalesce(greatest(0, extract(epoch FROM clock_timestamp()) - min(${moment}) / 1000.0), 0)::double precision`
  const { rows } = await client.query<{ intents: number; intent_seconds: number; waiting: number; waiting_seconds: number }>(
    `SELECT * FROM (SELECT coalesce(sum(open_intent_count), 0)::bigint AS intents, ${secondsSince('open_intent_since_ms')} AS intent_seconds
                      FROM task_list WHERE open_intent_count > 0) AS open,
                   (SELECT count(*) AS waiting, ${secondsSince('waiting_since_ms')} AS waiting_seconds
                      FROM task_list WHERE waiting_since_ms IS NOT NULL) AS waits`,
  )
  const [row] = rows
  return {
    openIntents: row?.intents ?? 0,
    oldestIntentSeconds: row?.intent_seconds ?? 0,
    waiting: row?.waiting ?? 0,
    oldestWaitingSeconds: row?.waiting_seconds ?? 0,
  }
}

/**
 * These tasks, in the order of their keys, were looked at with everything up to `positions`. Call it
 * in a transaction.
 */
export async function unqueue(client: pg.ClientBase, keys: readonly Buffer[], positions: readonly number[]): Promise<void> {
  await client.query('SELECT FROM rechecks WHERE stream_key = ANY($1::bytea[]) ORDER BY stream_key FOR UPDATE', [keys])
  await client.query(
    `WITH done AS (SELECT * FROM unnest($1::bytea[], $2::bigint[]) AS row (stream_key, position)),
          gone AS (DELETE FROM rechecks USING done
                    WHERE rechecks.stream_key = done.stream_key AND rechecks.position <= done.position)
     UPDATE rechecks SET since_position = done.position + 1 FROM done
      WHERE rechecks.stream_key = done.stream_key AND rechecks.position > done.position
        AND rechecks.since_position <= done.position`,
    [keys, positions],
  )
}

/** Call it in a transaction. */
export async function setAside(client: pg.ClientBase, keys: readonly Buffer[], settledPosition: number): Promise<void> {
  await unqueue(client, keys, keys.map(() => settledPosition))
  await client.query(
    'UPDATE task_list SET due_at_ms = NULL, is_incomplete = true WHERE stream_key = ANY($1::bytea[]) AND settled_position <= $2',
    [keys, settledPosition],
  )
}

/**
 * Streams that are no tasks as of `settledPosition` are in no list; those that were looked at later are
 * left alone. Call it in a transaction.
 */
export async function dropTasks(client: pg.ClientBase, keys: readonly Buffer[], settledPosition: number): Promise<void> {
  const { rows } = await client.query<{ stream_key: Buffer; settled_position: number }>(
    'SELECT stream_key, settled_position FROM task_list WHERE stream_key = ANY($1::bytea[]) ORDER BY stream_key FOR UPDATE',
    [keys],
  )
  const newer = new Set(rows.filter(({ settled_position }) => settled_position > settledPosition).map(({ stream_key }) => stream_key.toString('hex')))
  const gone = keys.filter((key) => !newer.has(key.toString('hex')))
  for (const table of ['task_list', 'task_participants', 'worker_evidence']) {
    await client.query(`DELETE FROM ${table} WHERE stream_key = ANY($1::bytea[])`, [gone])
  }
  await dropMarks(client, gone)
  const ordered = keys.toSorted((left, right) => Buffer.compare(left, right))
  await unqueue(client, ordered, ordered.map(() => settledPosition))
}
