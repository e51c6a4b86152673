import type { PoolClient } from 'pg'
import { positionOf } from '../position.ts'
import { shorterThan } from '../shorter-than.ts'

export interface LogEnd {
  readonly head: number
  /** Now by the database's clock, but never before the newest event. */
  readonly nowMs: number
  /** Of the newest event that said something about meshes and their rules; 0 for none. */
  readonly rulesPosition: number
}

/**
 * Opens the append transaction, takes the lock and reads the end of the log (L4).
 *
 * Three statements in one message; the last has its own snapshot, taken after the lock was granted,
 * so it sees the commit of whoever held it. `headSeen`, the end as this process knows it, keeps the
 * planner away from old partitions. Backward scan of the newest partition's primary key.
 *
 * Throws `ledger_rewound` for a log that is shorter than that (L7): a restored copy, or a standby
 * that lacked the newest events. Positions that readers have seen must not be given out again.
 */
export async function beginAppend(client: PoolClient, headSeen: number): Promise<LogEnd> {
  const results = (await client.query(`
    BEGIN;
    LOCK TABLE ledger.append_lock IN EXCLUSIVE MODE;
    SELECT coalesce(max(newest.position), 0) AS head,
      (extract(epoch FROM date_trunc('milliseconds',
        greatest(clock_timestamp(), max(newest.recorded_at)))) * 1000)::bigint AS now_ms,
      greatest((SELECT max(position) FROM ledger.worker_mesh), (SELECT max(position) FROM ledger.mesh_rules), 0)
        AS rules_position
    FROM (
      SELECT position, recorded_at FROM ledger.events WHERE position >= ${headSeen} ORDER BY position DESC LIMIT 1
    ) AS newest
  `)) as unknown as readonly { readonly rows: readonly { head: string; now_ms: string; rules_position: string }[] }[]
  const row = results.at(-1)?.rows[0]
  if (row === undefined) throw new TypeError('The end of the log has no row.')
  const head = positionOf(row.head)
  if (head < headSeen) throw shorterThan(headSeen)
  return { head, nowMs: Number(row.now_ms), rulesPosition: positionOf(row.rules_position) }
}
