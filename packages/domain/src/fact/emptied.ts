import type { TaskFact } from './fact.ts'

/** Of what is in a stream: what is said about it, and not by a witness. */
const ours: ReadonlySet<TaskFact['kind']> = new Set(['linked', 'unlinked', 'moved', 'verdict', 'intent', 'intent-settled', 'cancel', 'approval'])

/**
 * True for a stream that lost all that was in it: there are links that were undone, events that went
 * elsewhere, and what we said of them meanwhile. It is no task (K6).
 */
export const isEmptied = (facts: readonly TaskFact[]): boolean =>
  facts.some(({ kind }) => kind === 'unlinked' || kind === 'moved') &&
  facts.every(({ kind }) => ours.has(kind))
