/** What a root cause is made of (contract §4, §7): findings with the positions that prove them. */
import type { LogicalState } from '../task/state.ts'

/**
 * How sure a finding is. Defined once, here:
 *
 * - `stated`: the worker, the client or the platform says so in an event;
 * - `strong`: follows from the rules of the protocol and from what was observed;
 * - `likely`: the observations fit this cause and none of the others we know of;
 * - `possible`: the observations allow this cause, and others as well.
 */
export type Confidence = 'stated' | 'strong' | 'likely' | 'possible'

/** Confidences, the surest first. */
export const confidences: readonly Confidence[] = ['stated', 'strong', 'likely', 'possible']

/** Whose turn it is to change something; `nobody` where nothing went wrong. */
export type Responsible = 'worker' | 'platform' | 'client' | 'downstream' | 'network' | 'nobody' | 'unknown'

/** Why a server task is gone, or seems to be. */
export type LossCauseCode =
  | 'purged_after_terminal'
  | 'not_accessible'
  | 'lost_on_restart'
  | 'store_lost'
  | 'replica_miss'
  | 'retention_expired'
  | 'other_id'
  | 'never_existed'
  | 'cause_unknown'

/** Everything else that explains where a logical task stands. */
export type OtherCauseCode =
  | 'orchestrator_stale_view'
  | 'premature_failure'
  | 'duplicate_execution'
  | 'answer_without_task_id'
  | 'unknown_outcome'
  | 'send_refused'
  | 'media_type_drift'
  | 'state_not_declared'
  | 'downstream_timeout'
  | 'worker_interrupted'
  | 'worker_protocol_fault'
  | 'client_disconnected'
  | 'gateway_error'
  | 'worker_silent'
  | 'waiting_for_input'
  | 'waiting_for_credentials'
  | 'input_prompt_missing'
  | 'resumed_by_other_party'
  | 'route_not_found'
  | 'push_unordered'
  | 'push_lost'
  | 'suspicious_completion'
  | 'protocol_version_mismatch'
  | 'card_stale'
  | 'card_invalid'
  | 'snapshot_lacks_artifacts'
  | 'result_in_message'
  | 'cancel_unrequested'

export type CauseCode = LossCauseCode | OtherCauseCode

export interface Finding {
  readonly cause: CauseCode
  readonly confidence: Confidence
  readonly responsible: Responsible
  /** The team that owns the worker, where a worker is responsible and its owner is enrolled. */
  readonly owner?: string
  /** Ledger positions that prove it, ascending, at most 20. */
  readonly because: readonly number[]
  /** One imperative sentence an operator can follow. */
  readonly nextAction: string
}

export interface RootCause {
  /** Plain words: the state, what led to it, whose turn it is. */
  readonly summary: string
  readonly findings: readonly Finding[]
}

/** What one cause found, as much of it as a finding needs. */
export interface Proof {
  readonly confidence: Confidence
  readonly because: readonly number[]
  readonly workerId?: string
  readonly taskId?: string
}

/**
 * One row of `docs/reference/causes.md`.
 *
 * In `says` and `nextAction`, `{worker}` and `{task}` stand for the worker and the server task.
 */
export interface CauseText {
  readonly cause: CauseCode
  readonly responsible: Responsible
  /** A clause that goes on after the state: `The task is indeterminate: …`. */
  readonly says: string
  /** One imperative sentence. */
  readonly nextAction: string
  /** States of the logical task that this cause explains: there it comes first. */
  readonly explains?: readonly LogicalState[]
}
