import { describe, expect, it } from 'vitest'
import { answered, enrolled, found, missed, pushed, restarted, sent, taskAfter, unanswered, type Line, type World } from '../testing/history.ts'
import { explainTask } from './explain-task.ts'

const onBehalf = { parentCorrelationId: 'order' }
const parentLines: readonly Line[] = [sent({ at: 1 }), answered('working', { at: 2 })]
const childLost: readonly Line[] = [
  enrolled({ owner: 'team-b' }, { worker: 'w2' }),
  sent({ at: 3, worker: 'w2', ...onBehalf }),
  answered('working', { at: 4, worker: 'w2', task: 't-2' }),
  restarted({ at: 5, worker: 'w2' }),
  missed({ at: 6, worker: 'w2', task: 't-2' }),
]
const childEnded = (state: 'failed' | 'canceled' | 'completed', at = 6, text?: string): readonly Line[] => [
  sent({ at: 3, worker: 'w2', ...onBehalf }),
  answered('working', { at: 4, worker: 'w2', task: 't-2' }),
  found(state, { at, worker: 'w2', task: 't-2', ...(text !== undefined && { text }) }),
]
const task = (correlationId: string, lines: readonly Line[], world: World = {}) => taskAfter(lines, { ...world, correlationId })

/** `<cause> <confidence> <responsible> in <child> via <…>` of each finding, the leading one first. */
const explained = (parent: readonly Line[], ...children: readonly (readonly Line[])[]): string => {
  const pool = children.map((lines, index) => task(`step-${index + 1}`, lines))
  return explainTask(task('order', parent), pool)
    .findings.map(({ cause, confidence, responsible, correlationId, via }) =>
      [cause, confidence, responsible, ...(correlationId === undefined ? [] : ['in', correlationId]), ...(via === undefined ? [] : ['via', ...via])].join(' '),
    )
    .join('; ')
}
const failed = [...parentLines, found('failed', { at: 9 })]

describe('the cause is followed down to where it began', () => {
  it.each<[string, readonly Line[], readonly (readonly Line[])[], string]>([
    ['a failed parent whose child was lost', failed, [childLost], 'lost_on_restart likely worker in step-1'],
    ['a parent that says its peer timed out passes on what began there', [...parentLines, found('failed', { at: 9, text: 'The peer agent timed out' })], [childLost], 'lost_on_restart likely worker in step-1; downstream_timeout stated downstream'],
    ['a lost parent about which nothing else is known', [...parentLines, missed({ at: 9 })], [childLost], 'lost_on_restart likely worker in step-1; cause_unknown possible unknown'],
    ['a cause of its own leads, and the child is found beside it', [...parentLines, restarted({ at: 8 }), missed({ at: 9 })], [childLost], 'lost_on_restart strong worker; lost_on_restart likely worker in step-1'],
    ['a child that failed and nothing tells why', failed, [childEnded('failed')], 'child_failed likely downstream in step-1'],
    ['a child that was rejected and nothing tells why', failed, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('rejected', { at: 4, worker: 'w2', task: 't-2' })]], 'child_failed likely downstream in step-1'],
    ['a child that was canceled as somebody asked', failed, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('working', { at: 4, worker: 'w2', task: 't-2' }), found('canceled', { at: 5, worker: 'w2', task: 't-2', operation: 'CancelTask' })]], 'child_failed likely downstream in step-1'],
    ['a child that says why it failed', failed, [childEnded('failed', 6, 'Server shutting down')], 'worker_interrupted likely worker in step-1'],
    ['a child that completed is no trouble', failed, [childEnded('completed')], ''],
    ['a parent that completed has none', [...parentLines, found('completed', { at: 9 })], [childLost], ''],
    ['trouble that began after the parent had ended began nothing', failed, [childEnded('failed', 60)], ''],
    ['a child whose work another child completed is none any more', failed, [childLost, childEnded('completed')], ''],
    ['an open parent waits for the answer that its child waits for', parentLines, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('input-required', { at: 4, worker: 'w2', task: 't-2' })]], 'waiting_for_input likely client in step-1'],
    ['a child that completed, and asks in words, is no trouble', failed, [childEnded('completed', 6, 'Please confirm the order')], ''],
    ['a child at work is none either, whatever else was found of it', failed, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('working', { at: 4, worker: 'w2', task: 't-2' }), found('working', { at: 5, worker: 'w2', task: 't-2', believed: 'submitted' })]], ''],
    ['a child of other work than the one that completed', failed, [childLost, [sent({ at: 3, worker: 'w3', contentDigest: 'other work', ...onBehalf }), answered('completed', { at: 4, worker: 'w3', task: 't-3' })]], 'lost_on_restart likely worker in step-1'],
    ['a child that was sent other work as well', failed, [[sent({ at: 3, worker: 'w2', contentDigest: 'other work', sentMessageId: 'm-2', ...onBehalf }), ...childLost], childEnded('completed')], ''],
    ['trouble that began as the parent ended, as far as clocks tell', failed, [childEnded('failed', 14)], 'child_failed likely downstream in step-1'],
    ['an open child that was alive after that began nothing', failed, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('input-required', { at: 60, worker: 'w2', task: 't-2' })]], ''],
    ['neither did a send after that, the last of several, that got no answer', failed, [[3, 4, 60].flatMap((at) => [sent({ at, worker: 'w2', sentMessageId: `m-${at}`, ...onBehalf }), unanswered({ at: at + 1, worker: 'w2', messageId: `m-${at}` })])], ''],
    ['a child of which nothing but a not-found is known', failed, [[missed({ at: 6, worker: 'w2', task: 't-9', ...onBehalf })]], 'never_existed possible unknown in step-1'],
    ['what is less sure of the child is no surer of the parent', failed, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('working', { at: 4, worker: 'w2', task: 't-2' }), missed({ at: 6, worker: 'w2', task: 't-2' })]], 'cause_unknown possible unknown in step-1'],
    ['a reference tells less surely of what began there', failed, [[sent({ at: 3, worker: 'w2', referenceTaskIds: ['t-1'] }), answered('working', { at: 4, worker: 'w2', task: 't-2' }), restarted({ at: 5, worker: 'w2' }), missed({ at: 6, worker: 'w2', task: 't-2' })]], 'lost_on_restart possible worker in step-1'],
    ['a child that is at work is no trouble', parentLines, [[sent({ at: 3, worker: 'w2', ...onBehalf }), answered('working', { at: 4, worker: 'w2', task: 't-2' })]], ''],
    ['a send of the child that got no answer', failed, [[sent({ at: 3, worker: 'w2', ...onBehalf }), unanswered({ at: 4, worker: 'w2' })]], 'unknown_outcome likely unknown in step-1'],
    ['a reference tells less surely of a child', failed, [[sent({ at: 3, worker: 'w2', referenceTaskIds: ['t-1'] }), answered('failed', { at: 4, worker: 'w2', task: 't-2' })]], 'child_failed possible downstream in step-1'],
  ])('%s', (_fact, parent, children, expected) => {
    expect(explained(parent, ...children)).toBe(expected)
  })

  it('names the child, its evidence and the owner of its worker', () => {
    const { summary, findings } = explainTask(task('order', failed), [task('step-1', childLost)])
    expect(findings[0]).toEqual({
      cause: 'lost_on_restart',
      confidence: 'likely',
      responsible: 'worker',
      owner: 'team-b',
      correlationId: 'step-1',
      because: [2, 3, 4, 5],
      nextAction: 'Follow the verdict of the task, and have w2 keep its tasks in a store that survives a restart.',
    })
    expect(summary).toBe(
      'The task has failed: it began in the child task step-1: worker w2 restarted and lost task t-2; worker w2 is responsible (owner: team-b).',
    )
  })

  it('a child of a child is named, and the tasks on the way', () => {
    const middle = task('middle', [sent({ at: 2, worker: 'w3', ...onBehalf }), answered('working', { at: 2.5, worker: 'w3', task: 't-3' }), found('failed', { at: 8, worker: 'w3', task: 't-3' })])
    const deep = task('deep', childLost.map((line): Line => (position) => ({ ...line(position), parentCorrelationId: 'middle' })))
    const { summary, findings } = explainTask(task('order', failed), [middle, deep])
    expect(findings.map(({ cause, correlationId, via }) => [cause, correlationId, via])).toEqual([['lost_on_restart', 'deep', ['middle']]])
    expect(summary).toContain('it began in the child task deep (by way of middle): worker w2 restarted')
  })

  it('of very many children the twenty sent last are gone into', () => {
    const crowd = Array.from({ length: 25 }, (_, index) => task(`each-${index}`, [sent({ at: 3, worker: `w-${index}`, ...onBehalf }), answered('failed', { at: 4, worker: `w-${index}`, task: 't-2' })]))
    const told = explainTask(task('order', failed), crowd).findings.map(({ correlationId }) => correlationId)
    expect([told.length, told[0], told.at(-1)]).toEqual([20, 'each-5', 'each-24'])
  })

  it('tasks that name each other as parents end', () => {
    const a = task('a', [sent({ at: 1, parentCorrelationId: 'b' }), answered('failed', { at: 5 })])
    const b = task('b', [sent({ at: 1, worker: 'w2', parentCorrelationId: 'a' }), answered('failed', { at: 5, worker: 'w2', task: 't-2' })])
    expect(explainTask(a, [a, b]).findings).toMatchObject([{ cause: 'child_failed', correlationId: 'b' }])
  })

  it('each task is gone into once, however many ways lead to it: going every way would not end', () => {
    const names = Array.from({ length: 40 }, (_, index) => `each-${index}`)
    const pool = names.map((name) =>
      task(name, [...names.flatMap((parent): Line[] => (parent === name ? [] : [sent({ at: 1, worker: name, parentCorrelationId: parent })])), answered('failed', { at: 5, worker: name, task: name })]),
    )
    const [first] = pool
    expect(explainTask(first ?? task('none', []), pool).findings.length).toBeLessThanOrEqual(20)
  })

  it('is followed down to eight levels', () => {
    const line = (depth: number) =>
      task(`level-${depth}`, [
        sent({ at: 1, ...(depth > 0 && { parentCorrelationId: `level-${depth - 1}` }) }),
        answered('failed', { at: 5, task: `t-${depth}` }),
      ])
    const pool = Array.from({ length: 12 }, (_, depth) => line(depth))
    const [first] = explainTask(line(0), pool).findings
    expect([first?.correlationId, first?.via?.length]).toEqual(['level-8', 7])
  })

  it('a push of the child may be what names the parent', () => {
    const child = task('step-1', [sent({ at: 3, worker: 'w2' }), pushed('failed', { at: 4, worker: 'w2', task: 't-2', ...onBehalf })])
    expect(explainTask(task('order', failed), [child]).findings).toMatchObject([{ cause: 'child_failed', because: [2] }])
  })
})
