import { describe, expect, it } from 'vitest'
import { answered, card, found, missed, refused, sent, settled, taskAfter, unanswered, type Line } from '../testing/history.ts'
import { heir } from '../testing/lost-and-decided.ts'
import { conversationOf } from './conversation.ts'

const known: readonly Line[] = [...heir, card({ at: 0 })]
const asks = (at: number): Line => found('input-required', { at, hasMessage: true, text: 'which?' })

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
    ['the send that nobody saw answered', [sent({ at: 0 }), unanswered({ at: 1 }), found('working', { at: 2, task: 't-9' }), missed({ at: 10, task: 't-9' })], '4'],
    ['the silent one', [sent({ at: 0 }), unanswered({ at: 5 })], '4'],
    ['nothing where nobody saw a send', [found('working', { at: 1 }), missed({ at: 10 })], 'none'],
  ])('%s', (_what, lines, expected) => {
    expect(told(lines)).toBe(expected)
  })
})
