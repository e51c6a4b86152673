import { describe, expect, it } from 'vitest'
import { answered, card, found, missed, refused, sent, settled, taskAfter, unanswered, type Line } from '../testing/history.ts'
import { heir } from '../testing/lost-and-decided.ts'
import { conversationOf } from './conversation.ts'

const known: readonly Line[] = [...heir, card({ at: 0 })]
const asks = (at: number): Line => found('input-required', { at, hasMessage: true, text: 'which?' })
/** The worker asks in one task, and answers what it is told with another one. */
const handed: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 }), asks(2), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, task: 't-2', messageId: 'm-2' }), found('failed', { at: 4.5 })]

const told = (lines: readonly Line[]): string => {
  const analysis = taskAfter(settled([...known, ...lines]), { asOf: 120 })
  const verdict = analysis.verdicts.at(-1)
  const conversation = verdict && conversationOf(analysis, verdict)
  return conversation === undefined ? 'none' : [conversation.original, ...conversation.turns.map(({ asked, sent: into }) => `${asked ?? 'unasked'}>${into}`)].join(' ')
}

describe('what was said in a lost attempt', () => {
  it.each<[string, readonly Line[], string]>([
    ['the send that began it', [sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })], '4'],
    ['of two sends the one that began it', [sent({ at: 0, sentMessageId: 'm-0' }), refused({ at: 1, messageId: 'm-0' }), sent({ at: 2 }), answered('working', { at: 3, messageId: 'm-1' }), missed({ at: 10 })], '6'],
    ['an answer behind its question', [sent({ at: 0 }), answered('working', { at: 1 }), asks(2), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4 6>7'],
    ['two answers behind their questions', [sent({ at: 0 }), answered('working', { at: 1 }), asks(2), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), asks(5), sent({ at: 6, sentMessageId: 'm-3', naming: 't-1' }), answered('working', { at: 7, messageId: 'm-3' }), missed({ at: 10 })], '4 6>7 9>10'],
    ['a message that nobody asked for', [sent({ at: 0 }), answered('working', { at: 1 }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4 unasked>6'],
    ['a question without words', [sent({ at: 0 }), answered('input-required', { at: 1 }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4 unasked>6'],
    ['a message for which the worker opened a new task, behind the send that began the older one', [...handed, missed({ at: 10, task: 't-2' })], '4 6>7'],
    ['what was said in the new one, too, and in the older one no more', [...handed, sent({ at: 5, sentMessageId: 'm-3', naming: 't-2' }), answered('working', { at: 6, task: 't-2', messageId: 'm-3' }), sent({ at: 7, sentMessageId: 'm-4', naming: 't-1' }), refused({ at: 8, messageId: 'm-4' }), missed({ at: 10, task: 't-2' })], '4 6>7 unasked>10'],
    ['of one for which the worker opened a new task nothing but itself, where nobody saw the older one begin', [found('failed', { at: 1 }), sent({ at: 2, sentMessageId: 'm-0' }), refused({ at: 3, messageId: 'm-0' }), sent({ at: 4, naming: 't-1' }), answered('working', { at: 5, task: 't-2', messageId: 'm-1' }), missed({ at: 10, task: 't-2' })], '5 unasked>7'],
    ['the send that began it under an id of its client', [sent({ at: 0, naming: 't-1' }), answered('working', { at: 1 }), missed({ at: 10 })], '4'],
    ['the send that nobody saw answered', [sent({ at: 0 }), unanswered({ at: 1 }), found('working', { at: 2, task: 't-9' }), missed({ at: 10, task: 't-9' })], '4'],
    ['the silent one', [sent({ at: 0 }), unanswered({ at: 5 })], '4'],
    ['the silent one, not a message into a task that nobody answered either', [sent({ at: 0 }), unanswered({ at: 1 }), sent({ at: 2, sentMessageId: 'm-2', naming: 't-7' }), unanswered({ at: 3, messageId: 'm-2' })], '4'],
    ['nothing where nobody saw a send', [found('working', { at: 1 }), missed({ at: 10 })], 'none'],
    ['nothing where only a message into it was seen', [found('working', { at: 1 }), sent({ at: 2, naming: 't-1' }), answered('working', { at: 3, messageId: 'm-1' }), missed({ at: 10 })], 'none'],
    ['the send that began it, also when a later one to its worker was refused', [sent({ at: 0 }), answered('working', { at: 1 }), sent({ at: 3, sentMessageId: 'm-2' }), refused({ at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4'],
    ['the send that began it, not one that began another task there', [sent({ at: -9, sentMessageId: 'm-0' }), answered('failed', { at: -8, task: 't-0', messageId: 'm-0' }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })], '6'],
    ['the send that began it, not one that began a task of another worker with its id', [sent({ at: -9, worker: 'w2', sentMessageId: 'm-0' }), answered('failed', { at: -8, worker: 'w2', messageId: 'm-0' }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })], '6'],
    ['of those that nobody saw answered the last one', [sent({ at: 0, sentMessageId: 'm-0' }), unanswered({ at: 1, messageId: 'm-0' }), sent({ at: 2 }), unanswered({ at: 3, messageId: 'm-1' })], '6'],
    ['of those that nobody saw answered the one to its worker', [sent({ at: 0, worker: 'w2', sentMessageId: 'm-0' }), refused({ at: 1, worker: 'w2', messageId: 'm-0' }), sent({ at: 2 }), unanswered({ at: 3, messageId: 'm-1' }), found('working', { at: 4, task: 't-9' }), missed({ at: 10, task: 't-9' })], '6'],
    ['the first one at all where none went to its worker', [sent({ at: 0, worker: 'w2', sentMessageId: 'm-0' }), refused({ at: 1, worker: 'w2', messageId: 'm-0' }), sent({ at: 2, worker: 'w3', sentMessageId: 'm-2' }), refused({ at: 3, worker: 'w3', messageId: 'm-2' }), found('working', { at: 4 }), missed({ at: 10 })], '4'],
    ['an answer behind a request for credentials', [sent({ at: 0 }), answered('auth-required', { at: 1, hasMessage: true, text: 'who are you?' }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4 5>6'],
    ['an answer at the moment of its question', [sent({ at: 0 }), answered('working', { at: 1 }), asks(3), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4 6>7'],
    ['a message before its question', [sent({ at: 0 }), answered('working', { at: 1 }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), asks(5), missed({ at: 10 })], '4 unasked>6'],
    ['words of a worker that asks for nothing', [sent({ at: 0 }), answered('working', { at: 1, hasMessage: true, text: 'well then' }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '4 unasked>6'],
    ['nothing that was said in another task of its worker', [sent({ at: -9, sentMessageId: 'm-0' }), answered('input-required', { at: -8, task: 't-0', messageId: 'm-0', hasMessage: true, text: 'which?' }), sent({ at: -7, sentMessageId: 'm-8', naming: 't-0' }), answered('failed', { at: -6, task: 't-0', messageId: 'm-8' }), sent({ at: 0 }), answered('working', { at: 1 }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '8 unasked>10'],
    ['nothing that was said in a task of another worker with its id', [sent({ at: -9, worker: 'w2', sentMessageId: 'm-0' }), answered('input-required', { at: -8, worker: 'w2', messageId: 'm-0', hasMessage: true, text: 'which?' }), sent({ at: -7, worker: 'w2', sentMessageId: 'm-8', naming: 't-1' }), answered('failed', { at: -6, worker: 'w2', messageId: 'm-8' }), sent({ at: 0 }), answered('working', { at: 1 }), sent({ at: 3, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 4, messageId: 'm-2' }), missed({ at: 10 })], '8 unasked>10'],
  ])('%s', (_what, lines, expected) => {
    expect(told(lines)).toBe(expected)
  })
})
