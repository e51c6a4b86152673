import type { Timer } from './ports.ts'

/** Calls that may be made: so many a minute, and not more at once than the burst. */
export interface CallBudget {
  /** How many may be made now. */
  readonly left: () => number
  readonly spend: (calls: number) => void
  /** When one more may be made, in milliseconds from now. */
  readonly nextInMs: () => number
}

/** A worker that has to answer more at once is not polled but loaded. */
export const callsAtOnceMax = 4

export function createCallBudget(perMinuteMax: number, { elapsedMs }: Pick<Timer, 'elapsedMs'>): CallBudget {
  const msPerCall = 60_000 / perMinuteMax
  let calls = callsAtOnceMax
  let asOfMs = elapsedMs()
  const refill = (): void => {
    const nowMs = elapsedMs()
    calls = Math.min(callsAtOnceMax, calls + (nowMs - asOfMs) / msPerCall)
    asOfMs = nowMs
  }
  return {
    left: () => {
      refill()
      return Math.max(0, Math.floor(calls))
    },
    spend: (count) => {
      refill()
      calls -= count
    },
    nextInMs: () => {
      refill()
      return Math.max(0, (1 - calls) * msPerCall)
    },
  }
}
