import { describe, expect, it } from 'vitest'
import { found, inputOf, missed, ms, pushed, sent, type Line } from '../testing/history.ts'
import { compactFacts, fallsInsideRun } from './compact.ts'
import type { TaskFact } from './fact.ts'

const factsOf = (lines: readonly Line[]): readonly TaskFact[] => inputOf(lines).facts
const polls = (...seconds: readonly number[]): readonly Line[] => seconds.map((at) => found('working', { at, stamped: 0 }))
/** Position, and in brackets how many the fact stands for. */
const keptOf = (facts: readonly TaskFact[]): string =>
  compactFacts(facts)
    .map(({ position, run }) => `${position}${run === undefined ? '' : ` (${run.count})`}`)
    .join(', ')

describe('F1 runs', () => {
  it.each<[string, readonly Line[], string]>([
    ['F1 of a run the first and the last stay, with the count', polls(1, 2, 3, 4, 5), '1, 5 (5)'],
    ['F1 two that say the same are no run yet', polls(1, 2), '1, 2'],
    ['F1 another state ends the run', [...polls(1, 2, 3), pushed('input-required', { at: 4 }), ...polls(5, 6, 7)], '1, 3 (3), 4, 5, 7 (3)'],
    ['F1 a not-found ends the run', [...polls(1, 2, 3), missed({ at: 4 }), ...polls(5, 6, 7)], '1, 3 (3), 4, 5, 7 (3)'],
    ['F1 another witness, scope or text is another run', [found('working', { at: 1 }), found('working', { at: 2, by: 'poller' }), found('working', { at: 3, scope: 'a' }), found('working', { at: 4, text: 'busy' })], '1, 2, 3, 4'],
    ['F1 a not-found seen in the middle of a run keeps its neighbours, whenever it arrived', [missed({ at: 2.5 }), missed({ at: 3.5 }), ...polls(1, 2, 3, 4, 5)], '1, 2, 3, 4, 5, 6, 7'],
    ['F1 and the rest of the run is left out all the same', [missed({ at: 2.5 }), ...polls(1, 2, 3, 4, 5)], '1, 2, 3, 4, 6 (3)'],
    ['F1 a push stamped into the middle of a run keeps its neighbours', [pushed('input-required', { at: 90, stamped: 2.5 }), ...[1, 2, 3, 4].map((at) => found('working', { at }))], '1, 2, 3, 4, 5'],
    ['F1 a dispatch in the middle of a run keeps its neighbours', [sent({ at: 2.5 }), ...polls(1, 2, 3, 4)], '1, 2, 3, 4, 5'],
    ['F1 what happened to another worker keeps nothing', [missed({ at: 2.5, worker: 'w2' }), ...polls(1, 2, 3, 4)], '1, 2, 5 (4)'],
    ['F1 a report with an artifact, a note or a sequence says more than its state', [1, 2, 3, 4].map((at) => found('working', { at, notes: ['timestamp_invalid'] })), '1, 2, 3, 4'],
  ])('%s', (_fact, lines, kept) => {
    expect(keptOf(factsOf(lines))).toBe(kept)
  })

  it('F1 compacting piece by piece counts on', () => {
    const facts = factsOf(polls(1, 2, 3, 4, 5, 6, 7, 8))
    expect(keptOf([...compactFacts(facts.slice(0, 4)), ...compactFacts(facts.slice(4))])).toBe('1, 8 (8)')
    expect(keptOf(compactFacts(facts))).toBe('1, 8 (8)')
  })
})

describe('F1 late facts', () => {
  const compacted = compactFacts(factsOf([10, 20, 30, 40].map((at) => found('working', { at, stamped: at - 5 }))))
  const late = (line: Line): TaskFact => factsOf([...Array.from({ length: 9 }, () => sent()), line])[9] as TaskFact
  it.each<[string, Line, boolean]>([
    ['F1 a fact seen inside the run has its attempt read again', missed({ at: 25 }), true],
    ['F1 a fact that happened inside the run has its attempt read again', pushed('input-required', { at: 99, stamped: 12 }), true],
    ['F1 by the clock of the worker the run began earlier', missed({ at: 7 }), true],
    ['F1 a fact of its first moment has its attempt read again', pushed('completed', { at: 10, stamped: 10 }), true],
    ['F1 a fact of its last moment comes after it', missed({ at: 40 }), false],
    ['F1 a fact before the run changes nothing in it', missed({ at: 4 }), false],
    ['F1 a fact after the run changes nothing in it', missed({ at: 41 }), false],
    ['F1 a fact about another worker changes nothing in it', missed({ at: 25, worker: 'w2' }), false],
  ])('%s', (_fact, line, isInside) => {
    expect(fallsInsideRun(compacted, late(line))).toBe(isInside)
  })

  it('F1 where the first of the run is not at hand its time is known', () => {
    expect(fallsInsideRun(compacted.slice(1), late(missed({ at: 11 })))).toBe(true)
    expect(ms(10)).toBe(compacted[1]?.run?.firstMs)
  })
})
