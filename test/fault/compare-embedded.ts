import { setTimeout as delay } from 'node:timers/promises'
import type { Distributed } from './distributed.ts'
import { createInstance } from './instance.ts'
import { headOf, readAfter } from './inspect-ledger.ts'
import { sendUntilAcknowledged } from './send-events.ts'
import type { ObservedEvent } from './work-history.ts'

interface View {
  readonly correlationId: string
  readonly state: string
  readonly lastObserved?: string
  readonly terminal: boolean
  readonly dispatches: readonly { readonly workerId: string; readonly messageId?: string; readonly outcome: string }[]
  readonly attempts: readonly { readonly workerId: string; readonly taskId: string; readonly state: string; readonly life: string; readonly contested: boolean }[]
  readonly artifacts: readonly { readonly key: string; readonly canonical: { readonly digest?: string } }[]
  readonly violations: readonly { readonly code: string }[]
}

const batchCount = 500

/**
 * Sends what the deployment recorded of `sent`, in its order, through the embedded form, and answers
 * the tasks whose views differ. Verdicts are left out, and positions with them: whether a question falls
 * due before the next event comes depends on when that is sent.
 */
export async function compareWithEmbedded(deployment: Distributed, sent: readonly ObservedEvent[]): Promise<readonly string[]> {
  const [ledgerUrl = '', reconcilerUrl = ''] = [deployment.ledgers[0]?.url, deployment.reconcilers[0]?.url]
  const byId = new Map(sent.map((event) => [event.id, event]))
  const ordered: ObservedEvent[] = []
  for (let after = 0; ; ) {
    const page = await readAfter(ledgerUrl, after)
    const last = page.at(-1)
    if (last === undefined) break
    ordered.push(...page.flatMap(({ id }) => byId.get(id) ?? []))
    after = last.position
  }
  const instance = await createInstance({ GRACE_MS: '1000' })
  try {
    await instance.start()
    for (let at = 0; at < ordered.length; at += batchCount) {
      await sendUntilAcknowledged([instance.ledgerUrl], ordered.slice(at, at + batchCount), new Map())
    }
    await untilQuiet(instance.ledgerUrl, instance.reconcilerUrl)
    const [theirs, ours] = [await viewsOf(reconcilerUrl), await viewsOf(instance.reconcilerUrl)]
    const correlationIds = new Set([...theirs.keys(), ...ours.keys()])
    return [...correlationIds]
      .filter((id) => theirs.get(id) !== ours.get(id))
      .map((id) => `${id}\n  distributed: ${theirs.get(id)}\n  embedded:    ${ours.get(id)}`)
  } finally {
    await instance.remove()
  }
}

async function untilQuiet(ledgerUrl: string, reconcilerUrl: string): Promise<void> {
  for (let quietHead = 0; ; ) {
    await delay(3_000)
    const head = await headOf(ledgerUrl)
    const ready = (await (await fetch(`${reconcilerUrl}/readyz`)).json()) as { readonly feed: { readonly appliedPosition: number }; readonly rechecks: number }
    const isLevel = ready.feed.appliedPosition === head && ready.rechecks === 0
    if (isLevel && quietHead === head) return
    quietHead = isLevel ? head : 0
  }
}

/** What every view says, without positions, by correlation ID. */
async function viewsOf(reconcilerUrl: string): Promise<ReadonlyMap<string, string>> {
  const views = new Map<string, string>()
  for (let after: number | null = 0; after !== null; ) {
    const page = (await (await fetch(`${reconcilerUrl}/v1/tasks?after=${after}&limit=100`)).json()) as {
      readonly tasks: readonly { readonly correlationId: string }[]
      readonly next: number | null
    }
    for (const { correlationId } of page.tasks) {
      const view = (await (await fetch(`${reconcilerUrl}/v1/tasks/${encodeURIComponent(correlationId)}`)).json()) as View
      views.set(correlationId, JSON.stringify(essenceOf(view)))
    }
    after = page.next
  }
  return views
}

const essenceOf = ({ state, lastObserved, terminal, dispatches, attempts, artifacts, violations }: View) => ({
  state,
  lastObserved,
  terminal,
  dispatches: dispatches.map(({ workerId, messageId, outcome }) => [workerId, messageId, outcome]),
  attempts: attempts.map(({ workerId, taskId, state: last, life, contested }) => [workerId, taskId, last, life, contested]),
  artifacts: artifacts.map(({ key, canonical }) => [key, canonical.digest]),
  violations: violations.map(({ code }) => code),
})
