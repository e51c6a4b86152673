import { isNotFound, nothingSeen, see, wordsOf } from '../seen.ts'
import type { Step, StepContext } from '../step.ts'
import { taskCall } from '../wire.ts'

const firstWaitMs = 1_000

/**
 * `retention`: asked at growing distances for as long as the plan says. A number is measured only where the
 * task was seen to go; it is the age at which it was there for the last time.
 */
export const askForRetention: Step = async (context) => {
  const { record, ports, signal } = context
  const { taskId, state } = record.learned.tasks?.canary ?? {}
  if (taskId === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const endedAtMs = record.ended.findLast(({ learned }) => learned?.tasks?.canary !== undefined)?.atMs ?? ports.nowMs()
  let lastThereMs = 0
  for (let waitMs = firstWaitMs; ; waitMs *= 2) {
    const result = await look(context, taskId)
    const ageMs = Math.max(0, ports.nowMs() - endedAtMs)
    if (result.isGone) {
      const retentionSeconds = Math.floor(lastThereMs / 1_000)
      return { outcome: 'ok', detail: `gone after ${seconds(ageMs)}, last there after ${seconds(lastThereMs)}`, learned: { measured: { retentionSeconds } } }
    }
    if (result.state !== state) return { outcome: 'failed', detail: `${state} before, and now ${result.words}` }
    lastThereMs = ageMs
    if (ageMs + waitMs > record.plan.retentionMs || signal.aborted) {
      return { outcome: 'ok', detail: `still ${state} after ${seconds(ageMs)}`, learned: state === undefined ? {} : { states: [state] } }
    }
    await ports.after(waitMs, signal)
  }
}

const look = async ({ freshClient, target, signal }: StepContext, taskId: string) => {
  const client = freshClient()
  const result = await client.call(taskCall(target(), 'GetTask', taskId), { signal })
  return {
    isGone: result.outcome === 'error' && isNotFound(result.error),
    state: result.outcome === 'read' ? see(nothingSeen, result.readings).state : undefined,
    words: wordsOf(result),
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
