import { describe, expect, it } from 'vitest'
import { answered, concluded, found, sent, streamEnded, taskAfter, type Line } from '../testing/history.ts'
import { prematureConclusions } from './premature-conclusion.ts'

const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const about = { correlationId: 'other' } as const

/** Position of each, and the tasks it is about. */
const prematureAfter = (lines: readonly Line[]): string =>
  prematureConclusions(taskAfter(lines))
    .map(({ conclusion, concerned }) => [conclusion.position, ...concerned.map(({ taskId }) => taskId)].join(' '))
    .join(', ')

describe('C5 a conclusion that came before the failure', () => {
  it.each<[string, readonly Line[], string]>([
    ['nothing had failed', [...working, concluded('failed', { at: 5 })], '3 t-1'],
    ['in any spelling', [...working, concluded('TASK_STATE_FAILED', { at: 5 })], '3 t-1'],
    ['it had failed', [...working, found('failed', { at: 4 }), concluded('failed', { at: 5 })], ''],
    ['it failed within the skew of clocks', [...working, concluded('failed', { at: 5 }), found('failed', { at: 10 })], ''],
    ['it failed later than that', [...working, concluded('failed', { at: 5 }), found('failed', { at: 10.001 })], '3 t-1'],
    ['it completed', [...working, found('completed', { at: 4 }), concluded('failed', { at: 5 })], '4 t-1'],
    ['another conclusion', [...working, concluded('completed', { at: 5 })], ''],
    ['a word that is no state', [...working, concluded('lost', { at: 5 })], ''],
    ['what is no conclusion', [...working, streamEnded({ at: 5 })], ''],
    ['a conclusion that belongs to another task', [...working, concluded('failed', { at: 5, refused: { code: 'correlation_conflict', ...about } })], ''],
    ['a claim that was not followed counts', [...working, concluded('failed', { at: 5, refused: { code: 'correlation_claimed', ...about } })], '3 t-1'],
    ['another task of the worker had failed', [...working, found('failed', { at: 4, task: 't-2' }), concluded('failed', { at: 5 })], '4 t-1'],
    ['in order of time', [...working, concluded('failed', { at: 8 }), concluded('failed', { at: 5 })], '4 t-1, 3 t-1'],
  ])('C5 %s', (_fact, lines, premature) => {
    expect(prematureAfter(lines)).toBe(premature)
  })
})
