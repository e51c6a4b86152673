/** The two kinds of causes: those that explain one server task, and those that look at all of them. */
import type { CaseFile, ServerTask } from './case-file.ts'
import type { CauseText, Proof, LossCauseCode, OtherCauseCode } from './finding.ts'

/** Why one server task is gone, or seems to be. */
export interface LossCause extends CauseText {
  readonly cause: LossCauseCode
  /** True when it also tells something about a server task that is not lost. */
  readonly isWithoutLoss: boolean
  readonly find: (task: ServerTask, file: CaseFile) => Proof | undefined
}

/** What else explains where the logical task stands; one piece of evidence per worker or task. */
export interface OtherCause extends CauseText {
  readonly cause: OtherCauseCode
  readonly find: (file: CaseFile) => readonly Proof[]
}

/** A finding names at most this many positions. */
export const becauseMax = 20

/** Positions in order, each once; of more than fit, the newest. */
export const positionsOf = (positions: readonly (number | undefined)[]): readonly number[] =>
  [...new Set(positions.filter((position) => position !== undefined))]
    .toSorted((left, right) => left - right)
    .slice(-becauseMax)
