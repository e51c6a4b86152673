/** The open tasks of one worker, looked at again only when they changed. */
import { watchedTasksOf, type WatchedTask } from '@a2a-ledger/domain'
import { analysisOf, type Fold } from './analyse.ts'
import type { FactStore } from './ports.ts'

export interface OpenTaskPorts {
  readonly store: Pick<FactStore, 'openTasks' | 'tasks'>
  readonly fold: Fold
}

/** Tasks of one worker that are asked about: those that something was heard of last. */
const openTasksMax = 500
/** Of what nothing was heard for so long nobody is asked. */
const heardWithinMs = 7 * 86_400_000
/** Their facts are in memory at once. */
const loadedMax = 50

/** Answers the tasks that have not ended at `workerId`, as of now, each task ID once. */
export function createOpenTasks({ store, fold }: OpenTaskPorts, workerId: string): (nowMs: number) => Promise<readonly WatchedTask[]> {
  const looked = new Map<string, { readonly settledPosition: number; readonly tasks: readonly WatchedTask[] }>()
  return async (nowMs) => {
    const open = await store.openTasks(workerId, nowMs - heardWithinMs, openTasksMax)
    const changed = open.filter(({ correlationId, settledPosition }) => looked.get(correlationId)?.settledPosition !== settledPosition)
    for (let at = 0; at < changed.length; at += loadedMax) {
      const slice = changed.slice(at, at + loadedMax)
      const { content, asOfMs } = await store.tasks(slice.map(({ correlationId }) => correlationId))
      for (const { correlationId, settledPosition } of slice) {
        const lookup = content.get(correlationId)
        const tasks = lookup?.outcome === 'found' ? watchedTasksOf(analysisOf(lookup.record, asOfMs, fold), workerId) : []
        looked.set(correlationId, { settledPosition, tasks })
      }
    }
    const stillOpen = new Set(open.map(({ correlationId }) => correlationId))
    for (const correlationId of looked.keys()) if (!stillOpen.has(correlationId)) looked.delete(correlationId)
    // An id that began anew is that of the task that was seen last (K2).
    const byAge = [...looked.values()].flatMap(({ tasks }) => tasks).toSorted((left, right) => left.lastLifeMs - right.lastLifeMs)
    return [...new Map(byAge.map((task) => [task.taskId, task])).values()]
  }
}
