import { answered, found, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('cancel_unrequested', [
  ['canceled and no CancelTask seen', [...begun, pushed('canceled')], 'likely 3'],
  ['a cancel of another task is none of this one', [...begun, pushed('canceled'), found('canceled', { task: 't-2', operation: 'CancelTask' })], 'likely 3'],
  ['canceled by the answer to CancelTask (C175)', [...begun, found('canceled', { operation: 'CancelTask' })], 'none'],
  ['CancelTask was answered with an error, asked for it was (C064)', [...begun, missed({ operation: 'CancelTask', name: 'TaskNotCancelable', code: -32002, evidence: 'none' }), pushed('canceled')], 'none'],
  ['canceled, the worker says something else', [...begun, pushed('canceled', { text: 'No longer needed' })], 'likely 3'],
  ['interrupted, the worker says why', [...begun, pushed('canceled', { text: 'server shutdown' })], 'worker_interrupted'],
  ['the client went away, the worker says so', [...begun, pushed('canceled', { text: 'client disconnected' })], 'client_disconnected'],
  ['rejected is no cancel', [...begun, pushed('rejected')], 'none'],
])
