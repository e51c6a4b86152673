import { answered, found, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const asked = [sent(), answered('input-required', { text: 'Proceed?', contextId: 'c-1' })]

causeTable('resumed_by_other_party', [
  ['a message that the worker took for the task is an answer, whatever it names', [sent(), answered('input-required'), sent({ sentMessageId: 'm-2' }), answered('working', { messageId: 'm-2' })], 'none'],
  ['it works on without a message of ours (C071b)', [...asked, pushed('working')], 'likely 2, 3'],
  ['it completes without a message of ours', [...asked, found('completed')], 'likely 2, 3'],
  ['our message came before the question', [sent(), answered('working'), sent({ sentMessageId: 'm-2', naming: 't-1', at: 3 }), pushed('input-required', { at: 4 }), pushed('working', { at: 5 })], 'likely 4, 5'],
  ['our message came after it went on', [...asked, pushed('working', { at: 5 }), sent({ sentMessageId: 'm-2', naming: 't-1', at: 6 })], 'likely 2, 3'],
  ['a message of ours that names the task', [...asked, sent({ sentMessageId: 'm-2', naming: 't-1' }), pushed('working')], 'none'],
  ['a message of ours into its context', [...asked, sent({ sentMessageId: 'm-2', contextId: 'c-1' }), pushed('working')], 'none'],
  ['a message of ours after the question was asked again', [...asked, pushed('input-required', { text: 'Proceed, yes?', at: 20 }), sent({ sentMessageId: 'm-2', naming: 't-1', at: 30 }), pushed('working', { at: 40 })], 'none'],
  ['answered before the question was repeated in other words', [...asked, sent({ sentMessageId: 'm-2', naming: 't-1' }), pushed('input-required', { text: 'Proceed, yes?' }), pushed('working')], 'none'],
  ['auth-required may go on by itself (C071)', [sent(), answered('auth-required'), pushed('working')], 'none'],
  ['giving up is no answer', [...asked, pushed('failed')], 'none'],
  ['a cancel is no answer', [...asked, found('canceled', { operation: 'CancelTask' })], 'none'],
  ['where nobody we watch sends, messages are not ours to miss', [answered('input-required'), pushed('working')], 'none'],
  ['it asks for credentials without a message of ours', [...asked, pushed('auth-required')], 'likely 2, 3'],
  ['a message of ours at the very moment of the question', [sent({ at: 0 }), answered('input-required', { at: 1 }), sent({ sentMessageId: 'm-2', naming: 't-1', at: 1 }), pushed('working', { at: 5 })], 'none'],
  ['a message of ours at the very moment it went on', [sent({ at: 0 }), answered('input-required', { at: 1 }), sent({ sentMessageId: 'm-2', naming: 't-1', at: 5 }), pushed('working', { at: 5 })], 'none'],
  ['a message of ours to another worker is no answer', [...asked, sent({ sentMessageId: 'm-2', naming: 't-1', worker: 'w2' }), pushed('working')], 'likely 2, 4'],
  ['a message of ours to another task is no answer', [...asked, sent({ sentMessageId: 'm-2', naming: 't-9' }), pushed('working')], 'likely 2, 4'],
  ['a message of ours into another context is no answer', [...asked, sent({ sentMessageId: 'm-2', contextId: 'c-9' }), pushed('working')], 'likely 2, 4'],
  ['a message of ours without a context is no answer where the task has none', [sent(), answered('input-required'), sent({ sentMessageId: 'm-2' }), pushed('working', { by: 'webhook' })], 'likely 2, 4'],
])
