import { isNotFound, isUnheard, wordsOf } from '../seen.ts'
import type { Step } from '../step.ts'
import { taskCall } from '../wire.ts'

/** `unknown-task`: an id that nobody was ever given. */
export const unknownTask: Step = async ({ client, target, ports, signal }) => {
  const result = await client.call(taskCall(target(), 'GetTask', ports.newId()), { signal })
  if (isUnheard(result)) return { outcome: 'failed', detail: wordsOf(result) }
  const isHonest = result.outcome === 'error' && isNotFound(result.error)
  return {
    outcome: isHonest ? 'ok' : 'failed',
    detail: isHonest ? wordsOf(result) : `a task that never was is ${wordsOf(result)}`,
    learned: { measured: { notFoundHonest: isHonest } },
  }
}
