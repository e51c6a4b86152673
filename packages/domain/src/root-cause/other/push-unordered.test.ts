import { answered, found, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent({ at: 1 }), answered('submitted', { at: 2 })]

causeTable('push_unordered', [
  ['a push with an older stamp after a newer one (C050)', [...begun, pushed('completed', { at: 31, stamped: 30 }), pushed('working', { at: 32, stamped: 10 })], 'strong 3, 4'],
  ['every older push is named', [...begun, pushed('completed', { at: 31, stamped: 30 }), pushed('working', { at: 32, stamped: 10 }), pushed('working', { at: 33, stamped: 12 })], 'strong 3, 4, 5'],
  ['without stamps a lower state after a higher one', [...begun, pushed('completed', { at: 31 }), pushed('working', { at: 32 })], 'likely 3, 4'],
  ['in order', [...begun, pushed('working', { at: 31, stamped: 10 }), pushed('completed', { at: 32, stamped: 30 })], 'none'],
  ['equal stamps are in order', [...begun, pushed('working', { at: 31, stamped: 10 }), pushed('completed', { at: 32, stamped: 10 })], 'none'],
  ['two webhooks each have their own order', [...begun, pushed('completed', { at: 31, stamped: 30 }), pushed('working', { at: 32, stamped: 10, by: 'webhook-2' })], 'none'],
  ['an old answer of GetTask is no push', [...begun, pushed('completed', { at: 31, stamped: 30 }), found('working', { at: 32, stamped: 10 })], 'none'],
  ['two tasks are two orders', [...begun, pushed('completed', { at: 31, stamped: 30 }), pushed('working', { at: 32, stamped: 10, task: 't-2' })], 'none'],
  ['where only the first is stamped the states tell', [...begun, pushed('completed', { at: 31, stamped: 30 }), pushed('working', { at: 32 })], 'likely 3, 4'],
  ['where only the second is stamped the states tell', [...begun, pushed('completed', { at: 31 }), pushed('working', { at: 32, stamped: 10 })], 'likely 3, 4'],
  ['of one state without stamps nothing is older', [...begun, pushed('working', { at: 31 }), pushed('working', { at: 32 })], 'none'],
  ['a higher state without stamps is newer', [...begun, pushed('working', { at: 31 }), pushed('completed', { at: 32 })], 'none'],
  ['where only one is stamped a higher state is newer', [...begun, pushed('working', { at: 31, stamped: 30 }), pushed('completed', { at: 32 })], 'none'],
])
