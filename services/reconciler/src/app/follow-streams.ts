/**
 * The streams of one worker's tasks: a few at once, of tasks at which something may happen by itself.
 *
 * One that ends is opened again after a pause that grows with each one of that task that ended; until then the
 * task is polled as if there were no streams.
 */
import { isInterrupted, type WatchedTask } from '@a2a-ledger/domain'
import type { Timer, WitnessedEvent, WorkerLine } from './ports.ts'

export interface StreamPorts {
  readonly timer: Timer
  readonly backOff: () => () => number
  readonly record: (events: readonly WitnessedEvent[], stopping: AbortSignal) => Promise<void>
  /** The stream of this task has ended: it is to be asked about. */
  readonly onEnd: (taskId: string) => void
  readonly onFailure: (error: unknown) => void
}

export interface TaskStreams {
  /** Tasks whose stream is open. */
  readonly streamed: () => ReadonlySet<string>
  /** Opens at most `room` more, and ends those of tasks that are open no more; answers how many were opened. */
  readonly follow: (line: WorkerLine, tasks: readonly WatchedTask[], room: number) => number
  /** Ends all of them, without a word. */
  readonly stop: () => Promise<void>
}

const streamsMax = 8

export function createTaskStreams({ timer, backOff, record, onEnd, onFailure }: StreamPorts): TaskStreams {
  const open = new Map<string, { readonly stopping: AbortController; readonly ended: Promise<void> }>()
  const resting = new Map<string, { readonly pauseMs: () => number; untilMs: number }>()

  const run = async (line: WorkerLine, { taskId, binding }: WatchedTask, stopping: AbortSignal): Promise<void> => {
    try {
      await line.follow({ taskId, binding }, (events) => record(events, stopping), stopping)
    } catch (error) {
      if (!stopping.aborted) onFailure(error)
    }
    open.delete(taskId)
    if (stopping.aborted) return
    const pauseMs = resting.get(taskId)?.pauseMs ?? backOff()
    resting.set(taskId, { pauseMs, untilMs: timer.elapsedMs() + pauseMs() })
    onEnd(taskId)
  }

  return {
    streamed: () => new Set(open.keys()),
    follow: (line, tasks, room) => {
      const known = new Set(tasks.map(({ taskId }) => taskId))
      for (const [taskId, { stopping }] of open) if (!known.has(taskId)) stopping.abort()
      for (const taskId of resting.keys()) if (!known.has(taskId)) resting.delete(taskId)
      const wanted = tasks
        .filter(({ taskId, standing, state }) => standing === 'live' && !isInterrupted(state) && !open.has(taskId))
        .filter(({ taskId }) => (resting.get(taskId)?.untilMs ?? -Infinity) <= timer.elapsedMs())
        .toSorted((left, right) => right.lastLifeMs - left.lastLifeMs)
        .slice(0, Math.max(0, Math.min(room, streamsMax - open.size)))
      for (const task of wanted) {
        const stopping = new AbortController()
        open.set(task.taskId, { stopping, ended: run(line, task, stopping.signal) })
      }
      return wanted.length
    },
    stop: async () => {
      for (const { stopping } of open.values()) stopping.abort()
      await Promise.all([...open.values()].map(({ ended }) => ended))
    },
  }
}
