import { answered, found, missed, pushed, sent, unanswered } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('duplicate_execution', [
  ['a retry after silence, and the first works too (C113)', [sent(), unanswered(), sent(), answered('working', { task: 't-2' }), pushed('working')], 'strong 3, 4, 5'],
  ['lost at the first, sent to a second, and both complete (C114b)', [sent(), answered('working'), missed(), sent({ worker: 'w2' }), answered('completed', { worker: 'w2' }), pushed('completed')], 'strong 2, 4, 5'],
  ['sent again once the first was known to be lost', [sent(), answered('working'), missed(), sent(), answered('working', { task: 't-2' })], 'lost_on_restart'],
  ['sent again once the first had failed', [sent(), answered('working'), found('failed'), sent(), answered('completed', { task: 't-2' })], 'none'],
  ['an answer into the context of the first is no second execution (C033)', [sent(), answered('input-required', { contextId: 'c-1' }), sent({ sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', { task: 't-2', contextId: 'c-1' })], 'answer_without_task_id'],
  ['one attempt executes once', [sent(), answered('working'), found('completed')], 'none'],
])
