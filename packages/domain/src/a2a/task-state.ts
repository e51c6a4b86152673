/** Every spelling of a task state that any A2A version or SDK puts on the wire (F4). */
import type { TaskState } from '../task/state.ts'
import { excerpt } from './excerpt.ts'

const spellings: Readonly<Record<string, TaskState>> = {
  submitted: 'submitted',
  working: 'working',
  inputrequired: 'input-required',
  authrequired: 'auth-required',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  cancelled: 'canceled',
  rejected: 'rejected',
  unknown: 'unknown',
  unspecified: 'unknown',
}

/** `enum TaskState` of a2a.proto; the numbers are the same in v0.3 and v1.0. */
const numbers: readonly TaskState[] = [
  'unknown',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
]

export interface ParsedState {
  readonly state: TaskState
  readonly stateOnWire: string
  /** True when the wire value is no known spelling; then `state` is `unknown`. */
  readonly isStateUnknown: boolean
}

const known = (text: string): TaskState | undefined => {
  if (/^\d+$/.test(text)) return numbers[Number(text)]
  const word = /^(?:task[-_]?state[-_.]?)?([a-z]+(?:[-_ ][a-z]+)?)$/i.exec(text)?.[1]
  const key = word?.replace(/[-_ ]/g, '').toLowerCase() ?? ''
  return Object.hasOwn(spellings, key) ? spellings[key] : undefined
}

/**
 * The canonical state of one wire value.
 *
 * Shape: any case; kebab, snake, camel; with or without `TASK_STATE_` or `TaskState.`; one or two
 * l; a protobuf number. `undefined` for an absent value: `undefined`, `null` or the empty string.
 * An unknown value is `unknown` and says so: kept, never mapped to a default.
 * Source: F4, L11; A2A v1.0 §4.1.3, v0.3 §6.3.
 */
export const parseTaskState = (wire: unknown): ParsedState | undefined => {
  if (wire === undefined || wire === null || wire === '') return undefined
  const text = typeof wire === 'string' ? wire : (JSON.stringify(wire) ?? typeof wire)
  const state = typeof wire === 'string' || typeof wire === 'number' ? known(text) : undefined
  return {
    state: state ?? 'unknown',
    stateOnWire: excerpt(text, 256),
    isStateUnknown: state === undefined,
  }
}
