/** Watches an address until whatever is behind it went away and came back. */
import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 100
/** One that is merely slow to answer is not away. */
const answerMsMax = 10_000

export interface RestartWatch {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly withinMs: number
  readonly signal: AbortSignal
  /** It is known to have been away: the first answer is enough. */
  readonly wasAway?: true
}

/**
 * True once a call that failed was followed by one that was answered; false when that has not happened in
 * time. What is away for less than a tenth of a second can be missed.
 */
export async function awaitRestart({ url, fetch, withinMs, signal, ...known }: RestartWatch): Promise<boolean> {
  const untilMs = performance.now() + withinMs
  let wasAway = known.wasAway === true
  while (performance.now() < untilMs && !signal.aborted) {
    const isThere = await answers(url, fetch)
    if (isThere && wasAway) return true
    wasAway ||= !isThere
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}

async function answers(url: string, fetch: typeof globalThis.fetch): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) })
    await response.body?.cancel()
    return response.status < 500
  } catch {
    return false
  }
}
