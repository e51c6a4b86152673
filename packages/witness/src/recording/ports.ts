/**
 * What recording needs of the outside: a spool that keeps what was seen until the ledger has it, a
 * ledger that takes events and reports of gaps, time.
 */
import type { EventAttributes, Gap } from '@a2a-ledger/domain'

/** One event as its witness saw it: the attributes, and the data byte for byte. */
export interface WitnessedEvent {
  readonly attributes: EventAttributes
  readonly data: Uint8Array
}

/** A report of what is missing, as `POST /v1/gaps` takes it. */
export type GapReport = Gap & { readonly id: string; readonly workerId: string }

/** What waits to be told to the ledger, in the order in which it was seen. */
export type SpoolEntry =
  | { readonly kind: 'event'; readonly event: WitnessedEvent }
  | { readonly kind: 'gap'; readonly report: GapReport }

/**
 * What a process would know of its losses if it died now; written beside the entries, so that the
 * next process can tell.
 */
export interface SpoolNotes {
  /** Gaps that are counted and not reported yet. */
  readonly gaps: readonly GapReport[]
  /** Calls that are running, by worker. */
  readonly runningCalls: Readonly<Record<string, number>>
  /** When this was true. */
  readonly at: string
}

export interface Spool {
  /**
   * Takes an entry, in order. False: the bound is reached, and it is not kept.
   *
   * Not durable when it returns: written to the operating system within the turn, to the disk
   * within a second.
   */
  readonly append: (entry: SpoolEntry) => boolean
  /** Keeps `notes` beside the entries, in place of earlier ones. */
  readonly note: (notes: SpoolNotes) => void
  /** The oldest entries, at most `countMax` and few enough bytes to hold at once; none: it is empty. */
  readonly peek: (countMax: number) => Promise<readonly SpoolEntry[]>
  /** The `count` oldest entries are told and never given again, but perhaps after a crash. */
  readonly advance: (count: number) => Promise<void>
  /** Resolves when there may be something to peek at, after `atMostMs` at the latest. */
  readonly more: (atMostMs: number) => Promise<void>
  readonly status: () => { readonly entries: number; readonly bytes: number }
  /** Everything appended is on the disk; nothing may be appended any more. */
  readonly close: () => Promise<void>
}

/** What became of one event at the ledger: durable there, or refused for good. */
export type Told = { readonly outcome: 'kept' } | { readonly outcome: 'refused'; readonly detail: string }

export interface LedgerWriter {
  /** Tells `events`, in order. Errors: throws `ledger_unavailable`; sending the same again is safe. */
  readonly events: (events: readonly WitnessedEvent[]) => Promise<readonly Told[]>
  /** The same for gaps. */
  readonly gaps: (reports: readonly GapReport[]) => Promise<readonly Told[]>
}

export interface Timer {
  readonly after: (ms: number) => Promise<void>
  /** Milliseconds that only ever grow. */
  readonly elapsedMs: () => number
}

/** The time of day, in milliseconds since the epoch. */
export type WallClock = () => number

export interface Log {
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}
