/**
 * A task store of the SDK whose tasks are told as its worker keeps them: each save is an observation of
 * the worker itself (`Emit`), in the order in which they were saved.
 *
 * Told is what the store has taken. Nothing is told of a save that fails, and what fails in telling
 * fails no save; a guard, where there is one, raises before anything is saved.
 */
import { Task } from '@a2a-js/sdk'
import type { TaskStore } from '@a2a-js/sdk/server'

export interface RecordingTaskStorePorts {
  /** Raises where the task must not be emitted. */
  readonly guard: ((task: string) => void) | undefined
  readonly saved: (task: { readonly id: string; readonly json: string }) => void
  readonly failed: (error: unknown) => void
}

export function createRecordingTaskStore(store: TaskStore, { guard, saved, failed }: RecordingTaskStorePorts): TaskStore {
  const jsonOf = (task: Task): string | undefined => {
    try {
      return JSON.stringify(Task.toJSON(task))
    } catch (error) {
      failed(error)
      return undefined
    }
  }
  return {
    save: async (task, context) => {
      const json = jsonOf(task) // as it is now: the SDK goes on changing the object
      if (json !== undefined) guard?.(json)
      await store.save(task, context)
      if (json !== undefined) saved({ id: task.id, json })
    },
    load: (taskId, context) => store.load(taskId, context),
    list: (params, context) => store.list(params, context),
  }
}
