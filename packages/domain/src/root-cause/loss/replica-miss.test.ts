import { answered, found, missed, pushed, restarted, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('replica_miss', [
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
])
