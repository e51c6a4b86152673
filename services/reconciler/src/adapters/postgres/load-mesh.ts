import type { MeshLoad, MeshPolicy } from '@a2a-ledger/domain'
import type pg from 'pg'
import type { MeshRecord } from '../../app/ports.ts'
import { meshKey } from './keys.ts'

/** The policy of a mesh; an empty one where only workers name it, nothing where nobody does. */
export async function loadMesh(client: pg.ClientBase | pg.Pool, mesh: string): Promise<MeshRecord | undefined> {
  const { rows } = await client.query<{ policy: MeshPolicy | null; position: number | null; event_id: string | null; has_workers: boolean }>(
    `SELECT policy, position, event_id, EXISTS (SELECT FROM workers WHERE mesh = $2) AS has_workers
       FROM (SELECT $1::bytea AS mesh_key) AS wanted LEFT JOIN meshes USING (mesh_key)`,
    [meshKey(mesh), mesh],
  )
  const [row] = rows
  if (row === undefined || (row.policy === null && !row.has_workers)) return undefined
  const decided = row.position === null || row.event_id === null ? undefined : { position: row.position, eventId: row.event_id }
  return { policy: row.policy ?? {}, decided }
}

const lastMinute = 'recorded_ms > extract(epoch FROM clock_timestamp()) * 1000 - 60000'

/** What a mesh allows, and what it had in the last minute. */
export async function loadMeshLoad(client: pg.ClientBase | pg.Pool, mesh: string): Promise<MeshLoad> {
  const { rows } = await client.query<{ sent_count: number; lost_count: number }>(
    `SELECT count(*) FILTER (WHERE act = 'sent') AS sent_count, count(*) FILTER (WHERE act = 'lost') AS lost_count
       FROM mesh_acts WHERE mesh_key = $1 AND ${lastMinute}`,
    [meshKey(mesh)],
  )
  const policy = (await loadMesh(client, mesh))?.policy
  return { policy, sentCount: rows[0]?.sent_count ?? 0, lostCount: rows[0]?.lost_count ?? 0 }
}

/** Meshes that lost at least `lostCountMin` tasks in the last minute. */
export async function findStorms(client: pg.ClientBase | pg.Pool, lostCountMin: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ mesh: string }>(
    `SELECT mesh FROM mesh_acts WHERE act = 'lost' AND ${lastMinute} GROUP BY mesh HAVING count(*) >= $1 ORDER BY mesh`,
    [lostCountMin],
  )
  return rows.map(({ mesh }) => mesh)
}
