import { setTimeout as delay } from 'node:timers/promises'
import type { Distributed } from './distributed.ts'
import { createInstance } from './instance.ts'
import { headOf, recordedBy, type Recorded } from './inspect-ledger.ts'
import { sendUntilAcknowledged } from './send-events.ts'
import type { ObservedEvent } from './work-history.ts'

const batchCount = 500
const verdictType = 'reconciler.verdict'
/** Nothing changed for so long: the grace of the last not-found has passed. */
const quietMs = 2_500
const readsAtOnce = 20

/**
 * Sends what the deployment recorded of `sent`, in its order, through the embedded form, and answers
 * the tasks whose views differ, each with both.
 */
export async function compareWithEmbedded(deployment: Distributed, sent: readonly ObservedEvent[]): Promise<readonly string[]> {
  const [ledgerUrl = '', reconcilerUrl = ''] = [deployment.ledgers[0]?.url, deployment.reconcilers[0]?.url]
  const byId = new Map(sent.map((event) => [event.id, event]))
  const recorded = await recordedBy(ledgerUrl)
  const ordered = recorded.flatMap(({ id }) => byId.get(id) ?? [])
  const instance = await createInstance({ GRACE_MS: '1000' })
  try {
    await instance.start()
    for (let at = 0; at < ordered.length; at += batchCount) {
      await sendUntilAcknowledged([instance.ledgerUrl], ordered.slice(at, at + batchCount), new Map())
    }
    await untilQuiet(instance.ledgerUrl, instance.reconcilerUrl)
    const theirs = await viewsOf(reconcilerUrl, recorded)
    const ours = await viewsOf(instance.reconcilerUrl, await recordedBy(instance.ledgerUrl))
    const correlationIds = new Set([...theirs.keys(), ...ours.keys()])
    return [...correlationIds]
      .filter((id) => theirs.get(id) !== ours.get(id))
      .map((id) => `${id}\n  distributed: ${theirs.get(id)}\n  embedded:    ${ours.get(id)}`)
  } finally {
    await instance.remove()
  }
}

async function untilQuiet(ledgerUrl: string, reconcilerUrl: string): Promise<void> {
  let quietHead = 0
  let quietSinceMs = 0
  for (;;) {
    const head = await headOf(ledgerUrl)
    const ready = (await (await fetch(`${reconcilerUrl}/readyz`)).json()) as { readonly feed: { readonly appliedPosition: number }; readonly rechecks: number }
    const isLevel = ready.feed.appliedPosition === head && ready.rechecks === 0
    if (!isLevel || quietHead !== head) quietSinceMs = performance.now()
    if (performance.now() - quietSinceMs >= quietMs) return
    quietHead = isLevel ? head : 0
    await delay(100)
  }
}

interface View {
  readonly state: string
  readonly verdict?: { readonly basis?: string }
}

/** What every view says, by correlation ID; `recorded` names the events at its positions. */
async function viewsOf(reconcilerUrl: string, recorded: readonly Recorded[]): Promise<ReadonlyMap<string, string>> {
  // The id of a verdict is a hash of positions.
  const names = new Map(recorded.map(({ position, source, type, id }) => [position, `${source} ${type === verdictType ? type : id}`]))
  const views = new Map<string, string>()
  for (let after: number | null = 0; after !== null; ) {
    const page = (await read(`${reconcilerUrl}/v1/tasks?after=${after}&limit=${readsAtOnce}`)) as {
      readonly tasks: readonly { readonly correlationId: string }[]
      readonly next: number | null
    }
    const reads = page.tasks.map(async ({ correlationId }) => {
      const view = (await read(`${reconcilerUrl}/v1/tasks/${encodeURIComponent(correlationId)}`)) as View
      views.set(correlationId, comparable(view, names))
    })
    await Promise.all(reads)
    after = page.next
  }
  return views
}

/** A reconciler that has no connection to spare says 503; that is no view. */
async function read(url: string): Promise<unknown> {
  for (let triesLeft = 20; ; triesLeft -= 1) {
    const response = await fetch(url)
    if (response.ok) return response.json()
    const said = await response.text()
    if (response.status !== 503 || triesLeft === 0) throw new Error(`${url}: ${response.status} ${said}`)
    await delay(250)
  }
}

const positionFields: ReadonlySet<string> = new Set(['position', 'positions', 'because', 'firstSeenPosition', 'lastSeenPosition', 'incomplete'])
/** What a deployment says of itself, not of the task. */
const ownFields: ReadonlySet<string> = new Set(['appliedPosition', 'decisionId'])

/**
 * The view with the names of events in place of their positions, which verdicts in between move.
 *
 * A verdict counts while it is in force: whether an earlier question fell due before the next event
 * came depends on when that was sent.
 */
function comparable(view: View, names: ReadonlyMap<number, string>): string {
  const { verdict, ...rest } = view
  const isInForce = view.state === 'indeterminate' && verdict?.basis === undefined
  const nameOf = (value: unknown): unknown => (typeof value === 'number' ? names.get(value) : value)
  return JSON.stringify(isInForce ? view : rest, (field, value: unknown) => {
    if (ownFields.has(field)) return undefined
    if (!positionFields.has(field)) return value
    return Array.isArray(value) ? value.map(nameOf) : nameOf(value)
  })
}
