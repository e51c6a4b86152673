import { answered, missed, refused, sent, unanswered } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('send_refused', [
  ['an error of the worker answers the send', [sent(), refused()], 'stated 1, 2'],
  ['credentials refused', [sent(), refused({ name: 'Unauthenticated', codeSpace: 'http', code: 401, httpStatus: 401 })], 'stated 1, 2'],
  ['the next one is accepted, the refusal stays a finding', [sent(), refused(), sent({ sentMessageId: 'm-2' }), answered('working')], 'stated 1, 2'],
  ['a message to a task that is gone', [sent(), answered('input-required'), sent({ sentMessageId: 'm-2', naming: 't-1' }), refused({ task: 't-1', name: 'TaskNotFound', code: -32001, evidence: 'strong' })], 'stated 3, 4'],
  ['an internal error is no refusal', [sent(), refused({ name: 'Internal', code: -32603 })], 'unknown_outcome'],
  ['silence is no refusal', [sent(), unanswered()], 'unknown_outcome'],
  ['an error to GetTask refuses no send', [sent(), answered('working'), missed({ name: 'PermissionDenied', evidence: 'none' })], 'none'],
])
