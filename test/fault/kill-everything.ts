/**
 * Everything is killed with SIGKILL again and again while writers write and a reader reads; in the
 * end every acknowledged event is there once, nothing is missing in between, and the views are what
 * a rebuild gives.
 *
 *   npm run fault:kill -- --events 20000 --writers 8 --tasks 500 --kills 5 --seed 1
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createInstance, type MortalInstance } from './instance.ts'
import { seededRandom } from './random.ts'
import { workHistory, type ObservedEvent } from './work-history.ts'

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
  /** Verdicts that the reconciler recorded meanwhile, and questions that were decided twice. */
  readonly verdicts: number
  readonly decidedTwice: readonly string[]
  /** Whether the reader that followed all along saw 1..head, each once and in order. */
  readonly isReaderComplete: boolean
  readonly views: string
  readonly elapsedMs: number
}

interface Acknowledged {
  readonly position: number
  readonly outcome: 'recorded' | 'duplicate'
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
  try {
    await instance.start()
    const write = async (writer: number) => {
      for (const batch of batchesOf(histories.filter((_, task) => task % plan.writers === writer), random)) {
        retries += await sendUntilAcknowledged(instance.ledgerUrl, batch, acknowledged)
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
        const threshold = Math.floor((plan.events * kill) / (plan.kills + 1))
        while (acknowledged.size < threshold) await delay(5)
        plan.say(`kill ${kill} of ${plan.kills}: ${acknowledged.size} events acknowledged`)
        await instance.kill()
        await instance.start()
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
    return { ...(await inspect(instance, histories.flat(), acknowledged, seen)), retries, kills: plan.kills, views, elapsedMs: Date.now() - beganMs }
  } finally {
    await instance.remove()
  }
}

/** Batches of 1 to 40 events that mix the tasks but keep the order within each. */
function* batchesOf(histories: readonly (readonly ObservedEvent[])[], random: () => number): Generator<readonly ObservedEvent[]> {
  const queues = histories.map((history) => ({ history, next: 0 }))
  let open = queues.filter(({ history }) => history.length > 0)
  while (open.length > 0) {
    const batch: ObservedEvent[] = []
    const size = 1 + Math.floor(random() * 40)
    while (batch.length < size && open.length > 0) {
      const queue = open[Math.floor(random() * open.length)]
      const event = queue?.history[queue.next]
      if (queue === undefined || event === undefined) break
      batch.push(event)
      queue.next += 1
      if (queue.next === queue.history.length) open = open.filter((other) => other !== queue)
    }
    yield batch
  }
}

interface Answer {
  readonly results: readonly { readonly id: string; readonly outcome: string; readonly position: number }[]
}

/** Sends `batch` until it is acknowledged, and counts how often it had to be sent again. */
const sendUntilAcknowledged = async (
  ledgerUrl: string,
  batch: readonly ObservedEvent[],
  acknowledged: Map<string, Acknowledged>,
): Promise<number> => {
  const body = JSON.stringify(batch)
  const headers = { 'content-type': 'application/cloudevents-batch+json' }
  for (let retries = 0; ; retries += 1) {
    const answer = await fetch(`${ledgerUrl}/v1/events`, { method: 'POST', headers, body }).catch(() => undefined)
    if (answer?.status !== 200) {
      if (answer !== undefined && answer.status !== 503) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`)
      await delay(20)
      continue
    }
    // an answer that is cut off in the middle counts as none
    const json = (await answer.json().catch(() => undefined)) as Answer | undefined
    if (json === undefined) continue
    for (const { id, outcome, position } of json.results) {
      if (outcome !== 'recorded' && outcome !== 'duplicate') throw new Error(`${id} was ${outcome}`)
      acknowledged.set(id, { outcome, position })
    }
    return retries
  }
}

interface Recorded {
  readonly position: number
  readonly id: string
  readonly source: string
  readonly type: string
  readonly correlationId: string
  readonly data?: { readonly question?: unknown }
}

const readAfter = async (ledgerUrl: string, after: number): Promise<readonly Recorded[]> => {
  const answer = await fetch(`${ledgerUrl}/v1/events?after=${after}&limit=1000`)
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`)
  return ((await answer.json()) as { events: readonly Recorded[] }).events
}

const headOf = async (ledgerUrl: string): Promise<number> => {
  const answer = await fetch(`${ledgerUrl}/readyz`).catch(() => undefined)
  return answer?.status === 200 ? ((await answer.json()) as { head: number }).head : Infinity
}

const inspect = async (
  instance: MortalInstance,
  sent: readonly ObservedEvent[],
  acknowledged: ReadonlyMap<string, Acknowledged>,
  seen: readonly number[],
) => {
  const recorded: Recorded[] = []
  for (;;) {
    const page = await readAfter(instance.ledgerUrl, recorded.at(-1)?.position ?? 0)
    if (page.length === 0) break
    recorded.push(...page)
  }
  const source = sent[0]?.source
  const own = recorded.filter((event) => event.source === source)
  const positions = new Map(own.map(({ id, position }) => [id, position]))
  const known = new Set(sent.map(({ id }) => id))
  const outcomes = [...acknowledged.values()].map(({ outcome }) => outcome)
  const met = new Set<string>()
  const verdicts = recorded
    .filter(({ type }) => type === 'reconciler.verdict')
    .map(({ correlationId, data }) => JSON.stringify([correlationId, data?.question]))
  const isRepeated = ({ id }: Recorded) => met.size === met.add(id).size || !known.has(id)
  return {
    sent: sent.length,
    recorded: outcomes.filter((outcome) => outcome === 'recorded').length,
    duplicates: outcomes.filter((outcome) => outcome === 'duplicate').length,
    head: recorded.at(-1)?.position ?? 0,
    isDense: recorded.every(({ position }, index) => position === index + 1),
    misplaced: sent.map(({ id }) => id).filter((id) => acknowledged.get(id)?.position !== positions.get(id) || !positions.has(id)),
    repeated: own.filter(isRepeated).map(({ id }) => id),
    verdicts: verdicts.length,
    decidedTwice: verdicts.filter((question, index) => verdicts.indexOf(question) !== index),
    isReaderComplete: seen.every((position, index) => position === index + 1) && seen.length >= sent.length,
  }
}
