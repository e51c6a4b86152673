import { answered, concluded, found, missed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('premature_failure', [
  ['failed concluded on a not-found (C001d)', [...begun, missed(), concluded('failed')], 'strong 2, 4'],
  ['failed concluded on a question (C080)', [sent(), answered('input-required'), concluded('failed')], 'strong 2, 3'],
  ['failed concluded where no task was ever seen', [sent(), concluded('failed')], 'strong 2'],
  ['a wire spelling of failed is failed', [...begun, concluded('TASK_STATE_FAILED')], 'strong 2, 3'],
  ['failed of an attempt that was canceled', [sent(), answered('canceled'), concluded('failed')], 'strong 2, 3'],
  ['failed concluded of one task while another failed', [...begun, found('failed', { task: 't-2' }), concluded('failed')], 'strong 2, 4'],
  ['failed reported long after the conclusion does not excuse it', [...begun, concluded('failed', { at: 10 }), found('failed', { at: 60 })], 'strong 3, 4'],
  ['failed concluded after failed was reported', [sent(), answered('failed'), concluded('failed')], 'none'],
  ['a report within the skew of two clocks came before', [...begun, concluded('failed', { at: 10 }), found('failed', { at: 14 })], 'none'],
  ['another conclusion is none of failed', [...begun, concluded('completed')], 'none'],
  ['an unknown word is no conclusion of failed', [...begun, concluded('lost?')], 'none'],
])
