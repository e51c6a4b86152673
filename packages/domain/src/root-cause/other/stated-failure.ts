/** Attempts whose worker says why it gave up: what several causes read the words of. */
import type { AttemptAnalysis } from '../../task/analysis.ts'
import { statementsOf, type CaseFile } from '../case-file.ts'
import { positionsOf } from '../cause.ts'
import type { Confidence, Proof } from '../finding.ts'

/** Proof for every attempt that ended in one of `states` with words that say so. */
export const statedBy = (
  file: CaseFile,
  states: readonly AttemptAnalysis['state'][],
  says: (text: string) => boolean,
  confidence: Confidence = 'stated',
): readonly Proof[] =>
  file.analysis.attempts
    .filter(({ state }) => states.includes(state))
    .flatMap((attempt) => {
      const said = statementsOf(file, attempt).findLast(({ text }) => says(text))
      const { workerId, taskId } = attempt
      return said === undefined ? [] : [{ confidence, because: positionsOf([said.position]), workerId, taskId }]
    })
