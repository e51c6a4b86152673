/** What the process of a service does whatever it serves: how it ends, what tells it to, its clock. */
import { setTimeout as delay } from 'node:timers/promises'

/** Ends the process at once, with exit code 1 and `sentence` on standard error. */
export function exitWith(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** What to tell a person of something that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Aborted by the first SIGTERM or SIGINT; a second signal changes nothing. */
export function stoppingOnSignal(logger: { readonly info: (about: object, line: string) => void }): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) return
      logger.info({ signal }, 'stopping')
      stopping.abort()
    })
  }
  return stopping.signal
}

/** The process's own clock; milliseconds. What waits on it keeps no process alive. */
export const processTimer = {
  after: async (ms: number): Promise<void> => delay(ms, undefined, { ref: false }),
  elapsedMs: (): number => performance.now(),
}
