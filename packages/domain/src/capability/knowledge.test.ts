import { describe, expect, it } from 'vitest'
import { enrolled, inputOf, ms, restarted, sent, type Line } from '../testing/history.ts'
import { enrolledSettingsOf, isRestartedSince } from './knowledge.ts'

const workerIn = (lines: readonly Line[]) => inputOf([sent({ at: 0 }), ...lines]).workers.get('w1')

describe('F11 whatever may hold a task of a worker was restarted', () => {
  it.each<[string, readonly Line[], boolean]>([
    ['nobody knows of a restart', [], false],
    ['a restart since', [restarted({ at: 11 })], true],
    ['a restart before', [restarted({ at: 10 })], false],
    ['of one replica, named or not', [enrolled({ replicas: 1 }), restarted({ at: 11, instance: 'a' })], true],
    ['of two replicas a restart that names none', [enrolled({ replicas: 2 }), restarted({ at: 11 }), restarted({ at: 12 })], false],
    ['of two replicas one, twice', [enrolled({ replicas: 2 }), restarted({ at: 11, instance: 'a' }), restarted({ at: 12, instance: 'a' })], false],
    ['of two replicas each', [enrolled({ replicas: 2 }), restarted({ at: 11, instance: 'a' }), restarted({ at: 12, instance: 'b' })], true],
    ['of two replicas each, but one before', [enrolled({ replicas: 2 }), restarted({ at: 9, instance: 'a' }), restarted({ at: 12, instance: 'b' })], false],
  ])('%s', (_fact, lines, expected) => {
    expect(isRestartedSince(workerIn(lines), ms(10))).toBe(expected)
  })
})

describe('settings of an enrolment', () => {
  it('are the newest of each member, which is stated as a whole', () => {
    const worker = workerIn([
      enrolled({ settings: { interface: { url: 'http://a.test/', cardUrl: 'http://a.test/card.json' }, probe: { enabled: true, everyMs: 5_000 } } }),
      enrolled({ settings: { interface: { url: 'http://b.test/' } } }),
    ])
    expect(enrolledSettingsOf(worker)).toEqual({ interface: { url: 'http://b.test/' }, probe: { enabled: true, everyMs: 5_000 } })
  })

  it('of a worker that was never enrolled are none', () => {
    expect(enrolledSettingsOf(workerIn([]))).toEqual({})
  })
})
