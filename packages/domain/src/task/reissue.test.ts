import { describe, expect, it } from 'vitest'
import { answered, found, missed, sent, taskAfter, unanswered, type Line } from '../testing/history.ts'
import { reissueOf } from './reissue.ts'

const lost: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1, messageId: 'm-1' }), missed({ at: 10 })]

/** Where task `t-1` of `w1` was seen to have got another id, and the send that shows it. */
const reissueAfter = (lines: readonly Line[]): string => {
  const analysis = taskAfter(lines)
  const attempt = analysis.attempts.find(({ workerId, taskId }) => workerId === 'w1' && taskId === 't-1')
  const reissue = attempt && reissueOf(attempt, analysis)
  return reissue === undefined ? 'none' : [reissue.position, ...(reissue.dispatchPosition === undefined ? [] : ['by', reissue.dispatchPosition])].join(' ')
}

describe('a message that got another task id', () => {
  it.each<[string, readonly Line[], string]>([
    ['sent again after the not-found, and answered with another task', [...lost, sent({ at: 20 }), answered('working', { at: 21, task: 't-2', messageId: 'm-1' })], '5 by 4'],
    ['sent again before it, and answered after it', [...lost, sent({ at: 5 }), answered('working', { at: 12, task: 't-2', messageId: 'm-1' })], '5 by 4'],
    ['answered before it', [...lost, sent({ at: 5 }), answered('working', { at: 6, task: 't-2', messageId: 'm-1' })], 'none'],
    ['answered at the very moment of it', [...lost, sent({ at: 5 }), answered('working', { at: 10, task: 't-2', messageId: 'm-1' })], 'none'],
    ['another message', [...lost, sent({ at: 20, sentMessageId: 'm-2' }), answered('working', { at: 21, task: 't-2', messageId: 'm-2' })], 'none'],
    ['a message without an id', [...lost, sent({ at: 20, isUnnamed: true }), answered('working', { at: 21, task: 't-2' })], 'none'],
    ['another worker', [...lost, sent({ at: 20, worker: 'w2' }), answered('working', { at: 21, worker: 'w2', task: 't-2', messageId: 'm-1' })], 'none'],
    ['no answer', [...lost, sent({ at: 20 }), unanswered({ at: 21, messageId: 'm-1' })], 'none'],
    ['never missed', [sent({ at: 0 }), answered('working', { at: 1, messageId: 'm-1' }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2', messageId: 'm-1' })], 'none'],
    ['a message of a task with the same id at another worker', [sent({ at: 0, worker: 'w2', sentMessageId: 'm-9' }), answered('working', { at: 0.5, worker: 'w2', messageId: 'm-9' }), ...lost, sent({ at: 20, sentMessageId: 'm-9' }), answered('working', { at: 21, task: 't-2', messageId: 'm-9' })], 'none'],
    ['another task holds the message in its history', [...lost, found('working', { at: 20, task: 't-2', historyMessageId: 'm-1' })], '4'],
    ['it was seen before the not-found', [...lost, found('working', { at: 9, task: 't-2', historyMessageId: 'm-1' })], 'none'],
    ['it was seen at the very moment of it', [...lost, found('working', { at: 10, task: 't-2', historyMessageId: 'm-1' })], 'none'],
    ['a task of another worker holds it', [...lost, found('working', { at: 20, worker: 'w2', task: 't-2', historyMessageId: 'm-1' })], 'none'],
    ['another task holds another message', [...lost, found('working', { at: 20, task: 't-2', historyMessageId: 'm-2' })], 'none'],
    ['another task tells no history', [...lost, found('working', { at: 20, task: 't-2' })], 'none'],
    ['both tasks hold it, and nobody saw it sent', [found('working', { at: 1, historyMessageId: 'm-1' }), missed({ at: 10 }), found('working', { at: 20, task: 't-2', historyMessageId: 'm-1' })], '3'],
    ['a third task had held it, the lost one never', [found('working', { at: 1 }), found('working', { at: 2, task: 't-3', historyMessageId: 'm-1' }), missed({ at: 10 }), found('working', { at: 20, task: 't-2', historyMessageId: 'm-1' })], 'none'],
    ['a send comes before a history', [...lost, found('working', { at: 20, task: 't-2', historyMessageId: 'm-1' }), sent({ at: 30 }), answered('working', { at: 31, task: 't-3', messageId: 'm-1' })], '6 by 5'],
  ])('%s', (_fact, lines, reissue) => {
    expect(reissueAfter(lines)).toBe(reissue)
  })
})
