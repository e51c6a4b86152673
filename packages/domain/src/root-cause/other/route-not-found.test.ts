import { answered, bare404, missed, routeProved, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('route_not_found', [
  ['a bare 404 (C031)', [...begun, bare404()], 'likely 3'],
  ['a bare 405', [...begun, bare404({ operation: 'CancelTask', code: 405, httpStatus: 405, evidence: 'none' })], 'strong 3'],
  ['a bare 404 to an id nobody knows', [bare404()], 'likely 1'],
  ['once the route is proved the 404 is about the task (F7)', [...begun, bare404(), routeProved()], 'cause_unknown'],
  ['an answer from before proves no route', [...begun, routeProved(), bare404()], 'likely 4'],
  ['TaskNotFound is about the task', [...begun, missed()], 'cause_unknown'],
  ['a weak TaskNotFound is about the task, too', [...begun, missed({ operation: 'SubscribeToTask', evidence: 'weak', codeSpace: 'http', code: 404 })], 'none'],
])
