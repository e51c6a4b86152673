/** The policy of a mesh: by which rules its events find their task, and who acts on a re-dispatch (V8). */
import { defaultMesh, deploymentCorrelationId, LedgerError, meshViewOf, type MeshPolicy, type MeshView } from '@a2a-ledger/domain'
import { catchUp } from './catch-up.ts'
import type { FactStore } from './ports.ts'
import { recordPolicy, type PolicyPorts } from './record-policy.ts'

export interface MeshPorts extends PolicyPorts {
  readonly store: Pick<FactStore, 'mesh'>
}

/** Errors: throws `mesh_not_found`; the mesh `default` is always there. */
export async function readMesh(store: Pick<FactStore, 'mesh'>, mesh: string): Promise<MeshView> {
  const record = await store.mesh(mesh)
  if (record === undefined && mesh !== defaultMesh) {
    throw new LedgerError('mesh_not_found', 'No policy names this mesh, and no worker was enrolled into it.')
  }
  return meshViewOf(mesh, record?.policy ?? {})
}

/**
 * The policy is recorded and applied; it counts for what is recorded from now on.
 *
 * Idempotent while no other policy of that mesh came in between.
 * Errors: throws `parameter_invalid`, `ledger_unavailable`, `not_caught_up`.
 */
export async function decideMesh(ports: MeshPorts, mesh: string, policy: MeshPolicy): Promise<void> {
  await catchUp(ports.feed, ports.applied)
  await recordPolicy(ports, {
    content: ['mesh', mesh, policy],
    before: (await ports.store.mesh(mesh))?.decided,
    attributes: { type: 'reconciler.mesh-policy', correlationid: deploymentCorrelationId },
    data: { mesh, ...policy },
  })
}
