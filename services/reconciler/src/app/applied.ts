/** Waiting until something is applied (`atLeast`), whoever of the deployment applies it. */
import type { FactStore, Timer } from './ports.ts'

export interface Applied {
  /** The feed loop of this process applied everything up to `position`. */
  readonly advanceTo: (position: number) => void
  /** True when everything up to `position` is applied; false when `timeoutMs` passed before. */
  readonly reaches: (position: number, timeoutMs: number) => Promise<boolean>
}

/** How often a process that does not apply the feed itself looks how far its owner is. */
const pollMs = 50

export function createApplied(store: Pick<FactStore, 'progress'>, timer: Timer): Applied {
  let applied = 0
  let waiters: (() => void)[] = []
  const advanceTo = (position: number): void => {
    if (position <= applied) return
    applied = position
    const woken = waiters
    waiters = []
    for (const wake of woken) wake()
  }
  return {
    advanceTo,
    reaches: async (position, timeoutMs) => {
      const deadlineMs = timer.elapsedMs() + timeoutMs
      while (applied < position) {
        advanceTo((await store.progress()).appliedPosition)
        if (applied >= position) return true
        const leftMs = deadlineMs - timer.elapsedMs()
        if (leftMs <= 0) return false
        const woken = new Promise<void>((resolve) => waiters.push(resolve))
        await Promise.race([woken, timer.after(Math.min(pollMs, leftMs))])
      }
      return true
    },
  }
}
