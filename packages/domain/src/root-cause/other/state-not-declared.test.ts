import { answered, card, found, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const declares = card({ at: 0, reachableStates: ['submitted', 'working', 'completed'] })

causeTable('state_not_declared', [
  ['a question that the card does not declare (C167b)', [declares, sent(), answered('working'), found('input-required', { text: 'Which?' })], 'strong 4'],
  ['a declared state', [declares, sent(), answered('working'), found('completed')], 'none'],
  ['a card that declares nothing allows every state', [card({ at: 0 }), sent(), answered('input-required')], 'none'],
  ['a card fetched afterwards declared nothing then', [sent(), answered('input-required', { at: 2 }), card({ at: 5, reachableStates: ['working'] })], 'none'],
])
