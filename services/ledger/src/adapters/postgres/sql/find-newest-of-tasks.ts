import { answersWithTask, rfc3339Ms, type NewestOfTask, type TaskState } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

interface Row {
  readonly task: string
  readonly position: string
  readonly time: string | null
  readonly recorded_at_ms: string
  readonly is_derived: boolean
  readonly digest: string | null
  readonly state: TaskState | null
  readonly context_id: string | null
}

/** The newest event about each task (L13). Index `events_task`, backwards. */
export async function findNewestOfTasks(
  client: ClientBase,
  tasks: ReadonlySet<string>,
): Promise<ReadonlyMap<string, NewestOfTask | undefined>> {
  const { rows } = await client.query<Row>({
    name: 'find_newest_of_tasks',
    text: `SELECT encode(wanted.task_hash, 'hex') AS task, newest.position,
      newest.attributes ->> 'time' AS time,
      (extract(epoch FROM newest.recorded_at) * 1000)::bigint AS recorded_at_ms,
      newest.derived_from IS NOT NULL AS is_derived,
      encode(payloads.digest, 'hex') AS digest, shown.state, shown.context_id
    FROM unnest($1::bytea[]) AS wanted (task_hash)
    CROSS JOIN LATERAL (
      SELECT position, attributes, recorded_at, derived_from, payload_position, canonical FROM ledger.events
      WHERE task_hash = wanted.task_hash
      ORDER BY position DESC LIMIT 1
    ) AS newest
    LEFT JOIN ledger.payloads ON payloads.position = newest.payload_position
    LEFT JOIN LATERAL (
      SELECT newest.canonical ->> 'state' AS state, newest.canonical ->> 'contextId' AS context_id
      WHERE newest.canonical ->> 'kind' = 'task' AND newest.attributes ->> 'operation' = ANY($2::text[])
    ) AS shown ON true`,
    values: [bytesOfAll(tasks), answersWithTask],
  })
  const found = new Map<string, NewestOfTask | undefined>(Array.from(tasks, (task) => [task, undefined]))
  for (const row of rows) {
    found.set(row.task, {
      position: positionOf(row.position),
      isDerived: row.is_derived,
      witnessMs: (row.time === null ? undefined : rfc3339Ms(row.time)) ?? Number(row.recorded_at_ms),
      ...(row.digest === null ? {} : { digest: row.digest }),
      ...(row.state === null ? {} : { shown: { state: row.state, ...(row.context_id === null ? {} : { contextId: row.context_id }) } }),
    })
  }
  return found
}
