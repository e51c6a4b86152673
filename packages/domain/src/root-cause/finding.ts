/** What a root cause is made of (contract §4, §7): findings with the positions that prove them. */
import type { Moment } from '../fact/moment.ts'
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
  | 'child_failed'

export type CauseCode = LossCauseCode | OtherCauseCode

export interface Finding {
  readonly cause: CauseCode
  readonly confidence: Confidence
  readonly responsible: Responsible
  /** The team that owns the worker, where its owner is enrolled and the worker or its platform is responsible. */
  readonly owner?: string
  /** The child task in which it began; absent: this task. */
  readonly correlationId?: string
  /** Between this task and that child, from this one on; absent: none. */
  readonly via?: readonly string[]
  /** Ledger positions that prove it, ascending, at most 20. */
  readonly because: readonly number[]
  /** When it was first seen, for what goes on since: the event and the witness's time of it. */
  readonly since?: { readonly position: number; readonly time: string }
  /** One imperative sentence an operator can follow. */
  readonly nextAction: string
  /** What nobody witnessed, so that nobody is blamed: the finding is `possible` and `responsible` is unknown. */
  readonly unwitnessed?: string
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
  /** Where it is not the cause's usual one: what to do then, and that nobody is blamed. */
  readonly instead?: { readonly responsible: 'unknown'; readonly nextAction: string }
  /** What nobody witnessed that would tell whether it is this cause; `{worker}` and `{task}` stand for their ids. */
  readonly unwitnessed?: string
  /** The time in which something that nobody witnessed would make it another cause. Milliseconds. */
  readonly restsOn?: { readonly fromMs: number; readonly toMs: number }
  /** The child task it is about. */
  readonly child?: ChildRef
  /** With which event it began, where it goes on since. */
  readonly since?: Moment
}

/** A child task, and the tasks on the way to it. */
export interface ChildRef {
  readonly correlationId: string
  readonly via: readonly string[]
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
  /** It only passes on what began elsewhere: the cause of a child task comes before it. */
  readonly isNoBeginning?: true
  /** Causes of the same worker that it only follows from: they come before it. */
  readonly givesWayTo?: readonly CauseCode[]
  /** It argues from what nobody saw: where little of the worker's traffic is witnessed it blames nobody. */
  readonly isByAbsence?: true
}

/** One cause with what it found at one worker, and who may be held to it. */
export interface Found {
  readonly cause: CauseText
  readonly proof: Proof
  readonly responsible: Responsible
  readonly owner?: string
  /** Why nobody may be: what was not witnessed. */
  readonly unwitnessed?: string
}
