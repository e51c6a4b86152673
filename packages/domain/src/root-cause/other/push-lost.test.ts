import { answered, found, gap, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent({ at: 1 }), answered('submitted', { at: 2 }), pushed('working', { at: 3 })]

causeTable('push_lost', [
  ['a terminal state that a poll saw and no push brought (C055)', [...begun, found('completed', { at: 100 })], 'likely 3, 4'],
  ['a question that a poll saw and no push brought', [...begun, found('input-required', { at: 100, text: 'Which?' })], 'likely 3, 4'],
  ['a push brought it later', [...begun, found('completed', { at: 100 }), pushed('completed', { at: 101 })], 'none'],
  ['within grace it may still come', [...begun, found('completed', { at: 100 })], { asOf: 129 }, 'none'],
  ['after grace it does not', [...begun, found('completed', { at: 100 })], { asOf: 130 }, 'likely 3, 4'],
  ['of several pushes the last one before it is named', [...begun, pushed('working', { at: 5, text: 'busy' }), found('completed', { at: 100 }), pushed('working', { at: 101, stamped: 50 })], 'likely 4, 5'],
  ['a push of that very moment counts as one before it', [...begun, pushed('working', { at: 100 }), found('completed', { at: 100 })], 'likely 4, 5'],
  ['the state of the very moment of the first push needs one', [sent({ at: 1 }), pushed('working', { at: 3 }), found('input-required', { at: 3 })], 'likely 2, 3'],
  ['where nobody witnessed what came it may have come', [...begun, found('completed', { at: 100 }), gap(110, 120)], 'possible 3, 4'],
  ['what was not witnessed before does not matter', [...begun, found('completed', { at: 100 }), gap(50, 60)], 'likely 3, 4'],
  ['a task without pushes loses none', [sent({ at: 1 }), answered('working', { at: 2 }), found('completed', { at: 100 })], 'none'],
  ['states before the first push need none', [sent({ at: 1 }), answered('input-required', { at: 2 }), pushed('working', { at: 3 })], 'resumed_by_other_party'],
  ['working is no state that must be pushed', [...begun, found('working', { at: 100, text: 'half way' })], 'none'],
  ['pushes of another task are not those of this one', [sent({ at: 1 }), answered('working', { at: 2 }), pushed('working', { at: 3, task: 't-2' }), found('completed', { at: 100 })], 'none'],
])
