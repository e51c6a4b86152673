import { setTimeout as delay } from 'node:timers/promises'
import type { MortalService } from '../support/mortal-service.ts'
import type { Distributed } from './distributed.ts'

/** What is done to a deployment, and for how much of the writing. */
interface Harm {
  readonly name: string
  readonly act: () => Promise<void>
  readonly shares: number
  readonly shareMs: number
}

/** How long a share of the events takes to be allowed, where nothing is stopped for longer. */
const shareMs = 4_000
const stepMs = 50
/** How long a process or a server is gone. */
const goneMs = 1_000

export interface HarmOptions {
  readonly events: number
  /** How long a process is stopped with SIGSTOP. */
  readonly pauseMs: number
  readonly random: () => number
  /** Events that writers may write from now on, beside those that they might before. */
  readonly allow: (count: number) => void
  /** Events that are acknowledged. */
  readonly written: () => number
  /** Told at the moment of each. */
  readonly harmed: (name: string) => void
}

/**
 * One harm after the other, in an order of chance: one ledger, one reconciler, the broker and
 * PostgreSQL are killed, and the other ledger and the other reconciler stopped, the second of them
 * half way through the first. Writers may write a share of the events before, a share or two during
 * each, spread over its time so that every one of them meets writing, and the last when all is over.
 */
export async function harm(deployment: Distributed, options: HarmOptions): Promise<void> {
  const { events, random, allow } = options
  const harms = shuffled(harmsOf(deployment, options), random)
  const share = events / (harms.reduce((sum, { shares }) => sum + shares, 0) + 2)
  allow(share)
  while (options.written() < share) await delay(stepMs)
  for (const { name, act, shares, shareMs: eachMs } of harms) {
    const acting = async (): Promise<void> => {
      await delay(random() * goneMs) // somewhere in the middle of a batch
      options.harmed(name)
      await act()
    }
    await Promise.all([allowing(shares * share, shares * eachMs, allow), acting()])
  }
  allow(events)
}

function harmsOf({ ledgers, reconcilers, broker, killPostgres }: Distributed, { pauseMs, harmed }: HarmOptions): readonly Harm[] {
  const [ledger, otherLedger] = ledgers
  const [reconciler, otherReconciler] = reconcilers
  if (ledger === undefined || reconciler === undefined || otherLedger === undefined || otherReconciler === undefined) {
    throw new Error('There are not two of each.')
  }
  const kill = (name: string, dying: Pick<MortalService, 'kill' | 'start'>): Harm => ({
    name: `SIGKILL of ${name}`,
    act: async () => {
      await dying.kill()
      await delay(goneMs)
      await dying.start()
    },
    shares: 1,
    shareMs,
  })
  const stop = async (service: MortalService): Promise<void> => {
    service.pause()
    await delay(pauseMs)
    service.resume()
  }
  return [
    kill('a ledger', ledger),
    kill('a reconciler', reconciler),
    kill('the broker', broker),
    { name: 'SIGKILL of PostgreSQL', act: killPostgres, shares: 1, shareMs },
    {
      name: 'SIGSTOP of a ledger',
      act: async () => {
        const stopSecond = async (): Promise<void> => {
          await delay(pauseMs / 2)
          harmed('SIGSTOP of a reconciler')
          await stop(otherReconciler)
        }
        await Promise.all([stop(otherLedger), stopSecond()])
      },
      shares: 2,
      shareMs: Math.max(shareMs, (pauseMs * 3) / 4),
    },
  ]
}

async function allowing(count: number, ms: number, allow: (count: number) => void): Promise<void> {
  const steps = ms / stepMs
  for (let step = 0; step < steps; step += 1) {
    allow(count / steps)
    await delay(stepMs)
  }
}

/** Every order alike. */
function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
