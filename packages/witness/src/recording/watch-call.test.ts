import { testCodec } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import type { WitnessedEvent } from './ports.ts'
import type { Missed } from './recorder.ts'
import { type Answer, type CallContext, type KeptBody, watchCall } from './watch-call.ts'

const answer: Answer = { status: 200, contentType: 'text/event-stream', instance: 'i-1', cacheControl: undefined, etag: undefined }

function scene(body: string | KeptBody, context: Partial<CallContext> = {}) {
  const recorded: WitnessedEvent[] = []
  const missed: Missed[] = []
  let nowMs = Date.parse('2026-03-01T10:00:00Z')
  const call = watchCall(
    { source: 'urn:test:witness', record: (event) => recorded.push(event), miss: (each) => missed.push(each), clock: () => (nowMs += 10), codec: testCodec, newId: () => 'call' },
    {
      workerId: 'w1', method: 'POST', path: '/', correlationId: undefined, protocolVersion: undefined, traceparent: undefined, tracestate: undefined,
      scope: (tenant) => `scope of ${tenant ?? 'nobody'}`, ...context,
    },
    typeof body === 'string' ? { bytes: testCodec.utf8Encode(body) } : body,
  )
  const told = () => recorded.map(({ attributes: { type, sequence, streamid, taskid }, data }) => ({ type, sequence, streamid, taskid, data: testCodec.utf8Decode(data) }))
  return { call, recorded, told, missed }
}

const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const stream = rpc('SendStreamingMessage', { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'x' }] } })
const frame = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result })
const status = (state: string): string => frame({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}` } } })

describe('a stream', () => {
  test('is told frame by frame, in its own order', () => {
    const { call, told, recorded } = scene(stream)
    call.streams(answer)
    call.frame(status('WORKING'))
    call.frame(status('COMPLETED'))
    expect(told()).toMatchObject([
      { type: 'a2a.dispatch', sequence: undefined, streamid: undefined },
      { type: 'a2a.stream-response', sequence: '1', streamid: 'call', data: status('WORKING') },
      { type: 'a2a.stream-response', sequence: '2', streamid: 'call', data: status('COMPLETED') },
    ])
    expect(recorded.map(({ attributes }) => attributes.id)).toEqual(['call.1', 'call.2', 'call.3'])
    expect(recorded[1]?.attributes).toMatchObject({ messageid: 'm-1', instance: 'i-1', httpstatus: '200', operation: 'SendStreamingMessage', datacontenttype: 'application/json' })
  })

  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}'
  const endings: readonly (readonly [fact: string, frames: readonly string[], isEndTold: boolean])[] = [
    ['a terminal state', [status('WORKING'), status('FAILED')], false],
    ['a terminal task', [frame({ task: { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_CANCELED' } } })], false],
    ['an artifact after a terminal state', [status('COMPLETED'), frame({ artifactUpdate: { taskId: 't-1', contextId: 'c-1', artifact: { artifactId: 'a', parts: [] } } })], false],
    ['a message', [frame({ message: { role: 'ROLE_AGENT', messageId: 'm-2', parts: [{ text: 'done' }] } })], false],
    ['an error', [error], false],
    ['a v0.3 terminal state', [frame({ kind: 'status-update', taskId: 't-1', contextId: 'c-1', final: true, status: { state: 'completed' } })], false],
    ['a state that goes on', [status('WORKING')], true],
    ['a state that waits', [status('WORKING'), status('INPUT_REQUIRED')], true],
    ['a state that goes on after a terminal one', [status('COMPLETED'), status('WORKING')], true],
    ['nothing', [], true],
    ['what nobody understands', ['{"foo":1}'], true],
  ]
  test.each(endings)('that ends after %s', (_fact, frames, isEndTold) => {
    const { call, told } = scene(stream)
    call.streams(answer)
    for (const each of frames) call.frame(each)
    call.streamEnded('reset')
    const end = told().find(({ type }) => type === 'a2a.stream-ended')
    expect(end !== undefined).toBe(isEndTold)
    if (isEndTold) expect(end).toMatchObject({ sequence: String(frames.length + 1), streamid: 'call', data: '{"reason":"reset"}' })
  })

  test('that ends names the task it was about', () => {
    const { call, told } = scene(stream)
    call.streams(answer)
    call.frame(status('WORKING'))
    call.streamEnded('closed')
    expect(told().at(-1)).toMatchObject({ type: 'a2a.stream-ended', taskid: 't-1' })
    const again = scene(rpc('SubscribeToTask', { id: 't-7' }))
    again.call.streams(answer)
    again.call.streamEnded('closed')
    expect(again.told()).toMatchObject([{ type: 'a2a.stream-ended', taskid: 't-7' }])
  })

  test('whose frame is an error tells an error', () => {
    const { call, told } = scene(rpc('SubscribeToTask', { id: 't-7' }))
    call.streams(answer)
    call.frame(error)
    expect(told()).toMatchObject([{ type: 'a2a.error', data: error, taskid: 't-7', streamid: 'call' }])
  })

  test('whose frame is too large counts it', () => {
    const { call, missed } = scene(stream)
    call.streams(answer)
    call.frameMissed('too_large')
    expect(missed).toEqual([{ workerId: 'w1', reason: 'too_large', byType: { 'a2a.stream-response': 1 } }])
  })
})

describe('a request that was not kept', () => {
  test('is counted as a send where it may have been one, and its answer is told', () => {
    const { call, told, missed } = scene({ missing: 'too_large' })
    expect(missed).toEqual([{ workerId: 'w1', reason: 'too_large', byType: { 'a2a.dispatch': 1 } }])
    call.answered({ ...answer, contentType: 'application/json' }, { bytes: testCodec.utf8Encode(frame({ task: { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } } })) })
    expect(told()).toMatchObject([{ type: 'a2a.response' }])
  })

  test('is no send where the path says something else', () => {
    expect(scene({ missing: 'overloaded' }, { path: '/tasks/t-1:cancel' }).missed).toEqual([])
    expect(scene({ missing: 'overloaded' }, { path: '/message:send' }).missed).toMatchObject([{ reason: 'overloaded' }])
  })
})

test('an answer that was not kept is counted', () => {
  const { call, missed } = scene(stream)
  call.answered(answer, { missing: 'too_large' })
  expect(missed).toEqual([{ workerId: 'w1', reason: 'too_large', byType: { 'a2a.response': 1 } }])
})

test('the scope knows the tenant, of either binding', () => {
  expect(scene(rpc('SendMessage', { tenant: 'acme', message: { role: 'ROLE_USER', messageId: 'm', parts: [] } })).recorded[0]?.attributes.scope).toBe('scope of acme')
  const rest = scene('{"message":{"role":"ROLE_USER","messageId":"m","parts":[]}}', { path: '/acme/message:send' })
  expect(rest.recorded[0]?.attributes.scope).toBe('scope of acme')
})

test('of what is no A2A call nothing is told', () => {
  const { call, told, missed } = scene('{"query":"{a}"}')
  call.answered(answer, { bytes: new Uint8Array() })
  call.streams(answer)
  call.frame('{}')
  call.frameMissed('too_large')
  call.streamEnded('closed')
  call.unanswered('reset')
  expect([call.reading, told(), missed]).toEqual([undefined, [], []])
})
