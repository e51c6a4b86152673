/**
 * Comments in a silent stream of events: they keep what lies between from cutting it, and let a
 * caller that is gone be noticed. Only between two events, never inside one.
 */
import type { ServerResponse } from 'node:http'

export interface KeptAlive {
  /** These bytes went by. */
  readonly passed: (chunk: Uint8Array) => void
  readonly stop: () => void
}

const tailBytes = 4

/** `everyMs`: after so long a silence; 0: never. */
export function keepEventStreamAlive(response: ServerResponse, everyMs: number): KeptAlive {
  if (everyMs === 0) return { passed: () => undefined, stop: () => undefined }
  let tail = '\n\n' // before the first event
  const timer = setInterval(() => {
    const isBetween = /(?:\n\n|\r\r|\r\n\r\n)$/.test(tail)
    if (isBetween && !response.writableNeedDrain) response.write(': keep-alive\n\n')
  }, everyMs)
  return {
    passed: (chunk) => {
      tail = (tail + Buffer.from(chunk.subarray(-tailBytes)).toString('latin1')).slice(-tailBytes)
      timer.refresh()
    },
    stop: () => clearInterval(timer),
  }
}
