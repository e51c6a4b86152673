import { describe, expect, test } from 'vitest'
import { canonicalOf } from './canonical-of.ts'
import { bodies } from '../testing/wire/bodies.ts'
import { readPayload, type ReadContext } from './read.ts'
import type { Reading } from './reading.ts'

const read = (context: ReadContext, text: string): Reading => {
  const result = readPayload(context, text)
  if (result.outcome !== 'read') throw new Error(`${result.reason}: ${result.detail}`)
  return result.reading
}

describe('one small body of every shape (contract §2)', () => {
  test.each(bodies)('$fact', ({ context, text, canonical }) => {
    expect(canonicalOf(read(context, text))).toEqual(canonical)
  })
})

describe('what is kept without a reading (L11)', () => {
  const stream = { type: 'a2a.stream-response' }
  const longId = 'ü'.repeat(1025)
  test.each([
    [
      'a type the contract does not have',
      { type: 'com.example.queue-closed' },
      '{}',
      'unknown_type',
    ],
    ['data of 65 levels', { type: 'a2a.task' }, `{"id":"t","metadata":${'['.repeat(64)}${']'.repeat(64)}}`, 'data_malformed'],
    ['data of more values than are read', { type: 'a2a.task' }, `{"id":"t","metadata":[${'1,'.repeat(500_000)}1]}`, 'data_malformed'],
    ...['artifacts', 'history', 'timeline'].map((list) => [`a task with 10,001 ${list}`, { type: 'a2a.task' }, `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"${list}":[${'{},'.repeat(10_000)}{}]}`, 'data_malformed'] as const),
    ['an artifact with 10,001 parts', { type: 'a2a.artifact-update' }, `{"taskId":"t","artifact":{"parts":[${'{},'.repeat(10_000)}{}]}}`, 'data_malformed'],
    ['an answer about 10,001 tasks', { type: 'a2a.response', operation: 'ListTasks' }, `{"tasks":[${'{"id":"t","status":{}},'.repeat(10_000)}{}]}`, 'data_malformed'],
    ['a JSON-RPC batch of 10,001', { type: 'a2a.response' }, `[${'{"jsonrpc":"2.0"},'.repeat(10_000)}{"jsonrpc":"2.0"}]`, 'data_malformed'],
    ['a frame without a member', stream, '{}', 'data_foreign'],
    ['a task without a member', { type: 'a2a.task' }, '{}', 'data_foreign'],
    [
      'a frame with two members',
      stream,
      '{"task":{"id":"t"},"message":{"role":"user"}}',
      'data_ambiguous',
    ],
    ['a frame whose member is empty', stream, '{"statusUpdate":{}}', 'data_foreign'],
    [
      'a frame that says task and holds a message',
      stream,
      '{"task":{"kind":"message","messageId":"m"}}',
      'data_ambiguous',
    ],
    ['a foreign object', stream, '{"foo":"bar"}', 'data_foreign'],
    ['a kind of no A2A object', stream, '{"kind":"QueueClosedEvent","taskId":"t"}', 'data_foreign'],
    [
      'status and artifact in one object',
      stream,
      '{"taskId":"t","status":{},"artifact":{}}',
      'data_ambiguous',
    ],
    ['a number', stream, '7', 'data_foreign'],
    ['a word that is no answer about a task', { type: 'a2a.response', operation: 'GetTask', taskId: 't' }, '{"status":"error","message":"Task not found"}', 'data_ambiguous'],
    ['nor is a state by itself', { type: 'a2a.response', operation: 'CancelTask', taskId: 't' }, '{"jsonrpc":"2.0","id":1,"result":{"status":"failed","message":"Task not found"}}', 'data_ambiguous'],
    ['an empty status', { type: 'a2a.response', operation: 'GetTask', taskId: 't' }, '{"status":{}}', 'data_ambiguous'],
    ['the number of a gRPC status over nobody knows what', { type: 'a2a.response' }, '{"status":5,"message":"gone"}', 'data_ambiguous'],
    [
      'a state given twice',
      stream,
      '{"taskId":"t","status":{"state":"working","state":"failed"}}',
      'data_ambiguous',
    ],
    [
      'an id given twice',
      stream,
      '{"kind":"task","id":"a","id":"b","status":{}}',
      'data_ambiguous',
    ],
    [
      'two spellings of an id that disagree',
      stream,
      '{"taskId":"a","task_id":"b","status":{}}',
      'data_ambiguous',
    ],
    ['a NUL in an id', stream, String.raw`{"taskId":"t\u0000","status":{}}`, 'id_invalid'],
    ['half an emoji in an id', stream, String.raw`{"taskId":"t\ud83d","status":{}}`, 'id_invalid'],
    ['an id of 1,025 characters', stream, `{"taskId":"${longId}","status":{}}`, 'id_invalid'],
    [
      'result and error together',
      { type: 'a2a.response' },
      '{"jsonrpc":"2.0","result":{"id":"t"},"error":{"code":1}}',
      'data_ambiguous',
    ],
    [
      'a request where an answer belongs',
      { type: 'a2a.response' },
      '{"jsonrpc":"2.0","method":"tasks/get","params":{}}',
      'data_foreign',
    ],
    [
      'a request that sends nothing',
      { type: 'a2a.dispatch' },
      '{"method":"tasks/get","params":{"id":"t"}}',
      'data_foreign',
    ],
    [
      'a request without a message',
      { type: 'a2a.dispatch' },
      '{"configuration":{}}',
      'data_foreign',
    ],
    [
      'a result where an error belongs',
      { type: 'a2a.error' },
      '{"jsonrpc":"2.0","result":{"id":"t"}}',
      'data_foreign',
    ],
    [
      'text with a good status',
      { type: 'a2a.response', httpStatus: 200 },
      'hello',
      'data_malformed',
    ],
    ['no data at all', { type: 'a2a.task' }, '', 'data_missing'],
    [
      'nesting of 1,000 levels',
      { type: 'a2a.task' },
      `${'['.repeat(1000)}${']'.repeat(1000)}`,
      'data_malformed',
    ],
    ['a reason nobody defined', { type: 'a2a.no-answer' }, '{"reason":"bored"}', 'data_foreign'],
    [
      'a list of nothing A2A',
      { type: 'a2a.response', operation: 'ListTasks' },
      '{"tasks":[1,2]}',
      'data_foreign',
    ],
  ] as const)('%s', (_fact, context, text, reason) => {
    expect(readPayload(context, text)).toMatchObject({ outcome: 'quarantined', reason })
  })

  test('an id of 1,024 characters outside the basic plane is an id', () => {
    const id = '😀'.repeat(1024)
    expect(read(stream, `{"taskId":"${id}","status":{}}`)).toMatchObject({ taskId: id })
  })

  test('a duplicate in metadata is none of the deciding ones: the last wins', () => {
    const text =
      '{"kind":"task","id":"t","contextId":"c","status":{"state":"working"},"metadata":{"k":1,"k":2}}'
    expect(read({ type: 'a2a.task' }, text)).toMatchObject({ kind: 'task', notes: [] })
  })
})

describe('readings hold what others need', () => {
  test('a task has its artifacts, history and status message, with their texts', () => {
    const reading = read(
      { type: 'a2a.task' },
      '{"kind":"task","id":"t","contextId":"c","generation":3,"status":{"state":"input-required","timestamp":"2026-05-01T10:00:00+02:00","message":{"role":"agent","messageId":"a","parts":[{"kind":"text","text":"Which"},{"kind":"text","text":"day?"}]}},"artifacts":[{"name":"r","parts":[{"kind":"data","data":{ "a" : [1, "x y"] }}]}],"history":[{"role":"user","messageId":"m","referenceTaskIds":["t-0"],"parts":[]}]}',
    )
    expect(reading).toMatchObject({
      generation: 3,
      status: {
        timestampMs: Date.parse('2026-05-01T08:00:00Z'),
        message: { text: 'Which\nday?', role: 'agent' },
      },
      artifacts: [
        { name: 'r', index: 0, parts: [{ content: { kind: 'data', json: '{"a":[1,"x y"]}' } }] },
      ],
      history: [{ role: 'user', messageId: 'm', referenceTaskIds: ['t-0'] }],
    })
  })

  test.each([
    ['a task', '{"kind":"task","task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}', { kind: 'task', taskId: 't', contextId: 'c', status: { state: 'working' } }],
    ['a status update', '{"kind":"status-update","statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"completed"}}}', { kind: 'status-update', taskId: 't', status: { state: 'completed' } }],
    ['an artifact update', '{"kind":"artifact-update","artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]}}}', { kind: 'artifact-update', taskId: 't' }],
    ['a message', '{"kind":"message","message":{"role":"ROLE_AGENT","messageId":"m","parts":[{"text":"done"}]}}', { kind: 'message', message: { messageId: 'm', text: 'done' } }],
  ])('the discriminator of v0.3 beside the member of v1.0 that says the same: %s', (_, text, reading) => {
    expect(read({ type: 'a2a.stream-response' }, text)).toMatchObject(reading)
  })

  test.each([
    ['without a state', '{"id":"t","contextId":"c","status":{}}'],
    ['with an empty one', '{"id":"t","contextId":"c","status":{"state":""}}'],
    ['without a status', '{"id":"t","contextId":"c","artifacts":[]}'],
  ])('F4: a task %s is unknown, which is how ProtoJSON writes the zero state', (_, text) => {
    expect(read({ type: 'a2a.task' }, text)).toMatchObject({ status: { state: 'unknown', isStateUnknown: false }, notes: [] })
  })

  test('the first claim counts: of the object, then its status message, then its artifacts', () => {
    const claim = (id: string): string =>
      `"metadata":{"urn:a2a-ledger:task-continuity:v1":{"correlationId":"${id}"}}`
    const message = `"message":{"role":"agent","messageId":"a","parts":[],${claim('k-2')}}`
    const artifact = `"artifacts":[{"artifactId":"a","parts":[],${claim('k-3')}}]`
    const body = (own: string): string =>
      `{"kind":"task","id":"t","contextId":"c","status":{"state":"working",${message}},${artifact}${own}}`
    expect(read({ type: 'a2a.task' }, body(`,${claim('k-1')}`)).claim).toEqual({
      correlationId: 'k-1',
    })
    expect(read({ type: 'a2a.task' }, body('')).claim).toEqual({ correlationId: 'k-2' })
  })

  test("a claim in the history is none: it may be another task's", () => {
    const history =
      '"history":[{"role":"user","messageId":"m","parts":[],"metadata":{"urn:a2a-ledger:task-continuity:v1":{"correlationId":"k"}}}]'
    const text = `{"kind":"task","id":"t","contextId":"c","status":{"state":"working"},${history}}`
    expect(read({ type: 'a2a.task' }, text).claim).toBeUndefined()
  })

  test('append and lastChunk of an update are flags, in v0.1 on the artifact', () => {
    const v1 =
      '{"artifactUpdate":{"taskId":"t","contextId":"c","append":true,"lastChunk":true,"artifact":{"artifactId":"a","parts":[]}}}'
    expect(read({ type: 'a2a.stream-response' }, v1)).toMatchObject({
      append: true,
      lastChunk: true,
    })
    const v01 = '{"id":"t","artifact":{"index":0,"append":true,"lastChunk":false,"parts":[]}}'
    expect(read({ type: 'a2a.artifact-update' }, v01)).toMatchObject({
      append: true,
      lastChunk: false,
    })
  })

  test("an id that is no id is not replaced by the envelope's", () => {
    const text = '{"taskId":{"type":"string"},"contextId":"c","status":{"state":"working"}}'
    const reading = read({ type: 'a2a.status-update', taskId: 't-asked' }, text)
    expect(reading).toMatchObject({ notes: ['task_id_missing'] })
    expect(reading).not.toHaveProperty('taskId')
  })

  test('an item of a list reads from its own text as a task event does', () => {
    const item =
      '{ "id" : "t-1", "contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"n":9007199254740993} }'
    const list = read(
      { type: 'a2a.response', operation: 'ListTasks', taskId: 'x' },
      `{"tasks":[${item}]}`,
    )
    expect(list).toMatchObject({ kind: 'task-list', items: [{ json: item }] })
    const items = list.kind === 'task-list' ? list.items : []
    expect(items[0]?.reading).toEqual(read({ type: 'a2a.task', operation: 'ListTasks' }, item))
  })

  test('two artifacts of one snapshot that share an id, or the index of v0.1, are flagged', () => {
    const notesOf = (artifacts: string) =>
      read({ type: 'a2a.task' }, `{"id":"t","status":{"state":"completed"},"artifacts":${artifacts}}`).notes
    expect(notesOf('[{"artifactId":"a","parts":[]},{"artifactId":"a","parts":[]}]')).toContain('artifact_id_repeated')
    expect(notesOf('[{"index":0,"parts":[]},{"index":0,"parts":[]}]')).toContain('artifact_id_repeated')
    expect(notesOf('[{"index":0,"parts":[]},{"index":1,"parts":[]}]')).not.toContain('artifact_id_repeated')
    expect(notesOf('[{"parts":[]},{"parts":[]}]')).not.toContain('artifact_id_repeated')
  })

  test('names of metadata are read, each once, and not what stands under them', () => {
    const task =
      '{"id":"t","status":{"state":"working"},"metadata":{"a":1,"b":{"a":2},"a":3},"artifacts":[{"artifactId":"x","parts":[],"metadata":{"c":null}}]}'
    expect(read({ type: 'a2a.task' }, task)).toMatchObject({ metadataNames: ['a', 'b'], artifacts: [{ metadataNames: ['c'] }] })
    const many = `{"id":"t","status":{"state":"working"},"metadata":{${Array.from({ length: 60 }, (_, n) => `"${'n'.repeat(300)}${n}":${n}`).join()}}}`
    const reading = read({ type: 'a2a.task' }, many)
    expect('metadataNames' in reading ? reading.metadataNames : []).toEqual(['n'.repeat(256)])
    expect(read({ type: 'a2a.task' }, '{"id":"t","status":{"state":"working"},"metadata":{}}')).not.toHaveProperty('metadataNames')
  })

  test('a dispatch says whether it asks for pushes, and with which secrets', () => {
    const text =
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[]},"configuration":{"taskPushNotificationConfig":{"url":"https://x.test","authentication":{"scheme":"Bearer","credentials":"c-1"},"token":"t-1"}}}'
    expect(read({ type: 'a2a.dispatch' }, text)).toMatchObject({
      hasPushConfig: true,
      pushConfigs: [{ secrets: ['t-1', 'c-1'] }],
    })
  })

  test('configurations of a list are all there, of every version', () => {
    const configs =
      '{"configs":[{"taskId":"t","url":"https://x.test","token":"a"},{"taskId":"t","pushNotificationConfig":{"url":"https://x.test","token":"b"}}]}'
    expect(
      read({ type: 'a2a.response', operation: 'ListTaskPushNotificationConfigs' }, configs),
    ).toMatchObject({
      kind: 'nothing',
      pushConfigs: [
        { taskId: 't', secrets: ['a'] },
        { taskId: 't', secrets: ['b'] },
      ],
    })
  })

  test('texts for people are short and well-formed, the content is not touched', () => {
    const text = `x\\u0000${'y'.repeat(3000)}`
    const reading = read(
      { type: 'a2a.message' },
      `{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"${text}"}]}`,
    )
    const message = reading.kind === 'message' ? reading.message : undefined
    expect(message?.text).toHaveLength(2000)
    expect(message?.text.startsWith('x\uFFFDy')).toBe(true)
    expect(message?.parts[0]?.content).toEqual({ kind: 'text', text: `x\u0000${'y'.repeat(3000)}` })
  })
})
