import { answered, found, missed, pushed, sent, streamed, unanswered } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('orchestrator_stale_view', [
  ['believed working, seen completed (C055b)', [...begun, found('completed', { by: 'poller' }), found('completed', { believed: 'working' })], 'strong 3, 4'],
  ['a message sent to a task already seen canceled (C042)', [sent(), answered('canceled'), sent({ naming: 't-1', believed: 'working' })], 'strong 2, 3'],
  ['believed submitted, seen working', [...begun, found('working', { believed: 'submitted' })], 'strong 2, 3'],
  ['believed working, seen waiting for input', [sent(), answered('input-required'), found('input-required', { believed: 'working' })], 'strong 2, 3'],
  ['believed in a state that was left again', [sent(), answered('input-required'), streamed('working'), sent({ naming: 't-1', believed: 'input-required' })], 'strong 3, 4'],
  ['a send that names no task is held against what was seen last', [sent(), answered('failed'), sent({ sentMessageId: 'm-2', believed: 'working' })], 'strong 2, 3'],
  ['so is what came instead of an answer to it', [sent(), answered('failed'), unanswered({ believed: 'working' })], 'strong 2, 3'],
  ['believed what was seen', [sent(), answered('input-required'), sent({ naming: 't-1', believed: 'input-required' })], 'none'],
  ['ahead of every witness is no lag', [...begun, found('completed', { believed: 'completed' })], 'none'],
  ['waiting where we saw only working is ahead, too', [...begun, sent({ naming: 't-1', believed: 'input-required' })], 'none'],
  ['what the answer itself brings was not seen before it', [...begun, found('completed', { believed: 'working' })], 'none'],
  ['what happened before but was seen later was not seen before', [...begun, sent({ naming: 't-1', believed: 'working', at: 10 }), pushed('completed', { at: 11, stamped: 5 })], 'none'],
  ['what came later in its course was not seen before either', [...begun, sent({ naming: 't-1', believed: 'input-required', at: 10 }), streamed('input-required', { at: 20 })], 'none'],
  ['believed what was seen, which it had been before', [...begun, streamed('input-required'), streamed('working'), sent({ naming: 't-1', believed: 'working' })], 'none'],
  ['another way of waiting than was seen is ahead', [sent(), answered('input-required'), sent({ naming: 't-1', believed: 'auth-required' })], 'none'],
  ['so it is where something else was seen before', [sent(), answered('submitted'), streamed('working'), sent({ naming: 't-1', believed: 'input-required' })], 'none'],
  ['the same id at another worker does not count', [...begun, answered('completed', { worker: 'w2' }), found('working', { believed: 'working' })], 'none'],
  ['so is one under an id that its client chose', [sent(), answered('completed'), sent({ worker: 'w2', naming: 't-2', believed: 'working' })], 'strong 2, 3'],
  ['an answer about a task that nobody saw tells of no other', [sent(), answered('completed'), missed({ task: 't-2', believed: 'working' })], 'none'],
  ['what was told last counts, of whichever task', [...begun, found('working', { task: 't-2' }), found('completed', { at: 9 }), sent({ at: 10, sentMessageId: 'm-2', believed: 'working' })], 'strong 4, 5'],
  ['so it is where that is the second one', [...begun, found('completed', { task: 't-2', at: 5 }), sent({ at: 10, sentMessageId: 'm-2', believed: 'working' })], 'strong 3, 4'],
  ['of two told of at one moment the second one', [sent(), answered('completed'), found('working', { task: 't-2', at: 2 }), sent({ at: 10, sentMessageId: 'm-2', believed: 'working' })], 'none'],
  ['a belief in unknown is none', [sent(), answered('completed'), found('completed', { believed: 'unknown' })], 'none'],
  ['a send into a task is held against that one alone', [...begun, found('completed', { task: 't-2' }), sent({ naming: 't-1', believed: 'working' })], 'none'],
  ['the state of another task does not count', [...begun, pushed('completed', { task: 't-2' }), found('working', { believed: 'working' })], 'none'],
])
