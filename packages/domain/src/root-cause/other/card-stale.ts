/**
 * `card_stale`: a dispatch decided on a card older than its lifetime, or an emission that breaks the
 * contract of a card that had run out by then (A2A v1.0 §8.6).
 */
import { cardsOf } from '../../capability/knowledge.ts'
import { isFetchedAround } from '../../fact/card-runs.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import type { Proof } from '../finding.ts'

export const cardStale: OtherCause = {
  cause: 'card_stale',
  responsible: 'client',
  says: 'the card of worker {worker} had run out when it was relied on',
  nextAction: 'Fetch the card of {worker} again before work is sent to it.',
  find: (file) => [
    ...file.analysis.dispatches.flatMap(({ workerId, position, atMs }) => staleAt(file, workerId, position, atMs)),
    ...file.analysis.violations.flatMap(({ code, workerId, position }) => {
      const atMs = file.factAt(position)?.atMs
      return judgedByCard.has(code) && workerId !== undefined && atMs !== undefined
        ? staleAt(file, workerId, position, atMs)
        : []
    }),
  ],
}

const judgedByCard: ReadonlySet<string> = new Set([
  'media_type_not_advertised',
  'media_type_not_negotiated',
  'state_not_advertised',
])

const staleAt = (file: CaseFile, workerId: string, position: number, atMs: number): readonly Proof[] => {
  const card = file.cardAt(workerId, atMs)
  if (card?.maxAgeMs === undefined || atMs - card.atMs <= card.maxAgeMs) return []
  if (isFetchedAround(cardsOf(file.workerOf({ workerId })), card, atMs)) return []
  return [{ confidence: 'strong', because: positionsOf([card.position, position]), workerId }]
}
