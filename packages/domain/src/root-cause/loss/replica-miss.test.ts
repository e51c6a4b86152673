import { answered, found, missed, pushed, restarted, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('replica_miss', [
  ['found again under another scope tells nothing of the first one', [sent({ scope: 'a' }), answered('working', { scope: 'a' }), missed({ scope: 'a' }), found('working', { scope: 'b' })], 'none'],
  ['what began anew at another worker does not matter', [sent(), answered('working'), missed(), found('working'), found('working', { worker: 'w2' }), missed({ worker: 'w2' }), found('submitted', { worker: 'w2' })], 'likely 3, 4'],
  ['found again after a strong not-found', [...begun, missed(), found('working')], 'likely 3, 4'],
  ['the newest miss and what was found after it', [...begun, missed(), found('working'), missed(), found('working')], 'likely 5, 6'],
  ['missed once more but not lost', [...begun, missed(), found('working'), missed()], 'likely 3, 4'],
  ['two instances that disagree are replicas for sure', [...begun, missed({ instance: 'b' }), found('working', { instance: 'a' })], 'strong 3, 4'],
  ['two instances disagree even when one restarted', [...begun, restarted({ instance: 'b' }), missed({ instance: 'b' }), found('working', { instance: 'a' })], 'strong 4, 5'],
  ['one instance that misses and finds is no replica', [...begun, missed({ instance: 'a' }), found('working', { instance: 'a' })], 'none'],
  ['a restart in between is no replica', [...begun, restarted(), missed(), found('working')], 'none'],
  ['found under another scope is no replica', [...begun, missed({ scope: 'tenant-a' }), found('working', { scope: 'tenant-b' })], 'none'],
  ['found by who states no scope counts', [...begun, missed({ scope: 'tenant-a' }), found('working')], 'likely 3, 4'],
  ['a push stamped after the miss is life as well', [...begun, missed({ at: 3 }), pushed('input-required', { at: 5, stamped: 4 })], 'likely 3, 4'],
  ['an end is no replica, whatever was missed before', [...begun, missed(), found('completed')], 'none'],
  ['lost since is a loss', [...begun, missed({ at: 3 }), found('working', { at: 4 }), missed({ at: 5 }), missed({ at: 10 }), missed({ at: 15 })], 'cause_unknown'],
  ['a task that began anew was made again, not missed (F12)', [sent(), answered('working'), missed(), found('submitted')], 'none'],
  ['a weak not-found in between is no miss', [...begun, missed({ operation: 'SubscribeToTask', evidence: 'weak' }), found('working')], 'none'],
  ['found again under the same scope', [...begun, missed({ scope: 'tenant-a' }), found('working', { scope: 'tenant-a' })], 'likely 3, 4'],
  ['a question that states no scope is no other one', [...begun, missed(), found('working', { scope: 'tenant-a' })], 'likely 3, 4'],
  ['an answer that states no scope is no other one', [...begun, missed({ scope: 'tenant-a' }), found('working')], 'likely 3, 4'],
  ['one instance named proves less than two', [...begun, missed({ instance: 'b' }), found('working')], 'likely 3, 4'],
  ['neither does the other one', [...begun, missed(), found('working', { instance: 'a' })], 'likely 3, 4'],
  ['a weak miss is not the one that counts', [...begun, missed(), missed({ evidence: 'weak' }), found('working')], 'likely 3, 5'],
  ['another oddity of the task changes nothing', [...begun, missed(), found('working', { notes: ['timestamp_invalid'] })], 'likely 3, 4'],
  ['a restart before it was last seen changes nothing', [sent(), answered('submitted'), restarted(), found('working'), missed(), found('working')], 'likely 5, 6'],
  ['a restart after it was found changes nothing', [...begun, missed(), found('working'), restarted()], 'likely 3, 4'],
  ['where another task began anew this one did not', [...begun, answered('working', { task: 't-2' }), missed({ task: 't-2' }), answered('submitted', { task: 't-2' }), missed(), found('working')], 'likely 6, 7'],
])
