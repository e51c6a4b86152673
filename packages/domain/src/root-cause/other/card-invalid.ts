/** `card_invalid`: the newest card of a worker of this task lacks required members; the last good one stays. */
import { cardsOf } from '../../capability/knowledge.ts'
import { isTerminal } from '../../task/state.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const cardInvalid: OtherCause = {
  cause: 'card_invalid',
  responsible: 'worker',
  says: 'the newest card of worker {worker} lacks required members',
  nextAction: 'Have {worker} serve a complete card; the last complete one stays in force until then.',
  find: (file) =>
    workerIdsOf(file).flatMap((workerId) => {
      const newest = cardsOf(file.workerOf({ workerId })).findLast(({ atMs }) => atMs <= untilMs(file))
      return newest === undefined || newest.isValid
        ? []
        : [{ confidence: 'strong', because: positionsOf([newest.position]), workerId }]
    }),
}

/** Cards fetched after the end of the task do not concern it. */
const untilMs = ({ analysis, facts }: CaseFile): number =>
  isTerminal(analysis.state) ? (facts.at(-1)?.atMs ?? analysis.asOfMs) : Infinity

const workerIdsOf = ({ analysis: { dispatches, attempts } }: CaseFile): readonly string[] => [
  ...new Set([...dispatches, ...attempts].map(({ workerId }) => workerId)),
]
