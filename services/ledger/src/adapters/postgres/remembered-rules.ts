/**
 * Meshes of workers and rules of meshes, remembered from one append to the next.
 *
 * Valid as long as no ledger of the deployment has recorded another enrolment or policy: every append
 * transaction reads, under the lock, the position of the newest one, and what was remembered before
 * another position is forgotten. So two ledgers never place by different rules, and a mesh without
 * rules costs no look-up.
 */
import { defaultMesh, type BatchEntry, type CorrelationKeys, type CorrelationRule, type FetchedCorrelations } from '@a2a-ledger/domain'

export interface RememberedRules {
  /** Tells `known` what is remembered about the workers of `batch`, as of `rulesPosition`. */
  readonly recall: (known: FetchedCorrelations, batch: readonly BatchEntry[], rulesPosition: number) => void
  /** Remembers what was looked up for `known`, which is as of `rulesPosition`. */
  readonly keep: (known: FetchedCorrelations, rulesPosition: number) => void
}

/** Entries of each kind; with more, all are forgotten and asked for again. */
const entriesMax = 20_000

export const createRememberedRules = (keys: CorrelationKeys): RememberedRules => {
  const meshOfWorker = new Map<string, string>()
  const rulesOfMesh = new Map<string, readonly CorrelationRule[]>()
  let asOf = 0

  const forget = (rulesPosition: number): void => {
    meshOfWorker.clear()
    rulesOfMesh.clear()
    asOf = rulesPosition
  }

  return {
    recall: (known, batch, rulesPosition) => {
      if (rulesPosition !== asOf) forget(rulesPosition)
      for (const { observation } of batch) {
        if (observation.stated === undefined || observation.workerId === undefined) continue
        const worker = keys.worker(observation.workerId)
        const mesh = rulesPosition === 0 ? defaultMesh : meshOfWorker.get(worker)
        if (mesh !== undefined) known.meshOfWorker.set(worker, mesh)
      }
      if (rulesPosition === 0) known.rulesOfMesh.set(keys.mesh(defaultMesh), [])
      for (const [mesh, rules] of rulesOfMesh) known.rulesOfMesh.set(mesh, rules)
    },
    keep: (known, rulesPosition) => {
      if (rulesPosition !== asOf || meshOfWorker.size > entriesMax || rulesOfMesh.size > entriesMax) forget(rulesPosition)
      for (const [worker, mesh] of known.meshOfWorker) meshOfWorker.set(worker, mesh)
      for (const [mesh, rules] of known.rulesOfMesh) rulesOfMesh.set(mesh, rules)
    },
  }
}
