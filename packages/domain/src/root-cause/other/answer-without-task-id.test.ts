import { answered, found, missed, pushed, sent, unanswered } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const asked = [sent(), answered('input-required', { contextId: 'c-1' })]
const answerInContext = sent({ sentMessageId: 'm-2', contextId: 'c-1' })
const second = { task: 't-2', contextId: 'c-1' }

causeTable('answer_without_task_id', [
  ['the context alone makes a new task (C033)', [...asked, answerInContext, answered('completed', second)], 'strong 2, 3, 4'],
  ['the question was asked while it ran (C034)', [sent(), answered('working', { contextId: 'c-1' }), found('input-required'), answerInContext, answered('working', second)], 'strong 3, 4, 5'],
  ['every turn does it, one finding covers all (C035)', [...asked, answerInContext, answered('input-required', second), sent({ sentMessageId: 'm-3', contextId: 'c-1' }), answered('working', { task: 't-3', contextId: 'c-1' })], 'strong 2, 3, 4, 5, 6'],
  ['a message that names the task goes on with it', [...asked, sent({ sentMessageId: 'm-2', naming: 't-1', contextId: 'c-1' }), answered('completed', { contextId: 'c-1' })], 'none'],
  ['a message without a context starts something else', [...asked, sent({ sentMessageId: 'm-2' }), answered('working', second)], 'duplicate_execution'],
  ['a worker that makes a new task of a message that names one is to blame itself', [...asked, sent({ sentMessageId: 'm-2', naming: 't-1', contextId: 'c-1' }), answered('working', { ...second, messageId: 'm-2' })], 'none'],
  ['nobody stated a context', [sent(), answered('input-required'), sent({ sentMessageId: 'm-2' }), answered('working', { task: 't-2' })], 'duplicate_execution'],
  ['another context than that of the question', [...asked, sent({ sentMessageId: 'm-2', contextId: 'c-2' }), answered('working', { task: 't-2', contextId: 'c-2' })], 'duplicate_execution'],
  ['it asked only later', [sent({ at: 0 }), answered('working', { at: 1, contextId: 'c-1' }), sent({ at: 2, sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', { at: 3, ...second }), pushed('input-required', { at: 9 })], 'none'],
  ['it asked at that very moment', [sent({ at: 0 }), answered('working', { at: 1, contextId: 'c-1' }), found('input-required', { at: 2 }), sent({ at: 2, sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', { at: 3, ...second })], 'strong 3, 4, 5'],
  ['weak evidence that it is gone leaves it to be named', [...asked, missed({ evidence: 'weak' }), answerInContext, answered('completed', second)], 'strong 2, 4, 5'],
  ['a task that works asks nothing', [sent(), answered('working', { contextId: 'c-1' }), answerInContext, answered('working', second)], 'none'],
  ['a task that had ended asks nothing', [...asked, found('completed'), answerInContext, answered('working', second)], 'none'],
  ['auth-required is cleared elsewhere and asks for no message', [sent(), answered('auth-required', { contextId: 'c-1' }), answerInContext, answered('working', second)], 'none'],
  ['a worker that took the answer for the task that asked', [...asked, answerInContext, answered('working', { contextId: 'c-1' })], 'none'],
  ['no new task came of it', [...asked, answerInContext, unanswered({ messageId: 'm-2' })], 'unknown_outcome'],
  ['a task that was known to be lost could not be named', [...asked, missed(), answerInContext, answered('completed', second)], 'other_id'],
  ['so could one whose name the worker had refused', [...asked, sent({ sentMessageId: 'm-1b', naming: 't-1', contextId: 'c-1' }), missed({ operation: 'SendMessage', messageId: 'm-1b' }), answerInContext, answered('completed', second)], 'other_id'],
  ['found again before the answer it could be named', [...asked, missed(), found('input-required'), answerInContext, answered('completed', second)], 'strong 2, 5, 6'],
  ['that it is lost was found out later', [...asked, answerInContext, answered('completed', second), missed()], 'strong 2, 3, 4'],
  ['the context of another worker is another one', [...asked, sent({ sentMessageId: 'm-2', contextId: 'c-1', worker: 'w2' }), answered('working', { ...second, worker: 'w2' })], 'duplicate_execution'],
])
