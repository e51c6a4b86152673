import { answered, found, missed, pushed, restarted, sent } from '../../testing/history.ts'
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
  ['a task that lives is not replaced', [...begun, pushed('working', inContext), found('working')], 'none'],
])
