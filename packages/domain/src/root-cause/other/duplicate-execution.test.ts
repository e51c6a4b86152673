import { answered, bare404, found, missed, pushed, restarted, routeProved, sent, unanswered } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('duplicate_execution', [
  ['a retry after silence, and the first works too (C113)', [sent(), unanswered(), sent(), answered('working', { task: 't-2' }), pushed('working')], 'strong 3, 4, 5'],
  ['lost at the first, sent to a second, and both complete (C114b)', [sent(), answered('working'), missed(), sent({ worker: 'w2' }), answered('completed', { worker: 'w2' }), pushed('completed')], 'strong 2, 4, 5'],
  ['sent again once the first was known to be lost', [sent(), answered('working'), missed(), sent(), answered('working', { task: 't-2' })], 'lost_on_restart'],
  ['sent again once the first had failed', [sent(), answered('working'), found('failed'), sent(), answered('completed', { task: 't-2' })], 'none'],
  ['an answer into the context of the first is no second execution (C033)', [sent(), answered('input-required', { contextId: 'c-1' }), sent({ sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', { task: 't-2', contextId: 'c-1' })], 'answer_without_task_id'],
  ['nor is one to the very task of the first, for which the worker opened a new one', [sent(), answered('input-required', { contextId: 'c-1' }), sent({ sentMessageId: 'm-2', naming: 't-1' }), answered('working', { task: 't-2', contextId: 'c-2' })], 'none'],
  ['one into the task of another worker is', [sent(), answered('input-required'), sent({ worker: 'w2', sentMessageId: 'm-2', naming: 't-1' }), answered('working', { worker: 'w2', task: 't-2' })], 'strong 2, 3, 4'],
  ['a v0.1 client, which chooses the ids itself, sent again once the first was known to be lost', [sent({ protocolVersion: '0.1', naming: 't-1' }), answered('working'), missed(), sent({ protocolVersion: '0.1', naming: 't-2' }), answered('working', { task: 't-2' })], 'lost_on_restart'],
  ['nor is one under an id of the client where a worker takes that', [sent(), answered('working'), missed(), sent({ sentMessageId: 'm-2', naming: 't-2' }), answered('working', { task: 't-2' })], 'none'],
  ['one attempt executes once', [sent(), answered('working'), found('completed')], 'none'],
  ['sent again after a bare 404 that turned out to be about the task', [sent(), answered('working'), bare404({ at: 10 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), routeProved({ at: 30 })], 'lost_on_restart'],
  ['a not-found after the second send excuses nothing', [sent(), answered('working'), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), missed({ at: 30 })], 'strong 2, 3, 4'],
  ['a restart before the second send had ended the first, as was found out later', [sent(), answered('working'), restarted({ at: 10 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), missed({ at: 30 })], 'lost_on_restart'],
  ['a restart after the second send had not', [sent(), answered('working'), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), restarted({ at: 25 }), missed({ at: 30 })], 'strong 2, 3, 4'],
  ['a restart that it survived ended nothing', [sent(), answered('working'), restarted({ at: 10 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), found('working', { at: 30 })], 'strong 2, 4, 5'],
  ['after a bare 404 whose route nobody proved it is not known', [sent(), answered('working'), bare404({ at: 10 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' })], 'possible 2, 3, 4, 5'],
  ['so it is after one at the very moment of the second send', [sent(), answered('working'), bare404({ at: 20 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' })], 'possible 2, 3, 4, 5'],
  ['that it is lost was found out after the second send', [sent(), answered('working'), bare404({ at: 10 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), missed({ at: 30 })], 'strong 2, 4, 5'],
  ['the first was heard of since', [sent(), answered('working'), bare404({ at: 10 }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), found('working', { at: 30 })], 'strong 2, 4, 5'],
  ['a bare 404 after the second send leaves no doubt', [sent(), answered('working'), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' }), bare404({ at: 30 })], 'strong 2, 3, 4'],
  ['one to another operation than GetTask neither', [sent(), answered('working'), bare404({ at: 10, operation: 'CancelTask' }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' })], 'strong 2, 4, 5'],
  ['one under another credential neither', [sent({ scope: 'a' }), answered('working'), bare404({ at: 10, scope: 'b' }), sent({ at: 20 }), answered('working', { at: 21, task: 't-2' })], 'strong 2, 4, 5'],
])
