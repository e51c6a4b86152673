import { describe, expect, it } from 'vitest'
import { answered, found, missed, pushed, sent, taskAfter, type Line } from '../testing/history.ts'
import { childrenOf, kinMarksOf, parentsOf } from './family.ts'

const traceId = 'a'.repeat(32)

const task = (correlationId: string, lines: readonly Line[]) => taskAfter(lines, { correlationId })
const parentTask = (lines: readonly Line[] = [sent({ at: 1, traceId }), answered('working', { at: 2 })]) => task('parent', lines)

/** `<parent> by <reason> at <position>` of each. */
const parentsTold = (child: readonly Line[], ...pool: readonly ReturnType<typeof task>[]): string =>
  parentsOf(task('child', child), pool)
    .map(({ correlationId, by, position }) => `${correlationId} by ${by} at ${position}`)
    .join(', ')

const delegated = { at: 5, by: 'agent', worker: 'w2' }

describe('which tasks were sent on behalf of which', () => {
  it.each<[string, readonly Line[], ReturnType<typeof task>, string]>([
    ['an event of the child names the parent', [sent({ ...delegated, parentCorrelationId: 'parent' })], parentTask(), 'parent by stated at 1'],
    ['any event of the child may name it', [sent(delegated), answered('working', { ...delegated, parentCorrelationId: 'parent' })], parentTask(), 'parent by stated at 2'],
    ['nobody is the parent of itself', [sent({ ...delegated, parentCorrelationId: 'child' })], parentTask(), ''],
    ['a message refers to a task of the parent', [sent({ at: 5, referenceTaskIds: ['t-1'] })], parentTask(), 'parent by reference at 1'],
    ['it does so from another worker, where the id is nobody else\'s', [sent({ ...delegated, referenceTaskIds: ['t-1'] })], parentTask(), 'parent by reference at 1'],
    ['a reference to a task that nobody saw', [sent({ at: 5, referenceTaskIds: ['t-7'] })], parentTask(), ''],
    ['a reference to a task of its own', [sent({ at: 5 }), answered('working', { at: 6 }), sent({ at: 7, referenceTaskIds: ['t-1'] })], task('parent', [sent({ at: 1, worker: 'w3' }), answered('working', { at: 2, worker: 'w3' })]), ''],
    ['it was sent in the trace of the parent, by somebody else, while that was open', [sent({ ...delegated, traceId })], parentTask(), 'parent by trace at 1'],
    ['the sender of both made neither on behalf of the other', [sent({ at: 5, worker: 'w2', traceId })], parentTask(), ''],
    ['in another trace', [sent({ ...delegated, traceId: 'b'.repeat(32) })], parentTask(), ''],
    ['sent before the parent', [sent({ ...delegated, at: 0, traceId })], parentTask(), ''],
    ['sent when the parent had ended', [sent({ ...delegated, at: 5, traceId })], parentTask([sent({ at: 1, traceId }), answered('completed', { at: 2 })]), ''],
    ['what names the parent comes before the trace', [sent({ ...delegated, traceId, parentCorrelationId: 'parent' })], parentTask(), 'parent by stated at 1'],
  ])('%s', (_fact, child, parent, expected) => {
    expect(parentsTold(child, parent)).toBe(expected)
  })

  it('an id that two tasks have refers to neither', () => {
    const other = task('other', [sent({ at: 1, worker: 'w3' }), answered('working', { at: 2, worker: 'w3' })])
    expect(parentsTold([sent({ ...delegated, referenceTaskIds: ['t-1'] })], parentTask(), other)).toBe('')
    expect(parentsTold([sent({ at: 5, referenceTaskIds: ['t-1'] })], parentTask(), other)).toBe('parent by reference at 1')
  })

  it('in one trace the parent is the open task that was sent last', () => {
    const middle = task('middle', [sent({ at: 3, by: 'agent', worker: 'w2', traceId }), answered('working', { at: 4, by: 'agent', worker: 'w2' })])
    expect(parentsTold([sent({ at: 5, by: 'sub-agent', worker: 'w3', traceId })], parentTask(), middle)).toBe('middle by trace at 1')
  })

  it('children are found from their parent, in order of what tells of them', () => {
    const first = taskAfter([sent({ ...delegated, parentCorrelationId: 'parent' })], { correlationId: 'first' })
    const second = taskAfter([sent(delegated), pushed('working', { ...delegated, parentCorrelationId: 'parent' })], { correlationId: 'second' })
    expect(childrenOf(parentTask(), [second, first, parentTask()])).toEqual([
      { correlationId: 'first', by: 'stated', position: 1 },
      { correlationId: 'second', by: 'stated', position: 2 },
    ])
  })

  it('an event that claims somebody else\'s task marks no kin', () => {
    const refused = { refused: { code: 'correlation_conflict' as const, correlationId: 'other' }, parentCorrelationId: 'parent' }
    expect(kinMarksOf(task('child', [found('working', refused), missed()]))).toEqual({ parents: [], references: [], traceIds: [] })
  })

  it('marks are told once each', () => {
    const lines = [sent({ traceId, referenceTaskIds: ['t-9', 't-9'], parentCorrelationId: 'p' }), sent({ traceId, sentMessageId: 'm-2', parentCorrelationId: 'p' })]
    expect(kinMarksOf(task('child', lines))).toEqual({ parents: ['p'], references: [{ workerId: 'w1', taskId: 't-9' }], traceIds: [traceId] })
  })
})
