import { setTimeout as delay } from 'node:timers/promises'

/** Something that runs until it is stopped or dies. */
export type Running = {
  /** Resolves with the reason when it is gone. */
  readonly exited: Promise<string>
  stop(): Promise<void>
}

export type KeepRunningOptions<Instance extends Running> = {
  readonly name: string
  /** Gives up, leaving nothing behind, when `signal` fires before it has started. */
  readonly start: (signal: AbortSignal) => Promise<Instance>
  readonly say: (line: string) => void
  readonly giveUp: (reason: string) => void
  readonly backoffMsMin?: number
  readonly quickDeathMs?: number
  readonly quickDeathsMax?: number
}

/**
 * Starts `name` and starts it again whenever it dies, a little later each time.
 *
 * `started` resolves with the first instance, or rejects when that does not start. `stop` may be
 * called at any time, before that too. `giveUp` is called once: after `quickDeathsMax` deaths in
 * a row of instances that lived for less than `quickDeathMs`, or when one does not start again.
 */
export function keepRunning<Instance extends Running>(
  options: KeepRunningOptions<Instance>,
): { readonly started: Promise<Instance>; stop(): Promise<void> } {
  const { name, start, say, giveUp } = options
  const { backoffMsMin = 200, quickDeathMs = 10_000, quickDeathsMax = 5 } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let current: Promise<Instance> = start(signal)
  const started = current

  const watch = async (): Promise<void> => {
    for (let quickDeaths = 0; ; ) {
      const instance = await current
      const startedAtMs = performance.now()
      const reason = await instance.exited
      if (signal.aborted) return
      quickDeaths = performance.now() - startedAtMs < quickDeathMs ? quickDeaths + 1 : 1
      say(`${name} died: ${reason}`)
      if (quickDeaths >= quickDeathsMax) {
        giveUp(`${name} died ${quickDeaths} times in a row`)
        return
      }
      const backoffMs = backoffMsMin * 2 ** quickDeaths
      say(`${name} starts again in ${backoffMs} ms`)
      await delay(backoffMs, undefined, { signal })
      current = start(signal)
    }
  }
  const watched = started.then(watch).catch((error: unknown) => {
    const isFirst = current === started // whoever awaits `started` is told
    if (!signal.aborted && !isFirst) giveUp(`${name} does not start again: ${String(error)}`)
  })

  return {
    started,
    stop: async () => {
      stopping.abort()
      const instance = await current.catch(() => undefined)
      await instance?.stop()
      await watched
    },
  }
}
