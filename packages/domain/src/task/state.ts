/**
 * The states of a task (design §2): nine that a worker can report, two that only the reconciled
 * view knows. A2A extensions may not add enum values, so the two never travel on the wire.
 */
export const observableStates = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'unknown',
] as const

/** A state some A2A version can put on the wire, in its one canonical spelling. */
export type TaskState = (typeof observableStates)[number]

/** Every state of the logical task; `dispatched` and `indeterminate` are ours (F14). */
export const logicalStates = [...observableStates, 'dispatched', 'indeterminate'] as const

export type LogicalState = (typeof logicalStates)[number]

export type TerminalState = 'completed' | 'failed' | 'canceled' | 'rejected'

/** True for the four states that A2A calls terminal; `unknown` and `indeterminate` are not. */
export const isTerminal = (state: string | undefined): state is TerminalState =>
  state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected'

/** True for the two states in which the worker waits for somebody else. */
export const isInterrupted = (
  state: string | undefined,
): state is 'input-required' | 'auth-required' => state === 'input-required' || state === 'auth-required'

/** F4: a later report of a lower rank never overrides a higher one. */
export const rankOf = (state: TaskState): 0 | 1 | 2 => {
  switch (state) {
    case 'submitted':
    case 'unknown':
      return 0
    case 'working':
    case 'input-required':
    case 'auth-required':
      return 1
    case 'completed':
    case 'failed':
    case 'canceled':
    case 'rejected':
      return 2
  }
}
