import { answered, concluded, found, gap, missed, sent, type Line } from '../../testing/history.ts'
import type { ConclusionFact } from '../../fact/fact.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]
/** Of the logical task as a whole. */
const unnamed: Line = (position) => {
  const { workerId: _worker, taskId: _task, ...conclusion } = concluded('failed', { at: 9 })(position) as ConclusionFact
  return conclusion
}

causeTable('premature_failure', [
  ['failed concluded on a not-found (C001d)', [...begun, missed(), concluded('failed')], 'strong 2, 4'],
  ['failed concluded on a question (C080)', [sent(), answered('input-required'), concluded('failed')], 'strong 2, 3'],
  ['failed concluded where no task was ever seen', [sent(), concluded('failed')], 'strong 2'],
  ['a wire spelling of failed is failed', [...begun, concluded('TASK_STATE_FAILED')], 'strong 2, 3'],
  ['failed of an attempt that was canceled', [sent(), answered('canceled'), concluded('failed')], 'strong 2, 3'],
  ['failed concluded of one task while another failed', [...begun, found('failed', { task: 't-2' }), concluded('failed')], 'strong 2, 4'],
  ['failed reported long after the conclusion does not excuse it', [...begun, concluded('failed', { at: 10 }), found('failed', { at: 60 })], 'strong 3, 4'],
  ['where what a worker said meanwhile was not witnessed it may have', [sent({ at: 1 }), answered('working', { at: 2 }), gap(3, 5), concluded('failed', { at: 9 })], 'possible 2, 4'],
  ['so it may where the conclusion names no worker', [sent({ at: 1 }), answered('working', { at: 2 }), gap(3, 5), unnamed], 'possible 2, 4'],
  ['what was not witnessed afterwards does not matter', [sent({ at: 1 }), answered('working', { at: 2 }), concluded('failed', { at: 9 }), gap(10, 12)], 'strong 2, 3'],
  ['failed concluded after failed was reported', [sent(), answered('failed'), concluded('failed')], 'none'],
  ['a report within the skew of two clocks came before', [...begun, concluded('failed', { at: 10 }), found('failed', { at: 14 })], 'none'],
  ['another conclusion is none of failed', [...begun, concluded('completed')], 'none'],
  ['an unknown word is no conclusion of failed', [...begun, concluded('lost?')], 'none'],
])
