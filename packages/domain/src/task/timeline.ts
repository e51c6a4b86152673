/** Every event of a task in order, and what it changed (contract §4). */
import { canonicalOf } from '../a2a/canonical-of.ts'
import type { Canonical } from '../a2a/canonical.ts'
import { readPayload } from '../a2a/read.ts'
import { parseTimestampMs } from '../a2a/timestamp.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import type { TaskFact } from '../fact/fact.ts'
import { readContextOf } from '../fact/facts-of.ts'
import { rfc3339Of } from '../rfc3339.ts'
import { withShortLists, type Counted } from '../short-lists.ts'
import type { TaskAnalysis, TaskInput } from './analysis.ts'
import { deriveTask } from './derive.ts'
import { effectOf, type Effect } from './timeline-effect.ts'

export interface Change {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

export interface TimelineEntry extends Counted {
  readonly position: number
  readonly type: string
  readonly source: string
  readonly time: string
  /** Whose clock `time` is: the witness's, or the ledger's where it stated none or was too far ahead. */
  readonly clock: 'witness' | 'ledger'
  /** When the worker says that it happened, by its own clock; absent where it does not say. */
  readonly stamped?: string
  /** The database's clock. */
  readonly recordedat: string
  readonly workerId?: string
  readonly taskId?: string
  readonly operation?: string
  readonly canonical?: Canonical
  readonly effect: Effect
  readonly changed: readonly Change[]
  readonly because?: string
}

/**
 * The entries of `events`, each with the difference it made to the task as known just before it.
 *
 * Shape: `events` ascending by position; `input.facts` hold all facts of the task up to the last
 * of them. Cost: one derivation an event.
 */
export const timelineOf = (input: TaskInput, events: readonly LedgerEvent[]): readonly TimelineEntry[] => {
  const upTo = (position: number) => deriveTask({ ...input, facts: input.facts.filter((fact) => fact.position <= position) })
  const [first] = events
  let before = first === undefined ? undefined : upTo(first.position - 1)
  return events.map((event) => {
    const after = upTo(event.position)
    const fact = input.facts.find(({ position }) => position === event.position)
    const entry = entryOf(event, fact, before, after)
    before = after
    return entry
  })
}

const entryOf = (
  event: LedgerEvent,
  fact: TaskFact | undefined,
  before: TaskAnalysis | undefined,
  after: TaskAnalysis,
): TimelineEntry => {
  const { attributes } = event
  const canonical = canonicalOfEvent(event)
  const changed = changesBetween(before, after)
  const workerId = attributes.workerid
  const taskId = fact?.taskId ?? canonical?.taskId ?? attributes.taskid
  return withShortLists({
    position: event.position,
    type: attributes.type,
    source: attributes.source,
    time: rfc3339Of(fact?.atMs ?? event.recordedAtMs),
    clock: isWitnessClock(event, fact) ? 'witness' : 'ledger',
    ...(fact?.kind === 'report' && fact.statusAtMs !== undefined && { stamped: rfc3339Of(fact.statusAtMs) }),
    recordedat: rfc3339Of(event.recordedAtMs),
    ...(workerId !== undefined && { workerId }),
    ...(taskId !== undefined && { taskId }),
    ...(attributes.operation !== undefined && { operation: attributes.operation }),
    ...(canonical !== undefined && { canonical: withShortLists(canonical) }),
    changed,
    ...effectOf(fact, changed.length > 0, before, after),
  })
}

const isWitnessClock = ({ attributes: { time } }: LedgerEvent, fact: TaskFact | undefined): boolean =>
  fact !== undefined && time !== undefined && parseTimestampMs(time).ms === fact.atMs

const canonicalOfEvent = (event: LedgerEvent): Canonical | undefined => {
  if (event.data === undefined) return undefined
  const result = readPayload(readContextOf(event), event.data)
  return result.outcome === 'read' ? canonicalOf(result.reading) : undefined
}

/** The fields of a task that an event can change, flat. */
const fieldsOf = (analysis: TaskAnalysis | undefined): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  if (analysis === undefined || analysis.facts.length === 0) return fields
  fields.set('state', analysis.state)
  if (analysis.lastObserved !== undefined) fields.set('lastObserved', analysis.lastObserved)
  for (const { workerId, taskId, state, life, contested } of analysis.attempts) {
    const name = `attempt ${workerId}/${taskId}`
    fields.set(`${name} state`, state)
    fields.set(`${name} life`, life)
    fields.set(`${name} contested`, String(contested))
  }
  for (const { workerId, messageId, position, outcome } of analysis.dispatches) {
    fields.set(`dispatch ${workerId}/${messageId ?? position} at ${position}`, outcome)
  }
  for (const { key, canonical } of analysis.artifacts) {
    fields.set(`artifact ${key}`, `${canonical.bytes} bytes${canonical.complete ? ', complete' : ''} of ${canonical.workerId}/${canonical.taskId ?? 'message'}`)
  }
  for (const { intentId, workerId, outcome } of analysis.intents) fields.set(`intent ${intentId}`, `${outcome} to ${workerId}`)
  for (const { workerId, taskId, outcome } of analysis.cancels) fields.set(`cancel of ${workerId}/${taskId}`, outcome)
  for (const { decisionId, answer } of analysis.approvals) fields.set(`approval of ${decisionId}`, answer)
  for (const { verdict, position } of analysis.verdicts) fields.set(`verdict at ${position}`, verdict)
  return fields
}

const changesBetween = (before: TaskAnalysis | undefined, after: TaskAnalysis): readonly Change[] => {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({ field, from: old.get(field) ?? null, to: now.get(field) ?? null }))
}
