import { describe, expect, it } from 'vitest'
import { nextQuestions, type AskedBefore, type WatchSituation } from './next-questions.ts'
import type { WatchedTask } from './watched-tasks.ts'

const now = 1_000_000
const second = 1_000
const day = 86_400_000

const task = (taskId: string, told: Partial<WatchedTask> = {}): WatchedTask => ({
  correlationId: 'k', taskId, standing: 'live', sinceMs: now - 60 * second, lastLifeMs: now - 60 * second, missing: 0, isWaiting: false, ...told,
})
const doubtful = (taskId: string, told: Partial<WatchedTask> = {}): WatchedTask => task(taskId, { standing: 'doubtful', sinceMs: now - 10 * second, urgentPosition: 7, ...told })
const lost = (taskId: string, told: Partial<WatchedTask> = {}): WatchedTask => task(taskId, { standing: 'settled', urgentPosition: 7, ...told })
const asked = (agoMs: number, told: Partial<AskedBefore> = {}): AskedBefore => ({ atMs: now - agoMs, spread: 0.5, ...told })
/** Asked, and compared, in this doubt. */
const askedOf = (agoMs: number): AskedBefore => asked(agoMs, { urgentPosition: 7, comparedAt: 7 })

const next = (tasks: readonly WatchedTask[], before: Readonly<Record<string, AskedBefore>> = {}, told: Partial<WatchSituation> = {}) =>
  nextQuestions({ nowMs: now, pollMs: 10 * second, tasks, asked: new Map(Object.entries(before)), streamed: new Set(), bindings: ['JSONRPC'], allowance: 10, ...told })

const asks = (...given: Parameters<typeof next>): readonly string[] =>
  next(...given).questions.map(({ taskId, because, binding, isFresh }) => `${because} ${taskId} over ${binding}${isFresh ? ' afresh' : ''}`)
/** In how many seconds there is more; negative: it was not in the allowance. */
const nextIn = (...given: Parameters<typeof next>): number => (next(...given).nextMs - now) / second

describe('whom an observer asks about', () => {
  it.each<[string, Parameters<typeof next>, readonly string[]]>([
    ['nobody where nothing is open', [[]], []],
    ['a task that it never asked about, at once', [[task('t')]], ['poll t over JSONRPC']],
    ['one that is lost for good, too: it may have come back while nobody watched', [[lost('t')]], ['poll t over JSONRPC']],
    ['not one that it asked about just now', [[task('t')], { t: asked(5 * second) }], []],
    ['one that it asked about an interval ago', [[task('t')], { t: asked(10 * second) }], ['poll t over JSONRPC']],
    ['not one that somebody else has just seen alive', [[task('t', { lastLifeMs: now - second })], { t: asked(60 * second) }], []],
    ['by a clock that is ahead not for longer than an interval', [[task('t', { lastLifeMs: now + 3_600 * second })], { t: asked(60 * second) }], []],
    ['one whose updates come over a stream, seldom', [[task('t')], { t: asked(20 * second) }, { streamed: new Set(['t']) }], []],
    ['but it asks, since a stream can fall silent', [[task('t')], { t: asked(50 * second) }, { streamed: new Set(['t']) }], ['poll t over JSONRPC']],
    ['one whose worker started anew, at once', [[task('t', { urgentPosition: 9 })], { t: asked(second) }], ['poll t over JSONRPC']],
    ['once for each restart', [[task('t', { urgentPosition: 9 })], { t: asked(second, { urgentPosition: 9 }) }], []],
    ['one whose doubt is over like any other', [[task('t')], { t: askedOf(second) }], []],
    ['F7 over the binding of its creation', [[task('t', { binding: 'HTTP+JSON' })], {}, { bindings: ['JSONRPC', 'HTTP+JSON'] }], ['poll t over HTTP+JSON']],
    ['over the one there is, where it is not offered any more', [[task('t', { binding: 'GRPC' })], {}, { bindings: ['HTTP+JSON'] }], ['poll t over HTTP+JSON']],
    ['over JSON-RPC where no card says anything', [[task('t')], {}, { bindings: [] }], ['poll t over JSONRPC']],

    ['V6 a doubt at once, over a connection of its own', [[doubtful('t')], { t: asked(second) }], ['again t over JSONRPC afresh']],
    ['V6 with another task of the worker, the one that was seen last', [[doubtful('t'), task('old', { lastLifeMs: now - 90 * second }), task('new')], { t: asked(second), old: asked(0), new: asked(0) }], ['again t over JSONRPC afresh', 'other-task new over JSONRPC afresh']],
    ['V6 with one that ended, where no other is open', [[doubtful('t')], { t: asked(second) }, { endedTaskId: 'e' }], ['again t over JSONRPC afresh', 'other-task e over JSONRPC afresh']],
    ['a task is not compared with itself', [[doubtful('t')], { t: asked(second) }, { endedTaskId: 't' }], ['again t over JSONRPC afresh']],
    ['V6 over the other binding', [[doubtful('t')], { t: asked(second) }, { bindings: ['JSONRPC', 'HTTP+JSON'] }], ['again t over JSONRPC afresh', 'other-binding t over HTTP+JSON afresh']],
    ['each doubt is compared once', [[doubtful('t'), task('u')], { t: askedOf(20 * second), u: asked(0) }, { bindings: ['JSONRPC', 'HTTP+JSON'] }], ['again t over JSONRPC afresh']],
    ['one task for two doubts is asked once', [[doubtful('t'), doubtful('v'), task('u')], { t: asked(second), v: asked(second), u: asked(0) }], ['again t over JSONRPC afresh', 'other-task u over JSONRPC afresh', 'again v over JSONRPC afresh']],
    ['F10 a second apart while not-founds are missing', [[doubtful('t', { missing: 2 })], { t: askedOf(second) }], ['again t over JSONRPC afresh']],
    ['F10 not earlier: it would be the same question', [[doubtful('t', { missing: 2 })], { t: askedOf(999) }], []],
    ['else at growing distances', [[doubtful('t', { sinceMs: now - 10 * second })], { t: askedOf(3 * second) }], []],
    ['half as long again as the doubt was old', [[doubtful('t', { sinceMs: now - 10 * second })], { t: askedOf(4 * second) }], ['again t over JSONRPC afresh']],
    ['at most an interval', [[doubtful('t', { sinceMs: now - 500 * second })], { t: askedOf(10 * second) }], ['again t over JSONRPC afresh']],

    ['F14 what is decided at growing distances', [[lost('t', { sinceMs: now - 120 * second })], { t: asked(39 * second) }], []],
    ['F14 late truth wins', [[lost('t', { sinceMs: now - 120 * second })], { t: asked(40 * second) }], ['poll t over JSONRPC']],
    ['F14 every day', [[lost('t', { sinceMs: now - 6 * day })], { t: asked(day) }], ['poll t over JSONRPC']],
    ['F14 to the end of a week', [[lost('t', { sinceMs: now - 7 * day })], { t: asked(day) }], ['poll t over JSONRPC']],
    ['F14 and no longer', [[lost('t', { sinceMs: now - 8 * day })], { t: asked(day) }], []],
  ])('%s', (_fact, given, expected) => {
    expect(asks(...given)).toEqual(expected)
  })

  it('tasks that are polled alike do not stay in step', () => {
    expect(nextIn([task('t')], { t: asked(0, { spread: 0 }) })).toBe(9)
    expect(nextIn([task('t')], { t: asked(0, { spread: 1 }) })).toBe(11)
  })

  it.each<[string, Parameters<typeof next>, number]>([
    ['never where nothing is open', [[]], Infinity],
    ['never about what was lost long ago', [[lost('t', { sinceMs: now - 8 * day })], { t: asked(day) }], Infinity],
    ['when the next task is due', [[task('t'), task('u')], { t: asked(4 * second), u: asked(2 * second) }], 6],
    ['the one that is asked now does not count', [[task('t'), task('u')], { t: asked(20 * second), u: asked(2 * second) }], 8],
    ['at once where the budget left something', [[task('t'), task('u')], { t: asked(20 * second), u: asked(30 * second) }, { allowance: 1 }], -10],
  ])('there is more to ask %s', (_fact, given, expected) => {
    expect(nextIn(...given)).toBe(expected)
  })
})

describe('the budget of a worker', () => {
  const polls = ['a', 'b', 'c'].map((taskId) => task(taskId))
  const doubts = ['x', 'y', 'z'].map((taskId) => doubtful(taskId))
  const all = Object.fromEntries([...polls, ...doubts].map(({ taskId }) => [taskId, askedOf(30 * second)]))

  it.each([0, 1, 2, 3, 5, 50])('no more than %i are asked', (allowance) => {
    for (const bindings of [['JSONRPC'], ['JSONRPC', 'HTTP+JSON']]) {
      expect(asks([...polls, ...doubts], {}, { allowance, bindings }).length).toBeLessThanOrEqual(allowance)
    }
  })

  it('what was asked longest ago comes first', () => {
    expect(asks(polls, { a: asked(20 * second), b: asked(40 * second), c: asked(30 * second) }, { allowance: 2 })).toEqual(['poll b over JSONRPC', 'poll c over JSONRPC'])
  })

  it('doubts get half of it while others wait, and all of it else', () => {
    expect(asks([...polls, ...doubts], all, { allowance: 4 }).map((each) => each.split(' ')[0])).toEqual(['again', 'again', 'poll', 'poll'])
    expect(asks(doubts, all, { allowance: 3 })).toHaveLength(3)
    expect(asks([...polls, ...doubts], all, { allowance: 6 })).toHaveLength(6)
  })

  it('what is decided waits for what is not', () => {
    expect(asks([lost('l', { sinceMs: now - day }), task('t')], { l: asked(6 * day), t: asked(20 * second) }, { allowance: 1 })).toEqual(['poll t over JSONRPC'])
  })

  it('where there is no room for a comparison the doubt itself is asked, and compared later', () => {
    const { questions } = next([doubtful('x')], {}, { allowance: 1, bindings: ['JSONRPC', 'HTTP+JSON'] })
    expect(questions).toEqual([{ taskId: 'x', binding: 'JSONRPC', isFresh: true, because: 'again' }])
    expect(next([doubtful('x')], {}, { bindings: ['JSONRPC', 'HTTP+JSON'] }).questions[0]).toMatchObject({ because: 'again', isCompared: true })
  })
})
