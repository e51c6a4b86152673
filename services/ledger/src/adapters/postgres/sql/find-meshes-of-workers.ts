import { defaultMesh } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** The mesh of each worker, as its newest enrolment that says one. Primary key of `worker_mesh`, backwards. */
export async function findMeshesOfWorkers(
  client: ClientBase,
  workers: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ worker: string; mesh: string | null }>({
    name: 'find_meshes_of_workers',
    text: `SELECT encode(wanted.worker_hash, 'hex') AS worker, (
        SELECT mesh FROM ledger.worker_mesh
        WHERE worker_hash = wanted.worker_hash
        ORDER BY position DESC LIMIT 1
      ) AS mesh
    FROM unnest($1::bytea[]) AS wanted (worker_hash)`,
    values: [bytesOfAll(workers)],
  })
  return new Map(rows.map((row) => [row.worker, row.mesh ?? defaultMesh]))
}
