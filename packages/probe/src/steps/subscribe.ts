import { nothingSeen, see, wordsOf } from '../seen.ts'
import type { Step } from '../step.ts'
import { taskCall } from '../wire.ts'

/** A stream that says nothing for this long has nothing to say about the present. */
const firstEventMsMax = 3_000

/** `subscribe`: the stream of a task that rests begins with what it is. */
export const subscribeAgain: Step = async ({ record, client, target, signal }) => {
  const { taskId, state } = record.learned.tasks?.canary ?? {}
  if (taskId === undefined) return { outcome: 'failed', detail: 'there is no task' }
  const result = await client.call(taskCall(target(), 'SubscribeToTask', taskId), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(firstEventMsMax)]),
    isEnough: (readings) => see(nothingSeen, readings).state !== undefined,
  })
  const isReplayed = result.outcome === 'read' && see(nothingSeen, result.readings).state === state
  return {
    outcome: isReplayed ? 'ok' : 'failed',
    detail: `${state} before, and the stream began with ${wordsOf(result)}`,
    learned: { measured: { streamReplay: isReplayed } },
  }
}
