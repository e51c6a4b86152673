import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProbeLearned, ProbePlan, ProbeStepData, ProbeStepName } from '../event/probe-step.ts'
import { runCount, seed } from '../testing/seed.ts'
import { probeRecordOf, probeStateOf, probeViewOf, type ProbeEntry } from './probe.ts'

const plan: ProbePlan = { park: true, parkMsMax: 1, retentionMs: 0, callsMax: 9, bytesMax: 9, stepMsMax: 1, totalMsMax: 1 }
const planned: ProbeStepData = { phase: 'planned', probeId: 'p', plan }
const begun = (step: ProbeStepName, attempt = 1): ProbeStepData => ({ phase: 'begun', probeId: 'p', step, attempt, owner: 'o', untilMs: 5 })
const ended = (step: ProbeStepName, learned: ProbeLearned = {}, attempt = 1): ProbeStepData => ({
  phase: 'ended',
  probeId: 'p',
  step,
  attempt,
  outcome: 'ok',
  learned,
  calls: 1,
  bytes: 10,
})
const closed: ProbeStepData = { phase: 'closed', probeId: 'p', state: 'done' }

const entriesOf = (moments: readonly ProbeStepData[]): readonly ProbeEntry[] =>
  moments.map((data, index) => ({ position: index + 1, atMs: 1_000 * index, data }))
const recordOf = (...moments: readonly ProbeStepData[]) => {
  const record = probeRecordOf(entriesOf(moments))
  if (record === undefined) throw new Error('no plan')
  return record
}

describe('the record of a probe', () => {
  it('without its plan there is none', () => {
    expect(probeRecordOf(entriesOf([begun('card')]))).toBeUndefined()
  })

  it('a step that was begun and not ended is open, with its last attempt', () => {
    expect(recordOf(planned, begun('card'), begun('card', 2)).open).toMatchObject({ step: 'card', attempt: 2 })
    expect(recordOf(planned, begun('card'), ended('card')).open).toBeUndefined()
  })

  it('of two ends of one step the first counts: a process that was taken for dead says nothing more', () => {
    const record = recordOf(planned, begun('rest'), begun('rest', 2), ended('rest', { states: ['working'] }, 2), ended('rest', { states: ['failed'] }, 1))
    expect(record.learned.states).toEqual(['working'])
    expect(record.calls).toBe(1)
  })

  it('a state that is not found again is no longer confirmed, until it is again', () => {
    const seen = ended('rest', { states: ['working', 'input-required'] })
    expect(recordOf(planned, seen, ended('fresh-client', { refutedStates: ['input-required'] })).learned).toMatchObject({
      states: ['working'],
      refutedStates: ['input-required'],
    })
    expect(recordOf(planned, ended('fresh-client', { refutedStates: ['input-required'] }), ended('end', { states: ['input-required'] })).learned).toMatchObject({
      states: ['input-required'],
      refutedStates: [],
    })
  })

  it('the order in which moments are read, and reading one twice, do not matter', () => {
    const all = entriesOf([planned, begun('card'), ended('card', { isMessage: true }), begun('send'), ended('send', { states: ['working'] }), closed])
    const shuffled = fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })
    const holds = fc.property(shuffled, (entries) => {
      expect(probeRecordOf(entries)).toEqual(probeRecordOf(all))
    })
    fc.assert(holds, { seed, numRuns: runCount })
  })
})

describe('where a probe stands', () => {
  const waiting = [planned, ended('park'), ended('parked', { tasks: { parked: { taskId: 't', state: 'input-required' } } })] as const
  it.each<[string, readonly ProbeStepData[], string]>([
    ['planned', [planned], 'running'],
    ['a step is open', [planned, begun('card')], 'running'],
    ['its second canary waits', waiting, 'parked'],
    ['it is asked again', [...waiting, begun('after-restart')], 'running'],
    ['it was asked again', [...waiting, ended('after-restart')], 'running'],
    ['nothing was parked', [planned, ended('parked')], 'running'],
    ['closed', [...waiting, closed], 'done'],
    ['given up', [planned, { ...closed, state: 'abandoned', because: 'send was interrupted' }], 'abandoned'],
  ])('%s', (_fact, moments, state) => {
    expect(probeStateOf(recordOf(...moments))).toBe(state)
  })
})

describe('a probe as it is shown (contract §4)', () => {
  it('names what was confirmed with grade and age, and what was measured, unknown where nothing was', () => {
    const view = probeViewOf(
      recordOf(
        planned,
        ended('rest', { states: ['working'], mediaTypes: ['text/csv'] }),
        ended('fresh-client', { states: ['input-required'] }),
        ended('after-restart', { durableStates: ['input-required'], measured: { survivesRestart: true } }),
      ),
    )
    expect(view).toEqual({
      probeId: 'p',
      state: 'running',
      steps: [
        { at: '1970-01-01T00:00:01.000Z', step: 'rest', outcome: 'ok', position: 2 },
        { at: '1970-01-01T00:00:02.000Z', step: 'fresh-client', outcome: 'ok', position: 3 },
        { at: '1970-01-01T00:00:03.000Z', step: 'after-restart', outcome: 'ok', position: 4 },
      ],
      verified: {
        states: [
          { state: 'working', grade: 'verified', at: '1970-01-01T00:00:01.000Z', expiresAt: '1970-01-08T00:00:01.000Z' },
          { state: 'input-required', grade: 'durable', at: '1970-01-01T00:00:03.000Z', expiresAt: '1970-01-31T00:00:03.000Z' },
        ],
        mediaTypes: [{ mediaType: 'text/csv', grade: 'verified', at: '1970-01-01T00:00:01.000Z', expiresAt: '1970-01-08T00:00:01.000Z' }],
      },
      measured: {
        survivesRestart: true,
        idempotentMessageId: 'unknown',
        notFoundHonest: 'unknown',
        streamReplay: 'unknown',
        pushArrives: 'unknown',
        retentionSeconds: 'unknown',
        bindingParity: 'unknown',
      },
    })
  })
})
