/** The tasks among which the parents and children of one are, and theirs (F2: read when it is read). */
import { kinMarksOf, type TaskAnalysis } from '@a2a-ledger/domain'
import { analysisOf, type Fold } from './analyse.ts'
import type { FactStore } from './ports.ts'

/** Kin of one task that are looked at, at most; and tasks of one family in all. */
const kinMax = 50
const familyMax = 100

export interface FamilyPorts {
  readonly store: Pick<FactStore, 'tasks' | 'kinOf'>
  readonly fold: Fold
}

/** `store`, whose tasks come with what others say of their workers: for an explanation of the family. */
export const amongOthers = ({ tasksAmongOthers, kinOf }: Pick<FactStore, 'tasksAmongOthers' | 'kinOf'>): FamilyPorts['store'] => ({
  tasks: tasksAmongOthers,
  kinOf,
})

/**
 * `analysis` and the tasks that may be its kin, down to `depth` levels of kin of kin.
 *
 * What is kin to what is for the domain to say. Each level is of its own moment: a task that changes
 * meanwhile is shown as it was or as it is.
 */
export async function loadFamily({ store, fold }: FamilyPorts, analysis: TaskAnalysis, depth: number): Promise<readonly TaskAnalysis[]> {
  const family = new Map([[analysis.correlationId, analysis]])
  let level: readonly TaskAnalysis[] = [analysis]
  for (let at = 0; at < depth && level.length > 0 && family.size < familyMax; at += 1) {
    const named = await Promise.all(level.map((each) => kinOf(store, each)))
    const wanted = [...new Set(named.flat())].filter((id) => !family.has(id)).slice(0, familyMax - family.size)
    if (wanted.length === 0) break
    const { content, asOfMs } = await store.tasks(wanted)
    level = [...content.values()].flatMap((lookup) => (lookup.outcome === 'found' ? [analysisOf(lookup.record, asOfMs, fold)] : []))
    for (const each of level) family.set(each.correlationId, each)
  }
  return [...family.values()]
}

async function kinOf(store: FamilyPorts['store'], analysis: TaskAnalysis): Promise<readonly string[]> {
  const { correlationId, attempts } = analysis
  return store.kinOf(correlationId, kinMarksOf(analysis), [...new Set(attempts.map(({ taskId }) => taskId))], kinMax)
}
