import type { TaskFact } from './fact.ts'

/**
 * True for a stream that lost all that was in it: there are links that were undone, events that went
 * elsewhere, and what we said of them meanwhile. It is no task (K6).
 */
export const isEmptied = (facts: readonly TaskFact[]): boolean =>
  facts.some(({ kind }) => kind === 'unlinked' || kind === 'moved') &&
  facts.every(({ kind }) => kind === 'linked' || kind === 'unlinked' || kind === 'moved' || kind === 'verdict')
