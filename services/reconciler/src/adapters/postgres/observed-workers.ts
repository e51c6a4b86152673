/** Which workers are observed, and which of their tasks are open. */
import type pg from 'pg'
import type { ObservedWorker, OpenTask, SilentSend } from '../../app/ports.ts'
import { workerKey } from './keys.ts'

export async function noteObservation(client: pg.ClientBase, workerId: string, isEnabled: boolean): Promise<void> {
  await client.query(
    `INSERT INTO observed_workers (worker_key, worker_id, is_enabled) VALUES ($1, $2, $3)
     ON CONFLICT (worker_key) DO UPDATE SET is_enabled = excluded.is_enabled`,
    [workerKey(workerId), workerId, isEnabled],
  )
}

export async function listObservedWorkers(client: pg.Pool, limit: number): Promise<readonly ObservedWorker[]> {
  const { rows } = await client.query<{ worker_id: string; enrolled_position: number | null }>(
    `SELECT worker_id, workers.enrolled_position FROM observed_workers JOIN workers USING (worker_key, worker_id)
      WHERE is_enabled ORDER BY worker_key LIMIT $1`,
    [limit],
  )
  return rows.map(({ worker_id, enrolled_position }) => ({ workerId: worker_id, enrolledPosition: enrolled_position ?? 0 }))
}

export async function listOpenTasks(client: pg.Pool, workerId: string, sinceMs: number, limit: number): Promise<readonly OpenTask[]> {
  const { rows } = await client.query<{ correlation_id: string; settled_position: number }>(
    `SELECT correlation_id, settled_position FROM task_list
      WHERE stream_key IN (SELECT stream_key FROM task_participants WHERE worker_key = $1 AND is_open AND task_key <> '\\x')
        AND latest_ms >= $2
      ORDER BY latest_ms DESC LIMIT $3`,
    [workerKey(workerId), sinceMs, limit],
  )
  return rows.map(({ correlation_id, settled_position }) => ({ correlationId: correlation_id, settledPosition: settled_position }))
}

/** A worker without a task of its own takes part under an empty key. */
export async function listSilentSends(client: pg.Pool, workerId: string, sinceMs: number, limit: number): Promise<readonly SilentSend[]> {
  const { rows } = await client.query<{ correlation_id: string; latest_ms: number }>(
    `SELECT correlation_id, latest_ms FROM task_list
      WHERE stream_key IN (SELECT stream_key FROM task_participants WHERE worker_key = $1 AND is_open AND task_key = '\\x')
        AND state = 'indeterminate' AND latest_ms >= $2
      ORDER BY latest_ms DESC LIMIT $3`,
    [workerKey(workerId), sinceMs, limit],
  )
  return rows.map(({ correlation_id, latest_ms }) => ({ correlationId: correlation_id, heardMs: latest_ms }))
}
