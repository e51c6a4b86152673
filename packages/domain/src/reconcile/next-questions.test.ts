import { describe, expect, it } from 'vitest'
import { nextQuestions, type AskedBefore, type WatchSituation } from './next-questions.ts'
import type { WatchedTask } from './watched-tasks.ts'

const now = 1_000_000
const second = 1_000
const day = 86_400_000

const task = (taskId: string, told: Partial<WatchedTask> = {}): WatchedTask => ({
  correlationId: 'k', taskId, standing: 'live', sinceMs: now - 60 * second, lastLifeMs: now - 60 * second, missing: 0, state: 'working', ...told,
})
const doubtful = (taskId: string, told: Partial<WatchedTask> = {}): WatchedTask => task(taskId, { standing: 'doubtful', sinceMs: now - 10 * second, urgentPosition: 7, ...told })
const lost = (taskId: string, told: Partial<WatchedTask> = {}): WatchedTask => task(taskId, { standing: 'settled', urgentPosition: 7, ...told })
const asked = (agoMs: number, told: Partial<AskedBefore> = {}): AskedBefore => ({ atMs: now - agoMs, spread: 0.5, ...told })
/** Asked, and compared, in this doubt. */
const askedOf = (agoMs: number): AskedBefore => asked(agoMs, { urgentPosition: 7, comparedAt: 7 })

const next = (tasks: readonly WatchedTask[], before: Readonly<Record<string, AskedBefore>> = {}, told: Partial<WatchSituation> = {}) =>
  nextQuestions({ nowMs: now, pollMs: 10 * second, tasks, asked: new Map(Object.entries(before)), streamed: new Set(), bindings: ['JSONRPC'], owed: new Set(), isListing: false, allowance: 10, isOthersTurn: false, ...told })

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
    ['not one that others watch, however long ago it asked', [[task('t', { lastLifeMs: now - second })], { t: asked(400 * second) }], []],
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

  it.each<[string, number, boolean, string]>([
    ['the only call is for a doubt', 1, false, 'again'],
    ['unless one had the last one', 1, true, 'poll'],
    ['of two calls each has one', 2, true, 'again poll'],
    ['of three the doubts have two', 3, false, 'again again poll'],
    ['or the others', 3, true, 'again poll poll'],
  ])('calls that come one by one take turns: %s', (_fact, allowance, isOthersTurn, expected) => {
    const told = { allowance, isOthersTurn }
    expect(asks([...polls, ...doubts], all, told).map((each) => each.split(' ')[0]).join(' ')).toBe(expected)
    expect(asks(doubts, all, told), 'where no others wait').toHaveLength(allowance)
    expect(asks(polls, all, told), 'where nothing is in doubt').toHaveLength(allowance)
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

describe('a list in place of many questions', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((taskId) => task(taskId))
  const each = (agoMs: number, told: Partial<AskedBefore> = {}): Readonly<Record<string, AskedBefore>> => Object.fromEntries(many.map(({ taskId }) => [taskId, asked(agoMs, told)]))
  const listing = { isListing: true, allowance: 4 }
  /** The page, and what is asked beside it. */
  const told = (...given: Parameters<typeof next>): string => {
    const { page, questions } = next(...given)
    const list = page === undefined ? 'no page' : `${page.state} ${page.taskIds.join('')} from ${page.pageToken ?? 'the start'}`
    return [list, ...questions.map(({ taskId, because }) => `${because} ${taskId}`)].join(', ')
  }

  it.each<[string, Parameters<typeof next>, string]>([
    ['where more are due than may be asked about', [many, each(20 * second), listing], 'working abcdef from the start'],
    ['none where there is room for each', [many, each(20 * second), { ...listing, allowance: 6 }], 'no page, poll a, poll b, poll c, poll d, poll e, poll f'],
    ['none from a worker that has no lists', [many, each(20 * second), { allowance: 4 }], 'no page, poll a, poll b, poll c, poll d'],
    ['none where the budget is used up', [many, each(20 * second), { ...listing, allowance: 0 }], 'no page'],
    ['the first question about a task is of its own: it is what the rest is compared with', [many, {}, listing], 'no page, poll a, poll b, poll c, poll d'],
    ['one that is not in it is asked about beside it', [[...many.slice(0, 5), task('f', { state: 'input-required' })], each(20 * second), listing], 'working abcde from the start, poll f'],
    ['it is for all in that state', [[...many, task('g')], { ...each(20 * second), g: asked(second) }, listing], 'working abcdefg from the start'],
    ['what is due in half an interval is reckoned in', [many, { ...each(5 * second), a: asked(10 * second) }, listing], 'working abcdef from the start'],
    ['what is due later is not', [many, { ...each(4_999), a: asked(10 * second) }, listing], 'no page, poll a'],
    ['none before something is due', [many, each(9 * second), listing], 'no page'],
    ['nor where only what was lost is due: it is on no list', [[...many, lost('x', { sinceMs: now - day, lastLifeMs: now - day })], { ...each(9 * second), x: asked(day) }, listing], 'no page, poll x'],
    ['one that was never asked about comes first', [[...many, task('g')], each(20 * second), { ...listing, allowance: 1 }], 'no page, poll g'],
    ['and is asked about also where a list goes on that may show it', [[...many, task('g')], each(20 * second), { ...listing, nextPage: { state: 'working', taskIds: ['a', 'g'], pageToken: 'p2' } }], 'working ag from p2, poll g, poll b, poll c'],
    ['what waits longer to be asked about by itself comes first, too', [[...many, task('g')], { ...each(11 * second), g: asked(310 * second, { listedMs: now - second }) }, { ...listing, allowance: 1 }], 'no page, poll g'],
    ['and what waits less long does not', [[...many, task('g')], { ...each(20 * second), g: asked(301 * second, { listedMs: now - second }) }, { ...listing, allowance: 1 }], 'working abcdefg from the start'],
    ['V6 a doubt is asked about by itself, afresh', [[...many, doubtful('x')], { ...each(20 * second), x: askedOf(20 * second) }, listing], 'working abcdef from the start, again x'],
    ['F14 and so is what was lost', [[...many, lost('x', { sinceMs: now - day })], { ...each(20 * second), x: asked(day) }, listing], 'working abcdef from the start, poll x'],
    ['a restart is asked about task by task', [many.map(({ taskId }) => task(taskId, { urgentPosition: 9 })), each(20 * second), listing], 'no page, poll a, poll b, poll c, poll d'],
    ['what it confirmed is not due for an interval', [many, each(20 * second, { listedMs: now - 9 * second }), listing], 'no page'],
    ['after that there is the next one', [many, each(20 * second, { listedMs: now - 10 * second }), listing], 'working abcdef from the start'],
    ['but each is asked about by itself every five minutes: lists leave artifacts out', [many, each(300 * second, { listedMs: now - second }), listing], 'no page, poll a, poll b, poll c, poll d'],
    ['F6 F7 what it did not confirm is asked about at once, by itself, before the next list', [many, each(20 * second), { ...listing, allowance: 2, owed: new Set(['e', 'f']) }], 'no page, poll e, poll f'],
    ['also what was asked about just now', [[task('a')], { a: asked(second) }, { ...listing, owed: new Set(['a']) }], 'no page, poll a'],
    ['it goes on where it was left, and nobody on its next page is asked about', [many, each(20 * second), { ...listing, nextPage: { state: 'working', taskIds: ['b', 'c', 'd'], pageToken: 'p2' } }], 'working bcd from p2, poll a, poll e, poll f'],
    ['it waits for the budget', [many, each(20 * second), { ...listing, allowance: 0, nextPage: { state: 'working', taskIds: ['b', 'c'], pageToken: 'p2' } }], 'no page'],
  ])('%s', (_fact, given, expected) => {
    expect(told(...given)).toBe(expected)
  })

  it.each([1, 2, 3, 4])('of %i calls it is one', (allowance) => {
    const { page, questions } = next([...many, task('g', { state: 'submitted' }), doubtful('x')], { ...each(20 * second), g: asked(20 * second), x: askedOf(20 * second) }, { ...listing, allowance })
    expect(questions.length + (page === undefined ? 0 : 1)).toBeLessThanOrEqual(allowance)
  })

  it('tasks that lists confirm do not stay in step, either', () => {
    const inSeconds = [0, 1].map((spread) => nextIn([task('t')], { t: asked(265 * second, { spread, listedMs: now }) }))
    expect(inSeconds).toEqual([5, 11]) // by itself after 270 s; on a list an interval and a tenth of it from now
  })

  it('what it may answer for is not waited for', () => {
    expect(nextIn([...many, task('g', { state: 'submitted' })], { ...each(20 * second), g: asked(second) }, listing)).toBe(9)
  })
})
