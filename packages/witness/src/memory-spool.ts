/**
 * What waits for the ledger, in memory: an agent is not to write to its disk for our sake.
 *
 * Bounded by the bytes it holds. What a process that dies had not told is lost with it. Given out a
 * moment later than it came, so that calls close to each other are told together: telling each by
 * itself would cost the agent more than the calls.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Spool, SpoolEntry } from './recording/index.ts'

/** What an entry takes beside its data: its attributes, and what holds them. */
const entryBytes = 1024
const peekBytesMax = 4 * 1024 * 1024
const lingerMs = 25

const bytesOf = (entry: SpoolEntry): number => entryBytes + (entry.kind === 'event' ? entry.event.data.length : 0)

/** An agent that has nothing else to do may end. */
const unheld = { ref: false } as const

export function createMemorySpool(bytesMax: number): Spool {
  let entries: SpoolEntry[] = []
  /** Entries before this one are told: they go when there are many. */
  let first = 0
  let bytes = 0
  let isClosed = false
  let toldAtMs = -Infinity
  let wake = (): void => undefined

  return {
    append: (entry) => {
      const more = bytesOf(entry)
      if (isClosed || bytes + more > bytesMax) return false
      entries.push(entry)
      bytes += more
      wake()
      return true
    },
    note: () => undefined, // nothing outlives the process
    peek: async (countMax) => {
      const restMs = toldAtMs + lingerMs - performance.now()
      const isAFew = entries.length > first && entries.length - first < countMax
      if (isAFew && restMs > 0) await delay(restMs, undefined, unheld)
      let sum = 0
      const waiting = entries.slice(first, first + countMax)
      const end = waiting.findIndex((entry) => {
        sum += bytesOf(entry)
        return sum > peekBytesMax
      })
      return end < 0 ? waiting : waiting.slice(0, Math.max(1, end))
    },
    advance: async (count) => {
      toldAtMs = performance.now()
      for (const entry of entries.slice(first, first + count)) bytes -= bytesOf(entry)
      first += count
      if (first < 1000 && first < entries.length) return
      entries = entries.slice(first)
      first = 0
    },
    more: async (atMostMs) => {
      const came = Promise.withResolvers<void>()
      wake = came.resolve
      const over = new AbortController()
      await Promise.race([came.promise.then(() => delay(lingerMs, undefined, unheld)), delay(atMostMs, undefined, { ...unheld, signal: over.signal })])
      over.abort()
    },
    status: () => ({ entries: entries.length - first, bytes }),
    close: async () => {
      isClosed = true
    },
  }
}
