import { describe, expect, it } from 'vitest'
import { factsOf } from '../fact/facts-of.ts'
import { testCodec } from '../testing/codec.ts'
import { canonicalOf } from './canonical-of.ts'
import { eventsIn, isEventStream } from './event-stream.ts'
import { readPayload, type ReadContext } from './read.ts'

describe('the events of a stream of server-sent events', () => {
  it.each<[string, string, readonly string[]]>([
    ['one event', 'data: {"a":1}\n\n', ['{"a":1}']],
    ['one without a space behind the colon', 'data:{"a":1}\n\n', ['{"a":1}']],
    ['of two spaces the second one is data', 'data:  x\n\n', [' x']],
    ['several data lines are one event', 'data: {\ndata: "a":1}\n\n', ['{\n"a":1}']],
    ['lines may end as on any system', 'data: 1\r\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\n\n', ['1\n2', '3', '4']],
    ['comments and other fields say nothing', ': keep-alive\nevent: message\nid: 7\nretry: 10\ndata: 1\n\n', ['1']],
    ['an event without data is none', 'event: ping\n\ndata: 1\n\n', ['1']],
    ['a field without a colon says nothing', 'data\ndatabase: 2\n\ndata: 1\n\n', ['1']],
    ['the last one counts where the body was cut behind it', 'data: 1\n\ndata: 2', ['1', '2']],
    ['several blank lines end one event', 'data: 1\n\n\n\ndata: 2\n\n', ['1', '2']],
    ['a mark of the byte order comes first', '\uFEFFdata: 1\n\n', ['1']],
    ['an empty text has none', '', []],
  ])('%s', (_fact, text, events) => {
    expect([...eventsIn(text)]).toEqual(events)
  })

  it.each<[string, string, boolean]>([
    ['data', 'data: 1', true],
    ['a comment', ': ping', true],
    ['an event name behind blank lines', '\n\nevent: x', true],
    ['a mark of the byte order', '\uFEFFid: 1', true],
    ['another field', 'database: 1', false],
    ['JSON', '{"data": 1}', false],
    ['HTML', '<html>data: 1', false],
    ['words', 'Not found', false],
    ['a word of a field without a colon', 'data 1', false],
    ['nothing', '', false],
    ['blank lines', '\n\r\n', false],
  ])('a text that begins with %s', (_fact, text, isOne) => {
    expect(isEventStream(text)).toBe(isOne)
  })

  it('of any length is taken apart as it comes', () => {
    const text = 'data: 1\n\n'.repeat(100_000)
    let count = 0
    for (const _ of eventsIn(text)) count += 1
    expect(count).toBe(100_000)
  })
})

describe('the whole body of a stream as one answer', () => {
  const update = (state: string): string => `data: {"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"${state}"}}}\n\n`
  const notFound = 'data: {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}\n\n'
  const v03 = 'data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t-1","contextId":"c-1","status":{"state":"working"},"final":false}}\n\n'
  const working = { taskId: 't-1', state: 'working' }

  it.each<[string, ReadContext, string, object]>([
    ['its events, in order', { type: 'a2a.response', operation: 'SendStreamingMessage' }, update('TASK_STATE_WORKING') + update('TASK_STATE_COMPLETED'), { kind: 'task-list', tasks: [working, { taskId: 't-1', state: 'completed' }] }],
    ['of v0.3', { type: 'a2a.response' }, v03, { kind: 'task-list', protocolVersion: '0.3', tasks: [working] }],
    ['with its status', { type: 'a2a.response', httpStatus: 200 }, update('TASK_STATE_WORKING'), { kind: 'task-list', tasks: [working] }],
    ['in a JSON string', { type: 'a2a.response' }, JSON.stringify(update('TASK_STATE_WORKING')), { kind: 'task-list', tasks: [working] }],
    ['one event as it was on the wire', { type: 'a2a.stream-response' }, update('TASK_STATE_WORKING'), { kind: 'task-list', tasks: [working] }],
    ['an error is an event like another', { type: 'a2a.response', operation: 'SubscribeToTask', taskId: 't-1' }, notFound, { kind: 'task-list', tasks: [{}] }],
    ['an event that cannot be read harms none of the others', { type: 'a2a.response' }, `data: [DONE]\n\n${update('TASK_STATE_WORKING')}`, { kind: 'task-list', tasks: [{}, working], notes: ['result_missing'] }],
    ['without an event nothing was answered', { type: 'a2a.response', httpStatus: 200 }, ': keep-alive\n\n', { kind: 'nothing', notes: ['result_missing'] }],
    ['a page under a bad status is an error by its status', { type: 'a2a.response', operation: 'GetTask', httpStatus: 502 }, 'data: x', { kind: 'error', error: { name: 'Unavailable' } }],
  ])('%s', (_fact, context, text, expected) => {
    const result = readPayload(context, text)
    expect(result.outcome === 'read' ? canonicalOf(result.reading) : result).toMatchObject(expected)
  })

  it.each<[string, string, string]>([
    ['no event is one of A2A', 'data: {"choices":[]}\n\ndata: [DONE]\n\n', 'data_foreign'],
    ['there are more events than are read of one body', 'data: 1\n\n'.repeat(10_001), 'data_malformed'],
  ])('is kept without a reading where %s', (_fact, text, reason) => {
    expect(readPayload({ type: 'a2a.response', operation: 'SendStreamingMessage' }, text)).toMatchObject({ outcome: 'quarantined', reason })
  })

  it('shows the worker no listing of its tasks: every event of it is recorded by itself', () => {
    const text = 'data: {"task":{"id":"t-1","status":{"state":"TASK_STATE_WORKING"}}}\n\n'
    const attributes = { specversion: '1.0', id: 'e', source: 'urn:w', type: 'a2a.response', workerid: 'w1', operation: 'SubscribeToTask' } as const
    const facts = factsOf({ position: 1, recordedAtMs: 0, attributes, correlationId: '~w1', rung: 'synthetic', data: text, digest: undefined }, testCodec)
    expect(facts).toEqual({ stream: [], worker: [] })
  })
})
