/** An input after everything that needs no database was done with it: read, redacted, hashed. */
import type { EventAttributes, Observation, QuarantineReason } from '@a2a-ledger/domain'
import type { Via } from './ports.ts'

/** A row of quarantine; the id is made from the content, so the same input has the same id. */
export interface QuarantineRow {
  readonly id: string
  readonly reason: QuarantineReason
  readonly detail: string
  readonly via: Via
  readonly source: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly attributes: EventAttributes | undefined
  readonly bytes: Uint8Array
}

/** What is recorded of one event, wherever it came from. */
export interface EventContent {
  /** 32 hex digits over key space, tenant, source and id (L2). */
  readonly key: string
  /** 32 hex digits over the data and the deciding attributes (L2). */
  readonly contentHash: string
  readonly attributes: EventAttributes
  readonly observation: Observation
  /** JSON text of what we understood (contract §3). */
  readonly canonicalJson: string
  /** Credentials overwritten (L10). */
  readonly data: Uint8Array
  /** `sha256` hex of `data`. */
  readonly digest: string
  /** As the witness states it; absent: the time of arrival. */
  readonly statedMs: number | undefined
}

export interface DerivedContent extends EventContent {
  /** Taken out of the body of a stream: recorded whatever it repeats (L13). */
  readonly isStreamed: boolean
}

/** Whose pushes a secret lets in: a task's, else its logical task's at that worker, else a worker's. */
export type PushSubject =
  | { readonly kind: 'worker'; readonly workerId: string }
  | { readonly kind: 'task'; readonly workerId: string; readonly taskId: string }
  /** The logical task the event turns out to belong to. */
  | { readonly kind: 'logical-task'; readonly workerId: string }

export interface PushSecret {
  readonly subject: PushSubject
  /** 64 hex digits, salted (L10). */
  readonly secretHash: string
}

export interface PreparedEvent extends EventContent {
  readonly kind: 'event'
  readonly via: Via
  readonly headers: Readonly<Record<string, string>>
  readonly ifStreamPosition: number | undefined
  readonly replayOf: string | undefined
  readonly pushSecrets: readonly PushSecret[]
  /** K5: one observation a task, taken out of an answer about many, or one an event of a stream. */
  readonly derived: readonly DerivedContent[]
  readonly byteCount: number
}

export interface PreparedQuarantine {
  readonly kind: 'quarantine'
  readonly row: QuarantineRow
  readonly byteCount: number
}

export type Prepared = PreparedEvent | PreparedQuarantine
