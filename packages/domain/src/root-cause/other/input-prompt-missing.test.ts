import { answered, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('input_prompt_missing', [
  ['a question without a message (C076)', [sent(), answered('input-required')], 'strong 2'],
  ['credentials wanted without a message', [sent(), answered('auth-required')], 'strong 2'],
  ['a message without text may ask in data', [sent(), answered('input-required', { hasMessage: true })], 'possible 2'],
  ['white space asks nothing', [sent(), answered('input-required', { hasMessage: true, text: ' \n' })], 'possible 2'],
  ['of several reports one with a message is enough', [sent(), answered('input-required'), pushed('input-required', { hasMessage: true, text: ' ' })], 'possible 2, 3'],
  ['a text says what is needed', [sent(), answered('input-required', { text: 'Which account?' })], 'none'],
  ['a later snapshot that lacks the text takes nothing back', [sent(), pushed('input-required', { text: 'Which account?' }), answered('input-required')], 'none'],
  ['the text of an earlier question is not that of this one', [sent(), answered('input-required', { text: 'Which account?' }), sent({ sentMessageId: 'm-2', naming: 't-1' }), pushed('working'), pushed('input-required')], 'strong 5'],
  ['a task that works need not ask', [sent(), answered('working')], 'none'],
  ['a lost question cannot be asked any more', [sent(), answered('input-required'), missed()], 'cause_unknown'],
])
