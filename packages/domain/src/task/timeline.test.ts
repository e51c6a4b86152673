import { describe, expect, it } from 'vitest'
import type { EventAttributes } from '../event/envelope.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { factsOf, unreadableFact, type EventFacts } from '../fact/facts-of.ts'
import { testCodec } from '../testing/codec.ts'
import { ms } from '../testing/history.ts'
import { timelineOf, type TimelineEntry } from './timeline.ts'

/** One event at its second; its place in the list is its position. */
type Told = readonly [at: number, attributes: Partial<EventAttributes> & { readonly type: string }, data: unknown]

const timeOf = (second: number): string => new Date(ms(second)).toISOString()

const eventsOf = (told: readonly Told[]): readonly LedgerEvent[] =>
  told.map(([at, attributes, data], index) => ({
    position: index + 1,
    recordedAtMs: ms(at) + 500,
    attributes: { specversion: '1.0', id: `e-${index}`, source: 'orchestrator', time: timeOf(at), ...(attributes.type.startsWith('a2a.') && { workerid: 'w1' }), ...attributes },
    correlationId: 'k',
    rung: 'explicit',
    data: data === undefined ? undefined : JSON.stringify(data),
    digest: undefined,
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
const chunk = (at: number, text: string, rest: object = {}): Told => [
  at,
  { type: 'a2a.artifact-update', operation: 'SubscribeToTask' },
  { taskId: 't-1', contextId: 'c-1', artifact: { artifactId: 'a-1', parts: [{ text }] }, ...rest },
]
const verdict: Told = [
  40,
  { type: 'reconciler.verdict', source: 'urn:a2a-ledger:reconciler', taskid: 't-1' },
  { decisionId: 'd'.repeat(64), kind: 'unreconcilable', state: 'indeterminate', because: [3], considered: [], duplicateRisk: 'possible', question: { workerId: 'w1', taskId: 't-1', openedAt: 3 } },
]
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
    ['F3 what says nothing about the task has the time at which it was recorded', [3, { type: 'a2a.worker-restarted' }, {}], { time: '2026-01-01T00:00:03.500Z', workerId: 'w1' }, ['taskId', 'operation']],
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
