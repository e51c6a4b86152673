import { describe, expect, it } from 'vitest'
import { readPayload } from '../a2a/read.ts'
import type { EventAttributes } from '../event/envelope.ts'
import { derivedFrom, readingsIn } from './derived.ts'

const call: EventAttributes = {
  specversion: '1.0',
  id: 'e-1',
  source: 'urn:w',
  type: 'a2a.response',
  time: '2026-11-01T10:00:00Z',
  workerid: 'w1',
  operation: 'SendStreamingMessage',
  protocolversion: '1.0',
  binding: 'JSONRPC',
  scope: 'tenant-a',
  instance: 'i-1',
  correlationid: 'k',
  messageid: 'm-1',
  parentcorrelationid: 'p',
  httpstatus: '200',
  traceparent: '00-1',
  tracestate: 'a=b',
  etag: 'x',
}

const readingOf = (attributes: EventAttributes, text: string) => {
  const { type, operation, taskid: taskId } = attributes
  const read = readPayload({ type, ...(operation !== undefined && { operation }), ...(taskId !== undefined && { taskId }) }, text)
  if (read.outcome !== 'read') throw new Error(read.detail)
  return read.reading
}

const told = (attributes: EventAttributes, text: string) => derivedFrom(attributes, readingOf(attributes, text))

const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const update = { statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } } }

describe('K5 what is taken out of an answer', () => {
  it('of a stream every event is one, numbered, of the same call and of one stream', () => {
    const { etag: _own, type: _type, ...rest } = call
    const common = { ...rest, streamid: 'e-1', type: 'a2a.stream-response' }
    expect(told(call, event({ task: { id: 't-1', status: { state: 'TASK_STATE_SUBMITTED' } } }) + event(update)).map(({ attributes }) => attributes)).toEqual([
      { ...common, id: 'e-1#1', sequence: '1' },
      { ...common, id: 'e-1#2', sequence: '2' },
    ])
  })

  it('the stream that the witness names is the stream, and its number the number', () => {
    expect(told({ ...call, streamid: 's-7', sequence: '12' }, event(update))[0]?.attributes).toMatchObject({ streamid: 's-7', sequence: '12' })
  })

  it('an event that says nothing is one as well: it is the answer', () => {
    expect(told(call, event({ jsonrpc: '2.0', id: 1, result: null }))).toMatchObject([{ item: { reading: { kind: 'nothing', notes: ['result_missing'] } } }])
  })

  it.each([
    ['a call that is streamed', 'a2a.response', 'message/stream', 'a2a.stream-response'],
    ['a call that nobody names', 'a2a.response', undefined, 'a2a.stream-response'],
    ['a call that has one answer', 'a2a.response', 'GetTask', 'a2a.response'],
    ['what the witness calls an event of a stream', 'a2a.stream-response', 'GetTask', 'a2a.stream-response'],
  ])('of %s an event is of its own type', (_fact, type, operation, expected) => {
    const { operation: _told, ...rest } = call
    expect(told({ ...rest, type, ...(operation !== undefined && { operation }) }, event(update))[0]?.attributes.type).toBe(expected)
  })

  it('an error in a stream is about the task that the call was about', () => {
    const [derived] = told({ ...call, operation: 'SubscribeToTask', taskid: 't-1' }, event({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } }))
    expect(derived).toMatchObject({
      attributes: { taskid: 't-1', operation: 'SubscribeToTask' },
      item: { reading: { kind: 'error', error: { name: 'TaskNotFound', evidence: 'weak' } } },
      isStreamed: true,
    })
  })

  it('an event that cannot be read stays evidence in the answer, and keeps its number', () => {
    expect(told(call, event('not json') + event({ foreign: 1 }) + event(update)).map(({ attributes }) => attributes.id)).toEqual(['e-1#3'])
  })

  it('of a listing every task is one, and nothing of the call but who asked whom', () => {
    const listing = { ...call, operation: 'ListTasks' }
    const [derived, ...others] = told(listing, JSON.stringify({ tasks: [{ id: 't-1', status: { state: 'TASK_STATE_WORKING' } }, {}] }))
    expect(others).toEqual([])
    expect(derived?.isStreamed).toBe(false)
    expect(derived?.attributes).toEqual({
      specversion: '1.0',
      id: 'e-1#1',
      source: 'urn:w',
      type: 'a2a.task',
      taskid: 't-1',
      time: call.time,
      operation: 'ListTasks',
      protocolversion: '1.0',
      scope: 'tenant-a',
      binding: 'JSONRPC',
      instance: 'i-1',
      workerid: 'w1',
    })
  })

  it('a batch in a batch is taken apart as well', () => {
    const tasks = { jsonrpc: '2.0', id: 1, result: { tasks: [{ id: 't-1', status: { state: 'working' } }, { id: 't-2', status: { state: 'working' } }] } }
    const error = { jsonrpc: '2.0', id: 2, error: { code: -32001, message: 'x', data: [{ reason: 'TASK_NOT_FOUND', metadata: { taskId: 't-3' } }] } }
    const batch = JSON.stringify([tasks, error])
    expect(told({ ...call, operation: 'ListTasks' }, batch).map(({ attributes }) => attributes.taskid)).toEqual(expect.arrayContaining(['t-1', 't-2']))
    expect(readingsIn(readingOf(call, batch)).map(({ kind }) => kind)).toEqual(['task-list', 'task', 'task', 'error'])
  })

  it('of any other answer nothing is', () => {
    expect(told(call, JSON.stringify(update))).toEqual([])
  })
})
