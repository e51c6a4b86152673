/**
 * What the ledger's use cases need of the outside, and what they offer to it.
 *
 * `Ledger` is the append side with its promises (L1–L14); `LedgerReader` reads what is recorded.
 * One contract suite holds for every store that implements them.
 */
import type { Canonical, EventAttributes, CorrelationRung, QuarantineReason } from '@a2a-ledger/domain'

/** How an input reached the ledger. `internal`: from a service of this deployment (decisions). */
export type Via = 'http' | 'kafka' | 'push' | 'internal'

/** One input with a usable envelope, before anybody looked into its data. */
export interface IncomingEvent {
  readonly via: Via
  readonly attributes: EventAttributes
  /** The data exactly as received (contract §3 "Raw data bytes"); absent, it is kept as no bytes. */
  readonly data: Uint8Array | undefined
  /** Transport headers worth keeping when the input is quarantined; secrets already overwritten. */
  readonly headers?: Readonly<Record<string, string>>
  /** Internal appends only: the last position of the stream the decision was based on (L14). */
  readonly ifStreamPosition?: number
}

/** What became of one input, in input order. Every outcome except `stale` is durable when returned. */
export type AppendOutcome =
  | { readonly outcome: 'recorded'; readonly position: number; readonly correlationId: string }
  | { readonly outcome: 'duplicate'; readonly position: number; readonly correlationId: string }
  | { readonly outcome: 'conflict'; readonly differsIn: readonly string[]; readonly quarantineId: string }
  | { readonly outcome: 'quarantined'; readonly quarantineId: string; readonly reason: QuarantineReason; readonly detail: string }
  | { readonly outcome: 'stale'; readonly position: number }

export interface Ledger {
  /**
   * Records `events`, each on its own merits; the answer is durable (L1).
   *
   * Shape: 1..1,000 events; outcomes in the same order.
   * Errors: throws `overloaded`, `store_unavailable` (nothing recorded) or `outcome_unknown`.
   * Idempotent: key `(tenant, source, id)` (L2). Internal events whose key is recorded answer
   * `duplicate` with the recorded position, whatever their content (V4).
   */
  readonly append: (events: readonly IncomingEvent[]) => Promise<readonly AppendOutcome[]>
  /** Keeps an input that is not even an event (an unauthorised push, say). Idempotent by content. */
  readonly quarantine: (input: QuarantineInput) => Promise<{ readonly quarantineId: string }>
  /**
   * Reads a quarantined input again as today's code does, and appends what comes of it.
   *
   * The entry stays and names the position (`replayedAs`); quarantined again, it keeps its id.
   * `undefined`: no such entry. An input without attributes stays `quarantined`.
   */
  readonly replay: (quarantineId: string) => Promise<AppendOutcome | undefined>
  /**
   * Counts a delivery of a push that is recorded already.
   *
   * Errors: throws `store_unavailable`; then it is not counted.
   */
  readonly countPushRepeat: (workerId: string) => Promise<void>
  /** Whether a push that presents these secrets may be believed (contract §3, push receiver). */
  readonly isPushTrusted: (push: {
    readonly workerId: string
    readonly correlationId: string | undefined
    readonly taskId: string | undefined
    readonly presented: readonly string[]
  }) => Promise<boolean>
}

export interface QuarantineInput {
  readonly reason: QuarantineReason
  readonly detail: string
  readonly via: Via
  readonly source: string | undefined
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  /** The attributes, where there was an envelope: what a replay needs. */
  readonly attributes: EventAttributes | undefined
}

export interface RecordedEvent {
  readonly position: number
  readonly recordedAtMs: number
  readonly attributes: EventAttributes
  readonly correlationId: string
  readonly rung: CorrelationRung
  readonly derivedFrom: number | undefined
  readonly canonical: Canonical
  /** Absent when erased. */
  readonly data: Uint8Array | undefined
  readonly digest: string | undefined
}

export interface EventFilter {
  /** Also the events of every synthetic stream that is linked to it (K6). */
  readonly correlationId?: string
  readonly workerId?: string
  readonly type?: string
}

export interface QuarantineEntry {
  readonly id: string
  readonly reason: QuarantineReason
  readonly detail: string
  readonly via: Via
  readonly source: string | undefined
  readonly receivedAtMs: number
  readonly byteCount: number
  readonly replayedAs: number | undefined
}

export interface LedgerIdentity {
  readonly ledgerId: string
  readonly epoch: number
  readonly head: number
}

export interface LedgerReader {
  /** Events with position > `after`, ascending, at most `limit` (1..1,000). */
  readonly events: (filter: EventFilter, after: number, limit: number) => Promise<readonly RecordedEvent[]>
  readonly event: (position: number) => Promise<RecordedEvent | undefined>
  /** Newest first is not offered: entries in order of arrival, after the given id. */
  readonly quarantined: (
    after: string | undefined,
    limit: number,
    reason: QuarantineReason | undefined,
  ) => Promise<readonly QuarantineEntry[]>
  readonly quarantinedInput: (id: string) => Promise<(QuarantineEntry & QuarantineInput) | undefined>
  readonly identity: () => Promise<LedgerIdentity>
  /** The secret that tells calls of this deployment's own services from others. */
  readonly internalToken: () => Promise<string>
  /**
   * `replicated` only while a synchronous standby confirms every commit (L1). Errors: throws
   * `store_unavailable` when the database answers and takes no writes.
   */
  readonly durability: () => Promise<'local' | 'replicated'>
}

/** How the ways to and from Kafka are. */
export interface KafkaHealth {
  readonly ingest: KafkaFlow
  readonly relay: KafkaFlow & { readonly position: number }
  /** What somebody has to solve before the feed goes on; none: nothing. */
  readonly problems: readonly string[]
}

interface KafkaFlow {
  readonly status: string
  readonly detail?: string
}
