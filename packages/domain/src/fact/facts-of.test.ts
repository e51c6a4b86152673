import { describe, expect, it } from 'vitest'
import type { EventAttributes } from '../event/envelope.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { testCodec } from '../testing/codec.ts'
import type { Fact } from './fact.ts'
import { factsOf, unreadableFact } from './facts-of.ts'

const at = '2026-11-01T10:00:10.000Z'
const atMs = Date.parse(at)

type Told = Partial<EventAttributes> & { readonly type: string }

const event = (attributes: Told, data: unknown, told: Partial<LedgerEvent> = {}): LedgerEvent => ({
  position: 7,
  recordedAtMs: atMs + 1_000,
  attributes: { specversion: '1.0', id: 'e-1', source: 'orchestrator', time: at, workerid: 'w1', ...attributes },
  correlationId: 'k',
  rung: 'explicit',
  data: JSON.stringify(data),
  digest: undefined,
  ...told,
})

const factOf = (given: LedgerEvent): Fact => {
  const { stream, worker } = factsOf(given, testCodec)
  const fact = [...stream, ...worker][0]
  if (fact === undefined) throw new Error('no fact')
  return fact
}

const rpc = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result })
const task = (status: unknown = { state: 'TASK_STATE_WORKING' }, rest: object = {}) => ({ id: 't-1', contextId: 'c-1', status, ...rest })
const update = (status: unknown) => ({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status } })
const getTask = { type: 'a2a.response', operation: 'GetTask' }

describe('F3 the time of an event', () => {
  const read = (time: string | undefined, recordedAt: string): string => {
    const { time: _stated, ...attributes } = event(getTask, rpc(task())).attributes
    const fact = factOf(
      event(getTask, rpc(task()), {
        recordedAtMs: Date.parse(recordedAt),
        attributes: time === undefined ? attributes : { ...attributes, time },
      }),
    )
    return `${new Date(fact.atMs).toISOString()}${fact.notes === undefined ? '' : ` ${fact.notes.join()}`}`
  }
  it.each<[string, string | undefined, string, string]>([
    ['F3 the witness time is the stated time', at, '2026-11-01T10:00:30.000Z', '2026-11-01T10:00:10.000Z'],
    ['F3 without a stated time it is the arrival', undefined, '2026-11-01T10:00:30.000Z', '2026-11-01T10:00:30.000Z'],
    ['F3 a witness clock may run ahead five seconds', at, '2026-11-01T10:00:05.000Z', '2026-11-01T10:00:10.000Z'],
    ['F3 beyond that it is held back and noted', at, '2026-11-01T10:00:04.999Z', '2026-11-01T10:00:09.999Z timestamp_in_future'],
    ['F3 an offset is another way to write the same moment', '2026-11-01T12:00:10+02:00', '2026-11-01T10:00:30.000Z', '2026-11-01T10:00:10.000Z'],
  ])('%s', (_fact, time, recordedAt, expected) => {
    expect(read(time, recordedAt)).toBe(expected)
  })

  it.each<[string, unknown, string]>([
    ['F3 the stamp of the worker is kept beside the witness time', '2026-11-01T10:00:03.000Z', '3 '],
    ['F3 a stamp five seconds after the witness time is usable', '2026-11-01T10:00:15.000Z', '15 '],
    ['F3 a later stamp is noted', '2026-11-01T10:00:15.001Z', '15.001 timestamp_in_future'],
    ['F3 an unusable stamp is noted and left to the witness time', 'yesterday', 'none timestamp_invalid'],
    ['F3 no stamp is nothing to note', undefined, 'none '],
  ])('%s', (_fact, timestamp, expected) => {
    const fact = factOf(event(getTask, rpc(task({ state: 'TASK_STATE_WORKING', timestamp }))))
    const stamp = fact.kind === 'report' ? fact.statusAtMs : undefined
    const seconds = stamp === undefined ? 'none' : String((stamp - Date.parse('2026-11-01T10:00:00Z')) / 1_000)
    expect(`${seconds} ${fact.notes?.join() ?? ''}`).toBe(expected)
  })
})

describe('F9 how a report reached its witness', () => {
  it.each<[string, Told, unknown, string]>([
    ['F9 an answer to GetTask is an answer', getTask, rpc(task()), 'answer snapshot'],
    ['F9 a task taken out of ListTasks is an answer', { type: 'a2a.task', operation: 'ListTasks' }, task(), 'answer snapshot'],
    ['F9 an answer to SendMessage is an answer', { type: 'a2a.response', operation: 'SendMessage' }, rpc({ task: task() }), 'answer snapshot'],
    ['F9 an answer to CancelTask is an answer', { type: 'a2a.response', operation: 'CancelTask' }, rpc(task()), 'answer snapshot'],
    ['F9 a push is an update', { type: 'a2a.stream-response', operation: 'Push' }, update({ state: 'TASK_STATE_WORKING' }), 'update update'],
    ['F9 a pushed task is an update', { type: 'a2a.task', operation: 'Push' }, task(), 'update snapshot'],
    ['F9 a stream event of SendStreamingMessage is an update', { type: 'a2a.stream-response', operation: 'SendStreamingMessage' }, { task: task() }, 'update snapshot'],
    ['F9 a stream event of SubscribeToTask is an update', { type: 'a2a.stream-response', operation: 'SubscribeToTask' }, update({ state: 'TASK_STATE_WORKING' }), 'update update'],
    ['F9 what the worker emits of itself is an update', { type: 'a2a.status-update', operation: 'Emit' }, update({ state: 'TASK_STATE_WORKING' }).statusUpdate, 'update update'],
    ['F9 a task nobody says the operation of is an update', { type: 'a2a.task' }, task(), 'update snapshot'],
  ])('%s', (_fact, attributes, data, expected) => {
    const fact = factOf(event(attributes, data))
    expect(fact.kind === 'report' ? `${fact.channel} ${fact.form}` : fact.kind).toBe(expected)
  })
})

describe('F1 one event, its facts', () => {
  const kinds = (given: LedgerEvent): string => {
    const { stream, worker } = factsOf(given, testCodec)
    return `${stream.map(({ kind }) => kind).join() || '-'} / ${worker.map(({ kind }) => kind).join() || '-'}`
  }
  const enrolment = { mesh: 'm', trust: 'card', replicas: 2, push: { token: 'secret' } }
  it.each<[string, LedgerEvent, string]>([
    ['F1 an answer to GetTask says something of the task and of the route', event(getTask, rpc(task())), 'report / answered'],
    ['F1 an answer to another operation says nothing of the route', event({ type: 'a2a.response', operation: 'SendMessage' }, rpc({ task: task() })), 'report / -'],
    ['F1 a dispatch', event({ type: 'a2a.dispatch', operation: 'SendMessage' }, { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] } }), 'dispatch / -'],
    ['F1 an error', event({ ...getTask, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } }), 'error / -'],
    ['F1 an artifact update', event({ type: 'a2a.artifact-update' }, { taskId: 't-1', contextId: 'c-1', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }), 'artifact / -'],
    ['F1 a message', event({ type: 'a2a.message', operation: 'SendMessage' }, { role: 'ROLE_AGENT', messageId: 'a-1', parts: [{ text: 'x' }] }), 'message / -'],
    ['F1 no answer', event({ type: 'a2a.no-answer', operation: 'SendMessage' }, { reason: 'timeout' }), 'no-answer / -'],
    ['F1 a stream that ended', event({ type: 'a2a.stream-ended', taskid: 't-1' }, { reason: 'reset' }), 'stream-ended / -'],
    ['F1 a conclusion', event({ type: 'orchestrator.conclusion' }, { state: 'failed' }), 'conclusion / -'],
    ['F2 a restart is a fact of the worker alone', event({ type: 'a2a.worker-restarted' }, {}), '- / restart'],
    ['F2 a card is a fact of the worker alone', event({ type: 'a2a.agent-card' }, { name: 'n' }), '- / card'],
    ['F2 an enrolment is a fact of the worker alone', event({ type: 'reconciler.worker-enrolled' }, enrolment), '- / enrolled'],
    ['F1 an answer about many tasks says nothing here: each task has an event of its own', event({ type: 'a2a.response', operation: 'ListTasks' }, rpc({ tasks: [task()] })), '- / -'],
    ['F1 a result that is missing is recorded and says nothing', event(getTask, rpc(null)), 'nothing / -'],
    ['F1 data that was erased leaves the task incomplete', event(getTask, rpc(task()), { data: undefined }), 'unreadable / -'],
    ['F1 an event of ours that no fold reads says nothing', event({ type: 'reconciler.probe-step' }, {}), '- / -'],
  ])('%s', (_fact, given, expected) => {
    expect(kinds(given)).toBe(expected)
  })

  it('F1 the same event gives the same facts', () => {
    const given = event(getTask, rpc(task(undefined, { artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }] })))
    expect(factsOf(given, testCodec)).toEqual(factsOf(structuredClone(given), testCodec))
  })

  it('F1 an event whose fold throws stands as unreadable, in its place and time', () => {
    const { kind, position, atMs: seen, recordedAtMs } = unreadableFact(event(getTask, null), 'not understood')
    expect([kind, position, seen, recordedAtMs]).toEqual(['unreadable', 7, atMs, atMs + 1_000])
  })

  it('F1 no secret of an enrolment gets into a fact', () => {
    expect(JSON.stringify(factsOf(event({ type: 'reconciler.worker-enrolled' }, enrolment), testCodec))).not.toContain('secret')
  })
})

describe('F13 what a dispatch says', () => {
  const message = { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] }
  const dispatched = (data: unknown) => factOf(event({ type: 'a2a.dispatch', operation: 'SendMessage' }, data))
  it.each<[string, unknown, Record<string, unknown>]>([
    ['F13 a send that names no task asks for a new one', { message }, { sentMessageId: 'm-1' }],
    ['F13 a send that names a task goes into it', { message: { ...message, taskId: 't-1', contextId: 'c-1' } }, { sentMessageId: 'm-1', namedTaskId: 't-1', contextId: 'c-1' }],
    ['F19 the accepted output modes of the client are kept', { message, configuration: { acceptedOutputModes: ['text/plain'] } }, { acceptedModes: ['text/plain'] }],
    ['F19 the skill is the one of the extension metadata', { message: { ...message, metadata: { 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'k', skill: 'draw' } } } }, { skill: 'draw' }],
  ])('%s', (_fact, data, expected) => {
    expect(dispatched(data)).toMatchObject(expected)
  })

  it('F13 the same content has the same digest, whatever its message id', () => {
    const digestOf = (data: unknown) => {
      const fact = dispatched(data)
      return fact.kind === 'dispatch' ? fact.contentDigest : ''
    }
    expect(digestOf({ message })).toBe(digestOf({ message: { ...message, messageId: 'm-2' } }))
    expect(digestOf({ message })).not.toBe(digestOf({ message: { ...message, parts: [{ text: 'b' }] } }))
  })
})

describe('L11 an answer about another task than the one asked for', () => {
  it('is no sign of life of either task, and stays noted', () => {
    const fact = factOf(event({ ...getTask, taskid: 't-9' }, rpc(task({ state: 'TASK_STATE_COMPLETED' }))))
    expect(fact).toMatchObject({ kind: 'nothing', taskId: 't-9', notes: ['task_id_mismatch'] })
  })

  it('to a send is a new task all the same', () => {
    const send = { type: 'a2a.response', operation: 'SendMessage', taskid: 't-9' }
    expect(factOf(event(send, rpc({ task: task() })))).toMatchObject({ kind: 'report', taskId: 't-1' })
  })
})
