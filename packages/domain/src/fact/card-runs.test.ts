import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveWorker } from '../capability/worker.ts'
import { explainTask } from '../root-cause/explain-task.ts'
import { card, ms, sent, taskAfter, type Line } from '../testing/history.ts'
import { runCount, seed } from '../testing/seed.ts'
import { isFetchedAround, withCard } from './card-runs.ts'
import type { CardFact } from './fact.ts'

const factsOf = (lines: readonly Line[]): readonly CardFact[] => lines.map((line, index) => line(index + 1) as CardFact)
const keptOf = (lines: readonly Line[]): readonly CardFact[] => factsOf(lines).reduce<readonly CardFact[]>(withCard, [])
const told = (facts: readonly CardFact[]): string =>
  facts.map(({ position, run }) => `${position}${run === undefined ? '' : ` (${run.count} since ${run.firstPosition})`}`).join(', ')

/** As a database may give it back. */
const inOtherOrder = (line: Line): Line => (position) => Object.fromEntries(Object.entries(line(position)).toReversed()) as unknown as CardFact

describe('F1 the fetches of one card', () => {
  it.each<[string, readonly Line[], string]>([
    ['of many that bring the same the first and the last stay', [0, 10, 20, 30].map((at) => card({ at })), '1, 4 (4 since 1)'],
    ['two are no run', [card({ at: 0 }), card({ at: 10 })], '1, 2'],
    ['another card ends it', [card({ at: 0 }), card({ at: 10 }), card({ at: 20 }), card({ at: 30, essenceDigest: 'essence 2' }), card({ at: 40 })], '1, 3 (3 since 1), 4, 5'],
    ['a broken card ends it', [card({ at: 0 }), card({ at: 10 }), card({ at: 20, isValid: false }), card({ at: 30 })], '1, 2, 3, 4'],
    ['another lifetime ends it', [card({ at: 0 }), card({ at: 10 }), card({ at: 20, maxAgeMs: 60_000 }), card({ at: 30, maxAgeMs: 60_000 })], '1, 2, 3, 4'],
    ['a gap of its lifetime does not end it', [0, 60, 120].map((at) => card({ at, maxAgeMs: 60_000 })), '1, 3 (3 since 1)'],
    ['a longer one does', [0, 60, 121].map((at) => card({ at, maxAgeMs: 60_000 })), '1, 2, 3'],
    ['without a lifetime a gap of an hour does not end it', [0, 3_600, 7_200].map((at) => card({ at })), '1, 3 (3 since 1)'],
    ['a longer one does that as well', [0, 3_600, 7_201].map((at) => card({ at })), '1, 2, 3'],
    ['each witness has its own', [0, 10, 20, 30].flatMap((at) => [card({ at, by: 'a' }), card({ at: at + 1, by: 'b' })]), '1, 2, 7 (4 since 1), 8 (4 since 2)'],
    ['what another witness got in between ends it', [card({ at: 0 }), card({ at: 10 }), card({ at: 15, by: 'b', essenceDigest: 'essence 2' }), card({ at: 20 })], '1, 2, 3, 4'],
    ['what another witness got before and after does not', [card({ at: -5, by: 'b', essenceDigest: 'essence 2' }), card({ at: 0 }), card({ at: 10 }), card({ at: 20 }), card({ at: 30, by: 'b', essenceDigest: 'essence 2' })], '1, 2, 4 (3 since 2), 5'],
    ['a run goes on for as long as its gaps are short', [0, 3_600, 7_200, 10_800].map((at) => card({ at })), '1, 4 (4 since 1)'],
    ['fetches of one moment are in order', [0, 0, 0].map((at) => card({ at })), '1, 3 (3 since 1)'],
    ['what another witness tells in between ends it, of whatever time', [card({ at: 0 }), card({ at: 10 }), card({ at: -5, by: 'b', essenceDigest: 'essence 2' }), card({ at: 20 })], '1, 2, 3, 4'],
    ...[0, 15, 20].map((at): [string, readonly Line[], string] => [`what another witness told before of second ${at} of it ends it`, [card({ at, by: 'b', essenceDigest: 'essence 2' }), card({ at: 0 }), card({ at: 10 }), card({ at: 20 })], '1, 2, 3, 4']),
    ['what another witness told before of a later time does not', [card({ at: 30, by: 'b', essenceDigest: 'essence 2' }), card({ at: 0 }), card({ at: 10 }), card({ at: 20 })], '1, 2, 4 (3 since 2)'],
    ['members in another order say the same', [card({ at: 0 }), card({ at: 10 }), inOtherOrder(card({ at: 20 }))], '1, 3 (3 since 1)'],
    ['a fetch told late begins anew', [card({ at: 0 }), card({ at: 10 }), card({ at: 5 }), card({ at: 20 })], '1, 2, 3, 4'],
  ])('%s', (_fact, lines, kept) => {
    expect(told(keptOf(lines))).toBe(kept)
  })

  it('within a run the card counts as fetched, outside it does not', () => {
    const [first, last] = keptOf([0, 10, 20].map((at) => card({ at, maxAgeMs: 10_000 })))
    expect(first !== undefined && last !== undefined && [-1, 0, 15, 20, 21].map((at) => isFetchedAround([first, last], first, ms(at)))).toEqual([false, true, true, true, false])
    expect(first !== undefined && last !== undefined && isFetchedAround([first, last], { ...first, essenceDigest: 'essence 2' }, ms(15))).toBe(false)
  })

  it('what is said of worker and send is what all fetches say, as long as they are told in order', () => {
    const fetch = fc.record({ by: fc.constantFrom('a', 'b'), after: fc.integer({ min: 0, max: 90 }), essenceDigest: fc.constantFrom('one', 'one', 'one', 'two'), maxAgeMs: fc.constantFrom(undefined, 60_000), isValid: fc.constantFrom(true, true, true, false) })
    fc.assert(
      fc.property(fc.array(fetch, { minLength: 3, maxLength: 40 }), fc.integer({ min: 0, max: 3_000 }), (fetches, sentAt) => {
        let at = 0
        const lines = fetches.map(({ by, after, essenceDigest, maxAgeMs, isValid }) => {
          at += after
          return card({ at, by, essenceDigest, isValid, ...(maxAgeMs !== undefined && { maxAgeMs }) })
        })
        const views = [factsOf(lines), keptOf(lines)].map((facts) => {
          const view = deriveWorker({ workerId: 'w1', facts, evidence: [], asOfMs: ms(at + 1) })
          const { findings } = explainTask(taskAfter([sent({ at: sentAt })], { known: { w1: { facts } } }))
          return { cards: view.cards, found: findings.map(({ cause }) => cause) }
        })
        expect(views[1]).toEqual(views[0])
      }),
      { seed, numRuns: runCount, verbose: true },
    )
  })
})
