import { answered, found, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent({ at: 1 }), answered('submitted', { at: 2 }), pushed('working', { at: 3 })]

causeTable('push_lost', [
  ['a terminal state that a poll saw and no push brought (C055)', [...begun, found('completed', { at: 100 })], 'likely 3, 4'],
  ['a question that a poll saw and no push brought', [...begun, found('input-required', { at: 100, text: 'Which?' })], 'likely 3, 4'],
  ['a push brought it later', [...begun, found('completed', { at: 100 }), pushed('completed', { at: 101 })], 'none'],
  ['within grace it may still come', [...begun, found('completed', { at: 100 })], { asOf: 129 }, 'none'],
  ['after grace it does not', [...begun, found('completed', { at: 100 })], { asOf: 130 }, 'likely 3, 4'],
  ['a task without pushes loses none', [sent({ at: 1 }), answered('working', { at: 2 }), found('completed', { at: 100 })], 'none'],
  ['states before the first push need none', [sent({ at: 1 }), answered('input-required', { at: 2 }), pushed('working', { at: 3 })], 'resumed_by_other_party'],
  ['working is no state that must be pushed', [...begun, found('working', { at: 100, text: 'half way' })], 'none'],
  ['pushes of another task are not those of this one', [sent({ at: 1 }), answered('working', { at: 2 }), pushed('working', { at: 3, task: 't-2' }), found('completed', { at: 100 })], 'none'],
])
