/**
 * The inside of runs (F1): facts that say what their neighbours say are left out when a task is
 * read, until a late fact falls between them.
 *
 * Their rows are put aside, so that bringing them back takes no reading of the ledger. Runs go over
 * all streams of a task, so what is said of one is said of all of them.
 */
import type pg from 'pg'
import type { Compaction } from '../../app/ports.ts'
import { streamKey } from './keys.ts'

/** Every stream of the tasks that the streams `$1` belong to. */
const streamsOfTasks = `
  SELECT real_key AS stream_key FROM
    (SELECT coalesce((SELECT real_key FROM links WHERE synthetic_key = own.stream_key AND is_linked), own.stream_key) AS real_key
       FROM unnest($1::bytea[]) AS own (stream_key)) AS owners
  UNION
  SELECT synthetic_key FROM links
   WHERE is_linked AND real_key IN
     (SELECT coalesce((SELECT real_key FROM links WHERE synthetic_key = own.stream_key AND is_linked), own.stream_key)
        FROM unnest($1::bytea[]) AS own (stream_key))`

/** Call it in a transaction. Does nothing when an event came after what `compaction` looked at. */
export async function leaveOutRuns(client: pg.ClientBase, compaction: Compaction): Promise<void> {
  const { rows } = await client.query<{ stream_key: Buffer; last_position: number }>(
    `SELECT stream_key, last_position FROM streams WHERE stream_key IN (${streamsOfTasks}) ORDER BY stream_key FOR UPDATE`,
    [[streamKey(compaction.correlationId)]],
  )
  if (Math.max(...rows.map(({ last_position }) => last_position)) !== compaction.lastPosition) return
  const keys = rows.map(({ stream_key }) => stream_key)
  await client.query(
    `WITH inside AS (
       DELETE FROM facts WHERE stream_key = ANY($1::bytea[]) AND position = ANY($2::bigint[]) AND fact IS NOT NULL
       RETURNING stream_key, position, n, fact)
     INSERT INTO inside_facts SELECT * FROM inside`,
    [keys, compaction.insidePositions],
  )
  await client.query('UPDATE streams SET compacted_until_ms = $2, compacted_count = $3 WHERE stream_key = ANY($1::bytea[])', [
    keys,
    compaction.untilMs,
    compaction.count,
  ])
}

/** The facts of these tasks are read whole again. */
export async function bringRunsBack(client: pg.ClientBase, keys: readonly Buffer[]): Promise<void> {
  if (keys.length === 0) return
  const { rows } = await client.query<{ stream_key: Buffer }>(
    `UPDATE streams SET compacted_until_ms = NULL, compacted_count = 0
      WHERE compacted_until_ms IS NOT NULL AND stream_key IN (${streamsOfTasks}) RETURNING stream_key`,
    [keys],
  )
  if (rows.length === 0) return
  await client.query(
    `WITH inside AS (DELETE FROM inside_facts WHERE stream_key = ANY($1::bytea[]) RETURNING stream_key, position, n, fact)
     INSERT INTO facts SELECT * FROM inside`,
    [rows.map(({ stream_key }) => stream_key)],
  )
}
