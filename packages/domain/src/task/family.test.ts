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
    ['sent at the very moment of the parent', [sent({ ...delegated, at: 1, traceId })], parentTask(), ''],
    ['sent at the very moment at which the parent ended', [sent({ ...delegated, at: 2, traceId })], parentTask([sent({ at: 1, traceId }), answered('completed', { at: 2 })]), ''],
    ['sent while the parent was still open, by one attempt of two', [sent({ ...delegated, traceId })], parentTask([sent({ at: 1, traceId }), answered('working', { at: 2 }), missed({ at: 3 }), sent({ at: 3.5, worker: 'w3', sentMessageId: 'm-2' }), answered('completed', { at: 9, worker: 'w3', messageId: 'm-2' })]), 'parent by trace at 1'],
    ['an answer that somebody else saw makes no other sender', [sent({ at: 5, worker: 'w2', traceId }), answered('working', { at: 6, worker: 'w2', by: 'agent' })], parentTask(), ''],
    ['of its senders one that did not send the parent is enough', [sent({ ...delegated, traceId }), sent({ at: 5.1, worker: 'w2', traceId })], parentTask(), 'parent by trace at 1'],
    ['a sender who told of the parent as well', [sent({ ...delegated, traceId })], parentTask([sent({ at: 1, traceId }), sent({ at: 1.5, by: 'agent', traceId, sentMessageId: 'm-2' }), answered('working', { at: 2 })]), ''],
    ['the trace in which it was sent first counts', [sent({ ...delegated, at: 8, traceId: 'b'.repeat(32) }), sent({ ...delegated, at: 5, traceId, sentMessageId: 'm-2' })], parentTask(), 'parent by trace at 2'],
    ['of two sends of one moment the one recorded first', [sent({ ...delegated, traceId }), sent({ ...delegated, traceId: 'b'.repeat(32), sentMessageId: 'm-2' })], parentTask(), 'parent by trace at 1'],
    ['it names a parent that nobody knows', [sent({ ...delegated, parentCorrelationId: 'elsewhere' })], parentTask(), ''],
    ['a message refers to the second task of the parent', [sent({ at: 5, referenceTaskIds: ['t-2'] })], parentTask([found('working', { at: 1 }), found('working', { at: 2, task: 't-2' })]), 'parent by reference at 1'],
    ['the id is one that it has at another worker', [sent({ at: 4, worker: 'w3' }), answered('working', { at: 5, worker: 'w3' }), sent({ at: 6, worker: 'w2', sentMessageId: 'm-2', referenceTaskIds: ['t-1'] })], parentTask(), 'parent by reference at 3'],
    ['what names the parent comes before the trace', [sent({ ...delegated, traceId, parentCorrelationId: 'parent' })], parentTask(), 'parent by stated at 1'],
  ])('%s', (_fact, child, parent, expected) => {
    expect(parentsTold(child, parent)).toBe(expected)
  })

  it('an id that two tasks have refers to neither', () => {
    const other = task('other', [sent({ at: 1, worker: 'w3' }), answered('working', { at: 2, worker: 'w3' })])
    expect(parentsTold([sent({ ...delegated, referenceTaskIds: ['t-1'] })], parentTask(), other)).toBe('')
    expect(parentsTold([sent({ at: 5, referenceTaskIds: ['t-1'] })], parentTask(), other)).toBe('parent by reference at 1')
  })

  it('an id is of who has it at that worker, not of who has another one there', () => {
    const other = task('other', [found('working', { at: 1, task: 't-9' }), found('working', { at: 2, worker: 'w3' })])
    expect(parentsTold([sent({ at: 5, referenceTaskIds: ['t-1'] })], parentTask(), other)).toBe('parent by reference at 1')
  })

  it('so it is where that one has other tasks there', () => {
    const both = parentTask([found('working', { at: 1 }), found('working', { at: 2, task: 't-2' })])
    const other = task('other', [found('working', { at: 2, worker: 'w3' })])
    expect(parentsTold([sent({ at: 5, referenceTaskIds: ['t-1'] })], both, other)).toBe('parent by reference at 1')
  })

  it('a task of the pool is no kin of itself', () => {
    const own = task('child', [sent({ at: 1, traceId }), answered('working', { at: 2 }), sent({ at: 5, by: 'agent', traceId, sentMessageId: 'm-2', referenceTaskIds: ['t-1'] })])
    expect([parentsOf(own, [own]), childrenOf(own, [own]), childrenOf(own, []), childrenOf(own, [parentTask()])]).toEqual([[], [], [], []])
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

  it('of each kind twenty marks are looked for', () => {
    const numbers = Array.from({ length: 25 }, (_, index) => index)
    const marks = kinMarksOf(task('child', numbers.map((n) => sent({ sentMessageId: `m-${n}`, traceId: `trace ${n}`, parentCorrelationId: `p-${n}`, referenceTaskIds: [`t-${n}`] }))))
    expect([marks.parents.length, marks.references.length, marks.traceIds.length]).toEqual([20, 20, 20])
    expect([marks.parents.at(-1), marks.references.at(-1)?.taskId, marks.traceIds.at(-1)]).toEqual(['p-19', 't-19', 'trace 19'])
  })

  it('without any there are none, and neither its own id nor a message to nobody is one', () => {
    const toNobody: Line = (position) => {
      const { workerId: _nobody, ...fact } = sent({ referenceTaskIds: ['t-9'] })(position)
      return fact as ReturnType<Line>
    }
    expect(kinMarksOf(task('child', [sent(), found('working', { parentCorrelationId: 'child' }), toNobody]))).toEqual({ parents: [], references: [], traceIds: [] })
  })

  it('marks are told once each', () => {
    const lines = [sent({ traceId, referenceTaskIds: ['t-9', 't-9'], parentCorrelationId: 'p' }), sent({ traceId, sentMessageId: 'm-2', parentCorrelationId: 'p' })]
    expect(kinMarksOf(task('child', lines))).toEqual({ parents: ['p'], references: [{ workerId: 'w1', taskId: 't-9' }], traceIds: [traceId] })
  })
})
