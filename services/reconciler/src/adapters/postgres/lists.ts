/** Pages of tasks, in the order of their first event, which never changes. */
import { canaryCorrelationId } from '@a2a-ledger/domain'
import type pg from 'pg'
import type { TaskFilter, TaskListRow } from '../../app/ports.ts'
import { taskKey, workerKey } from './keys.ts'

interface Row {
  readonly correlation_id: string
  readonly first_position: number
  readonly state: TaskListRow['state']
  readonly last_observed: TaskListRow['lastObserved'] | null
  readonly is_terminal: boolean
  readonly verdict: TaskListRow['verdict'] | null
  readonly updated_position: number
}

export async function listTasks(
  client: pg.Pool,
  { state, workerId, taskId, isCanary = false }: TaskFilter,
  after: number,
  limit: number,
): Promise<readonly TaskListRow[]> {
  const values: unknown[] = [after, limit]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['first_position > $1', `starts_with(correlation_id, ${bind(canaryCorrelationId(''))}) = ${bind(isCanary)}`]
  if (state !== undefined) conditions.push(`state = ${bind(state)}`)
  if (workerId !== undefined || taskId !== undefined) {
    const named = [
      ...(workerId === undefined ? [] : [`worker_key = ${bind(workerKey(workerId))}`]),
      ...(taskId === undefined ? [] : [`task_key = ${bind(taskKey(taskId))}`]),
    ]
    conditions.push(`stream_key IN (SELECT stream_key FROM task_participants WHERE ${named.join(' AND ')})`)
  }
  const { rows } = await client.query<Row>(
    `SELECT correlation_id, first_position, state, last_observed, is_terminal, verdict, updated_position
       FROM task_list WHERE ${conditions.join(' AND ')} ORDER BY first_position LIMIT $2`,
    values,
  )
  return rows.map((row) => ({
    correlationId: row.correlation_id,
    firstPosition: row.first_position,
    state: row.state,
    ...(row.last_observed != null && { lastObserved: row.last_observed }),
    isTerminal: row.is_terminal,
    ...(row.verdict != null && { verdict: row.verdict }),
    updatedPosition: row.updated_position,
  }))
}
