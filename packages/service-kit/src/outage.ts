/** What is told of somebody who does not answer, where it is tried again and again. */
import { processTimer } from './process.ts'

/** An outage that lasts is told again this often. */
const tellAgainMs = 10_000

export interface Outage {
  /** It did not work: told when it worked before, and every ten seconds while it does not. */
  readonly met: (tell: () => void) => void
  /** It works: told when it did not before. */
  readonly over: (tell: () => void) => void
}

export function createOutage(elapsedMs: () => number = processTimer.elapsedMs): Outage {
  let tellAtMs: number | undefined
  return {
    met: (tell) => {
      const nowMs = elapsedMs()
      if (tellAtMs !== undefined && nowMs < tellAtMs) return
      tellAtMs = nowMs + tellAgainMs
      tell()
    },
    over: (tell) => {
      if (tellAtMs === undefined) return
      tellAtMs = undefined
      tell()
    },
  }
}
