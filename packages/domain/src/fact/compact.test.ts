import { describe, expect, it } from 'vitest'
import { concluded, found, inputOf, missed, ms, piece, pushed, sent, unreadable, type Line } from '../testing/history.ts'
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
    ['F1 updates that came by themselves are one as well', [1, 2, 3, 4].map((at) => pushed('working', { at, stamped: 0 })), '1, 4 (4)'],
    ['F1 two that say the same are no run yet', polls(1, 2), '1, 2'],
    ['F1 another state ends the run', [...polls(1, 2, 3), pushed('input-required', { at: 4 }), ...polls(5, 6, 7)], '1, 3 (3), 4, 5, 7 (3)'],
    ['F1 a not-found ends the run', [...polls(1, 2, 3), missed({ at: 4 }), ...polls(5, 6, 7)], '1, 3 (3), 4, 5, 7 (3)'],
    ['F1 another witness, scope, text or parent is another run', [found('working', { at: 1 }), found('working', { at: 2, by: 'poller' }), found('working', { at: 3, scope: 'a' }), found('working', { at: 4, text: 'busy' }), found('working', { at: 5, parentCorrelationId: 'order' })], '1, 2, 3, 4, 5'],
    ['F1 a not-found seen in the middle of a run keeps its neighbours, whenever it arrived', [missed({ at: 2.5 }), missed({ at: 3.5 }), ...polls(1, 2, 3, 4, 5)], '1, 2, 3, 4, 5, 6, 7'],
    ['F1 and the rest of the run is left out all the same', [missed({ at: 2.5 }), ...polls(1, 2, 3, 4, 5)], '1, 2, 3, 4, 6 (3)'],
    ['F1 a push stamped into the middle of a run keeps its neighbours', [pushed('input-required', { at: 90, stamped: 2.5 }), ...[1, 2, 3, 4].map((at) => found('working', { at }))], '1, 2, 3, 4, 5'],
    ['F1 a dispatch in the middle of a run keeps its neighbours', [sent({ at: 2.5 }), ...polls(1, 2, 3, 4)], '1, 2, 3, 4, 5'],
    ['F1 a not-found seen at the very moment of a poll keeps its neighbours', [...polls(1, 2, 3, 4), missed({ at: 2 })], '1, 2, 3, 4, 5'],
    ['F1 two workers in turn are no run', [found('working', { at: 1 }), found('working', { at: 2, worker: 'w2' }), found('working', { at: 3 }), found('working', { at: 4, worker: 'w2' })], '1, 2, 3, 4'],
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

describe('F1 what is no run', () => {
  const four = (told: Parameters<typeof found>[1], state: Parameters<typeof found>[0] = 'working') => [1, 2, 3, 4].map((at) => found(state, { at, ...told }))
  it.each<[string, readonly Line[]]>([
    ['F1 artifacts are told', four({ holding: [piece('x')] })],
    ['F1 the answer to a send belongs to it', four({ operation: 'SendMessage' })],
    ['F1 the answer to a streaming send too', four({ operation: 'SendStreamingMessage' })],
    ['F1 the answer to a cancel too', four({ operation: 'CancelTask' })],
    ['F1 an answer that names its message too', four({ messageId: 'm-1' })],
    ['F1 the caller believed in a state', four({ believed: 'submitted' })],
    ['F1 the event was refused elsewhere', four({ refused: { code: 'correlation_claimed', correlationId: 'k-2' } })],
    ['F1 a sequence orders', four({ sequence: '1' })],
    ['F1 a generation orders', four({ generation: 1 })],
    ['F1 there is a note', four({ notes: ['timestamp_invalid'] })],
    ['F1 nothing is said of the state', four({}).map((line): Line => (position) => { const { state: _state, ...fact } = { state: undefined, ...line(position) }; return fact as TaskFact })],
    ['F1 what an orchestrator concluded', [1, 2, 3, 4].map((at) => concluded('failed', { at }))],
    ['F1 no report', [1, 2, 3, 4].map((at) => missed({ at }))],
    ['F1 what was not understood', [1, 2, 3, 4].map((at) => unreadable({ at }))],
    ['F1 the clock of the witness runs back', [4, 3, 2, 1].map((at) => found('working', { at, stamped: 0 }))],
    ['F1 the clock of the worker runs back', [1, 2, 3, 4].map((at) => found('working', { at, stamped: -at }))],
    ['F1 stamps come and go', [found('working', { at: 1 }), found('working', { at: 2, stamped: 2 }), found('working', { at: 3 }), found('working', { at: 4, stamped: 4 })]],
  ])('%s', (_fact, lines) => {
    expect(keptOf(factsOf(lines))).toBe('1, 2, 3, 4')
  })

  it.each<[string, readonly Line[], string]>([
    ['F1 polls that claim the same past are a run', [1, 2, 3, 4].map((at) => found('working', { at, timeline: { states: ['working'] } })), '1, 4 (4)'],
    ['F1 another claim is another run', [1, 2, 3, 4, 5, 6].map((at) => found('working', { at, timeline: { states: at < 4 ? ['working'] : ['submitted', 'working'] } })), '1, 3 (3), 4, 6 (3)'],
    ['F1 at one moment by every clock they are a run', [1, 1, 1, 1].map((at) => found('working', { at, stamped: 1 })), '1, 4 (4)'],
    ['F1 a stamp that stands still is a run', [1, 2, 3, 4].map((at) => found('working', { at, stamped: 0 })), '1, 4 (4)'],
    ['F1 nothing, nothing', [], ''],
  ])('%s', (_fact, lines, kept) => {
    expect(keptOf(factsOf(lines))).toBe(kept)
  })

  it('F1 the order in which facts are handed over does not matter', () => {
    const facts = factsOf(polls(1, 2, 3, 4, 5))
    expect(keptOf(facts.toReversed())).toBe('1, 5 (5)')
  })

  it('F1 the last of a run knows where and when it began', () => {
    expect(compactFacts(factsOf(polls(1, 2, 3))).at(-1)?.run).toEqual({ firstPosition: 1, firstMs: ms(1), count: 3 })
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
    ['F1 also by the clock of the worker', missed({ at: 5 }), true],
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
