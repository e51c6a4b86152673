/** A task that was lost, and what was decided about it: what every test of a re-dispatch begins with. */
import { answered, card, enrolled, missed, sent, settled, taskAfter, type Line } from './history.ts'

/** w2 can take it over: its card is believed. */
export const heir: readonly Line[] = [card({ at: 0, worker: 'w2' }), enrolled({ trust: 'card' }, { at: 0, worker: 'w2' })]

/** Lost at w1 at second 10; `told`: of its send. */
export const lost = (told: Parameters<typeof sent>[0] = {}): readonly Line[] => [
  card({ at: 0 }),
  sent({ at: 0, ...told }),
  answered('working', { at: 1 }),
  missed({ at: 10 }),
]

/** Decided at second 100: to w2. */
export const decided: readonly Line[] = settled([...heir, ...lost()])

/** The id of the verdict that comes last, as at second 100. */
export const decisionIdOf = (lines: readonly Line[]): string => taskAfter(lines).verdicts[0]?.decisionId ?? ''

/** The id of the message that obeys a decision. */
export const obeyingMessageId = (decisionId: string): string => `a2a-ledger-${decisionId.slice(0, 32)}`
