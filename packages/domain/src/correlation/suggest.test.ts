import { describe, expect, test } from 'vitest'
import { answered, found, missed, sent, taskAfter, type Line } from '../testing/history.ts'
import { answeredContent, linkMarksOf, suggestedLink, unsentAnswersOf, type Exchange, type SharedMark } from './suggest.ts'

/** `send` and `answer` at one second each, in order; positions count from 1. */
const exchanges = (...told: readonly (Omit<Exchange, 'position' | 'atMs'> & { readonly at?: number })[]): readonly Exchange[] =>
  told.map(({ at, ...exchange }, index) => ({ ...exchange, position: index + 1, atMs: (at ?? index + 1) * 1_000 }))
const send = (contentDigest: string, messageId?: string, at?: number) =>
  ({ kind: 'send', contentDigest, ...(messageId !== undefined && { messageId }), ...(at !== undefined && { at }) }) as const
const answer = (messageId?: string) => ({ kind: 'answer', ...(messageId !== undefined && { messageId }) }) as const

test.each<[string, readonly Exchange[], string | undefined]>([
  ['K6 the only send that waits was answered', exchanges(send('a'), answer()), 'a'],
  ['K6 one after the other', exchanges(send('a'), answer(), send('b'), answer()), 'b'],
  ['K6 of two that wait and say the same, either', exchanges(send('a'), send('a'), answer()), 'a'],
  ['K6 and then the other', exchanges(send('a'), send('a'), answer(), answer()), 'a'],
  ['K6 of two that differ nothing is guessed', exchanges(send('a'), send('b'), answer()), undefined],
  ['K6 nor of what is left of them', exchanges(send('a'), send('b'), answer(), answer()), undefined],
  ['K6 a message that is named tells which', exchanges(send('a', 'm-1'), send('b', 'm-2'), answer('m-1')), 'a'],
  ['K6 and leaves the other', exchanges(send('a', 'm-1'), send('b', 'm-2'), answer('m-1'), answer()), 'b'],
  ['K6 a message that nobody sent tells nothing', exchanges(send('a', 'm-1'), answer('m-9')), undefined],
  ['K6 a send of long ago waits no longer', exchanges(send('a', undefined, 1), send('b', undefined, 700), answer()), 'b'],
  ['K6 without a send there is nothing', exchanges(answer()), undefined],
])('%s', (_fact, told, content) => {
  expect(answeredContent(told, told.length)).toBe(content)
})

describe('K6 what a task bears', () => {
  const marksOf = (lines: readonly Line[], contents = new Map<number, string>()) =>
    linkMarksOf(taskAfter(lines), contents).map(({ reason, key, hasTask }) => `${reason} ${key}${hasTask ? '' : ' pending'}`)

  test.each<[string, readonly Line[], readonly string[]]>([
    ['K6 what was sent, once it is answered, and as which message', [sent({ at: 0 }), answered('working')], ['same-content same work', 'same-message ["w1","m-1"]']],
    ['K6 what was sent and is pending', [sent({ at: 0 })], ['same-content same work pending', 'same-message ["w1","m-1"]']],
    ['K6 not what was sent into a task that is there', [sent({ at: 0, naming: 't-1', isUnnamed: true })], []],
    ['K6 not a message without content', [sent({ at: 0, isUnnamed: true, contentDigest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' })], []],
    ['K6 the context it was in', [found('working', { contextId: 'c-1' })], ['same-context ["w1","c-1"]']],
    ['K6 what its history shows, where nobody saw it sent', [found('working', { historyContentDigest: 'shown', historyMessageId: 'm-7' })], ['same-content shown', 'same-message ["w1","m-7"]']],
    ['K6 not what its history shows of a send that was seen', [sent({ at: 0 }), answered('working', { historyContentDigest: 'shown' })], ['same-content same work', 'same-message ["w1","m-1"]']],
  ])('%s', (_fact, lines, marks) => {
    expect(marksOf(lines)).toEqual(marks)
  })

  test('K6 what was found for an answer whose send is elsewhere', () => {
    const lines = [answered('working'), missed()]
    expect(unsentAnswersOf(taskAfter(lines))).toMatchObject([{ workerId: 'w1', taskId: 't-1', source: 'orchestrator', position: 1 }])
    expect(marksOf(lines, new Map([[1, 'elsewhere']]))).toEqual(['same-content elsewhere'])
  })
})

describe('K6 a suggestion', () => {
  const shared = (more: Partial<SharedMark>): SharedMark => ({
    correlationIds: ['~w1/t-1', '~w2/t-2'], workerIds: ['w1', 'w2'], positions: [3, 9], reason: 'same-content', haveTasks: true, ...more,
  })

  test('K6 of two without a correlation ID tells of double work, and how to give them one', () => {
    expect(suggestedLink(shared({}))).toEqual({
      correlationIds: ['~w1/t-1', '~w2/t-2'], workerIds: ['w1', 'w2'], reason: 'same-content', because: [3, 9],
      finding: 'duplicate_execution', how: expect.stringContaining('one of your own'),
    })
  })

  test.each<[string, Partial<SharedMark>, object]>([
    ['K6 with a correlation ID says what to accept', { correlationIds: ['k', '~w2/t-2'] }, { accept: { from: '~w2/t-2', to: 'k' }, finding: 'duplicate_execution' }],
    ['K6 while one of them is pending it may be the same task', { haveTasks: false }, { reason: 'same-content' }],
    ['K6 of a context is no sign of double work', { reason: 'same-context', correlationIds: ['k', '~w2/t-2'] }, { accept: { from: '~w2/t-2', to: 'k' } }],
    ['K6 that a person undid says so', { undoneAt: 12 }, { undoneAt: 12 }],
  ])('%s', (_fact, more, expected) => {
    expect(suggestedLink(shared(more))).toMatchObject(expected)
  })

  test('K6 tells of no double work but of equal content that both worked on', () => {
    expect([shared({ haveTasks: false }), shared({ reason: 'same-context' })].map((mark) => suggestedLink(mark).finding)).toEqual([undefined, undefined])
  })
})
