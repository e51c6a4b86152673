/** Who acts on a `redispatch`: as the mesh decides, or the dispatch itself says (V8). */
import type { Actor } from '../event/dispatch-intent.ts'
import type { MeshPolicy, RedispatchMode } from '../event/mesh-policy.ts'
import type { TaskAnalysis } from '../task/analysis.ts'

/** The mode in force for one task: the last one that a dispatch of it stated, else that of its mesh. */
export const modeOf = (analysis: Pick<TaskAnalysis, 'dispatches'>, policy: MeshPolicy | undefined): RedispatchMode =>
  analysis.dispatches.findLast(({ redispatch }) => redispatch !== undefined)?.redispatch ?? policy?.redispatch ?? 'advise'

const actors: Readonly<Record<RedispatchMode, Actor>> = { advise: 'caller', approve: 'approver', auto: 'ledger' }

/** Whom a verdict leaves the sending to. */
export const actorIn = (mode: RedispatchMode): Actor => actors[mode]
