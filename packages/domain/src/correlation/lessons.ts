/** What the ladder learns from a batch: rows to append, and records of links to make of them. */
import type { CorrelationRule } from './rule.ts'
import type { Taught } from './known-correlations.ts'

/** A server task by its two names. */
export interface ServerTask {
  readonly workerId: string
  readonly taskId: string
}

interface RecordBase extends ServerTask {
  readonly position: number
  /** Position of the event that is the reason. */
  readonly because: number
}

/** An event of the ledger's own about links (K6), to be recorded at `position`. */
export type LinkRecord =
  /** The events of a synthetic stream are those of `to`, before and after. `former`: of its alias before, 0 for none. */
  | (RecordBase & { readonly kind: 'linked'; readonly from: string; readonly to: string; readonly former: number })
  /** They are not. `former`: position of the alias that ends. */
  | (RecordBase & { readonly kind: 'unlinked'; readonly from: string; readonly to: string; readonly former: number })
  /**
   * What only a claim, a message or a link put into `from` about this task, from position `since` on,
   * is of `to`; until `position`, from which on it is placed there.
   */
  | (RecordBase & { readonly kind: 'moved'; readonly from: string; readonly to: string; readonly since: number })

/** Rows to append; keys are those of `CorrelationKeys`. */
export interface CorrelationLessons {
  readonly taskLinks: readonly {
    readonly task: string
    readonly position: number
    /** Absent: nobody's from here on. */
    readonly correlationId?: string
    readonly taught: Taught
  }[]
  readonly messageLinks: readonly {
    readonly message: string
    readonly position: number
    readonly correlationId: string
    readonly witnessMs: number
    readonly namedTask?: string
  }[]
  readonly streamLinks: readonly {
    readonly stream: string
    readonly position: number
    readonly correlationId: string
    readonly task?: string
  }[]
  readonly dispatches: readonly {
    readonly correlation: string
    readonly worker: string
    readonly position: number
    readonly namedTask?: string
  }[]
  readonly openClaims: readonly (ServerTask & {
    readonly claim: string
    readonly task: string
    readonly position: number
    readonly witnessMs: number
    readonly isAnswer: boolean
  })[]
  readonly syntheticStreams: readonly { readonly stream: string; readonly position: number }[]
  readonly aliases: readonly {
    readonly from: string
    readonly to: string
    readonly position: number
    readonly isLinked: boolean
    readonly isByHand: boolean
  }[]
  readonly moves: readonly {
    readonly task: string
    readonly from: string
    readonly to: string
    readonly since: number
    readonly position: number
  }[]
  readonly restarts: readonly { readonly worker: string; readonly position: number }[]
  readonly meshesOfWorkers: readonly { readonly worker: string; readonly position: number; readonly mesh: string }[]
  readonly rulesOfMeshes: readonly { readonly mesh: string; readonly position: number; readonly rules: readonly CorrelationRule[] }[]
}

/** The same while a batch is walked through. */
export type GatheredLessons = { -readonly [K in keyof CorrelationLessons]: CorrelationLessons[K] extends readonly (infer Row)[] ? Row[] : never }

/** Nothing learned yet. */
export const noLessons = (): GatheredLessons => ({
  taskLinks: [],
  messageLinks: [],
  streamLinks: [],
  dispatches: [],
  openClaims: [],
  syntheticStreams: [],
  aliases: [],
  moves: [],
  restarts: [],
  meshesOfWorkers: [],
  rulesOfMeshes: [],
})
