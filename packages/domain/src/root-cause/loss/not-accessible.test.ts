import { observerSource } from '../../event/observer.ts'
import { answered, bare404, found, missed, pushed, restarted, routeProved, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent({ scope: 'tenant-a', binding: 'JSONRPC' }), answered('working', { scope: 'tenant-a', binding: 'JSONRPC' })]

causeTable('not_accessible', [
  ['another tenant does not find it', [...begun, missed({ scope: 'tenant-b' })], 'likely 2, 3'],
  ['another binding does not find it', [...begun, missed({ binding: 'HTTP+JSON' })], 'likely 2, 3'],
  ['found again under its own scope, the foreign question stays explained', [...begun, missed({ scope: 'tenant-b' }), found('working', { scope: 'tenant-a' })], 'likely 2, 3'],
  ['after its end, a foreign not-found says nothing of a purge', [...begun, found('completed', { scope: 'tenant-a' }), missed({ scope: 'tenant-b' })], 'likely 2, 4'],
  ['a bare 404 where it was created leaves open whether it is still there', [...begun, missed({ scope: 'tenant-b' }), bare404({ scope: 'tenant-a', binding: 'JSONRPC' })], 'possible 2, 3, 4'],
  ['a restart since it was last seen leaves that open as well', [...begun, restarted(), missed({ scope: 'tenant-b' })], 'possible 2, 3, 4'],
  ['a restart between two such questions does so, too', [...begun, missed({ scope: 'tenant-b' }), restarted(), missed({ scope: 'tenant-b' })], 'possible 2, 3, 4, 5'],
  ['an update that the other tenant got by itself shows nothing of what it may ask', [...begun, pushed('working', { scope: 'tenant-b' }), missed({ scope: 'tenant-b' })], 'likely 2, 4'],
  ['a restart before it was last seen leaves nothing open', [...begun, restarted(), found('working', { scope: 'tenant-a' }), missed({ scope: 'tenant-b' })], 'likely 2, 5'],
  ['nor does one after the question', [...begun, missed({ scope: 'tenant-b' }), restarted()], 'likely 2, 3'],
  ['nor after its end', [...begun, found('completed', { scope: 'tenant-a' }), restarted({ worker: 'w2' }), missed({ scope: 'tenant-b' })], 'likely 2, 5'],
  ['a bare 404 from before it was last seen leaves nothing open', [...begun, bare404({ scope: 'tenant-a' }), found('working', { scope: 'tenant-a' }), missed({ scope: 'tenant-b' })], 'likely 2, 5'],
  ['a bare 404 where it was created that was about the task rules it out', [...begun, missed({ scope: 'tenant-b' }), bare404({ at: 10, scope: 'tenant-a' }), routeProved({ at: 11, scope: 'tenant-a' })], 'cause_unknown'],
  ['a bare 404 under another binding tells of no access', [...begun, bare404({ binding: 'HTTP+JSON' })], 'route_not_found'],
  ['one whose route was proved does', [...begun, bare404({ at: 10, binding: 'HTTP+JSON' }), routeProved({ at: 11, binding: 'HTTP+JSON' })], 'likely 2, 3'],
  ['where the task was shown to the other tenant before, it is accessible there', [...begun, found('working', { scope: 'tenant-b' }), missed({ scope: 'tenant-b' })], 'none'],
  ['shown to it over another binding it is not known to be accessible over this one', [...begun, found('working', { scope: 'tenant-b', binding: 'GRPC' }), missed({ scope: 'tenant-b', binding: 'JSONRPC' })], 'likely 2, 4'],
  ['a not-found under its own scope rules it out', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a' })], 'cause_unknown'],
  ['a weak not-found under its own scope rules it out too', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a', operation: 'SubscribeToTask', evidence: 'weak' })], 'none'],
  ['a weak not-found over REST that names its type is about the task and rules it out as well', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a', operation: 'CancelTask', evidence: 'weak', codeSpace: 'http', code: 404, httpStatus: 404 })], 'none'],
  ['what the ledger itself asks in another way is no mistake of the client', [...begun, missed({ scope: 'tenant-b', by: observerSource }), missed({ binding: 'HTTP+JSON', by: observerSource })], 'none'],
  ['and takes nothing from one of the client', [...begun, missed({ scope: 'tenant-b', by: observerSource }), missed({ scope: 'tenant-b' })], 'likely 2, 4'],
  ['what it finds under the own scope rules it out', [...begun, missed({ scope: 'tenant-b' }), missed({ scope: 'tenant-a', by: observerSource })], 'cause_unknown'],
  ['a question that states no scope is no foreign one', [...begun, missed()], 'cause_unknown'],
  ['a task whose scope nobody stated has no foreign scope', [sent(), answered('working'), missed({ scope: 'tenant-b' })], 'cause_unknown'],
])
