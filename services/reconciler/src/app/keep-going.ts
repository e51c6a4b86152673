/** One turn of something after the other, until it is stopped. */
import type { Timer } from './ports.ts'

export interface Going {
  /** There may be something to do: the next turn is at once, or right after the one that runs. */
  readonly wake: () => void
  /** Resolves when the turn that runs is over. */
  readonly stop: () => Promise<void>
}

/**
 * `turn` answers how long nothing has to be done, unless it is woken. One that fails is told to
 * `onFailure`, and the next one is not before `retryMs`, whoever wakes it.
 */
export function keepGoing(
  turn: () => Promise<number>,
  { timer, retryMs, onFailure }: { readonly timer: Timer; readonly retryMs: number; readonly onFailure: (error: unknown) => void },
): Going {
  let isStopping = false
  let isWoken = false
  let endOnWake: () => void = () => undefined
  let endOnStop: () => void = () => undefined

  /** Its end is a promise of its own: one that is raced again and again would keep every race. */
  const pause = (ms: number, isWakeable: boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    endOnStop = resolve
    endOnWake = isWakeable ? resolve : () => undefined
    return Promise.race([promise, timer.after(ms)])
  }

  const run = async (): Promise<void> => {
    while (!isStopping) {
      isWoken = false
      try {
        const restMs = await turn()
        if (restMs > 0 && !isWoken && !isStopping) await pause(restMs, true)
      } catch (error) {
        onFailure(error)
        if (!isStopping) await pause(retryMs, false)
      }
    }
  }

  const running = run()
  return {
    wake: () => {
      isWoken = true
      endOnWake()
    },
    stop: async () => {
      isStopping = true
      endOnStop()
      await running
    },
  }
}
