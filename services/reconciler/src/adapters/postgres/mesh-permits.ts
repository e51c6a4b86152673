/** What may be sent in a mesh within a minute, whatever the number of processes that send. */
import type pg from 'pg'
import { eventKey, meshKey } from './keys.ts'

/**
 * True when the intent is among the `perMinute` that the last minute of the database's clock has room for.
 *
 * Idempotent: an intent that was permitted is, until an hour has gone. Call it in a transaction: of a mesh one after the
 * other is counted.
 */
export async function takePermit(client: pg.ClientBase, mesh: string, intentId: string, perMinute: number): Promise<boolean> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('mesh_permits ' || $1, 0))", [mesh])
  const keys = [meshKey(mesh), eventKey(intentId)]
  await client.query(
    'DELETE FROM mesh_permits WHERE mesh_key = $1 AND taken_ms < extract(epoch FROM clock_timestamp()) * 1000 - 3600000',
    keys.slice(0, 1),
  )
  await client.query(
    `INSERT INTO mesh_permits (mesh_key, intent_key, taken_ms)
     SELECT $1, $2, extract(epoch FROM clock_timestamp()) * 1000
      WHERE $3 > (SELECT count(*) FROM mesh_permits
                   WHERE mesh_key = $1 AND taken_ms > extract(epoch FROM clock_timestamp()) * 1000 - 60000)
     ON CONFLICT DO NOTHING`,
    [...keys, perMinute],
  )
  const { rowCount } = await client.query('SELECT FROM mesh_permits WHERE mesh_key = $1 AND intent_key = $2', keys)
  return rowCount === 1
}
