import type { ClientBase, Pool } from 'pg'

/**
 * Whether a commit waits until a standby has it on disk (L1). Asks the settings, not the standbys:
 * with these settings a commit without a standby is not acknowledged at all.
 */
export async function findDurability(client: ClientBase | Pool): Promise<'local' | 'replicated'> {
  const { rows } = await client.query<{ is_replicated: boolean }>(
    `SELECT current_setting('synchronous_standby_names') <> ''
      AND current_setting('synchronous_commit') IN ('on', 'remote_apply') AS is_replicated`,
  )
  return rows[0]?.is_replicated === true ? 'replicated' : 'local'
}
