import { answered, found, gap, missed, pushed, restarted, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working', { contextId: 'c-1' })]
const inContext = { task: 't-2', contextId: 'c-1' }

causeTable('other_id', [
  ['the context lives on under another id, made for another message', [...begun, sent({ sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', inContext), missed()], 'likely 2, 4, 5'],
  ['the other id appears after the not-found', [...begun, missed(), pushed('working', inContext)], 'likely 2, 3, 4'],
  ['the other id has ended by now', [...begun, missed(), pushed('completed', inContext)], 'likely 2, 3, 4'],
  ['another context is another conversation', [...begun, missed(), pushed('working', { task: 't-2', contextId: 'c-2' })], 'cause_unknown'],
  ['the same context at another worker is not this worker', [...begun, missed(), pushed('working', { ...inContext, worker: 'w2' })], 'cause_unknown'],
  ['an older task of the context replaced nothing', [sent({ sentMessageId: 'm-0' }), answered('working', inContext), sent(), answered('working', { contextId: 'c-1' }), missed()], 'cause_unknown'],
  ['the other id was lost as well', [...begun, missed(), pushed('working', inContext), missed({ task: 't-2' })], 'cause_unknown'],
  ['with a restart before the not-found it is lost on restart', [...begun, restarted(), missed(), pushed('working', inContext)], 'lost_on_restart'],
  ['with a restart before the other id appears it is unknown', [...begun, missed(), restarted(), pushed('working', inContext)], 'cause_unknown'],
  ['the same message under another id is lost on restart', [...begun, missed(), sent(), answered('working', inContext)], 'lost_on_restart'],
  ['a new task that an answer without a task id asked for replaces nothing', [sent(), answered('input-required', { contextId: 'c-1' }), sent({ sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', inContext), missed()], 'cause_unknown'],
  ['a restart before its last life explains nothing', [restarted({ at: 0 }), ...begun, missed(), pushed('working', inContext)], 'likely 3, 4, 5'],
  ['a restart after the other id appeared explains nothing', [...begun, missed(), pushed('working', inContext), restarted({ at: 20 })], 'likely 2, 3, 4'],
  ['the same message had got another id before the not-found', [...begun, sent({ at: 5 }), answered('working', { at: 6, ...inContext, messageId: 'm-1' }), missed({ at: 10 })], 'cause_unknown'],
  ['where nobody witnessed the time in between it may have been a restart', [...begun, missed({ at: 10 }), pushed('working', { ...inContext, at: 12 }), gap(5, 8)], 'possible 2, 3, 4'],
  ['what was not witnessed up to its last life is of no matter', [...begun, missed({ at: 10 }), pushed('working', { ...inContext, at: 12 }), gap(0, 2)], 'likely 2, 3, 4'],
  ['nor is what was not witnessed from then on', [...begun, missed({ at: 10 }), pushed('working', { ...inContext, at: 12 }), gap(12, 20)], 'likely 2, 3, 4'],
  ['a task that lives is not replaced', [...begun, pushed('working', inContext), found('working')], 'none'],
])
