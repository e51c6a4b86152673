import { describe, expect, it } from 'vitest'
import type { TaskState } from '../task/state.ts'
import { firstPageOf, readPage, type WatchPage } from './list-page.ts'
import type { WatchedTask } from './watched-tasks.ts'

const task = (taskId: string, state: TaskState = 'working'): WatchedTask => ({ correlationId: 'k', taskId, standing: 'live', state, sinceMs: 0, lastLifeMs: 0, missing: 0 })

describe('the list that is asked for', () => {
  it.each<[string, Parameters<typeof firstPageOf>[0], string]>([
    ['none where nothing is due', { live: [task('a'), task('b')], due: [], room: 0 }, 'none'],
    ['none for one task: it saves no call', { live: [task('a'), task('b')], due: [task('a')], room: 0 }, 'none'],
    ['two are worth it', { live: [task('a'), task('b')], due: [task('a'), task('b')], room: 1 }, 'working: a b'],
    ['none where there is room to ask about each', { live: [task('a'), task('b')], due: [task('a'), task('b')], room: 2 }, 'none'],
    ['of the state in which most are due', { live: [task('a'), task('b', 'input-required'), task('c', 'input-required')], due: [task('a'), task('b', 'input-required'), task('c', 'input-required')], room: 1 }, 'input-required: b c'],
    ['none where too few are in any', { live: [], due: [task('a'), task('b', 'input-required'), task('c', 'submitted'), task('d', 'auth-required')], room: 1 }, 'none'],
    ['for all of that state, since they are on its pages, too', { live: [task('a'), task('b'), task('c', 'submitted'), task('d')], due: [task('a'), task('b')], room: 1 }, 'working: a b d'],
    ['none of a state that nobody can be asked for', { live: [], due: [task('a', 'unknown'), task('b', 'unknown')], room: 1 }, 'none'],
  ])('%s', (_fact, given, expected) => {
    const page = firstPageOf(given)
    expect(page === undefined ? 'none' : `${page.state}: ${page.taskIds.join(' ')}`).toBe(expected)
    expect(page?.pageToken).toBeUndefined()
  })
})

describe('what a page says of the tasks that it was asked for', () => {
  const asked = (ids: string, pageToken?: string): WatchPage => ({ state: 'working', taskIds: ids.split(' '), ...(pageToken !== undefined && { pageToken }) })
  const states = (shown: Readonly<Record<string, TaskState>>): ReadonlyMap<string, TaskState> => new Map(Object.entries(shown))
  const working = (ids: string): Readonly<Record<string, TaskState>> => Object.fromEntries(ids.split(' ').map((id) => [id, 'working']))

  it.each<[string, WatchPage, Readonly<Record<string, TaskState>>, string | undefined, string]>([
    ['all are as they were', asked('a b c'), working('a b c'), '', 'a b c, owed -, over'],
    ['F6 one that it does not show is asked about by itself', asked('a b c'), working('a b'), '', 'a b, owed c, over'],
    ['one that it shows otherwise has more to tell', asked('a b c'), { ...working('a b'), c: 'input-required' }, '', 'a b, owed c, over'],
    ['one that has ended, too: lists leave out what came of it', asked('a b c'), { ...working('a b'), c: 'completed' }, '', 'a b, owed c, over'],
    ['tasks that nobody asked for are nobody’s', asked('a b'), working('a b x y z'), '', 'a b, owed -, over'],
    ['those that are missing may be on the next page', asked('a b c d'), working('a b'), 'p2', 'a b, owed -, then c d from p2'],
    ['and what it shows otherwise does not wait for that', asked('a b c d e'), { ...working('a b'), c: 'failed' }, 'p2', 'a b, owed c, then d e from p2'],
    ['a further page for one task saves no call', asked('a b c'), working('a b'), 'p2', 'a b, owed c, over'],
    ['a further page that shows one alone is the last', asked('c d e', 'p2'), working('c'), 'p3', 'c, owed d e, over'],
    ['a further page without any is no news of the list', asked('c d', 'p2'), {}, 'p3', '-, owed c d, over'],
    ['a list that says nowhere that it ends is over', asked('a b c d'), working('a b'), undefined, 'a b, owed c d, over'],
    ['so is one whose token is empty, whoever is missing', asked('a b c d'), working('a b'), '', 'a b, owed c d, over'],
    ['an empty list is suspect, and says of nobody that he is gone', asked('a b c'), {}, '', '-, owed a b c, over, suspect'],
    ['a list of strangers is, too', asked('a b c'), working('x y z'), 'p2', '-, owed a b c, over, suspect'],
    ['one that shows one alone costs what it saves', asked('a b c'), working('a x y'), 'p2', 'a, owed b c, over, suspect'],
    ['one that has each in another state is of another kind than was asked for', asked('a b c'), { a: 'completed', b: 'completed', c: 'completed' }, 'p2', '-, owed a b c, over, suspect'],
  ])('%s', (_fact, page, shown, token, expected) => {
    const { confirmed, owed, next, isSuspect } = readPage(page, states(shown), token)
    const named = (ids: readonly string[]): string => ids.join(' ') || '-'
    const then = next === undefined ? 'over' : `then ${named(next.taskIds)} from ${next.pageToken}`
    expect(`${named(confirmed)}, owed ${named(owed)}, ${then}${isSuspect ? ', suspect' : ''}`).toBe(expected)
    expect(next?.state ?? page.state).toBe(page.state)
  })
})
