import { measuredOf, type ProbeLearned, type ProbeView } from '@a2a-ledger/domain'
import { describe, expect, it } from 'vitest'
import { judge } from './requirements.ts'
import { scorecard } from './scorecard.ts'

const at = '2026-03-01T12:00:00.000Z'
const card: NonNullable<ProbeLearned['card']> = {
  digest: 'd',
  name: 'reporter',
  targets: [{ url: 'https://x.test/', binding: 'JSONRPC', protocolVersion: '1.0' }],
  isStreaming: true,
  isPushing: false,
  states: ['working', 'input-required', 'completed'],
  declaresStates: true,
  mediaTypes: ['application/json', 'text/*'],
}
const view = (more: Partial<ProbeView> = {}): ProbeView => ({
  probeId: 'p',
  state: 'done',
  steps: [{ at, step: 'fresh-client', outcome: 'ok', detail: 'input-required, as before', position: 1 }],
  verified: { states: [{ state: 'input-required', grade: 'verified', at }], mediaTypes: [{ mediaType: 'text/csv', grade: 'verified', at }] },
  measured: measuredOf({ idempotentMessageId: false, retentionSeconds: 12 }),
  ...more,
})
const learned: ProbeLearned = { card, mediaTypes: ['text/csv'], strayMediaTypes: [] }

describe('the scorecard', () => {
  it('puts what was found beside what was promised', () => {
    expect(scorecard({ view: view(), learned }, [judge('durable', { view: view(), learned })]).split('\n')).toEqual([
      'reporter – A2A 1.0 over JSONRPC – https://x.test/',
      '',
      '  State           Card      Probe',
      '  working         declared  not seen',
      '  input-required  declared  verified',
      '  completed       declared  not seen',
      '',
      '  Media type        Card                Probe',
      '  application/json  offered             not seen',
      '  text/*            offered             not seen',
      '  text/csv          offered by a range  verified',
      '',
      '  Behaviour',
      '  tasks survive a restart                      unknown',
      '  the same message twice is one task           NO',
      '  an unknown task is a TaskNotFound            unknown',
      '  a late stream begins with the present state  unknown',
      '  every binding says the same                  unknown',
      '  pushes arrive                                unknown',
      '  ended tasks stay readable                    12 s',
      '',
      '  Required',
      '  durable   NOT MET  survivesRestart is unknown',
      '',
    ])
  })

  it('a card that declares no states promises none: only what was seen is shown', () => {
    const { declaresStates: _none, ...undeclared } = card
    const text = scorecard({ view: view(), learned: { ...learned, card: undeclared } }, [])
    expect(text).toContain('  input-required  not declared  verified')
    expect(text).not.toContain('working')
  })

  it('without a card it says why', () => {
    expect(scorecard({ view: view({ state: 'abandoned', because: 'no answer' }), learned: {} }, [])).toBe('There is nothing to probe: no answer.\n')
  })

  it('a probe that is not done says so', () => {
    expect(scorecard({ view: view({ state: 'abandoned', because: 'send was interrupted' }), learned }, [])).toContain('The probe is abandoned: send was interrupted.')
  })
})

describe('a requirement', () => {
  it.each<[string, string, Partial<ProbeView>, ProbeLearned, boolean]>([
    ['verified: a fresh client confirmed where the canary rests', 'verified', {}, learned, true],
    ['verified: no task came to rest', 'verified', { steps: [] }, learned, false],
    ['verified: something was emitted that was not negotiated', 'verified', {}, { ...learned, strayMediaTypes: ['text/html'] }, false],
    ['durable: measured', 'durable', { measured: measuredOf({ survivesRestart: true }) }, learned, true],
    ['durable: not measured is not met', 'durable', {}, learned, false],
    ['idempotent: it is not', 'idempotent', {}, learned, false],
    ['a state that was confirmed', 'input-required', {}, learned, true],
    ['a state that was not', 'completed', {}, learned, false],
    ['declared-states: all are', 'declared-states', {}, learned, true],
    ['declared-states: one is not', 'declared-states', {}, { ...learned, card: { ...card, states: ['completed'] } }, false],
  ])('%s', (_fact, name, more, found, isMet) => {
    expect(judge(name, { view: view(more), learned: found }).isMet).toBe(isMet)
  })
})
