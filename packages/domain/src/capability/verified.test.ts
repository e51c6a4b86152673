import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProbeLearned } from '../event/probe-step.ts'
import type { ProbeStepFact, WorkerFact } from '../fact/fact.ts'
import { answered, card, enrolled, inputOf, missed, ms, probed, restarted, sent, taskAfter, type Line } from '../testing/history.ts'
import { runCount, seed } from '../testing/seed.ts'
import type { WorkerKnowledge } from '../task/analysis.ts'
import { workerEvidenceOf } from './evidence.ts'
import { probeSubjectsOf, verifiedOf } from './verified.ts'
import { deriveWorker } from './worker.ts'

const factsIn = (lines: readonly Line[]): readonly WorkerFact[] => inputOf([...lines, sent({ at: -100 })]).workers.get('w1')?.facts ?? []
const workerOf = (facts: readonly WorkerFact[]): WorkerKnowledge => ({ workerId: 'w1', facts, losses: [] })
const day = 86_400

/** `working verified, completed durable; text/plain verified`. */
const verifiedIn = (lines: readonly Line[], at = 100): string => {
  const { states, mediaTypes } = verifiedOf(workerOf(factsIn(lines)), ms(at))
  const words = (found: ReadonlyMap<string, { readonly grade: string }>) => [...found].map(([name, { grade }]) => `${name} ${grade}`).join(', ')
  return `${words(states)}; ${words(mediaTypes)}`
}

const working = probed({ states: ['working'], mediaTypes: ['text/plain'] }, { at: 1 })

describe('V3 what probes verify', () => {
  it.each<[string, readonly Line[], number, string]>([
    ['V3 what a probe saw is verified', [card({ at: 0 }), working], 100, 'working verified; text/plain verified'],
    ['V3 what it saw over a restart is durable', [card({ at: 0 }), working, probed({ durableStates: ['working'] }, { at: 2 })], 100, 'working durable; text/plain verified'],
    ['V3 a task that was lost makes its state no longer durable, and it stays verified', [card({ at: 0 }), working, probed({ durableStates: ['working'] }, { at: 2 }), probed({ lostStates: ['working'] }, { at: 3 })], 100, 'working verified; text/plain verified'],
    ['V3 what was not found again is not verified', [card({ at: 0 }), working, probed({ refutedStates: ['working'] }, { at: 2 })], 100, '; text/plain verified'],
    ['V3 until it is', [card({ at: 0 }), working, probed({ refutedStates: ['working'] }, { at: 2 }), probed({ states: ['working'] }, { at: 3 })], 100, 'working verified; text/plain verified'],
    ['V3 a media type outside of what was negotiated is not verified', [card({ at: 0 }), working, probed({ strayMediaTypes: ['text/plain'] }, { at: 2 })], 100, 'working verified; '],
    ['V3 verified fades after seven days', [card({ at: 0 }), working], 7 * day + 1, '; '],
    ['V3 a second before it has not', [card({ at: 0 }), working], 7 * day, 'working verified; text/plain verified'],
    ['V3 durable fades after thirty', [card({ at: 0 }), working, probed({ durableStates: ['working'] }, { at: 2 })], 30 * day + 1, 'working durable; '],
    ['V3 and not later', [card({ at: 0 }), working, probed({ durableStates: ['working'] }, { at: 2 })], 30 * day + 2, '; '],
    ['V3 a card that changes in what matters voids it', [card({ at: 0 }), working, card({ at: 5, essenceDigest: 'essence 2' })], 100, '; '],
    ['V3 the same card again does not', [card({ at: 0 }), working, card({ at: 5 })], 100, 'working verified; text/plain verified'],
    ['V3 a card that goes back to what it was has changed', [card({ at: 0 }), working, card({ at: 5, essenceDigest: 'essence 2' }), card({ at: 6 })], 100, '; '],
    ['V3 a broken card voids nothing', [card({ at: 0 }), working, card({ at: 5, isValid: false, missing: ['skills'], essenceDigest: 'essence 2' })], 100, 'working verified; text/plain verified'],
    ['V3 a probe of another card than the one in force says nothing of this one', [card({ at: 0 }), probed({ states: ['working'] }, { at: 1, cardDigest: 'essence 2' })], 100, '; '],
    ['V3 without any card nothing is', [working], 100, '; '],
    ['V3 what comes later was not verified then', [card({ at: 0 }), probed({ states: ['working'] }, { at: 101 })], 100, '; '],
    ['V2 trust in the card comes before probes', [card({ at: 0, reachableStates: ['completed'] }), working, enrolled({ trust: 'card' })], 100, 'completed trusted; text/plain trusted'],
  ])('%s', (_fact, lines, at, expected) => {
    expect(verifiedIn(lines, at)).toBe(expected)
  })

  it('F2 as of a position, a probe that was recorded later is not known yet', () => {
    const facts = factsIn([card({ at: 0 }), working])
    expect(verifiedOf(workerOf(facts), ms(100), 1).states.size).toBe(0)
    expect(verifiedOf(workerOf(facts), ms(100), 2).states.size).toBe(1)
  })

  it('V3 of each subject the newest step is enough: a store may keep that alone', () => {
    const states = fc.subarray(['working', 'completed', 'input-required'] as const)
    const learned: fc.Arbitrary<ProbeLearned> = fc.record(
      {
        states,
        refutedStates: states,
        durableStates: states,
        lostStates: states,
        mediaTypes: fc.subarray(['text/plain', 'text/csv']),
        strayMediaTypes: fc.subarray(['text/plain', 'text/html']),
        measured: fc.record({ survivesRestart: fc.boolean(), retentionSeconds: fc.nat(9) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    const holds = fc.property(fc.array(learned, { maxLength: 8 }), (all) => {
      const facts = factsIn([card({ at: 0 }), ...all.map((each, index) => probed(each, { at: index + 1 }))])
      const newest = new Map<string, ProbeStepFact>()
      for (const fact of facts) if (fact.kind === 'probe-step') for (const subject of probeSubjectsOf(fact)) newest.set(subject, fact)
      const kept = [...facts.filter(({ kind }) => kind !== 'probe-step'), ...new Set(newest.values())]
      expect(verifiedOf(workerOf(kept), ms(100))).toEqual(verifiedOf(workerOf(facts), ms(100)))
    })
    fc.assert(holds, { seed, numRuns: runCount })
  })
})

describe('V1 conditions told by probes', () => {
  const statusOf = (name: 'C1' | 'C2' | 'C3' | 'C4', lines: readonly Line[]): string => {
    const { status, because } = deriveWorker({ workerId: 'w1', facts: factsIn(lines), evidence: [], asOfMs: ms(100) }).conditions[name]
    return because.length === 0 ? status : `${status} by ${because.join()}`
  }
  it.each<['C1' | 'C2' | 'C3' | 'C4', string, readonly Line[], string]>([
    ['C1', 'a task outlived a restart', [card({ at: 0 }), probed({ measured: { survivesRestart: true } }, { at: 1 })], 'holds by 2'],
    ['C1', 'it did not', [card({ at: 0 }), probed({ measured: { survivesRestart: false } }, { at: 1 })], 'refuted by 2'],
    ['C1', 'it does by now', [card({ at: 0 }), probed({ measured: { survivesRestart: false } }, { at: 1 }), probed({ measured: { survivesRestart: true } }, { at: 2 })], 'holds by 3'],
    ['C1', 'nobody restarted it', [card({ at: 0 }), working], 'unknown'],
    ['C2', 'the same message was the same task', [card({ at: 0 }), probed({ measured: { idempotentMessageId: true } }, { at: 1 })], 'holds by 2'],
    ['C2', 'it was another one', [card({ at: 0 }), probed({ measured: { idempotentMessageId: false } }, { at: 1 })], 'refuted by 2'],
    ['C3', 'every state is declared', [card({ at: 0, reachableStates: ['working'] }), working], 'holds by 2'],
    ['C3', 'one is not', [card({ at: 0, reachableStates: ['completed'] }), working], 'refuted by 2'],
    ['C4', 'every media type was negotiated', [card({ at: 0 }), working], 'holds by 2'],
    ['C4', 'one was not', [card({ at: 0 }), probed({ strayMediaTypes: ['text/html'] }, { at: 1 })], 'refuted by 2'],
    ['C1', 'of another card', [card({ at: 0 }), probed({ measured: { survivesRestart: false } }, { at: 1 }), card({ at: 5, essenceDigest: 'essence 2' })], 'unknown'],
  ])('V1 %s: %s', (name, _fact, lines, status) => {
    expect(statusOf(name, lines)).toBe(status)
  })

  it('the view of a worker has grade, age and end of what is verified, and what was measured', () => {
    const { states, mediaTypes, measured, skills } = deriveWorker({ workerId: 'w1', facts: factsIn([card({ at: 0 }), working, probed({ measured: { notFoundHonest: true } }, { at: 2 })]), evidence: [], asOfMs: ms(100) })
    const graded = { grade: 'verified', at: '2026-01-01T00:00:01.000Z', expiresAt: '2026-01-08T00:00:01.000Z' }
    expect(states.verified).toEqual([{ state: 'working', ...graded }])
    expect(mediaTypes.verified).toEqual([{ mediaType: 'text/plain', ...graded }])
    expect(skills[0]?.mediaTypes.verified).toEqual([{ mediaType: 'text/plain', ...graded }])
    expect(measured).toMatchObject({ notFoundHonest: true, survivesRestart: 'unknown' })
  })
})

describe('V3 a canary', () => {
  const history = [card({ at: -5 }), sent({ at: 0 }), answered('working', { at: 1 }), restarted({ at: 5 }), missed({ at: 9 })]
  it('that is lost opens no question and blames nobody: its probe meant it', () => {
    const canary = taskAfter(history, { correlationId: 'urn:a2a-ledger:canary:p-1', asOf: 99 })
    expect(canary.state).toBe('indeterminate')
    expect(canary.question).toBeUndefined()
    expect(workerEvidenceOf(canary).map(({ kind }) => kind)).toEqual(['reach'])
    expect(taskAfter(history, { asOf: 99 }).question).toBeDefined()
  })
})
