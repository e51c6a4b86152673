import { answered, found, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const day = 86_400
const begun = [sent({ at: 1 }), answered('working', { at: 10 })]

causeTable('worker_silent', [
  ['an open task without life for as long as allowed', begun, { asOf: 10 + day }, 'strong 2'],
  ['a second less is not silent', begun, { asOf: 9 + day }, 'none'],
  ['any sign of life begins it anew', [...begun, pushed('working', { at: 500 })], { asOf: 10 + day }, 'none'],
  ['a question that waits is silent as well', [sent({ at: 1 }), answered('input-required', { at: 10 })], { asOf: 10 + day }, 'strong 2'],
  ['errors are no life', [...begun, missed({ at: 500, name: 'Internal', evidence: 'none' })], { asOf: 10 + day }, 'strong 2'],
  ['another allowance', begun, { asOf: 71, settings: { silentAfterMs: 60_000 } }, 'strong 2'],
  ['a lost task is lost, not silent', [...begun, missed({ at: 20 })], { asOf: 10 + day }, 'cause_unknown'],
  ['an ended task may be silent', [...begun, found('completed', { at: 20 })], { asOf: 20 + day }, 'none'],
  ['an abandoned attempt beside a completed one may be silent', [...begun, found('completed', { at: 20, task: 't-2' })], { asOf: 20 + day }, 'none'],
  ['only the attempt that the task stands on', [sent({ at: 1 }), answered('input-required', { at: 2, contextId: 'c-1' }), sent({ at: 3, sentMessageId: 'm-2', contextId: 'c-1' }), answered('working', { at: 4, task: 't-2', contextId: 'c-1' })], { asOf: 5 + day }, 'strong 4'],
])
