import type { WatchedCall } from './watch-call.ts'

/** `act`; what it throws is given to `failed` and harms nobody. */
export const safely =
  <Args extends readonly unknown[]>(failed: (error: unknown) => void, act: (...args: Args) => void) =>
  (...args: Args): void => {
    try {
      act(...args)
    } catch (error) {
      failed(error)
    }
  }

/** The call that `begin` watches, or as much of it as is told of; what goes wrong in watching is given to `failed`. */
export function watchSafely(begin: () => Partial<WatchedCall> | undefined, failed: (error: unknown) => void): WatchedCall {
  let watched: Partial<WatchedCall> | undefined
  safely(failed, () => (watched = begin()))()
  return {
    reading: watched?.reading,
    answered: safely(failed, (...args) => watched?.answered?.(...args)),
    streams: safely(failed, (...args) => watched?.streams?.(...args)),
    frame: safely(failed, (...args) => watched?.frame?.(...args)),
    frameMissed: safely(failed, (...args) => watched?.frameMissed?.(...args)),
    streamEnded: safely(failed, (...args) => watched?.streamEnded?.(...args)),
    unanswered: safely(failed, (...args) => watched?.unanswered?.(...args)),
  }
}
