import { answered, card, found, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const broken = { isValid: false, missing: ['name', 'skills'] }

causeTable('card_invalid', [
  ['the newest card lacks members (C163)', [card(), card(broken), sent(), answered('working')], 'strong 2'],
  ['the only card lacks members', [card(broken), sent()], 'strong 1'],
  ['a complete card came after it', [card(broken), card(), sent()], 'none'],
  ['a card of a worker that has no part in the task', [card({ ...broken, worker: 'w2' }), sent()], 'none'],
  ['each worker by itself', [card(broken), card({ ...broken, worker: 'w2' }), sent(), sent({ worker: 'w2' })], 'strong 1; strong 2'],
  ['fetched after the end of the task', [sent(), answered('working'), found('completed', { at: 3 }), card({ ...broken, at: 9 })], 'none'],
  ['fetched before the end of the task, after its answer', [sent({ at: 1 }), answered('working', { at: 2 }), found('working', { at: 3 }), card({ ...broken, at: 4 }), found('completed', { at: 5 })], 'strong 4'],
  ['fetched at the very end of the task', [sent({ at: 1 }), answered('working', { at: 2 }), found('completed', { at: 3 }), card({ ...broken, at: 3 })], 'strong 4'],
  ['fetched while the task is open', [sent(), answered('working'), card({ ...broken, at: 9 })], 'strong 3'],
])
