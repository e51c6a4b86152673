/** A process that can be stopped, as by SIGSTOP, at a named await of its ports: nothing in it goes on. */
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import type { Timer } from '../src/app/ports.ts'
import { testTimer } from './open-test-store.ts'

export interface Stoppable {
  readonly name: string
  /** Everything it awaits ends here. */
  readonly pass: (point: string) => Promise<void>
  /** `target`, with a point before and one behind each call. */
  readonly gated: <Port extends object>(prefix: string, target: Port) => Port
  /** It will stop where `point` is passed next, and tells by resolving. */
  readonly stopAt: (point: string) => Promise<void>
  /** `leapMs`: how far its clock went meanwhile. */
  readonly resume: (leapMs: number) => void
  /** Five times as fast as ours: pauses are short. */
  readonly timer: Timer
}

const speed = 5

export function createStoppable(name: string): Stoppable {
  let armed: { readonly point: string; readonly reached: () => void } | undefined
  let stopped: PromiseWithResolvers<void> | undefined
  let leaptMs = 0
  const pass = async (point: string): Promise<void> => {
    if (stopped === undefined && armed?.point === point) {
      stopped = Promise.withResolvers()
      armed.reached()
      armed = undefined
    }
    while (stopped !== undefined) await stopped.promise
  }
  return {
    name,
    pass,
    gated: (prefix, target) => {
      const gate = (key: string, call: (...values: unknown[]) => unknown) => async (...values: unknown[]) => {
        await pass(`${prefix}.${key} before`)
        try {
          return await call(...values)
        } finally {
          await pass(`${prefix}.${key} behind`)
        }
      }
      const entries = Object.entries(target).map(([key, value]) => [key, typeof value === 'function' ? gate(key, value) : value])
      return Object.fromEntries(entries)
    },
    stopAt: (point) => new Promise((resolve) => (armed = { point, reached: resolve })),
    resume: (leapMs) => {
      leaptMs += leapMs
      const waiting = stopped
      stopped = undefined
      waiting?.resolve()
    },
    timer: {
      after: async (ms) => {
        await testTimer.after(Math.ceil(ms / speed))
        await pass('timer')
      },
      elapsedMs: () => testTimer.elapsedMs() * speed + leaptMs,
    },
  }
}

/** In an order that the seed decides. */
export const shuffled = <Item>(items: readonly Item[], seed: number): readonly Item[] => {
  const keyed = items.map((item, index) => ({ item, key: nodeCodec.sha256Hex(`${seed}/${index}`) }))
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ item }) => item)
}
