import { answered, card, enrolled, found, gap, missed, probed, restarted, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [card({ at: 0, retentionSeconds: 600 }), sent({ at: 1 }), answered('input-required', { at: 2, text: 'Which?' })]

causeTable('retention_expired', [
  ['the declared retention runs out between last life and first not-found', [...begun, missed({ at: 700 })], 'likely 1, 3, 4'],
  ['it runs out at its last second', [...begun, missed({ at: 602 })], 'likely 1, 3, 4'],
  ['a second earlier it has not run out', [...begun, missed({ at: 601 })], 'cause_unknown'],
  ['life in between begins it anew', [...begun, found('input-required', { at: 500 }), missed({ at: 700 })], 'cause_unknown'],
  ['a card that declares none gives none', [card({ at: 0 }), sent({ at: 1 }), answered('working', { at: 2 }), missed({ at: 700 })], 'cause_unknown'],
  ['a card fetched after the not-found declares nothing for it', [sent({ at: 1 }), answered('working', { at: 2 }), missed({ at: 700 }), card({ at: 800, retentionSeconds: 600 })], 'cause_unknown'],
  ['the newer card holds', [...begun, card({ at: 100, retentionSeconds: 6_000 }), missed({ at: 700 })], 'cause_unknown'],
  ['a broken card does not replace the retention', [...begun, card({ at: 100, isValid: false, missing: ['name'] }), missed({ at: 700 })], 'likely 1, 3, 5'],
  ['where it was not witnessed meanwhile it may have been seen', [...begun, missed({ at: 700 }), gap(300, 310)], 'possible 1, 3, 4'],
  ['the retention that a probe measured counts where the card declares none', [card({ at: 0 }), probed({ measured: { retentionSeconds: 600 } }, { at: 0.5 }), sent({ at: 1 }), answered('working', { at: 2 }), missed({ at: 700 })], 'likely 2, 4, 5'],
  ['what the card declares counts before what was measured', [...begun, probed({ measured: { retentionSeconds: 6_000 } }, { at: 3 }), missed({ at: 700 })], 'likely 1, 3, 5'],
  ['one replica of two that misses it tells of no loss', [enrolled({ replicas: 2 }, { at: 0 }), ...begun, missed({ at: 700, instance: 'a' })], 'none'],
  ['with a restart in between it is lost on restart', [...begun, restarted({ at: 100 }), missed({ at: 700 })], 'lost_on_restart'],
])
