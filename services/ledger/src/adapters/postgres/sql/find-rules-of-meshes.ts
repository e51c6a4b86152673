import type { CorrelationRule } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** The correlation rules of each mesh, in order. Primary key of `mesh_rules`, backwards. */
export async function findRulesOfMeshes(
  client: ClientBase,
  meshes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly CorrelationRule[]>> {
  const { rows } = await client.query<{ mesh: string; rules: readonly CorrelationRule[] | null }>({
    name: 'find_rules_of_meshes',
    text: `SELECT encode(wanted.mesh_hash, 'hex') AS mesh, (
        SELECT rules FROM ledger.mesh_rules
        WHERE mesh_hash = wanted.mesh_hash
        ORDER BY position DESC LIMIT 1
      ) AS rules
    FROM unnest($1::bytea[]) AS wanted (mesh_hash)`,
    values: [bytesOfAll(meshes)],
  })
  return new Map(rows.map((row) => [row.mesh, row.rules ?? []]))
}
