/** What the callers of one commit group are told. */
import type { Placement } from '@a2a-ledger/domain'
import type { KeyCheck } from './dedupe.ts'
import type { AppendOutcome } from './ports.ts'
import type { Preparation } from './prepare-event.ts'
import type { Prepared, PreparedEvent, QuarantineRow } from './prepared.ts'

/** One outcome an input, in order; `placementAt` is where the group index of a new event went. */
export const outcomesOf = (
  group: readonly Prepared[],
  checks: readonly KeyCheck[],
  placementAt: (index: number) => Placement | undefined,
  preparation: Preparation,
): readonly AppendOutcome[] => {
  const outcomes: AppendOutcome[] = []
  for (const [index, input] of group.entries()) outcomes.push(outcomeAt(index, input))
  return outcomes

  function outcomeAt(index: number, input: Prepared): AppendOutcome {
    const check = checks[index]
    if (input.kind === 'quarantine' || check === undefined) return quarantined(input)
    switch (check.kind) {
      case 'duplicate-of-recorded': {
        const { position, correlationId } = check.recorded
        const stated = input.attributes.correlationid ?? ''
        return { outcome: 'duplicate', position, correlationId: correlationId ?? stated }
      }
      case 'duplicate-in-group': {
        const twin = outcomes[check.index]
        if (twin?.outcome === 'recorded') return { ...twin, outcome: 'duplicate' }
        if (twin?.outcome === 'stale') return twin
        throw new TypeError(`A duplicate of an input that is ${twin?.outcome}.`)
      }
      case 'conflict': {
        const { differsIn } = check
        return { outcome: 'conflict', differsIn, quarantineId: conflictRow(input, differsIn, preparation).id }
      }
      case 'new':
        return placed(placementAt(index))
      case 'quarantine':
        return quarantined(input)
    }
  }
}

const placed = (placement: Placement | undefined): AppendOutcome => {
  if (placement?.outcome === 'stale') return placement
  if (placement?.outcome !== 'placed') throw new TypeError('A new event has no place.')
  const { position, correlationId } = placement
  return { outcome: 'recorded', position, correlationId }
}

const quarantined = (input: Prepared): AppendOutcome => {
  if (input.kind === 'event') throw new TypeError('An event has no check.')
  const { id, reason, detail } = input.row
  return { outcome: 'quarantined', quarantineId: id, reason, detail }
}

/** L2: the second content of a key is kept too. */
export const conflictRow = (
  { via, attributes, data, headers }: PreparedEvent,
  differsIn: readonly string[],
  preparation: Preparation,
): QuarantineRow =>
  preparation.quarantine({
    reason: 'conflict',
    detail: `The key is recorded with other content; it differs in ${differsIn.join(', ')}.`,
    via,
    source: attributes.source,
    bytes: data,
    headers,
    attributes,
  }).row
