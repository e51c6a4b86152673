/**
 * Variants of recorded incidents: another order, witness, binding, scope or state than the incident had.
 * Each is told in a few events; the number is that of the incident.
 */
import { describe, expect, it } from 'vitest'
import { problemsOf, type Observed, type Step } from './scenario.ts'
import { answered, card, found, missed, over, pushed, refused, restarted, sent, unanswered } from './tell.ts'

const at = (t: number, event: Observed): Observed => ({ ...event, t })
const begun = (state = 'working', text?: string): readonly Observed[] => [
  at(1, sent('w', 'k', 'm-1')),
  at(2, answered('w', 'k', { state, ...(text !== undefined && { text }) })),
]
const sibling: readonly Observed[] = [at(3, sent('w', 'k2', 'm-2')), at(4, answered('w', 'k2', { id: 't-2', context: 'c-2', state: 'working' }))]

/** The state of task `k`, and the causes that must and must not be found. */
interface Expected {
  readonly state?: string
  readonly causes?: readonly string[]
  readonly not?: readonly string[]
  /** Anything else of the view, or of another subject. */
  readonly also?: readonly Step[]
}

type Variant = readonly [title: string, events: readonly Observed[], expected: Expected]

const stepsOf = (events: readonly Observed[], { state, causes = [], not = [], also = [] }: Expected): readonly Step[] => [
  { observe: events },
  ...(state === undefined ? [] : [{ task: 'k', match: { state } }]),
  {
    rootCause: 'k',
    match: {
      findings: {
        ...(causes.length > 0 && { $some: causes.map((cause) => ({ cause })) }),
        ...(not.length > 0 && { $none: { cause: { $oneOf: not } } }),
      },
    },
  },
  ...also,
]

const holds = (variants: readonly Variant[]): void => {
  it.each(variants)('%s', (title, events, expected) => {
    expect(problemsOf({ id: 'variant', title, steps: stepsOf(events, expected) })).toEqual([])
  })
}

const blame = ['lost_on_restart', 'store_lost', 'other_id', 'never_existed', 'premature_failure']
const task = (match: object): Step => ({ task: 'k', match })

describe('what a lost task is put down to', () => {
  holds([
    ['C001 two tasks gone at once, one contested before', [...begun(), ...sibling, at(10, missed('w')), at(11, found('w', { state: 'working' })), at(60, missed('w')), at(62, missed('w')), at(64, missed('w')), at(61, missed('w', 't-2'))], { state: 'indeterminate', causes: ['store_lost'] }],
    ['C001 a task that had ended beside is no sibling', [...begun(), at(3, sent('w', 'k2', 'm-2')), at(4, answered('w', 'k2', { id: 't-2', context: 'c-2', state: 'completed' })), at(60, missed('w')), at(61, missed('w', 't-2'))], { causes: ['cause_unknown'], not: ['store_lost'] }],
    ['C001 several gone under another scope are a matter of access', [at(1, sent('w', 'k', 'm-1', {}, { scope: 'a' })), at(2, answered('w', 'k', { state: 'working' }, { scope: 'a' })), at(3, sent('w', 'k2', 'm-2', {}, { scope: 'a' })), at(4, answered('w', 'k2', { id: 't-2', context: 'c-2', state: 'working' }, { scope: 'a' })), at(60, missed('w', 't-1', { scope: 'b' })), at(61, missed('w', 't-2', { scope: 'b' }))], { state: 'working', causes: ['not_accessible'], not: ['store_lost', 'cause_unknown'] }],
    ['C016 alternating by scope is no alternation of replicas', [at(1, sent('w', 'k', 'm-1', {}, { scope: 'a' })), at(2, answered('w', 'k', { state: 'working' }, { scope: 'a' })), at(3, missed('w', 't-1', { scope: 'b' })), at(4, found('w', { state: 'working' }, { scope: 'a' })), at(5, missed('w', 't-1', { scope: 'b' }))], { state: 'working', causes: ['not_accessible'], not: ['replica_miss', ...blame] }],
    ['C016 lost under its own scope as well', [at(1, sent('w', 'k', 'm-1', {}, { scope: 'a' })), at(2, answered('w', 'k', { state: 'working' }, { scope: 'a' })), at(3, missed('w', 't-1', { scope: 'b' })), at(40, restarted('w')), at(50, missed('w', 't-1', { scope: 'a' }))], { state: 'indeterminate', causes: ['lost_on_restart'], not: ['not_accessible'] }],
    ['C018 another scope after the end is no purge', [at(1, sent('w', 'k', 'm-1', {}, { scope: 'a' })), at(2, answered('w', 'k', { state: 'completed' }, { scope: 'a' })), at(3, missed('w', 't-1', { scope: 'b' }))], { state: 'completed', causes: ['not_accessible'], not: ['purged_after_terminal'] }],
    ['C113 the same message under a new id after the loss tells of a restart', [...begun(), at(60, missed('w')), at(70, sent('w', 'k', 'm-1')), at(71, answered('w', 'k', { id: 't-9', state: 'working' }))], { state: 'working', causes: ['lost_on_restart'], not: ['duplicate_execution', 'other_id', 'cause_unknown'], also: [{ worker: 'w', match: { conditions: { C1: { status: 'refuted' }, C2: { status: 'refuted' } } } }] }],
    ['C021 the declared retention ran out', [at(0, card('w', ['text/plain'], { params: { taskRetentionSeconds: 60 } })), ...begun(), at(100, missed('w'))], { causes: ['retention_expired'], not: ['cause_unknown'] }],
    ['C064 an empty listing is no evidence', [...begun(), at(5, { type: 'a2a.response', operation: 'ListTasks', workerid: 'w', data: { jsonrpc: '2.0', id: 1, result: { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 } } })], { state: 'working', not: [...blame, 'cause_unknown'] }],
  ])
})

describe('answers that lose nothing', () => {
  const asked = (event: Observed): readonly Observed[] => [...begun(), at(10, event)]
  holds([
    ['C006 -32001 that says unavailable', asked(refused('w', 'GetTask', -32001, 'Service unavailable', { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C006 -32001 that says unauthorized', asked(refused('w', 'GetTask', -32001, 'Unauthorized', { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C014 -32603 that says not found', asked(refused('w', 'GetTask', -32603, 'Task not found', { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C025 a JSON-RPC error with an HTTP code', asked(refused('w', 'GetTask', 404, 'Task not found', { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C017 401', asked(over('w', 'GetTask', 401, { error: 'unauthorized' }, { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C031 404 of HTML', asked(over('w', 'GetTask', 404, '<html><body>404 Not Found</body></html>', { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C029 502 of a proxy', asked(over('w', 'GetTask', 502, '<html>Bad Gateway</html>', { taskid: 't-1' })), { state: 'working', causes: ['gateway_error'], not: blame }],
    ['C030 a 404 whose reason is contradicted by its text', asked(over('w', 'GetTask', 404, { error: { code: 404, status: 'NOT_FOUND', message: 'upstream request timed out', details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }] } }, { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C005 not found by a push configuration', asked(refused('w', 'GetTaskPushNotificationConfig', -32001, 'Task not found', { taskid: 't-1' })), { state: 'working', not: blame }],
    ['C063 a refused cancel claims an end', asked(refused('w', 'CancelTask', -32002, 'Task cannot be canceled', { taskid: 't-1' })), { state: 'working', also: [task({ violations: [{ code: 'terminal_claimed' }], verdict: { kind: 'reobserve' } })] }],
    ['C103 a poll without an answer', asked(unanswered('w', 'GetTask', 'timeout', { taskid: 't-1' })), { state: 'working', not: ['unknown_outcome'], also: [task({ verdict: { kind: 'reobserve' } })] }],
  ])
})

describe('what a message into a task is answered, where only the message names it', () => {
  const into = (answer: Observed): readonly Observed[] => [...begun('input-required', 'Which day?'), at(10, sent('w', 'k', 'm-2', { task: 't-1' })), at(11, { ...answer, correlationid: 'k' })]
  const reobserved = { state: 'input-required', not: blame, also: [task({ verdict: { kind: 'reobserve' } })] }
  holds([
    ['C017d not found', into(refused('w', 'SendMessage', -32001, 'Task not found')), { state: 'indeterminate', causes: ['cause_unknown'] }],
    ['C006 not found, and a timeout', into(refused('w', 'SendMessage', -32001, 'Request timed out')), reobserved],
    ['C030 not found under 500 of HTTP+JSON', into(over('w', 'SendMessage', 500, { code: -32001, message: 'Task not found' })), { state: 'input-required', causes: ['unknown_outcome'], not: [...blame, 'cause_unknown'] }],
    ['C003 a bare 404', into(over('w', 'SendMessage', 404, { detail: 'Not Found' })), reobserved],
    ['C114 no answer', into(unanswered('w', 'SendMessage', 'timeout')), { ...reobserved, causes: ['unknown_outcome'] }],
    ['C037 it has ended', into(refused('w', 'SendMessage', -32602, 'Task t-1 is in terminal state: TaskState.completed')), { ...reobserved, also: [task({ verdict: { kind: 'reobserve' }, violations: [{ code: 'terminal_claimed' }] })] }],
  ])
})

describe('an answer to a send that nobody reported', () => {
  holds([
    ['C055 the task was seen by its push, and lost', [at(1, sent('w', 'k', 'm-1')), at(5, pushed('w', { state: 'working' }, { correlationid: 'k' })), at(60, missed('w'))], { state: 'indeterminate', causes: ['cause_unknown'], also: [task({ verdict: { kind: 'unreconcilable', because: { $length: 2 } } })] }],
    ['C055 it was sent to another worker since, and nothing is heard of that', [at(1, sent('w', 'k', 'm-1')), at(5, pushed('w', { state: 'working' }, { correlationid: 'k' })), at(60, missed('w')), at(61, sent('w2', 'k', 'm-1'))], { state: 'indeterminate', also: [task({ verdict: { $absent: true } })] }],
  ])
})

describe('errors and frames whose envelope says little', () => {
  const streaming = { operation: 'SendStreamingMessage' }
  const frame = (result: unknown): Observed => ({ type: 'a2a.stream-response', ...streaming, workerid: 'w', correlationid: 'k', data: { jsonrpc: '2.0', id: 1, result } })
  const opened = [at(1, sent('w', 'k', 'm-1', {}, streaming)), at(2, frame({}))]
  const asked = (code: number, rest: object): readonly Observed[] => [...begun(), at(60, { type: 'a2a.error', operation: 'GetTask', workerid: 'w', taskid: 't-1', ...rest, data: { code, message: 'Task not found' } })]
  holds([
    ['C030 the error object of a JSON-RPC answer under 500, over nobody knows what', asked(-32001, { httpstatus: '500' }), { state: 'indeterminate', not: ['gateway_error'] }],
    ['C030 the same over HTTP+JSON', asked(-32001, { httpstatus: '500', binding: 'HTTP+JSON' }), { state: 'working', not: [...blame, 'cause_unknown'] }],
    ['C029 -32603 under 502, over nobody knows what', asked(-32603, { httpstatus: '502' }), { state: 'working', causes: ['gateway_error'], not: [...blame, 'cause_unknown'] }],
    ['C149 an empty result in a stream is not the answer to its send', [...opened, at(3, frame({ task: { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } } }))], { state: 'working', not: ['unknown_outcome'], also: [task({ dispatches: [{ messageId: 'm-1', outcome: 'task', taskId: 't-1' }] })] }],
    ['C149 nothing else came of it', opened, { state: 'dispatched', also: [task({ dispatches: [{ outcome: 'pending' }] })] }],
  ])
})

describe('who is to blame for a second task', () => {
  const asked = begun('input-required', 'Which day?')
  holds([
    ['C033 the client knew that the task was lost and could not name it', [...asked, at(10, restarted('w')), at(12, missed('w')), at(20, sent('w', 'k', 'm-2', { context: 'c-1' })), at(21, answered('w', 'k', { id: 't-2', state: 'working' }))], { state: 'working', causes: ['lost_on_restart'], not: ['answer_without_task_id'] }],
    ['C033 it learned of the loss later', [...asked, at(10, restarted('w')), at(20, sent('w', 'k', 'm-2', { context: 'c-1' })), at(21, answered('w', 'k', { id: 't-2', state: 'working' })), at(30, missed('w'))], { causes: ['answer_without_task_id', 'lost_on_restart'] }],
    ['C033 it named the task, and that was refused', [...asked, at(20, sent('w', 'k', 'm-2', { task: 't-1', context: 'c-1' })), at(21, refused('w', 'SendMessage', -32001, 'Task not found', { correlationid: 'k' })), at(25, sent('w', 'k', 'm-3', { context: 'c-1' })), at(26, answered('w', 'k', { id: 't-2', state: 'completed' }))], { state: 'completed', not: ['answer_without_task_id', 'duplicate_execution'] }],
    ['C033 a reference is no task id', [...asked, at(20, sent('w', 'k', 'm-2', { context: 'c-1', refersTo: ['t-1'] })), at(21, answered('w', 'k', { id: 't-2', state: 'completed' }))], { state: 'completed', causes: ['answer_without_task_id'], not: ['duplicate_execution'] }],
    ['C114 the first was known to be lost', [...begun(), at(4, restarted('w')), at(5, missed('w')), at(6, sent('w2', 'k', 'm-2')), at(7, answered('w2', 'k', { id: 't-2', context: 'c-2', state: 'working' }))], { state: 'working', causes: ['lost_on_restart'], not: ['duplicate_execution'] }],
    ['C114 the lost one completed after all', [...begun(), at(4, restarted('w')), at(5, missed('w')), at(6, sent('w2', 'k', 'm-2')), at(7, answered('w2', 'k', { id: 't-2', context: 'c-2', state: 'completed' })), at(9, pushed('w', { state: 'completed', stamped: '2026-11-01T10:00:09Z' }))], { state: 'completed', causes: ['duplicate_execution'], also: [task({ divergences: [{ kind: 'outcome' }] })] }],
    ['C113 a retry after a timeout, and the first is found by its message', [at(1, sent('w', 'k', 'm-1')), at(2, unanswered('w', 'SendMessage', 'timeout', { correlationid: 'k' })), at(10, sent('w', 'k', 'm-1')), at(11, answered('w', 'k', { id: 't-2', state: 'working' })), at(12, found('w', { context: 'c-2', state: 'completed', answers: 'm-1' }, { correlationid: 'k' }))], { state: 'completed', causes: ['duplicate_execution'], not: ['lost_on_restart'] }],
  ])
})

describe('a family of tasks', () => {
  const child = { parentcorrelationid: 'k' }
  const lostChild: readonly Observed[] = [
    at(3, sent('w2', 'step', 'm-2', {}, child)),
    at(4, answered('w2', 'step', { id: 't-2', context: 'c-2', state: 'working' }, child)),
    at(5, restarted('w2')),
    at(6, missed('w2', 't-2')),
  ]
  holds([
    ['R02 the parent failed after its child was lost', [...begun(), ...lostChild, at(9, found('w', { state: 'failed' }))], { state: 'failed', causes: ['lost_on_restart'], also: [{ rootCause: 'k', match: { findings: [{ cause: 'lost_on_restart', correlationId: 'step', responsible: 'worker' }], summary: { $contains: 'child task step' } } }, task({ children: [{ correlationId: 'step', by: 'stated' }] }), { task: 'step', match: { parents: [{ correlationId: 'k' }] } }] }],
    ['R02 told in another order it is the same', [at(9, found('w', { state: 'failed' })), ...lostChild.toReversed(), ...begun().toReversed()], { state: 'failed', causes: ['lost_on_restart'] }],
    ['R02 the child was lost after the parent had failed', [...begun(), at(2.5, found('w', { state: 'failed' })), ...lostChild.map((event) => ({ ...event, t: (event.t ?? 0) + 60 }))], { state: 'failed', not: ['lost_on_restart'] }],
    ['R02 the child came back', [...begun(), ...lostChild, at(7, found('w2', { id: 't-2', context: 'c-2', state: 'completed' })), at(9, found('w', { state: 'failed' }))], { state: 'failed', not: ['lost_on_restart', 'child_failed'] }],
  ])
})

describe('a card judged twice, and drift', () => {
  const report = (mediaType: string) => [{ artifactId: 'a-1', parts: [{ text: 'x', mediaType }] }]
  holds([
    ['C167 the card changed while the work ran', [at(0, card('w', ['text/plain'])), ...begun(), at(5, card('w', ['application/json'])), at(6, found('w', { state: 'completed', artifacts: report('text/plain') }))], { also: [task({ violations: [{ code: 'media_type_not_advertised', detail: { $contains: 'offers it' } }], artifacts: [{ canonical: { judgedBy: [{ by: 'emission', isAdvertised: false }, { by: 'dispatch', isAdvertised: true }] } }] })] }],
    ['C167 another task of the skill had another type', [at(0, card('w', ['text/plain', 'application/json'])), at(1, sent('w', 'k2', 'm-2')), at(2, answered('w', 'k2', { id: 't-2', context: 'c-2', state: 'completed', artifacts: report('application/json') })), at(5, sent('w', 'k', 'm-1')), at(6, answered('w', 'k', { state: 'completed', artifacts: report('text/plain') }))], { causes: ['media_type_drift'], also: [{ worker: 'w', match: { drift: [{ from: ['application/json'], to: ['text/plain'], since: '2026-11-01T10:00:06.000Z' }] } }, { rootCause: 'k2', match: { findings: { $none: { cause: 'media_type_drift' } } } }] }],
    ['C167 recorded in the other order it began at the same moment', [at(5, sent('w', 'k', 'm-1')), at(6, answered('w', 'k', { state: 'completed', artifacts: report('text/plain') })), at(1, sent('w', 'k2', 'm-2')), at(2, answered('w', 'k2', { id: 't-2', context: 'c-2', state: 'completed', artifacts: report('application/json') })), at(0, card('w', ['text/plain', 'application/json']))], { causes: ['media_type_drift'], also: [{ worker: 'w', match: { drift: { $length: 1, $some: { since: '2026-11-01T10:00:06.000Z' } } } }] }],
  ])
})
