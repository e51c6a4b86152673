/** Decision tables of root causes: what happened, and what the cause says about it. */
import { describe, expect, it } from 'vitest'
import { explainTask } from '../root-cause/explain-task.ts'
import type { CauseCode } from '../root-cause/finding.ts'
import { taskAfter, type Line, type World } from './history.ts'

/**
 * One row: a fact in the present tense, the history, and the verdict last.
 *
 * The verdict is `<confidence> <positions>` as in `strong 2, 3`, one per finding; `none`; or, where
 * another cause takes its place, that cause.
 */
export type Row = readonly [
  fact: string,
  lines: readonly Line[],
  ...rest: readonly [verdict: string] | readonly [world: World, verdict: string],
]

/** The causes found, in order. */
export const causesOf = (lines: readonly Line[], world?: World): readonly CauseCode[] =>
  explainTask(taskAfter(lines, world)).findings.map(({ cause }) => cause)

/** Runs a table of one cause. */
export const causeTable = (cause: CauseCode, rows: readonly Row[]): void => {
  describe(cause, () => {
    it.each(rows.map((row) => ({ fact: row[0], row })))('$fact', ({ row }) => {
      const [, lines] = row
      const [world, verdict] = row.length === 4 ? [row[2], row[3]] : [undefined, row[2]]
      const { findings } = explainTask(taskAfter(lines, world))
      const found = findings.filter((finding) => finding.cause === cause)
      const others = findings.filter((finding) => finding.cause === verdict).map((finding) => finding.cause)
      const told = found.map(({ confidence, because }) => `${confidence} ${because.join(', ')}`)
      expect(told.length === 0 ? (others[0] ?? 'none') : told.join('; ')).toBe(verdict)
    })
  })
}
