import type { Acknowledged } from './send-events.ts'
import type { ObservedEvent } from './work-history.ts'

export interface Recorded {
  readonly position: number
  readonly id: string
  readonly source: string
  readonly type: string
  readonly correlationId: string
  readonly data?: { readonly question?: unknown }
}

export const readAfter = async (ledgerUrl: string, after: number): Promise<readonly Recorded[]> => {
  const answer = await fetch(`${ledgerUrl}/v1/events?after=${after}&limit=1000`)
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`)
  return ((await answer.json()) as { events: readonly Recorded[] }).events
}

/** Everything that is recorded. */
export const recordedBy = async (ledgerUrl: string): Promise<readonly Recorded[]> => {
  const recorded: Recorded[] = []
  for (;;) {
    const page = await readAfter(ledgerUrl, recorded.at(-1)?.position ?? 0)
    if (page.length === 0) return recorded
    recorded.push(...page)
  }
}

export const headOf = async (ledgerUrl: string): Promise<number> => {
  const answer = await fetch(`${ledgerUrl}/readyz`).catch(() => undefined)
  return answer?.status === 200 ? ((await answer.json()) as { head: number }).head : Infinity
}

/**
 * What the ledger holds of `sent`. Events that somebody else acknowledged than the ledger are not in
 * `acknowledged`; each of them has to be there too.
 */
export const inspectLedger = async (
  ledgerUrl: string,
  sent: readonly ObservedEvent[],
  acknowledged: ReadonlyMap<string, Acknowledged>,
  seen: readonly number[],
) => {
  const recorded = await recordedBy(ledgerUrl)
  const source = sent[0]?.source
  const own = recorded.filter((event) => event.source === source)
  const positions = new Map(own.map(({ id, position }) => [id, position]))
  const known = new Set(sent.map(({ id }) => id))
  const outcomes = [...acknowledged.values()].map(({ outcome }) => outcome)
  const met = new Set<string>()
  const verdicts = recorded.filter(({ type }) => type === 'reconciler.verdict')
  const questions = verdicts.map(({ correlationId, data }) => JSON.stringify([correlationId, data?.question]))
  const isRepeated = ({ id }: Recorded) => met.size === met.add(id).size || !known.has(id)
  return {
    sent: sent.length,
    recorded: outcomes.filter((outcome) => outcome === 'recorded').length,
    duplicates: outcomes.filter((outcome) => outcome === 'duplicate').length,
    head: recorded.at(-1)?.position ?? 0,
    isDense: recorded.every(({ position }, index) => position === index + 1),
    misplaced: sent.map(({ id }) => id).filter((id) => !positions.has(id) || (acknowledged.get(id) ?? { position: positions.get(id) }).position !== positions.get(id)),
    repeated: own.filter(isRepeated).map(({ id }) => id),
    verdictPositions: verdicts.map(({ position }) => position),
    decidedTwice: questions.filter((question, index) => questions.indexOf(question) !== index),
    isReaderComplete: seen.every((position, index) => position === index + 1) && seen.length >= sent.length,
  }
}
