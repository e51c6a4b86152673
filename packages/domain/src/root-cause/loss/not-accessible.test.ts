import { answered, bare404, found, missed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent({ scope: 'tenant-a', binding: 'JSONRPC' }), answered('working', { scope: 'tenant-a', binding: 'JSONRPC' })]

causeTable('not_accessible', [
  ['another tenant does not find it', [...begun, missed({ scope: 'tenant-b' })], 'likely 2, 3'],
  ['another binding does not find it', [...begun, missed({ binding: 'HTTP+JSON' })], 'likely 2, 3'],
  ['found again under its own scope, the foreign question stays explained', [...begun, missed({ scope: 'tenant-b' }), found('working', { scope: 'tenant-a' })], 'likely 2, 3'],
  ['after its end, a foreign not-found says nothing of a purge', [...begun, found('completed', { scope: 'tenant-a' }), missed({ scope: 'tenant-b' })], 'likely 2, 4'],
  ['a bare 404 under its own scope is about the route and rules nothing out', [...begun, missed({ scope: 'tenant-b' }), bare404({ scope: 'tenant-a', binding: 'JSONRPC' })], 'likely 2, 3'],
  ['a not-found under its own scope rules it out', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a' })], 'cause_unknown'],
  ['a weak not-found under its own scope rules it out too', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a', operation: 'SubscribeToTask', evidence: 'weak' })], 'none'],
  ['a weak not-found over REST that names its type is about the task and rules it out as well', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a', operation: 'CancelTask', evidence: 'weak', codeSpace: 'http', code: 404, httpStatus: 404 })], 'none'],
  ['a question that states no scope is no foreign one', [...begun, missed()], 'cause_unknown'],
  ['a task whose scope nobody stated has no foreign scope', [sent(), answered('working'), missed({ scope: 'tenant-b' })], 'cause_unknown'],
])
