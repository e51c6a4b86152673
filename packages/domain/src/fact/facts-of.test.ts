import { describe, expect, it } from 'vitest'
import type { EventAttributes } from '../event/envelope.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { testCodec } from '../testing/codec.ts'
import type { Fact, TaskFact } from './fact.ts'
import { factsOf, readContextOf, unreadableFact } from './facts-of.ts'

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
    return `${stream.map(({ kind }) => String(kind)).join() || '-'} / ${worker.map(({ kind }) => String(kind)).join() || '-'}`
  }
  const enrolment = { mesh: 'm', trust: 'card', replicas: 2, push: { token: 'secret' } }
  it.each<[string, LedgerEvent, string]>([
    ['F1 an answer to GetTask says something of the task and of the route', event(getTask, rpc(task())), 'report / answered'],
    ['F1 GetTask by the name that v0.3 gave it is GetTask', event({ type: 'a2a.response', operation: 'tasks/get' }, rpc(task())), 'report / answered'],
    ['F1 an answer to another operation says nothing of the route', event({ type: 'a2a.response', operation: 'SendMessage' }, rpc({ task: task() })), 'report / -'],
    ['F1 a dispatch', event({ type: 'a2a.dispatch', operation: 'SendMessage' }, { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] } }), 'dispatch / -'],
    ['F1 an error', event({ ...getTask, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } }), 'error / -'],
    ['F1 an artifact update', event({ type: 'a2a.artifact-update' }, { taskId: 't-1', contextId: 'c-1', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }), 'artifact / -'],
    ['F1 a message', event({ type: 'a2a.message', operation: 'SendMessage' }, { role: 'ROLE_AGENT', messageId: 'a-1', parts: [{ text: 'x' }] }), 'message / -'],
    ['F1 no answer', event({ type: 'a2a.no-answer', operation: 'SendMessage' }, { reason: 'timeout' }), 'no-answer / -'],
    ['F1 a stream that ended', event({ type: 'a2a.stream-ended', taskid: 't-1' }, { reason: 'reset' }), 'stream-ended / -'],
    ['F1 a conclusion', event({ type: 'orchestrator.conclusion' }, { state: 'failed' }), 'conclusion / -'],
    ['K6 a link is a fact of the stream alone', event({ type: 'ledger.correlation-linked' }, { from: '~w1/t-1', to: 'k' }), 'linked / -'],
    ['K6 so are events that go elsewhere', event({ type: 'ledger.correlation-moved' }, { from: 'k', to: 'real', workerId: 'w1', taskId: 't-1', since: 4, because: 5 }), 'moved / -'],
    ['V4 a verdict', event({ type: 'reconciler.verdict' }, { decisionId: 'd'.repeat(64), kind: 'unreconcilable', state: 'indeterminate', because: [3], considered: [], duplicateRisk: 'possible', question: { workerId: 'w1', openedAt: 3 } }), 'verdict / -'],
    ['V8 what a person said to it', event({ type: 'reconciler.verdict-approved' }, { decisionId: 'd', answer: 'approved', by: 'ann' }), 'approval / -'],
    ['V8 an intent to send', event({ type: 'reconciler.dispatch-intent' }, { decisionId: 'd', purpose: 'send', n: 0, actor: 'caller', workerId: 'w1', messageId: 'm-3', ttlMs: 5_000 }), 'intent / -'],
    ['V8 what became of it', event({ type: 'reconciler.dispatch-settled' }, { decisionId: 'd', intentId: 'i-1', outcome: 'sent' }), 'intent-settled / -'],
    ['V8 that an attempt that lost is canceled', event({ type: 'reconciler.cancel', taskid: 't-1' }, { phase: 'intended', workerId: 'w1', taskId: 't-1', decisionId: 'd', winner: { workerId: 'w2' }, ttlMs: 5_000 }), 'cancel / -'],
    ['F2 a restart is a fact of the worker alone', event({ type: 'a2a.worker-restarted' }, {}), '- / restart'],
    ['F2 a card is a fact of the worker alone', event({ type: 'a2a.agent-card' }, { name: 'n' }), '- / card'],
    ['F2 an enrolment is a fact of the worker alone', event({ type: 'reconciler.worker-enrolled' }, enrolment), '- / enrolled'],
    ['F1 L13 an answer about many tasks says which were there: what it says of each is in an event of its own', event({ type: 'a2a.response', operation: 'ListTasks' }, rpc({ tasks: [task()] })), '- / listed'],
    ['F1 a result that is missing is recorded and says nothing', event(getTask, rpc(null)), 'nothing / -'],
    ['F1 data that was erased leaves the task incomplete', event(getTask, rpc(task()), { data: undefined }), 'unreadable / -'],
    ['F1 an event of ours that no fold reads says nothing', event({ type: 'reconciler.capability' }, {}), '- / -'],
    ['V3 a moment of a probe is a fact of the worker alone', event({ type: 'reconciler.probe-step' }, { phase: 'closed', probeId: 'p', state: 'done' }), '- / probe-step'],
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
    expect(fact).toMatchObject({ kind: 'nothing', channel: 'answer', taskId: 't-9', notes: ['task_id_mismatch'] })
  })

  it('to a send is a new task all the same', () => {
    const send = { type: 'a2a.response', operation: 'SendMessage', taskid: 't-9' }
    expect(factOf(event(send, rpc({ task: task() })))).toMatchObject({ kind: 'report', taskId: 't-1' })
  })
})

describe('F1 what a fact keeps of the envelope', () => {
  const told = {
    operation: 'GetTask',
    binding: 'JSONRPC',
    scope: 's-1',
    instance: 'i-1',
    messageid: 'm-1',
    streamid: 'st-1',
    sequence: '7',
    lastobserved: 'TASK_STATE_WORKING',
    parentcorrelationid: 'k-0',
    taskid: 't-1',
  }

  it('F1 everything that a rule reads, and nothing else', () => {
    const refusal = { code: 'correlation_claimed', correlationId: 'k-2' } as const
    expect(factOf(event({ type: 'a2a.stream-ended', ...told }, { reason: 'reset' }, { refused: refusal, derivedFrom: 3 }))).toEqual({
      position: 7,
      source: 'orchestrator',
      atMs,
      recordedAtMs: atMs + 1_000,
      workerId: 'w1',
      taskId: 't-1',
      operation: 'GetTask',
      binding: 'JSONRPC',
      scope: 's-1',
      instance: 'i-1',
      messageId: 'm-1',
      streamId: 'st-1',
      sequence: '7',
      believed: 'working',
      parentCorrelationId: 'k-0',
      refused: refusal,
      derivedFrom: 3,
      kind: 'stream-ended',
      reason: 'reset',
    })
  })

  it('F1 no member for what the envelope does not state', () => {
    const { workerid: _workerid, ...attributes } = event({ type: 'orchestrator.conclusion' }, {}).attributes
    expect(factOf(event({ type: 'orchestrator.conclusion' }, { state: 'failed' }, { attributes }))).toEqual({
      position: 7,
      source: 'orchestrator',
      atMs,
      recordedAtMs: atMs + 1_000,
      kind: 'conclusion',
      state: 'failed',
    })
  })

  it.each<[string, Told, unknown, Record<string, unknown>, readonly string[]]>([
    ['F4 a believed state that is no state of A2A is not believed', { ...getTask, lastobserved: 'sleeping' }, rpc(task()), {}, ['believed']],
    ['F4 the version that the payload tells', getTask, rpc(task()), { protocolVersion: '1.0', isVersionTold: true }, ['isVersionStated']],
    ['F4 the version that the envelope states', { type: 'a2a.no-answer', protocolversion: '0.3.0' }, { reason: 'timeout' }, { protocolVersion: '0.3', isVersionStated: true }, ['isVersionTold']],
  ])('%s', (_fact, attributes, data, has, lacks) => {
    const fact = factOf(event(attributes, data))
    expect(fact).toMatchObject(has)
    for (const name of lacks) expect(fact).not.toHaveProperty(name)
  })

  it('F6 a payload is read with what the envelope says of it', () => {
    const attributes = { ...told, type: 'a2a.error', protocolversion: '1.0', httpstatus: '404' }
    expect(readContextOf(event(attributes, {}))).toEqual({
      type: 'a2a.error',
      operation: 'GetTask',
      protocolVersion: '1.0',
      binding: 'JSONRPC',
      httpStatus: 404,
      taskId: 't-1',
    })
    expect(readContextOf(event({ type: 'a2a.error' }, {}))).toEqual({ type: 'a2a.error' })
  })
})

describe('F1 what a fact keeps of the payload', () => {
  const base = { position: 7, source: 'orchestrator', atMs, recordedAtMs: atMs + 1_000, workerId: 'w1', protocolVersion: '1.0' }
  const text = 'x'.repeat(600)
  const artifact = { artifactId: 'a-1', name: 'report', parts: [{ text: 'four' }, { text: 'ty' }, { url: 'https://a.example/x', mediaType: 'image/png' }] }
  const asked = (said: string) => ({ role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: said }] })
  const say = (parts: readonly unknown[], rest: object = {}) => ({ role: 'ROLE_AGENT', messageId: 'a-1', parts, ...rest })

  it('F1 a snapshot: state, words, artifacts, and the message it answers', () => {
    const data = rpc(
      task(
        { state: 'TASK_STATE_WORKING', timestamp: at, message: say([{ text }]) },
        {
          artifacts: [{ artifactId: 'a-0', parts: [{ text: '' }] }, artifact],
          history: [
            { role: 'ROLE_USER', messageId: 'm-0', parts: [{ text: 'a' }] },
            { role: 'ROLE_USER', messageId: 'm-1', taskId: 't-1', parts: [{ text: 'a' }] },
            { role: 'ROLE_USER', messageId: 'm-2', taskId: 't-8', parts: [{ text: 'a' }] },
            { role: 'ROLE_AGENT', messageId: 'm-3', parts: [{ text: 'b' }] },
          ],
        },
      ),
    )
    const { stream, worker } = factsOf(event(getTask, data), testCodec)
    expect(stream).toEqual([
      {
        ...base,
        isVersionTold: true,
        operation: 'GetTask',
        taskId: 't-1',
        kind: 'report',
        form: 'snapshot',
        channel: 'answer',
        contextId: 'c-1',
        state: 'working',
        stateOnWire: 'TASK_STATE_WORKING',
        statusAtMs: atMs,
        hasMessage: true,
        text: 'x'.repeat(500),
        historyMessageId: 'm-1',
        pieces: [
          { artifactId: 'a-0', index: 0, at: 0, mediaTypes: ['text/plain'], bytes: 0, digest: testCodec.sha256Hex('') },
          { artifactId: 'a-1', name: 'report', index: 1, at: 1, mediaTypes: ['text/plain', 'image/png'], bytes: 6, digest: testCodec.sha256Hex('forty'.replace('for', 'four')), isLinked: true },
        ],
      },
    ])
    expect(worker).toEqual([expect.objectContaining({ ...base, kind: 'answered', operation: 'GetTask', taskId: 't-1' })])
  })

  it('F1 an update has no artifacts; a message without text says nothing', () => {
    const fact = factOf(event({ type: 'a2a.status-update', operation: 'Push' }, update({ state: 'TASK_STATE_NAPPING', message: say([{ data: { a: 1 } }]) }).statusUpdate))
    expect(fact).toMatchObject({ kind: 'report', form: 'update', state: 'unknown', stateOnWire: 'TASK_STATE_NAPPING', isStateUnknown: true, hasMessage: true, saysBeyondText: true })
    for (const name of ['pieces', 'text', 'historyMessageId', 'statusAtMs', 'generation']) expect(fact).not.toHaveProperty(name)
    expect(factOf(event(getTask, rpc(task())))).not.toHaveProperty('hasMessage')
    expect(factOf(event(getTask, rpc(task())))).not.toHaveProperty('isStateUnknown')
  })

  it.each<[string, readonly unknown[], boolean]>([
    ['not in text', [{ text: 'busy' }], false],
    ['in data beside text', [{ text: 'busy' }, { data: { a: 1 } }], true],
    ['not without a part', [], false],
  ])('F1 what a message says beyond text: %s', (_fact, parts, saysBeyondText) => {
    const fact = factOf(event({ type: 'a2a.status-update', operation: 'Push' }, update({ state: 'TASK_STATE_WORKING', message: say(parts) }).statusUpdate))
    expect(fact).toMatchObject({ hasMessage: true })
    expect('saysBeyondText' in fact && fact.saysBeyondText).toBe(saysBeyondText)
  })

  it('F3 the generation of A2A 1.1 is kept', () => {
    expect(factOf(event(getTask, rpc(task({ state: 'TASK_STATE_WORKING' }, { generation: 4 }))))).toMatchObject({ generation: 4 })
  })

  it('F3 what a worker claims of its past is kept, where it claims anything', () => {
    const timeline = [{ generation: 1, status: { state: 'TASK_STATE_WORKING' } }]
    expect(factOf(event(getTask, rpc(task(undefined, { timeline }))))).toMatchObject({ state: 'working', timeline: { states: ['working'], isWhole: true } })
    expect(factOf(event(getTask, rpc(task())))).not.toHaveProperty('timeline')
  })

  it.each<[string, Told, unknown, Record<string, unknown>]>([
    ['F18 a chunk', { type: 'a2a.artifact-update', operation: 'SubscribeToTask' }, { taskId: 't-1', contextId: 'c-1', artifact, append: true, lastChunk: true }, { kind: 'artifact', channel: 'update', taskId: 't-1', contextId: 'c-1', append: true, lastChunk: true, piece: { artifactId: 'a-1', name: 'report', at: 0, bytes: 6, isLinked: true } }],
    ['F18 a chunk says nothing of append and end: it begins one, and more may come', { type: 'a2a.artifact-update' }, { taskId: 't-1', contextId: 'c-1', artifact }, { append: false, lastChunk: false }],
    ['F3 a chunk of a task that only the envelope names', { type: 'a2a.artifact-update', taskid: 't-1' }, { contextId: 'c-1', artifact }, { kind: 'artifact', taskId: 't-1' }],
    ['F3 a report of a task that only the envelope names', { type: 'a2a.status-update', taskid: 't-1' }, { contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } }, { kind: 'report', taskId: 't-1' }],
    ['F13 a message', { type: 'a2a.message', operation: 'SendMessage' }, say([{ text }], { contextId: 'c-1', taskId: 't-1' }), { kind: 'message', channel: 'answer', taskId: 't-1', contextId: 'c-1', ownMessageId: 'a-1', text: 'x'.repeat(500), piece: { index: 0, at: 0, bytes: 600, mediaTypes: ['text/plain'] } }],
    ['F6 an error: name, code, evidence and words', { ...getTask, taskid: 't-1', httpstatus: '200' }, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: `Task not found ${text}` } }, { kind: 'error', taskId: 't-1', name: 'TaskNotFound', codeSpace: 'jsonrpc', code: -32001, evidence: 'strong', notFound: 'named', isJsonRpc: true, httpStatus: 200 }],
    ['F6 an error of a gateway', { ...getTask, httpstatus: '502' }, '<html><body>502 Bad Gateway</body></html>', { kind: 'error', isFromGateway: true, httpStatus: 502, evidence: 'none' }],
    ['F8 an error that claims an end', { type: 'a2a.response', operation: 'CancelTask', taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'Task is in a terminal state: completed' } }, { kind: 'error', saysTerminal: true }],
    ['F6 an error that tells of a timeout', { ...getTask, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Request timed out' } }, { kind: 'error', saysTimeout: true }],
    ['F13 a dispatch into a task that only the envelope names', { type: 'a2a.dispatch', operation: 'SendMessage', taskid: 't-1', messageid: 'm-9' }, { message: { role: 'ROLE_USER', parts: [{ text: 'a' }] } }, { kind: 'dispatch', taskId: 't-1', namedTaskId: 't-1', sentMessageId: 'm-9', hasPushConfig: false, contentDigest: testCodec.sha256Hex('a') }],
    ['F13 a dispatch with references and a push configuration', { type: 'a2a.dispatch', operation: 'SendMessage' }, { message: { role: 'ROLE_USER', messageId: 'm-1', referenceTaskIds: Array.from({ length: 25 }, (_, n) => `t-${n}`), parts: [{ text: 'a' }] }, configuration: { taskPushNotificationConfig: { url: 'https://a.example/push' } } }, { hasPushConfig: true, referenceTaskIds: Array.from({ length: 20 }, (_, n) => `t-${n}`) }],
    ['V8 a dispatch that says who is to act when it is lost, and whether it may be repeated', { type: 'a2a.dispatch', operation: 'SendMessage' }, { message: { ...asked('a'), metadata: { 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'k', redispatch: 'auto', redispatchSafety: 'idempotent', cancelLoser: true } } } }, { redispatch: 'auto', redispatchSafety: 'idempotent', cancelLoser: true }],
    ['V3 a step of a probe', { type: 'reconciler.probe-step' }, { phase: 'begun', probeId: 'p-1', step: 'send', attempt: 1, owner: 'o', untilMs: 5 }, { kind: 'probe-step', workerId: 'w1', moment: { phase: 'begun', step: 'send' } }],
    ['F13 no answer', { type: 'a2a.no-answer', operation: 'SendMessage' }, { reason: 'refused' }, { kind: 'no-answer', reason: 'refused' }],
    ['F13 an answer that says nothing', { type: 'a2a.response', operation: 'SendMessage' }, rpc({}), { kind: 'nothing', channel: 'answer', notes: ['result_missing'] }],
    ['F13 an event of a stream that says nothing', { type: 'a2a.stream-response', operation: 'SendStreamingMessage' }, rpc({}), { kind: 'nothing', channel: 'update', notes: ['result_missing'] }],
    ['V1 a conclusion, and why', { type: 'orchestrator.conclusion' }, { state: 'failed', because: text }, { kind: 'conclusion', state: 'failed', because: 'x'.repeat(500) }],
    ['K6 a link', { type: 'ledger.correlation-linked' }, { from: '~w1/t-1', to: 'k', taskId: 't-1' }, { kind: 'linked', from: '~w1/t-1', to: 'k' }],
    ['K6 the end of a link', { type: 'ledger.correlation-unlinked' }, { from: '~w1/t-1', to: 'k' }, { kind: 'unlinked', from: '~w1/t-1', to: 'k' }],
    ['K6 a link that a person made, and why', { type: 'ledger.correlation-linked' }, { from: '~w1/t-1', to: 'k', by: 'ann', because: text }, { kind: 'linked', by: 'ann', because: 'x'.repeat(500) }],
    ['K6 events that go elsewhere', { type: 'ledger.correlation-moved' }, { from: 'k', to: 'real', workerId: 'w2', taskId: 't-1', since: 4, because: 5 }, { kind: 'moved', from: 'k', to: 'real', workerId: 'w2', taskId: 't-1', since: 4 }],
    ['F18 names of metadata, of a task and of an artifact', getTask, rpc(task(undefined, { metadata: { cost: 1, tier: 2 }, artifacts: [{ ...artifact, metadata: { lang: 'en' } }] })), { metadataNames: ['cost', 'tier'], pieces: [{ metadataNames: ['lang'] }] }],
    ['K3 what the task was sent, where its history holds one message of the client', getTask, rpc(task(undefined, { history: [asked('a'), say([{ text: 'b' }])] })), { historyContentDigest: testCodec.sha256Hex('a') }],
    ['F3 a task that is named by both is the one of the payload', { type: 'a2a.artifact-update', taskid: 't-9' }, { taskId: 't-1', contextId: 'c-1', artifact }, { taskId: 't-1' }],
    ['F6 an error that names its task itself', getTask, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found', data: [{ metadata: { taskId: 't-7' } }] } }, { kind: 'error', taskId: 't-7' }],
    ['V2 an enrolment', { type: 'reconciler.worker-enrolled' }, { mesh: 'm', trust: 'card', replicas: 2, owner: 'team', substitutes: ['w2'], push: { token: 'secret', tee: true }, observe: { enabled: true } }, { kind: 'enrolled', workerId: 'w1', mesh: 'm', trust: 'card', replicas: 2, owner: 'team', substitutes: ['w2'], hasPushToken: true, isPushTeed: true, settings: { observe: { enabled: true } } }],
    ['F9 a restart, and of which replica', { type: 'a2a.worker-restarted', instance: 'i-1' }, {}, { kind: 'restart', workerId: 'w1', instance: 'i-1' }],
  ])('%s', (_fact, attributes, data, expected) => {
    expect(factOf(event(attributes, data))).toMatchObject(expected)
  })

  it.each<[string, Told, unknown, readonly string[]]>([
    ['F6 an error says of itself only what it shows', { ...getTask, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } }, ['isFromGateway', 'saysTerminal', 'saysTimeout', 'httpStatus']],
    ['F6 an error that is no not-found tells none', { ...getTask, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } }, ['notFound']],
    ['F6 an error of a gateway is no JSON-RPC', { ...getTask, httpstatus: '502' }, '<html><body>502 Bad Gateway</body></html>', ['isJsonRpc', 'taskId']],
    ['F13 a plain dispatch names no task', { type: 'a2a.dispatch', operation: 'SendMessage' }, { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] } }, ['taskId', 'namedTaskId', 'contextId', 'acceptedModes', 'skill', 'referenceTaskIds']],
    ['K6 a link for a reason that is an event says neither who nor why', { type: 'ledger.correlation-linked' }, { from: '~w1/t-1', to: 'k', because: 12 }, ['by', 'because']],
    ['K3 of two messages of the client neither is what it was sent', getTask, rpc(task(undefined, { history: [asked('a'), asked('b')] })), ['historyContentDigest']],
    ['K3 a message without content is not', getTask, rpc(task(undefined, { history: [asked('')] })), ['historyContentDigest']],
    ['K3 a message of the agent is not', getTask, rpc(task(undefined, { history: [say([{ text: 'b' }])] })), ['historyContentDigest', 'historyMessageId']],
    ['F13 no trace, no trace id; no belief, none', { type: 'a2a.dispatch', operation: 'SendMessage' }, { message: asked('a') }, ['traceId', 'believed']],
    ['V2 an empty enrolment changes nothing', { type: 'reconciler.worker-enrolled' }, {}, ['mesh', 'trust', 'replicas', 'owner', 'substitutes', 'hasPushToken', 'settings']],
  ])('%s', (_fact, attributes, data, lacks) => {
    const fact = factOf(event(attributes, data))
    for (const name of lacks) expect(fact).not.toHaveProperty(name)
  })

  it('L11 at most 500 characters of a text are kept', () => {
    const { text: kept } = factOf(event({ ...getTask, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32001, message: text } })) as { text: string }
    expect([kept, unreadableFact(event(getTask, null), text).detail]).toEqual(['x'.repeat(500), 'x'.repeat(500)])
  })

  it('K6 of a link nothing else is kept', () => {
    expect(factOf(event({ type: 'ledger.correlation-linked' }, { from: '~w1/t-1', to: 'k' }))).toStrictEqual({ position: 7, source: 'orchestrator', atMs, recordedAtMs: atMs + 1_000, workerId: 'w1', kind: 'linked', from: '~w1/t-1', to: 'k' })
  })

  it('V4 a verdict, with and without what it may lack', () => {
    const question = { workerId: 'w1', taskId: 't-1', openedAt: 3 }
    const given = { decisionId: 'd'.repeat(64), kind: 'redispatch', state: 'indeterminate', lastObserved: 'working', workerId: 'w2', because: [3], considered: [{ workerId: 'w2', eligible: true }, { workerId: 'w1', eligible: false, because: 'lost_it' }], duplicateRisk: 'possible', actor: 'ledger', mesh: 'm', insteadOf: 'former', question }
    const { lastObserved: _last, workerId: _worker, actor: _actor, mesh: _mesh, insteadOf: _former, ...bare } = { ...given, kind: 'unreconcilable', question: { workerId: 'w1', openedAt: 3 } }
    const read = (data: unknown) => factOf(event({ type: 'reconciler.verdict' }, data))
    const fact = { kind: 'verdict', decisionId: given.decisionId, askedWorkerId: 'w1', openedAt: 3, because: [3], considered: given.considered, duplicateRisk: 'possible' }
    expect(read(given)).toMatchObject({ ...fact, verdict: 'redispatch', askedTaskId: 't-1', targetWorkerId: 'w2', lastObserved: 'working', actor: 'ledger', mesh: 'm', insteadOf: 'former' })
    expect(read(bare)).toMatchObject({ ...fact, verdict: 'unreconcilable' })
    for (const name of ['askedTaskId', 'targetWorkerId', 'lastObserved', 'counts', 'actor', 'mesh', 'insteadOf']) expect(read(bare)).not.toHaveProperty(name)
  })

  it('V8 an intent holds from its moment of recording, whatever its own time says', () => {
    const data = { decisionId: 'd', purpose: 'redispatch', n: 0, by: 'o1', actor: 'caller', workerId: 'w3', messageId: 'm-3', contentDigest: 'c', mesh: 'm', ttlMs: 5_000 }
    const recorded = event({ type: 'reconciler.dispatch-intent', id: 'i-1', workerid: 'w3', time: '2020-01-01T00:00:00Z' }, data)
    const fact = { kind: 'intent', workerId: 'w3', intentId: 'i-1', decisionId: 'd', purpose: 'redispatch', by: 'o1', actor: 'caller', sentMessageId: 'm-3', contentDigest: 'c', mesh: 'm' }
    expect(factOf(recorded)).toMatchObject({ ...fact, untilMs: recorded.recordedAtMs + 5_000 })
    const { by: _by, contentDigest: _digest, mesh: _mesh, ...bare } = data
    for (const name of ['by', 'contentDigest', 'mesh']) expect(factOf({ ...recorded, data: JSON.stringify(bare) })).not.toHaveProperty(name)
  })

  it('V8 what became of an intent names no attempt: a task id in it is what somebody says', () => {
    const read = (data: unknown) => factOf(event({ type: 'reconciler.dispatch-settled' }, data))
    expect(read({ decisionId: 'd', intentId: 'i-1', outcome: 'sent', taskId: 't-9' })).toMatchObject({ kind: 'intent-settled', intentId: 'i-1', outcome: 'sent', sentTaskId: 't-9' })
    expect(read({ decisionId: 'd', intentId: 'i-1', outcome: 'sent', taskId: 't-9' })).not.toHaveProperty('taskId')
    expect(read({ decisionId: 'd', intentId: 'i-1', outcome: 'not-sent', because: 'our rules' })).toMatchObject({ outcome: 'not-sent', because: 'our rules' })
    for (const name of ['sentTaskId', 'because']) expect(read({ decisionId: 'd', intentId: 'i-1', outcome: 'not-sent' })).not.toHaveProperty(name)
  })

  it('V8 what a person said to a decision, with and without a reason', () => {
    const read = (data: unknown) => factOf(event({ type: 'reconciler.verdict-approved' }, data))
    expect(read({ decisionId: 'd', answer: 'declined', by: 'ann', because: 'too late' })).toMatchObject({ kind: 'approval', decisionId: 'd', answer: 'declined', by: 'ann', because: 'too late' })
    expect(read({ decisionId: 'd', answer: 'approved', by: 'ann' })).not.toHaveProperty('because')
  })
})

describe('V8 whether the loser is canceled', () => {
  it.each([['true'], [1], [null]])('V8 %j says nothing', (cancelLoser) => {
    const metadata = { 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'k', cancelLoser } }
    expect(factOf(event({ type: 'a2a.dispatch', operation: 'SendMessage' }, { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }], metadata } }))).not.toHaveProperty('cancelLoser')
  })
})

describe('F2 what a card promises', () => {
  const extension = { uri: 'urn:a2a-ledger:task-continuity:v1', params: { reachableStates: ['working', 'completed'], resumableStates: ['working'], taskRetentionSeconds: 60, idempotency: { key: 'messageId', windowSeconds: 60 }, redispatchSafety: 'idempotent' } }
  const full = {
    name: 'writer',
    description: 'writes',
    version: '2.1',
    supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { extensions: [extension] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'write', name: 'write', description: 'writes', tags: ['a'] }],
  }
  const read = (data: unknown, cachecontrol?: string) =>
    factOf(event({ type: 'a2a.agent-card', ...(cachecontrol !== undefined && { cachecontrol }) }, data))

  it('V1 everything that is held against the worker later', () => {
    expect(read(full)).toMatchObject({
      kind: 'card',
      workerId: 'w1',
      isValid: true,
      missing: [],
      name: 'writer',
      version: '2.1',
      protocolVersions: ['1.0'],
      outputModes: ['text/plain'],
      skills: [{ id: 'write' }],
      reachableStates: ['working', 'completed'],
      resumableStates: ['working'],
      retentionSeconds: 60,
      idempotencyKey: 'messageId',
      idempotencyWindowMs: 60_000,
      redispatchSafety: 'idempotent',
      isSigned: false,
    })
  })

  it('V1 that calls can go around a proxy', () => {
    const grpc = { url: 'grpc.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' }
    expect(read({ ...full, supportedInterfaces: [...full.supportedInterfaces, grpc] })).toMatchObject({ offersGrpc: true })
  })

  it('V1 a card that lacks what is required is not valid, and has no member for it', () => {
    const fact = read({ description: 'nameless' })
    expect(fact).toMatchObject({ isValid: false, missing: expect.arrayContaining(['name']) })
    for (const name of ['name', 'version', 'reachableStates', 'resumableStates', 'retentionSeconds', 'idempotencyKey', 'idempotencyWindowMs', 'redispatchSafety', 'offersGrpc', 'maxAgeMs']) expect(fact).not.toHaveProperty(name)
  })

  it.each<[string, string | undefined, number | undefined]>([
    ['V3 seconds of max-age', 'max-age=60', 60_000],
    ['V3 among others, in any case', 'public , Max-Age=60', 60_000],
    ['V3 the longest that is a number of seconds', 'max-age=9999999999', 9_999_999_999_000],
    ['V3 longer than that is nothing we know', 'max-age=10000000000', undefined],
    ['V3 no-store is no time at all', 'max-age=60, no-store', 0],
    ['V3 no-cache is no time at all', 'no-cache', 0],
    ['V3 what is no number states none', 'max-age=soon', undefined],
    ['V3 a number with a tail states none', 'max-age=60s', undefined],
    ['V3 an empty one states none', 'max-age=', undefined],
    ['V3 the age of shared caches is another', 's-maxage=60', undefined],
    ['V3 other directives state none', 'public', undefined],
    ['V3 none is stated', undefined, undefined],
  ])('%s', (_fact, cacheControl, maxAgeMs) => {
    const fact = read(full, cacheControl)
    expect(fact.kind === 'card' ? fact.maxAgeMs : fact.kind).toBe(maxAgeMs)
  })
})

describe('F9 which way a payload came', () => {
  it.each<[string, Told, unknown, string]>([
    ['F9 a status update in an answer to GetTask came of its own accord', { type: 'a2a.status-update', operation: 'GetTask' }, update({ state: 'TASK_STATE_WORKING' }).statusUpdate, 'update'],
    ['F9 an artifact update to a send too', { type: 'a2a.artifact-update', operation: 'SendMessage' }, { taskId: 't-1', contextId: 'c-1', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }, 'update'],
    ['F9 a whole answer to a stream call is an answer', { type: 'a2a.response', operation: 'SendStreamingMessage' }, rpc({ task: task() }), 'answer'],
    ['F9 whatever came on a subscription is an update', { type: 'a2a.response', operation: 'SubscribeToTask' }, rpc({ task: task() }), 'update'],
    ['F9 a task on a stream of a send is an update', { type: 'a2a.task', operation: 'SendStreamingMessage' }, task(), 'update'],
    ['F9 what a worker emits as a task is an update', { type: 'a2a.task', operation: 'Emit' }, task(), 'update'],
    ['F9 a response that nobody says the operation of is an answer', { type: 'a2a.response' }, rpc(task()), 'answer'],
    ['F9 a stream response to GetTask is an update', { type: 'a2a.stream-response', operation: 'GetTask' }, { task: task() }, 'update'],
  ])('%s', (_fact, attributes, data, channel) => {
    const fact = factOf(event(attributes, data))
    expect('channel' in fact ? fact.channel : fact.kind).toBe(channel)
  })
})

describe('L11 what cannot be read or attributed', () => {
  const without = (given: LedgerEvent): LedgerEvent => {
    const { workerid: _workerid, ...attributes } = given.attributes
    return { ...given, attributes }
  }
  it('L11 a body that cannot be read back is no fact, and says why', () => {
    expect(() => factsOf(event(getTask, 'hello'), testCodec)).toThrow(/^\w+: \S/)
  })

  it('L11 an enrolment of nobody is no fact', () => {
    expect(() => factsOf(without(event({ type: 'reconciler.worker-enrolled' }, {})), testCodec)).toThrow('workerid')
  })

  it.each<[string, LedgerEvent, unknown]>([
    ['L11 a restart of nobody says nothing', without(event({ type: 'a2a.worker-restarted' }, {})), { stream: [], worker: [] }],
    ['L11 a card of nobody says nothing', without(event({ type: 'a2a.agent-card' }, { name: 'n' })), { stream: [], worker: [] }],
    ['K5 an answer about many tasks is told task by task', event({ type: 'a2a.response', operation: 'ListTasks' }, rpc({ tasks: [task()] })), { stream: [], worker: [expect.objectContaining({ kind: 'listed', taskId: 't-1' })] }],
    ['L13 a listing names each task once, as it was said last, and what it says nothing of not at all', event({ type: 'a2a.response', operation: 'ListTasks' }, rpc({ tasks: [task(), { id: 't-2', contextId: 'c-1' }, { contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } }, task({ state: 'TASK_STATE_COMPLETED' })] })), { stream: [], worker: [expect.objectContaining({ kind: 'listed', taskId: 't-1', state: 'completed' })] }],
    ['L13 the body of a stream is no listing', event({ type: 'a2a.response', operation: 'SendStreamingMessage' }, null, { data: `data: ${JSON.stringify(rpc({ task: task() }))}\n\n` }), { stream: [], worker: [] }],
    ['L13 a listing of nobody says nothing', without(event({ type: 'a2a.response', operation: 'ListTasks' }, rpc({ tasks: [task()] }))), { stream: [], worker: [] }],
    ['L11 a missing result in no stream says nothing', event(getTask, rpc(null), { correlationId: '' }), { stream: [], worker: [] }],
    ['V2 the policy of a mesh is none of a task', event({ type: 'reconciler.mesh-policy' }, { mesh: 'm', redispatch: 'advise' }), { stream: [], worker: [], mesh: expect.objectContaining({ mesh: 'm' }) }],
    ['L11 an event of ours that no fold reads says nothing', event({ type: 'reconciler.capability' }, {}), { stream: [], worker: [] }],
  ])('%s', (_fact, given, expected) => {
    expect(factsOf(given, testCodec)).toEqual(expected)
  })

  it.each<[string, LedgerEvent]>([
    ['F7 a pushed task proves no route', event({ type: 'a2a.task', operation: 'Push' }, task())],
    ['F7 an update proves no route', event({ type: 'a2a.status-update', operation: 'GetTask' }, update({ state: 'TASK_STATE_WORKING' }).statusUpdate)],
    ['F7 the answer of nobody proves no route', without(event(getTask, rpc(task())))],
    ['F2 a report is no fact of the worker', event({ type: 'a2a.response', operation: 'CancelTask' }, rpc(task()))],
  ])('%s', (_fact, given) => {
    expect(factsOf(given, testCodec).worker).toEqual([])
  })

  it('F3 an event and its stamp ahead of time are noted once', () => {
    const fact = factOf(event({ ...getTask, time: '2026-11-01T10:01:00.000Z' }, rpc(task({ state: 'TASK_STATE_WORKING', timestamp: '2026-11-01T10:02:00.000Z' }))))
    expect(fact.notes?.filter((note) => note === 'timestamp_in_future')).toHaveLength(1)
  })

  it('K3 a user message of another task, or without an id, is not the one that is answered', () => {
    const history = (last: object) => [{ role: 'ROLE_USER', messageId: 'm-0', parts: [{ text: 'a' }] }, { role: 'ROLE_USER', parts: [{ text: 'a' }], ...last }]
    const answers = [{}, { messageId: 'm-1', taskId: 't-9' }, { messageId: 'm-1' }].map((last) => {
      const fact = factOf(event(getTask, rpc(task(undefined, { history: history(last) }))))
      return fact.kind === 'report' ? fact.historyMessageId : fact.kind
    })
    expect(answers).toEqual(['m-0', 'm-0', 'm-1'])
  })

  it.each([['explicit', undefined], ['claim', 'claim'], ['task-link', 'link']] as const)('K6 what put the event here, rung %s: %s', (rung, placed) => {
    expect((factOf(event(getTask, rpc(task()), { rung })) as TaskFact).placed).toBe(placed)
  })

  it('F13 what the payload names counts before what the envelope names', () => {
    const fact = factOf(event({ type: 'a2a.dispatch', operation: 'SendMessage', taskid: 't-9', messageid: 'm-9' }, { message: { role: 'ROLE_USER', messageId: 'm-1', taskId: 't-1', contextId: 'c-1', parts: [{ text: 'a' }] } }))
    expect(fact).toMatchObject({ taskId: 't-1', namedTaskId: 't-1', sentMessageId: 'm-1' })
  })

  it('V4 a verdict that was cut keeps the full lengths', () => {
    const data = { decisionId: 'd'.repeat(64), kind: 'unreconcilable', state: 'indeterminate', because: [3], considered: [], counts: { because: 30 }, duplicateRisk: 'possible', question: { workerId: 'w1', openedAt: 3 } }
    expect(factOf(event({ type: 'reconciler.verdict' }, data))).toMatchObject({ counts: { because: 30 } })
  })
})

describe('what tells of kin and of gaps', () => {
  const dispatchIn = (traceparent: string): Fact => factOf(event({ type: 'a2a.dispatch', operation: 'SendMessage', traceparent }, { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] } }))
  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-a-later-version-adds', '4bf92f3577b34da6a3ce929d0e0e4736'],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', undefined],
    ['4bf92f3577b34da6a3ce929d0e0e4736', undefined],
    ['00-00f067aa0ba902b74bf92f3577b34d00-00f067aa0ba902b7-01', '00f067aa0ba902b74bf92f3577b34d00'],
    ['x00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', undefined],
  ])('the trace of a send: %s', (traceparent, traceId) => {
    expect(dispatchIn(traceparent)).toHaveProperty('kind', 'dispatch')
    expect('traceId' in dispatchIn(traceparent) ? dispatchIn(traceparent) : {}).toEqual(traceId === undefined ? {} : expect.objectContaining({ traceId }))
  })

  const missing = {
    witness: 'urn:proxy',
    reason: 'spool_full',
    from: '2026-11-01T10:00:00Z',
    to: '2026-11-01T10:00:05Z',
    events: 3,
    byType: { 'a2a.response': 3 },
    isExact: true,
  }

  it('a gap is a fact about its worker, from one time to another', () => {
    const gap = event({ type: 'ledger.gap', correlationid: '~w1' }, missing)
    expect(factsOf(gap, testCodec)).toMatchObject({
      stream: [],
      worker: [{ kind: 'gap', workerId: 'w1', witness: 'urn:proxy', reason: 'spool_full', fromMs: atMs - 10_000, toMs: atMs - 5_000, count: 3, isExact: true }],
    })
  })

  it('a gap that names no worker says nothing, and one without times cannot be read', () => {
    const { workerid: _none, ...attributes } = event({ type: 'ledger.gap' }, {}).attributes
    const data = JSON.stringify(missing)
    expect(factsOf(event({ type: 'ledger.gap' }, {}, { attributes, data }), testCodec)).toEqual({ stream: [], worker: [] })
    expect(() => factsOf(event({ type: 'ledger.gap' }, { from: 'yesterday' }), testCodec)).toThrow()
  })
})
