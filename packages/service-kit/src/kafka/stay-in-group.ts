/** Work on a batch that takes longer than a group waits for a sign of life. */
import { setTimeout as delay } from 'node:timers/promises'
import type { KafkaBatch } from './port.ts'

const heartbeatMs = 1_000

/** How each of these is worded, whatever the client makes of it. */
export const groupChanged = 'The group changed'

/**
 * The group changed meanwhile; `cause` is what Kafka said, if it did. What was being done goes on, its
 * result counts for nothing. A consumer that throws it joins again.
 */
export class LeftGroup extends Error {
  override readonly name = 'LeftGroup'

  constructor(detail: string, options?: { readonly cause: unknown }) {
    super(`${groupChanged}: ${detail}`, options)
  }
}

/** What `work` comes to. Throws `LeftGroup` when the partition may be somebody else's by now. */
export async function stayWhile<Result>(batch: KafkaBatch, work: Promise<Result>): Promise<Result> {
  const ended = work.then(
    () => true,
    () => true,
  )
  while (!(await Promise.race([ended, delay(heartbeatMs, false, { ref: false })]))) await beat(batch)
  return work
}

/** Lets `ms` pass, or as much of it as the batch is ours. Throws `LeftGroup`. */
export async function stayFor(batch: KafkaBatch, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0 && batch.isCurrent(); leftMs -= heartbeatMs) {
    await delay(Math.min(leftMs, heartbeatMs))
    await beat(batch)
  }
}

async function beat(batch: KafkaBatch): Promise<void> {
  try {
    await batch.heartbeat()
  } catch (cause) {
    throw new LeftGroup(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
