import { answered, bare404, missed, ms, refused, routeProved, sent, unreadable } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('never_existed', [
  ['a strong not-found for a task nobody ever saw', [missed()], 'likely 1'],
  ['a message that names a task nobody ever saw is answered not found (C017d)', [sent({ naming: 't-9' }), refused({ task: 't-9', name: 'TaskNotFound', code: -32001, evidence: 'strong' })], 'likely 2'],
  ['only the send tells which task was not found (F6)', [sent({ naming: 't-9' }), refused({ name: 'TaskNotFound', code: -32001 })], 'likely 2'],
  ['not found by Subscribe alone is possible', [missed({ operation: 'SubscribeToTask', evidence: 'weak' })], 'possible 1'],
  ['a bare 404 is about the route', [bare404()], 'route_not_found'],
  ['an error that says nothing about the task', [missed({ name: 'Internal', code: -32603, evidence: 'none' })], 'none'],
  ['a task that was seen once existed', [sent(), answered('working'), missed()], 'cause_unknown'],
  ['another task of the same worker says nothing about this one', [sent(), answered('working'), missed({ task: 't-9' })], 'likely 3'],
  ['the same id at another worker says nothing about this one', [sent(), answered('working'), missed({ worker: 'w2' })], 'likely 3'],
  ['an event that was erased may have shown the task', [sent(), unreadable(), missed()], 'none'],
  ['a task of another logical task existed', [routeProved({ task: 't-1' }), missed()], 'none'],
  ['a task that another logical task lost existed', [missed()], { known: { w1: { losses: [{ correlationId: 'k-2', taskId: 't-1', lastLifeMs: ms(0), firstNotFoundMs: ms(1), position: 9 }] } } }, 'none'],
])
