import { expect, test } from 'vitest'
import type { EventAttributes } from '../event/envelope.ts'
import type { MessageReading, Reading, TaskReading } from '../a2a/reading.ts'
import { observationOf } from './observation.ts'

const attributes = (more: Partial<EventAttributes> = {}): EventAttributes => ({
  specversion: '1.0',
  id: 'e-1',
  source: 'urn:witness',
  type: 'a2a.response',
  workerid: 'w-1',
  ...more,
})

const said = (messageId: string, more: Partial<MessageReading> = {}): MessageReading => ({
  messageId,
  role: 'user',
  parts: [],
  referenceTaskIds: [],
  text: '',
  ...more,
})

const shown = (more: Partial<TaskReading> = {}): TaskReading => ({
  kind: 'task',
  taskId: 't-1',
  status: { state: 'working', isStateUnknown: false },
  artifacts: [],
  history: [],
  notes: [],
  ...more,
})

const notFound: Reading = {
  kind: 'error',
  notes: [],
  error: {
    name: 'TaskNotFound',
    codeSpace: 'jsonrpc',
    code: -32001,
    evidence: 'strong',
    text: '',
    isJsonRpc: true,
    isFromGateway: false,
    saysTerminal: false,
    saysTimeout: false,
  },
}

const dispatch = (more: Partial<MessageReading> = {}): Reading => ({
  kind: 'dispatch',
  message: said('m-1', more),
  hasPushConfig: false,
  notes: [],
})

test.each<[string, EventAttributes, Reading, Partial<ReturnType<typeof observationOf>>]>([
  ['K2: an answer to a send that names no task may bind the task in it', attributes({ operation: 'SendMessage' }), shown(), { answersOpenSend: true, taskId: 't-1' }],
  ['K2: a stream of a send may too, under its older name', attributes({ operation: 'message/stream' }), shown(), { answersOpenSend: true }],
  ['K2: an answer to a send that names its task binds nothing', attributes({ operation: 'SendMessage', taskid: 't-1' }), shown(), { answersOpenSend: false }],
  ['K2: an answer to a question binds nothing', attributes({ operation: 'GetTask', taskid: 't-1' }), shown(), { answersOpenSend: false, claimsTask: true }],
  ['K2: a refused send claims no task', attributes({ operation: 'SendMessage', taskid: 't-1' }), notFound, { answersOpenSend: false, claimsTask: false, taskId: 't-1' }],
  ['K2: a not-found to a question is about that task', attributes({ operation: 'GetTask', taskid: 't-1' }), notFound, { claimsTask: true }],
  ['K2: a dispatch claims no task', attributes({ type: 'a2a.dispatch', operation: 'SendMessage' }), dispatch({ taskId: 't-1' }), { role: 'dispatch', claimsTask: false, taskId: 't-1', messageId: 'm-1' }],
  ['the payload names the task before the envelope does', attributes({ taskid: 't-2' }), shown(), { taskId: 't-1' }],
  ['K3: the message answered is named by the envelope first', attributes({ messageid: 'm-9' }), shown({ history: [said('m-1')] }), { messageId: 'm-9' }],
  ['K3: else by the last user message of this task', attributes(), shown({ history: [said('m-1'), said('m-2', { taskId: 't-1' }), said('a-1', { role: 'agent' }), said('m-3', { taskId: 't-2' })] }), { messageId: 'm-2' }],
  ['K3: a message without a task belongs to the snapshot it is in', attributes(), shown({ history: [said('m-1'), said('m-2', { taskId: 't-2' })] }), { messageId: 'm-1' }],
  ['K3: a history of another task alone names none', attributes(), shown({ history: [said('m-2', { taskId: 't-2' })] }), { taskId: 't-1' }],
  ['K4: a card is a fact about the worker', attributes({ type: 'a2a.agent-card', correlationid: 'k' }), { kind: 'agent-card', notes: [], card: { protocolVersions: [], outputModes: [], skills: [], missing: [], isSigned: false, essence: '' } }, { role: 'worker-fact' }],
  ['K4: a restart is a fact about the worker', attributes({ type: 'a2a.worker-restarted' }), { kind: 'restart', notes: [] }, { role: 'worker-fact', isRestart: true }],
  ['K5: an answer about many tasks is a fact about the worker', attributes({ operation: 'ListTasks' }), { kind: 'task-list', notes: [], items: [] }, { role: 'worker-fact' }],
  ['a conclusion teaches nothing about tasks', attributes({ type: 'orchestrator.conclusion', correlationid: 'k' }), { kind: 'conclusion', state: 'failed', notes: [] }, { role: 'statement', explicit: 'k' }],
  ['a decision names its stream', attributes({ type: 'reconciler.verdict', correlationid: '~w-1/t-1' }), { kind: 'nothing', notes: [] }, { role: 'record', explicit: '~w-1/t-1' }],
])('%s', (_, envelope, reading, expected) => {
  expect(observationOf(envelope, reading, envelope.type.startsWith('reconciler.'))).toMatchObject(expected)
})

test('K3: a message of another task alone is not the one answered', () => {
  expect(observationOf(attributes(), shown({ history: [said('m-2', { taskId: 't-2' })] }), false).messageId).toBeUndefined()
})

test('an internal observation about a synthetic stream goes down the ladder like any other', () => {
  const envelope = attributes({ type: 'a2a.error', correlationid: '~w-1/t-1', taskid: 't-1' })
  expect(observationOf(envelope, notFound, true).explicit).toBeUndefined()
})
