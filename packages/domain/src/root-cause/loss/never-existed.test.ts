import { noCoverage } from '../../capability/coverage.ts'
import { answered, bare404, gap, listed, missed, ms, refused, routeProved, sent, unreadable, type World } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

/** Other traffic of the worker was witnessed from its beginning to its end. */
const covered: World = { known: { w1: { coverage: { ...noCoverage, tasks: 3, sentTasks: 3 } }, w2: { coverage: { ...noCoverage, tasks: 3, sentTasks: 3 } } } }
const partly: World = { known: { w1: { coverage: { ...noCoverage, tasks: 4, sentTasks: 3 } } } }
const seldom: World = { known: { w1: { coverage: { ...noCoverage, tasks: 3, sentTasks: 1 } } } }

causeTable('never_existed', [
  ['a strong not-found for a task nobody ever saw', [missed()], covered, 'likely 1'],
  ['a message that names a task nobody ever saw is answered not found (C017d)', [sent({ naming: 't-9' }), refused({ task: 't-9', name: 'TaskNotFound', code: -32001, evidence: 'strong' })], 'likely 2'],
  ['only the send tells which task was not found (F6)', [sent({ naming: 't-9' }), refused({ name: 'TaskNotFound', code: -32001 })], 'likely 2'],
  ['not found by Subscribe alone is possible', [missed({ operation: 'SubscribeToTask', evidence: 'weak' })], 'possible 1'],
  ['so it is where its traffic was witnessed', [missed({ operation: 'SubscribeToTask', evidence: 'weak' })], covered, 'possible 1'],
  ['where no other traffic of the worker was witnessed it is possible', [missed()], 'possible 1'],
  ['where most of its tasks were never seen being sent it is possible', [missed()], seldom, 'possible 1'],
  ['where some of them were not it is as likely as ever', [missed()], partly, 'likely 1'],
  ['where nothing was recorded for a while before it, it is possible', [sent(), answered('working'), gap(2, 3), missed({ at: 4, task: 't-9' })], 'possible 4'],
  ['a gap after the not-found hides nothing', [sent(), answered('working'), missed({ at: 4, task: 't-9' }), gap(5, 6)], 'likely 3'],
  ['of several not-founds the last one counts', [sent(), answered('working'), missed({ at: 3, task: 't-9' }), gap(5, 6), missed({ at: 9, task: 't-9' })], 'possible 3, 5'],
  ['one that is strong beside a weak one is enough', [missed({ operation: 'SubscribeToTask', evidence: 'weak' }), missed()], covered, 'likely 1, 2'],
  ['a not-found to an operation that says nothing of it', [missed({ evidence: 'none' })], covered, 'none'],
  ['a listing had named it', [listed('working', { at: 1 }), missed({ at: 5 })], covered, 'none'],
  ['a listing of other tasks says nothing', [listed('working', { at: 1, task: 't-2' }), missed({ at: 5 })], covered, 'likely 2'],
  ['a bare 404 is about the route', [bare404()], 'route_not_found'],
  ['an error that says nothing about the task', [missed({ name: 'Internal', code: -32603, evidence: 'none' })], 'none'],
  ['a task that was seen once existed', [sent(), answered('working'), missed()], 'cause_unknown'],
  ['another task of the same worker says nothing about this one', [sent(), answered('working'), missed({ task: 't-9' })], 'likely 3'],
  ['the same id at another worker says nothing about this one', [sent(), answered('working'), missed({ worker: 'w2' })], covered, 'likely 3'],
  ['an event that was erased may have shown the task', [sent(), unreadable(), missed()], 'none'],
  ['a task of another logical task existed', [routeProved({ task: 't-1' }), missed()], 'none'],
  ['a task that another logical task lost existed', [missed()], { known: { w1: { losses: [{ correlationId: 'k-2', taskId: 't-1', lastLifeMs: ms(0), firstNotFoundMs: ms(1), position: 9 }] } } }, 'none'],
])
