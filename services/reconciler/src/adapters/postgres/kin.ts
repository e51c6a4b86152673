/** Which tasks may be parents or children of one: what the marks say, none of it judged yet. */
import { kinMarksOf, type KinMarks } from '@a2a-ledger/domain'
import type pg from 'pg'
import type { FeedChange } from '../../app/ports.ts'
import { attemptKey, streamKey, taskKey, traceKey } from './keys.ts'

/** The marks of what came; each once a task, at the first position that shows it. */
export async function insertKinMarks(client: pg.ClientBase, { entries }: Pick<FeedChange, 'entries'>): Promise<void> {
  interface MarkRow {
    readonly kind: 'parent' | 'reference' | 'trace'
    readonly mark: Buffer
    readonly stream: Buffer
    readonly position: number
  }
  const rows = entries.flatMap(({ correlationId, position, facts }): MarkRow[] => {
    const { parents, references, traceIds } = kinMarksOf({ facts, correlationId })
    const row = (kind: MarkRow['kind'], mark: Buffer): MarkRow => ({ kind, mark, stream: streamKey(correlationId), position })
    return [
      ...parents.map((parent) => row('parent', streamKey(parent))),
      ...references.map(({ taskId }) => row('reference', taskKey(taskId))),
      ...traceIds.map((traceId) => row('trace', traceKey(traceId))),
    ]
  })
  if (rows.length === 0) return
  await client.query(
    `INSERT INTO kin_marks (kind, mark_key, stream_key, position)
     SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bigint[]) ON CONFLICT DO NOTHING`,
    [rows.map(({ kind }) => kind), rows.map(({ mark }) => mark), rows.map(({ stream }) => stream), rows.map(({ position }) => position)],
  )
}

/**
 * Correlation IDs of the tasks that may be kin of one, the newest first, at most `limit`.
 *
 * A server task that a message refers to is looked for at the worker of the message first of all, and
 * at every other one too: the task ids of workers are theirs, so the domain takes only one that is
 * nobody else's.
 */
export async function findKin(
  client: pg.ClientBase,
  correlationId: string,
  marks: KinMarks,
  taskIds: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ correlation_id: string }>(
    `WITH own AS (SELECT $1::bytea || ARRAY(SELECT synthetic_key FROM links WHERE real_key = $1 AND is_linked) AS keys),
          found AS (
            (SELECT stream_key, position FROM kin_marks, own WHERE kind = 'parent' AND mark_key = ANY(own.keys) ORDER BY position DESC LIMIT $8)
            UNION ALL
            (SELECT stream_key, position FROM kin_marks WHERE kind = 'reference' AND mark_key = ANY($2::bytea[]) ORDER BY position DESC LIMIT $8)
            UNION ALL
            (SELECT stream_key, position FROM kin_marks WHERE kind = 'trace' AND mark_key = ANY($3::bytea[]) ORDER BY position LIMIT $8)
            UNION ALL
            (SELECT stream_key, first_position FROM streams WHERE stream_key = ANY($4::bytea[]))
            UNION ALL
            (SELECT stream_key, last_position FROM attempt_streams WHERE attempt_key = ANY($5::bytea[]) LIMIT $8)
            UNION ALL
            (SELECT stream_key, 0 FROM task_participants WHERE task_key = ANY($6::bytea[]) AND task_key <> '\\x' LIMIT $8))
     SELECT coalesce(links.real_id, streams.correlation_id) AS correlation_id
       FROM found JOIN streams USING (stream_key)
       LEFT JOIN links ON links.synthetic_key = stream_key AND links.is_linked
      WHERE coalesce(links.real_id, streams.correlation_id) <> $7
      GROUP BY 1 ORDER BY max(found.position) DESC LIMIT $8`,
    [
      streamKey(correlationId),
      taskIds.map(taskKey),
      marks.traceIds.map(traceKey),
      marks.parents.map(streamKey),
      marks.references.map(({ workerId, taskId }) => attemptKey(workerId, taskId)),
      marks.references.map(({ taskId }) => taskKey(taskId)),
      correlationId,
      limit,
    ],
  )
  return rows.map(({ correlation_id }) => correlation_id)
}
