import type { PoolClient } from 'pg'
import { applicationName } from '../pools.ts'

/**
 * Ends ledger sessions that hold the append lock and wait for a client that sends nothing (L5): a
 * process that was frozen inside its transaction. Answers how many.
 *
 * Only the login role may end its own sessions, hence the role is laid down for this statement.
 */
export async function freeAppendLock(client: PoolClient, stalledMs: number): Promise<number> {
  const { rows: tables } = await client.query<{ oid: number }>("SELECT 'ledger.append_lock'::regclass::oid AS oid")
  await client.query('BEGIN; SET LOCAL ROLE NONE')
  try {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT activity.pid, pg_terminate_backend(activity.pid)
      FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
      WHERE pg_locks.locktype = 'relation' AND pg_locks.relation = $1
        AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND pg_locks.mode = 'ExclusiveLock' AND pg_locks.granted
        AND activity.application_name = $2 AND activity.usename = session_user
        AND activity.wait_event = 'ClientRead'
        AND activity.state_change < clock_timestamp() - make_interval(secs => $3 / 1000.0)`,
      [tables[0]?.oid, applicationName, stalledMs],
    )
    return rows.length
  } finally {
    await client.query('COMMIT')
  }
}
