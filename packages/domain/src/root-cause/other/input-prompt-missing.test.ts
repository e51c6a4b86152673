import { answered, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('input_prompt_missing', [
  ['a question without a message (C076)', [sent(), answered('input-required')], 'strong 2'],
  ['credentials wanted without a message', [sent(), answered('auth-required')], 'strong 2'],
  ['a message without a part asks nothing', [sent(), answered('input-required', { hasMessage: true })], 'strong 2'],
  ['white space asks nothing', [sent(), answered('input-required', { hasMessage: true, text: ' \n' })], 'strong 2'],
  ['a form in data says what is needed', [sent(), answered('input-required', { hasMessage: true, saysBeyondText: true })], 'none'],
  ['so it does where only one of several reports has it', [sent(), pushed('auth-required', { hasMessage: true, saysBeyondText: true }), answered('auth-required')], 'none'],
  ['data that came with an earlier state is not that question', [sent(), pushed('working', { hasMessage: true, saysBeyondText: true }), answered('input-required')], 'strong 3'],
  ['a text says what is needed', [sent(), answered('input-required', { text: 'Which account?' })], 'none'],
  ['a later snapshot that lacks the text takes nothing back', [sent(), pushed('input-required', { text: 'Which account?' }), answered('input-required')], 'none'],
  ['the text of an earlier question is not that of this one', [sent(), answered('input-required', { text: 'Which account?' }), sent({ sentMessageId: 'm-2', naming: 't-1' }), pushed('working'), pushed('input-required')], 'strong 5'],
  ['a task that works need not ask', [sent(), answered('working')], 'none'],
  ['a lost question cannot be asked any more', [sent(), answered('input-required'), missed()], 'cause_unknown'],
])
