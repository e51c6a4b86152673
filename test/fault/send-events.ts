import { setTimeout as delay } from 'node:timers/promises'
import type { ObservedEvent } from './work-history.ts'

/** A ledger that is stopped holds its connections and says nothing. */
const answerWithinMs = 10_000

/** What the answer that counted said of one event. */
export interface Acknowledged {
  readonly position: number
  readonly outcome: 'recorded' | 'duplicate'
}

/** Batches of 1 to 40 events that mix the tasks but keep the order within each. */
export function* batchesOf(histories: readonly (readonly ObservedEvent[])[], random: () => number): Generator<readonly ObservedEvent[]> {
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

/** Sends `batch` to one ledger after the other until it is acknowledged, and counts how often it had to be sent again. */
export const sendUntilAcknowledged = async (
  ledgerUrls: readonly string[],
  batch: readonly ObservedEvent[],
  acknowledged: Map<string, Acknowledged>,
): Promise<number> => {
  const body = JSON.stringify(batch)
  const headers = { 'content-type': 'application/cloudevents-batch+json' }
  for (let retries = 0; ; retries += 1) {
    const url = `${ledgerUrls[retries % ledgerUrls.length]}/v1/events`
    const signal = AbortSignal.timeout(answerWithinMs)
    const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined)
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
