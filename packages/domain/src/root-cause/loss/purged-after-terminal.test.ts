import { answered, found, missed, pushed, restarted, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('purged_after_terminal', [
  ['a strong not-found after completed is a normal end', [...begun, found('completed'), missed()], 'strong 3, 4'],
  ['a strong not-found after canceled is a normal end', [...begun, found('canceled'), missed()], 'strong 3, 4'],
  ['every not-found since the end proves it', [...begun, found('failed'), missed(), missed({ at: 90 })], 'strong 3, 4, 5'],
  ['a restart after the end changes nothing', [...begun, found('completed'), restarted(), missed()], 'strong 3, 5'],
  ['a not-found before the end is none after it', [...begun, missed(), pushed('completed', { at: 20, stamped: 10 })], 'none'],
  ['an end that was seen late but came before the not-found counts', [...begun, missed({ at: 30 }), pushed('completed', { at: 40, stamped: 20 })], 'strong 3, 4'],
  ['a weak not-found purges nothing', [...begun, found('completed'), missed({ operation: 'CancelTask', evidence: 'weak' })], 'none'],
  ['an open task is never purged', [...begun, missed()], 'cause_unknown'],
])
