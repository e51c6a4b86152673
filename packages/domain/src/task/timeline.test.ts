import { describe, expect, it } from 'vitest'
import type { EventAttributes } from '../event/envelope.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { factsOf, unreadableFact, type EventFacts } from '../fact/facts-of.ts'
import { testCodec } from '../testing/codec.ts'
import { ms } from '../testing/history.ts'
import { timelineOf, type TimelineEntry } from './timeline.ts'

/** One event at its second; its place in the list is its position. */
type Told = readonly [
  at: number,
  attributes: Omit<Partial<EventAttributes>, 'time'> & { readonly type: string; readonly time?: string | undefined },
  data: unknown,
  recorded?: Pick<LedgerEvent, 'refused'>,
]

const timeOf = (second: number): string => new Date(ms(second)).toISOString()

const eventsOf = (told: readonly Told[]): readonly LedgerEvent[] =>
  told.map(([at, attributes, data, recorded], index) => ({
    position: index + 1,
    recordedAtMs: ms(at) + 500,
    attributes: { specversion: '1.0', id: `e-${index}`, source: 'orchestrator', time: timeOf(at), ...(attributes.type.startsWith('a2a.') && { workerid: 'w1' }), ...attributes } as EventAttributes,
    correlationId: 'k',
    rung: 'explicit',
    data: data === undefined ? undefined : JSON.stringify(data),
    digest: undefined,
    ...recorded,
  }))

const factsFrom = (event: LedgerEvent): EventFacts => {
  try {
    return factsOf(event, testCodec)
  } catch {
    return { stream: [unreadableFact(event, 'not understood')], worker: [] }
  }
}

/** The entries of the last `count` events, of a store that hands facts over in any order. */
const timelineAfter = (told: readonly Told[], count = told.length): readonly TimelineEntry[] => {
  const events = eventsOf(told)
  const facts = events.map(factsFrom)
  return timelineOf(
    {
      correlationId: 'k',
      facts: facts.flatMap(({ stream }) => stream).toReversed(),
      workers: new Map([['w1', { workerId: 'w1', facts: facts.flatMap(({ worker }) => worker), losses: [] }]]),
      asOfMs: ms(3_600),
      settings: { graceMs: 30_000, silentAfterMs: 86_400_000 },
      codec: testCodec,
    },
    events.slice(-count),
  )
}

const message = { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] }
const { messageId: _none, ...unnamedMessage } = message
const rpc = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result })
const task = (state: string, timestamp?: string) => ({ id: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}`, timestamp } })
const get = { type: 'a2a.response', operation: 'GetTask' }

const sent: Told = [1, { type: 'a2a.dispatch', operation: 'SendMessage' }, { message }]
const taken: Told = [2, { type: 'a2a.response', operation: 'SendMessage', messageid: 'm-1' }, rpc({ task: task('WORKING') })]
const polled = (at: number, state = 'WORKING'): Told => [at, get, rpc(task(state))]
const pushed = (at: number, state: string, stampedAt: number): Told => [
  at,
  { type: 'a2a.status-update', operation: 'Push', source: 'webhook' },
  { taskId: 't-1', contextId: 'c-1', status: { state: `TASK_STATE_${state}`, timestamp: timeOf(stampedAt) } },
]
const missed = (at: number, operation = 'GetTask'): Told => [
  at,
  { ...get, operation, taskid: 't-1' },
  { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found', data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }] } },
]
const chunk = (at: number, text: string, rest: object = {}, artifactId = 'a-1'): Told => [
  at,
  { type: 'a2a.artifact-update', operation: 'SubscribeToTask' },
  { taskId: 't-1', contextId: 'c-1', artifact: { artifactId, parts: [{ text }] }, ...rest },
]
/** The first task of another id at the same worker. */
const other = (at: number, state: string): Told => [at, get, rpc({ ...task(state), id: 't-2' })]
const seenBy = (source: string, [at, attributes, data]: Told): Told => [at, { ...attributes, source }, data]
const replied: Told = [2, { type: 'a2a.response', operation: 'SendMessage', messageid: 'm-1' }, rpc({ message: { role: 'ROLE_AGENT', messageId: 'a-1', parts: [{ text: '42' }] } })]
const link = (type: string, data: object = { from: '~w1/t-1', to: 'k' }): Told => [3, { type: `ledger.correlation-${type}`, source: 'urn:a2a-ledger:ledger' }, data]
const conflict = { refused: { code: 'correlation_conflict', correlationId: 'other' } } as const
const verdict: Told = [
  40,
  { type: 'reconciler.verdict', source: 'urn:a2a-ledger:reconciler', taskid: 't-1' },
  { decisionId: 'd'.repeat(64), kind: 'unreconcilable', state: 'indeterminate', because: [3], considered: [], duplicateRisk: 'possible', question: { workerId: 'w1', taskId: 't-1', openedAt: 3 } },
]
const canceled: Told = [
  42,
  { type: 'reconciler.cancel', source: 'urn:a2a-ledger:reconciler', id: 'c-1', taskid: 't-1' },
  { phase: 'intended', workerId: 'w1', taskId: 't-1', decisionId: 'd', winner: { workerId: 'w2' }, ttlMs: 5_000 },
]
const intent: Told = [
  41,
  { type: 'reconciler.dispatch-intent', source: 'urn:a2a-ledger:reconciler', id: 'i-1', workerid: 'w2' },
  { decisionId: 'd'.repeat(64), purpose: 'redispatch', n: 0, actor: 'caller', workerId: 'w2', messageId: 'm-2', ttlMs: 5_000 },
]
const said = (at: number, answer: string): Told => [at, { type: 'reconciler.verdict-approved', source: 'urn:a2a-ledger:reconciler' }, { decisionId: 'd'.repeat(64), answer, by: 'ann' }]
const running = [sent, taken]

/** What the last event changed: `field: from → to`. */
const changedBy = (told: readonly Told[]): readonly string[] =>
  timelineAfter(told, 1).flatMap(({ changed }) => changed.map(({ field, from, to }) => `${field}: ${from ?? 'none'} → ${to ?? 'none'}`))

describe('F1 the timeline tells what an event changed', () => {
  it.each<[string, readonly Told[], readonly string[]]>([
    ['F1 a dispatch begins the task', [sent], ['state: none → dispatched', 'dispatch w1/m-1 at 1: none → pending']],
    ['F1 a dispatch without a message id is named by its position', [[1, { type: 'a2a.dispatch', operation: 'SendMessage' }, { message: unnamedMessage }]], ['state: none → dispatched', 'dispatch w1/1 at 1: none → pending']],
    ['F1 the answer settles the send and begins the attempt', running, ['state: dispatched → working', 'dispatch w1/m-1 at 1: pending → task', 'attempt w1/t-1 state: none → working', 'attempt w1/t-1 life: none → live', 'attempt w1/t-1 contested: none → false']],
    ['F1 a loss changes state and life, and says what was observed last', [...running, missed(3)], ['state: working → indeterminate', 'attempt w1/t-1 life: live → lost', 'lastObserved: none → working']],
    ['F1 what was observed last is no more once the task lives again', [...running, missed(3), polled(4)], ['state: indeterminate → working', 'lastObserved: working → none', 'attempt w1/t-1 life: lost → live', 'attempt w1/t-1 contested: false → true']],
    ['F1 a chunk begins an artifact', [...running, chunk(3, 'four')], ['artifact a-1: none → 4 bytes of w1/t-1']],
    ['F1 the last chunk completes it', [...running, chunk(3, 'four'), chunk(4, 'ty', { append: true, lastChunk: true })], ['artifact a-1: 4 bytes of w1/t-1 → 6 bytes, complete of w1/t-1']],
    ['F1 a message as the whole answer is an artifact of no task', [sent, [2, { type: 'a2a.response', operation: 'SendMessage', messageid: 'm-1' }, rpc({ message: { role: 'ROLE_AGENT', messageId: 'a-1', parts: [{ text: '42' }] } })]], ['state: dispatched → completed', 'dispatch w1/m-1 at 1: pending → message', 'artifact a-1: none → 2 bytes, complete of w1/message']],
    ['V8 an intent to send', [...running, intent], ['intent i-1: none → open to w2']],
    ['V8 what became of it', [...running, intent, [42, { type: 'reconciler.dispatch-settled', source: 'urn:a2a-ledger:reconciler' }, { decisionId: 'd'.repeat(64), intentId: 'i-1', outcome: 'not-sent' }]], ['intent i-1: open to w2 → not-sent to w2']],
    ['V8 an attempt that lost is canceled', [...running, canceled], ['cancel of w1/t-1: none → open']],
    ['V8 what a person said to a verdict', [...running, missed(3), verdict, said(42, 'declined')], [`approval of ${'d'.repeat(64)}: none → declined`]],
    ['F1 a verdict', [...running, missed(3), verdict], ['verdict at 4: none → unreconcilable']],
    ['F1 a poll that says the same changes nothing', [...running, polled(3)], []],
  ])('%s', (_fact, told, changed) => {
    expect(changedBy(told).toSorted()).toEqual(changed.toSorted())
  })

  it('F1 each event is held against the task as known just before it, wherever the page begins', () => {
    const told = [...running, missed(3), polled(4), pushed(5, 'COMPLETED', 5)]
    expect([timelineAfter(told, 2), timelineAfter(told, 1)]).toEqual([timelineAfter(told).slice(-2), timelineAfter(told).slice(-1)])
  })

  it('F1 no events, no entries', () => {
    expect(timelineAfter([])).toEqual([])
  })
})

describe('F4 the timeline tells why an event changed nothing', () => {
  it.each<[string, readonly Told[], string]>([
    ['F4 a change is applied', running, 'applied'],
    ['F4 a report of the state that is known already is a duplicate', [...running, polled(3)], 'duplicate It repeats the state that was already known.'],
    ['F4 an update older than what was applied is late', [...running, polled(9, 'INPUT_REQUIRED'), pushed(10, 'WORKING', 8)], 'late It is older than what was already applied.'],
    ['F4 late also when it is the same state', [...running, polled(9, 'INPUT_REQUIRED'), pushed(10, 'INPUT_REQUIRED', 8)], 'late It is older than what was already applied.'],
    ['F4 without a stamp of the worker the witness time counts', [...running, polled(9, 'INPUT_REQUIRED'), polled(8)], 'late It is older than what was already applied.'],
    ['F4 of the same moment it is not late', [...running, polled(9), pushed(10, 'WORKING', 9)], 'duplicate It repeats the state that was already known.'],
    ['F4 a chunk seen before the state that was applied is late', [...running, polled(9, 'INPUT_REQUIRED'), chunk(8, 'four')], 'late It is older than what was already applied.'],
    ['F4 a chunk seen after it is applied', [...running, polled(9, 'INPUT_REQUIRED'), chunk(9, 'four')], 'applied'],
    ['F4 an empty chunk repeats no state', [...running, chunk(3, ''), chunk(4, '', { append: true })], 'ignored It changed nothing.'],
    ['F4 the first sight of a second attempt is not late, however old', [...running, polled(9, 'INPUT_REQUIRED'), [8, { ...get, workerid: 'w2' }, rpc(task('WORKING'))]], 'applied'],
    ['F10 life after a strong not-found is contested', [...running, missed(3), polled(4)], 'contested Life was seen after a strong not-found.'],
    ['F10 contested once: further life is a duplicate', [...running, missed(3), polled(4), polled(5)], 'duplicate It repeats the state that was already known.'],
    ['F5 a state after the end is ignored, and the reason is the violation', [...running, polled(3, 'COMPLETED'), polled(4, 'FAILED')], 'ignored failed was reported after completed.'],
    ['F8 weak evidence changes nothing', [...running, missed(3, 'CancelTask')], 'ignored Weak evidence alone loses nothing (F8).'],
    ['F9 a second not-found repeats the first one', [...running, missed(3), missed(9)], 'duplicate It repeats that the task is not found.'],
    ['F9 a not-found that was seen before the last life is late', [...running, missed(3), polled(9), missed(8)], 'late The task was seen alive after it.'],
    ['F5 a task that had ended may be forgotten', [...running, polled(3, 'COMPLETED'), missed(9)], 'ignored The task had ended: that it is not found any more is no news (F5).'],
    ['F7 another scope than at creation', [[1, { ...sent[1], scope: 'a' }, sent[2]], taken, [3, { ...missed(3)[1], scope: 'b' }, missed(3)[2]]], 'ignored It was asked for under another scope or binding than it was created under (F7).'],
    ['F10 a not-found of a contested task is not enough', [...running, missed(3), polled(4), missed(9)], 'contested It was found again after an earlier not-found: one more is not enough (F10).'],
    ['F11 not every replica has missed it', [...running, [3, { type: 'reconciler.worker-enrolled', workerid: 'w1', correlationid: '~w1' }, { replicas: 2 }], missed(9)], 'ignored Not every replica has missed it (F11).'],
    ['F6 an error that is no not-found', [...running, [3, { ...get, taskid: 't-1' }, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } }]], 'ignored The error says nothing about a task that is known (F6).'],
    ['F5 of several violations it is the one of this event', [...running, polled(3, 'COMPLETED'), polled(4, 'FAILED'), polled(5, 'CANCELED')], 'ignored canceled was reported after completed.'],
    ['F10 a task that was missed before it was seen at all is no surprise', [sent, missed(1.5), taken], 'applied'],
    ['F4 late is what is older than the last change, and not than the second', [...running, polled(9, 'INPUT_REQUIRED'), polled(12), pushed(13, 'INPUT_REQUIRED', 10)], 'late It is older than what was already applied.'],
    ['F4 the first sight of another task of the same worker is not late', [...running, polled(9, 'INPUT_REQUIRED'), other(8, 'WORKING')], 'applied'],
    ['F6 a not-found of a task that nobody ever saw', [sent, [3, { ...missed(3)[1], taskid: 't-9' }, missed(3)[2]]], 'ignored The error says nothing about a task that is known (F6).'],
    ['K2 a send that belongs to another task', [...running, [3, sent[1], sent[2], conflict]], 'ignored The task belongs to "other".'],
    ['K2 a report of another state that does', [...running, [3, get, rpc(task('COMPLETED')), conflict]], 'ignored The task belongs to "other".'],
    ['K2 a chunk that does', [...running, [3, chunk(3, 'four')[1], chunk(3, 'four')[2], conflict]], 'ignored The task belongs to "other".'],
    ['K6 a stream that is linked', [...running, link('linked')], 'ignored It changed nothing.'],
    ['K6 a link that is undone', [...running, link('unlinked')], 'ignored It changed nothing.'],
    ['K6 events that go elsewhere, of which there were none', [...running, link('moved', { from: 'k', to: 'real', workerId: 'w1', taskId: 't-9', since: 1, because: 1 })], 'ignored It changed nothing.'],
    ['F6 an answer about another task than was asked for', [sent, taken, [3, { type: 'a2a.response', operation: 'GetTask', taskid: 't-1' }, rpc({ task: { ...task('WORKING'), id: 't-7' } })]], 'ignored The answer is about another task than the one asked for.'],
    ['F13 a second witness of a message', [sent, replied, seenBy('gateway', replied)], 'duplicate Another witness told of the same content.'],
    ['F13 a second witness of the second of two sends', [sent, [1.1, sent[1], { message: { ...message, messageId: 'm-2' } }], seenBy('proxy', [1.3, sent[1], { message: { ...message, messageId: 'm-2' } }])], 'duplicate Another witness told of the same send.'],
    ['V8 what became of an intent that nobody knows', [...running, [3, { type: 'reconciler.dispatch-settled', source: 'urn:a2a-ledger:reconciler' }, { decisionId: 'd', intentId: 'i-9', outcome: 'sent' }]], 'ignored It changed nothing.'],
    ['V8 what came of a cancel that nobody knows', [...running, [3, { type: 'reconciler.cancel', source: 'urn:a2a-ledger:reconciler' }, { phase: 'settled', cancelId: 'c-9', outcome: 'canceled' }]], 'ignored It changed nothing.'],
    ['V8 a second word of a person', [...running, said(3, 'approved'), said(4, 'declined')], 'ignored It changed nothing.'],
    ['F18 another witness of other content', [...running, chunk(3, 'four'), seenBy('gateway', chunk(3.1, 'fore'))], 'ignored It changed nothing.'],
    ['F18 of content that another task holds', [...running, chunk(3, 'four'), other(3.1, 'WORKING'), chunk(3.2, 'noir', { taskId: 't-2' }), seenBy('gateway', chunk(3.3, 'four', { taskId: 't-2' }))], 'ignored It changed nothing.'],
    ['F18 of content that a task of another worker holds', [...running, [3, { ...chunk(3, '')[1], workerid: 'w2' }, chunk(3, 'four')[2]], chunk(3.1, 'noir'), seenBy('gateway', chunk(3.2, 'four'))], 'ignored It changed nothing.'],
    ['V4 a verdict that is told again', [...running, missed(3), verdict, verdict], 'applied'],
    ['F18 of content that another artifact holds', [...running, chunk(3, 'four'), chunk(3.1, 'noir', {}, 'a-2'), seenBy('gateway', chunk(3.2, 'four', {}, 'a-2'))], 'ignored It changed nothing.'],
    ['F13 a second witness of a send', [sent, [1.2, { ...sent[1], source: 'proxy' }, sent[2]]], 'duplicate Another witness told of the same send.'],
    ['F18 a second witness of a chunk', [...running, chunk(3, 'four'), [3.1, { ...chunk(3, 'four')[1], source: 'gateway' }, chunk(3, 'four')[2]]], 'duplicate Another witness told of the same content.'],
    ['V1 what an orchestrator concludes', [...running, [3, { type: 'orchestrator.conclusion', correlationid: 'k', workerid: 'w1', taskid: 't-1' }, { state: 'failed' }]], 'ignored What an orchestrator concludes for itself changes no task.'],
    ['V6 a stream that ended', [...running, [3, { type: 'a2a.stream-ended', operation: 'SubscribeToTask', taskid: 't-1' }, { reason: 'reset' }]], 'ignored That a stream ended proves nothing about the task.'],
    ['V6 a call that got no answer', [...running, [3, { type: 'a2a.no-answer', operation: 'GetTask', taskid: 't-1' }, { reason: 'timeout' }]], 'ignored That a call got no answer proves nothing about the task.'],
    ['F2 what is about the worker says nothing about the task', [...running, [3, { type: 'a2a.worker-restarted' }, {}]], 'ignored It says nothing about the task.'],
    ['L11 data that was erased changes nothing', [...running, [3, get, undefined]], 'ignored It cannot be read any more.'],
  ])('%s', (_fact, told, expected) => {
    const [entry] = timelineAfter(told, 1)
    expect([entry?.effect, ...(entry?.because === undefined ? [] : [entry.because])].join(' ')).toBe(expected)
  })
})

describe('F3 an entry of the timeline', () => {
  it('F3 has witness and clocks, what it is about, and what we understood', () => {
    expect(timelineAfter([sent, taken, polled(3)], 1)).toEqual([
      {
        position: 3,
        type: 'a2a.response',
        source: 'orchestrator',
        time: '2026-01-01T00:00:03.000Z',
        clock: 'witness',
        recordedat: '2026-01-01T00:00:03.500Z',
        workerId: 'w1',
        taskId: 't-1',
        operation: 'GetTask',
        canonical: expect.objectContaining({ kind: 'task', taskId: 't-1', state: 'working' }),
        changed: [],
        effect: 'duplicate',
        because: 'It repeats the state that was already known.',
      },
    ])
  })

  it.each<[string, Told, Partial<TimelineEntry>, readonly (keyof TimelineEntry)[]]>([
    ['F3 what says nothing about the task has the time at which it was recorded', [3, { type: 'a2a.worker-restarted' }, {}], { time: '2026-01-01T00:00:03.500Z', clock: 'ledger', workerId: 'w1' }, ['taskId', 'operation', 'stamped']],
    ['F3 what states no time has ours', [3, { ...get, time: undefined }, rpc(task('WORKING'))], { time: '2026-01-01T00:00:03.500Z', clock: 'ledger' }, ['stamped']],
    ['F3 a time ahead of ours is held back', [3, { ...get, time: timeOf(60) }, rpc(task('WORKING'))], { time: '2026-01-01T00:00:08.500Z', clock: 'ledger' }, ['stamped']],
    ['F3 the clock of the worker is shown beside it', pushed(3, 'WORKING', 2.5), { time: '2026-01-01T00:00:03.000Z', clock: 'witness', stamped: '2026-01-01T00:00:02.500Z' }, []],
    ['F3 the task may be named by the envelope alone', [3, { type: 'a2a.stream-ended', taskid: 't-9' }, { reason: 'reset' }], { taskId: 't-9' }, ['operation']],
    ['F3 an event of no worker names none', [3, { type: 'orchestrator.conclusion' }, { state: 'failed' }], { type: 'orchestrator.conclusion' }, ['workerId', 'taskId']],
    ['L11 of erased data nothing is understood any more', [3, { ...get, taskid: 't-1' }, undefined], { taskId: 't-1' }, ['canonical']],
    ['L11 of a body that was not understood nothing is either', [3, { ...get, taskid: 't-1' }, 'hello'], { taskId: 't-1' }, ['canonical']],
  ])('%s', (_fact, told, has, lacks) => {
    const [entry] = timelineAfter([sent, taken, told], 1)
    expect(entry).toMatchObject(has)
    for (const name of lacks) expect(entry).not.toHaveProperty(name)
  })
})
