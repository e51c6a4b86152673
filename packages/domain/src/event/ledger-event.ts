/** One event of the ledger, as a reader of the feed gets it. */
import type { EventAttributes } from './envelope.ts'

/**
 * Which rung of the correlation ladder (design §5) gave the event its correlation ID. `metadata`,
 * `attribute`, `trace` and `context` are rules of the worker's mesh, named for what they read.
 */
export const correlationRungs = [
  'explicit',
  'claim',
  'task-link',
  'message-link',
  'stream-link',
  'metadata',
  'attribute',
  'trace',
  'context',
  'synthetic',
] as const

export type CorrelationRung = (typeof correlationRungs)[number]

export interface LedgerEvent {
  /** Dense, gapless, commit-ordered; 1-based within one epoch (L4). */
  readonly position: number
  /** The database's clock, never decreasing along positions (F3). */
  readonly recordedAtMs: number
  /** Every CloudEvents attribute as received, names in lower case. */
  readonly attributes: EventAttributes
  readonly correlationId: string
  readonly rung: CorrelationRung
  /** A claim of another correlation ID that was not followed (K1, K2), kept for the view. */
  readonly refused?: { readonly code: 'correlation_claimed' | 'correlation_conflict'; readonly correlationId: string }
  /** For an observation taken out of an answer about many tasks (K5): the position of the answer. */
  readonly derivedFrom?: number
  /** The data as recorded (credentials overwritten); `undefined` when erased. */
  readonly data: string | undefined
  /** `sha256:` and 64 hex digits of the data bytes; `undefined` when erased. */
  readonly digest: string | undefined
}
