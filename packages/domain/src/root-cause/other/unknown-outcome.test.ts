import { describe, expect, it } from 'vitest'
import { causeTable } from '../../testing/cause-table.ts'
import { answered, messaged, pushed, refused, sent, taskAfter, unanswered, type Line } from '../../testing/history.ts'
import { explainTask } from '../explain-task.ts'

causeTable('unknown_outcome', [
  ['a send that got no answer', [sent(), unanswered()], 'strong 1, 2'],
  ['a proxy answered the send (C107)', [sent(), refused({ isFromGateway: true, name: 'Timeout', codeSpace: 'http', code: 504, httpStatus: 504 })], 'strong 1, 2'],
  ['an internal error says nothing about the work', [sent(), refused({ name: 'Internal', code: -32603 })], 'strong 1, 2'],
  ['every send without an answer is named', [sent(), unanswered(), sent({ sentMessageId: 'm-2' }), unanswered()], 'strong 1, 2, 3, 4'],
  ['silent sends to two workers are two findings', [sent(), unanswered(), sent({ worker: 'w2' }), unanswered({ worker: 'w2' })], 'strong 1, 2; strong 3, 4'],
  ['a task that turned up since is its outcome', [sent(), unanswered(), pushed('working')], 'none'],
  ['one task is the outcome of one send only', [sent(), unanswered(), sent({ sentMessageId: 'm-2' }), unanswered(), pushed('working')], 'strong 3, 4'],
  ['a task that was there before is no outcome', [pushed('working'), sent(), unanswered()], 'strong 2, 3'],
  ['a task that answers another send is none', [sent(), unanswered(), sent({ sentMessageId: 'm-2' }), answered('working', { messageId: 'm-2' })], 'strong 1, 2'],
  ['a task at another worker is no outcome here', [sent(), unanswered(), pushed('working', { worker: 'w2' })], 'strong 1, 2'],
  ['a task found by its message is the outcome', [sent(), unanswered(), pushed('working', { historyMessageId: 'm-1' })], 'none'],
  ['a message into a task that waits on', [sent(), answered('input-required'), sent({ at: 10, sentMessageId: 'm-2', naming: 't-1' }), unanswered({ at: 11 })], 'strong 3, 4'],
  ['a message into a task that has gone on since was taken', [sent(), answered('input-required'), sent({ at: 10, sentMessageId: 'm-2', naming: 't-1' }), unanswered({ at: 11 }), pushed('working', { at: 12 })], 'none'],
  ['a pending send is not silent yet', [sent()], 'none'],
  ['a refusal is an answer', [sent(), refused()], 'send_refused'],
  ['a message is an answer', [sent(), messaged('done')], 'none'],
  ['a task is an answer', [sent(), answered('working')], 'none'],
])

describe('unknown_outcome: what to do next', () => {
  it.each<[string, readonly Line[], string]>([
    ['the tasks of the worker are listed, where a new one was asked for', [sent(), unanswered()], 'List the tasks of w1'],
    ['the task is asked for, where the message was one into it', [sent(), answered('input-required'), sent({ at: 10, sentMessageId: 'm-2', naming: 't-1' }), unanswered({ at: 11 })], 'Ask w1 for task t-1 with GetTask'],
  ])('%s', (_fact, lines, nextAction) => {
    const finding = explainTask(taskAfter(lines)).findings.find(({ cause }) => cause === 'unknown_outcome')
    expect(finding).toMatchObject({ responsible: 'unknown', nextAction: expect.stringContaining(nextAction) })
  })
})
