import { answered, messaged, pushed, refused, sent, unanswered } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

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
  ['a pending send is not silent yet', [sent()], 'none'],
  ['a refusal is an answer', [sent(), refused()], 'send_refused'],
  ['a message is an answer', [sent(), messaged('done')], 'none'],
  ['a task is an answer', [sent(), answered('working')], 'none'],
])
