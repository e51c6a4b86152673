/**
 * Everything is killed with SIGKILL again and again while writers write and a reader reads; in the
 * end every acknowledged event is there once, nothing is missing in between, and the views are what
 * a rebuild gives.
 *
 *   npm run fault:kill -- --events 20000 --writers 8 --tasks 500 --kills 5 --seed 1
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createInstance, type MortalInstance } from './instance.ts'
import { headOf, inspectLedger, readAfter } from './inspect-ledger.ts'
import { seededRandom } from '../support/random.ts'
import { batchesOf, sendUntilAcknowledged, type Acknowledged } from './send-events.ts'
import { workHistory } from './work-history.ts'

export interface KillPlan {
  readonly events: number
  readonly writers: number
  readonly tasks: number
  readonly kills: number
  readonly seed: number
  readonly say: (line: string) => void
}

export interface KillReport {
  readonly sent: number
  /** Acknowledged events, by outcome of the answer that counted. */
  readonly recorded: number
  readonly duplicates: number
  /** Requests that got no answer or 503 and were sent again. */
  readonly retries: number
  readonly kills: number
  /** Positions in the ledger, ours and those it made itself. */
  readonly head: number
  readonly isDense: boolean
  /** Acknowledged events that the ledger does not have at the acknowledged position. */
  readonly misplaced: readonly string[]
  /** Events of ours that it holds more than once, or that nobody sent. */
  readonly repeated: readonly string[]
  /** Where the verdicts are that the reconciler recorded meanwhile, and questions that were decided twice. */
  readonly verdictPositions: readonly number[]
  readonly decidedTwice: readonly string[]
  /** Whether the reader that followed all along saw 1..head, each once and in order. */
  readonly isReaderComplete: boolean
  readonly views: string
  readonly elapsedMs: number
}

export const killEverything = async (
  plan: KillPlan,
  checkViews: (instance: MortalInstance) => Promise<string>,
): Promise<KillReport> => {
  const beganMs = Date.now()
  const random = seededRandom(plan.seed)
  const salt = `fault-${plan.seed}`
  const length = Math.floor(plan.events / plan.tasks)
  const histories = Array.from({ length: plan.tasks }, (_, task) => workHistory(task, length, random, salt))
  const instance = await createInstance({ GRACE_MS: '1000' })
  const acknowledged = new Map<string, Acknowledged>()
  const seen: number[] = []
  let retries = 0
  let isWriting = true
  let killCount = 0
  /** After how many acknowledged events the kill of this number happens. */
  const killAt = (kill: number) => (kill > plan.kills + 1 ? Infinity : Math.floor((plan.events * kill) / (plan.kills + 1)))
  try {
    await instance.start()
    const write = async (writer: number) => {
      for (const batch of batchesOf(histories.filter((_, task) => task % plan.writers === writer), random)) {
        // No writer runs past the next kill but one, so that every kill meets writing.
        while (acknowledged.size > killAt(killCount + 1.5)) await delay(5)
        retries += await sendUntilAcknowledged([instance.ledgerUrl], batch, acknowledged)
      }
    }
    const follow = async () => {
      while (isWriting || (seen.at(-1) ?? 0) < (await headOf(instance.ledgerUrl))) {
        const page = await readAfter(instance.ledgerUrl, seen.at(-1) ?? 0).catch(() => [])
        seen.push(...page.map(({ position }) => position))
        if (page.length === 0) await delay(20)
      }
    }
    const kill = async () => {
      for (let kill = 1; kill <= plan.kills; kill += 1) {
        while (acknowledged.size < killAt(kill)) await delay(5)
        plan.say(`kill ${kill} of ${plan.kills}: ${acknowledged.size} events acknowledged`)
        await instance.kill()
        await instance.start()
        killCount = kill
      }
    }
    const writers = Promise.all(Array.from({ length: plan.writers }, (_, writer) => write(writer)))
    const killer = kill()
    const reader = follow()
    await Promise.all([writers, killer])
    isWriting = false
    await reader
    plan.say(`${acknowledged.size} events acknowledged, ${retries} requests sent again; checking`)
    const views = await checkViews(instance)
    return { ...(await inspectLedger(instance.ledgerUrl, histories.flat(), acknowledged, seen)), retries, kills: plan.kills, views, elapsedMs: Date.now() - beganMs }
  } finally {
    await instance.remove()
  }
}
