import type { MeshPolicy } from '@a2a-ledger/domain'
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
