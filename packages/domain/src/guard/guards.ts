/**
 * The invariants at the place where they can be enforced (V9): inside a worker before it emits, and
 * inside an orchestrator before it concludes. Pure; records are values, a guard returns the next one.
 */
import { isModeIn } from '../media-type/negotiate.ts'
import { isTerminal, type TaskState } from '../task/state.ts'
import { CapabilityContractError } from './capability-contract-error.ts'

/** What a worker can do: as its card says, or as a probe confirmed. */
export interface Capabilities {
  readonly states: readonly TaskState[]
  /** Media types and ranges. */
  readonly mediaTypes: readonly string[]
}

/** One task as its own worker or orchestrator keeps it, under the client's durable name. */
export interface TaskRecord {
  readonly correlationId: string
  /** The server's name of it: for addressing only, never a key. */
  readonly taskId?: string
  readonly lastObserved: TaskState
  readonly artifacts: readonly { readonly correlationId: string; readonly mediaType: string }[]
}

/** The card's promise and what is verified of it; a guard wants both kept. */
export interface Contract {
  readonly advertised: Capabilities
  readonly verified: Capabilities
}

/**
 * The record after a transition to `state`.
 *
 * Errors: throws `CapabilityContractError` when the state is not advertised, or not verified.
 * Source: design V9, condition C3.
 */
export const transition = (record: TaskRecord, state: TaskState, { advertised, verified }: Contract): TaskRecord => {
  if (!advertised.states.includes(state)) {
    throw new CapabilityContractError('state_not_advertised', `${state} is outside the advertised ${list(advertised.states)}`)
  }
  if (!verified.states.includes(state)) {
    throw new CapabilityContractError('state_not_verified', `${state} is outside the verified ${list(verified.states)}`)
  }
  return { ...record, lastObserved: state }
}

/**
 * The record with one more artifact, checked at emission and not when the card was fetched.
 *
 * Errors: throws `CapabilityContractError` when the media type is not advertised, or not verified.
 * Source: design V9, condition C4, F19.
 */
export const emitArtifact = (record: TaskRecord, mediaType: string, { advertised, verified }: Contract): TaskRecord => {
  if (!isModeIn(mediaType, advertised.mediaTypes)) {
    const allowed = list(advertised.mediaTypes)
    throw new CapabilityContractError('media_type_not_advertised', `${mediaType} is outside the advertised ${allowed}`)
  }
  if (!isModeIn(mediaType, verified.mediaTypes)) {
    const allowed = list(verified.mediaTypes)
    throw new CapabilityContractError('media_type_not_verified', `${mediaType} is outside the verified ${allowed}`)
  }
  return { ...record, artifacts: [...record.artifacts, { correlationId: record.correlationId, mediaType }] }
}

/** What an orchestrator does after TaskNotFound; never "failed". */
export type NotFoundConsequence =
  | { readonly kind: 'terminal-ok'; readonly state: TaskState }
  | { readonly kind: 'redispatch'; readonly workerId: string; readonly correlationId: string }

/**
 * The consequence of TaskNotFound for a task this orchestrator has a record of.
 *
 * Shape: `candidates` maps worker ids to verified capabilities, without the worker that lost the
 * task, in order of preference.
 * Errors: throws `CapabilityContractError` (`unreconcilable`) when no candidate verifies the last
 * observed state; even then the task has not failed.
 * Source: design V6, V7, V9.
 */
export const handleTaskNotFound = (
  record: TaskRecord,
  candidates: ReadonlyMap<string, Capabilities>,
): NotFoundConsequence => {
  const { correlationId, lastObserved } = record
  if (isTerminal(lastObserved)) return { kind: 'terminal-ok', state: lastObserved }
  for (const [workerId, { states }] of candidates) {
    if (states.includes(lastObserved)) return { kind: 'redispatch', workerId, correlationId }
  }
  throw new CapabilityContractError(
    'unreconcilable',
    `Task ${correlationId} was ${lastObserved} when it was last seen and no other worker verifies that state. It is not failed.`,
  )
}

const list = (values: readonly string[]): string => `[${values.join(', ')}]`
