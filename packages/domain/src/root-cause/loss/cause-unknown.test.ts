import { answered, found, missed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('cause_unknown', [
  ['a lost task that nothing explains', [...begun, missed()], 'possible 2, 3'],
  ['two lost tasks at one worker are one finding', [...begun, missed(), sent({ sentMessageId: 'm-2', at: 30 }), answered('working', { at: 31, task: 't-2' }), missed({ at: 40, task: 't-2' })], 'possible 2, 3, 5, 6'],
  ['two lost tasks at two workers are two findings, the current one first', [...begun, missed(), sent({ worker: 'w2' }), answered('working', { worker: 'w2' }), missed({ worker: 'w2' })], 'possible 5, 6; possible 2, 3'],
  ['a live task has no loss to explain', begun, 'none'],
  ['an ended task has no loss to explain', [...begun, found('completed'), missed()], 'purged_after_terminal'],
  ['weak evidence is no loss', [...begun, missed({ operation: 'CancelTask', evidence: 'weak' })], 'none'],
])
