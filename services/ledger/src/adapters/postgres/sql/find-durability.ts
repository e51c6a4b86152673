import type { ClientBase, Pool } from 'pg'

interface Row {
  readonly is_replicated: boolean
  readonly is_read_only: boolean
}

/**
 * Whether a commit waits until a standby has it on disk (L1), or nothing can be written at all. Asks
 * the settings, not the standbys: with these settings a commit without a standby is not acknowledged.
 */
export async function findDurability(client: ClientBase | Pool): Promise<'local' | 'replicated' | 'read-only'> {
  const { rows } = await client.query<Row>(
    `SELECT current_setting('synchronous_standby_names') <> ''
        AND current_setting('synchronous_commit') IN ('on', 'remote_apply') AS is_replicated,
      pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is_read_only`,
  )
  if (rows[0]?.is_read_only === true) return 'read-only'
  return rows[0]?.is_replicated === true ? 'replicated' : 'local'
}
