import { answered, found, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const asked = [sent(), answered('input-required', { text: 'Which?' })]

causeTable('waiting_for_input', [
  ['the task waits for input', asked, 'stated 2'],
  ['asked again in other words', [...asked, pushed('input-required', { text: 'Which one, please?' })], 'stated 2, 3'],
  ['of two that ask it is the one that was answered last', [...asked, sent({ worker: 'w2', sentMessageId: 'm-2' }), answered('input-required', { worker: 'w2', text: 'Who?', messageId: 'm-2' }), sent({ naming: 't-1', sentMessageId: 'm-3' }), answered('input-required', { text: 'Which one?', messageId: 'm-3' })], 'stated 2, 6'],
  ['of two it is the one that gives the task its state', [...asked, sent({ worker: 'w2', sentMessageId: 'm-2' }), answered('submitted', { worker: 'w2', messageId: 'm-2' }), missed({ worker: 'w2' })], 'stated 2'],
  ['of several that live it is the one sent last, whichever was seen last, and none that is lost', [
    sent({ at: 0 }),
    sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }),
    answered('input-required', { at: 6, worker: 'w2', messageId: 'm-2', text: 'Who?' }),
    answered('working', { at: 7, messageId: 'm-1' }),
    sent({ at: 8, worker: 'w3', sentMessageId: 'm-3' }),
    answered('input-required', { at: 9, worker: 'w3', messageId: 'm-3', text: 'When?' }),
    missed({ at: 10, worker: 'w3' }),
  ], 'stated 3'],
  ['another one that asks beside the one at work is not waited for', [...asked, sent({ worker: 'w2', sentMessageId: 'm-2' }), answered('working', { worker: 'w2', messageId: 'm-2' })], 'duplicate_execution'],
  ['in doubt it still waits (C003)', [...asked, missed({ evidence: 'weak' })], 'stated 2'],
  ['lost, it waits for nothing', [...asked, missed()], 'cause_unknown'],
  ['gone on, it waits for nothing', [...asked, sent({ sentMessageId: 'm-2', naming: 't-1' }), found('working')], 'none'],
  ['credentials are no input', [sent(), answered('auth-required', { text: 'Sign in' })], 'waiting_for_credentials'],
  ['an abandoned question beside a completed attempt waits for nobody', [...asked, found('completed', { task: 't-2' })], 'none'],
])
