import type { LedgerEvent } from '@a2a-ledger/domain'
import { testCodec } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import { changeOf, isTaskStream, questionSource, unreadableChangeOf } from './feed-change.ts'

const ledger = { ledgerId: 'l', epoch: 1 }

const event = (position: number, type: string, correlationId: string, data: unknown, attributes: object = {}): LedgerEvent => ({
  position,
  recordedAtMs: 1_000 * position,
  attributes: { specversion: '1.0', id: `e-${position}`, source: 'urn:test', type, ...attributes },
  correlationId,
  rung: 'explicit',
  data: typeof data === 'string' ? data : JSON.stringify(data),
  digest: undefined,
})

const working = (taskId: string) => ({ id: taskId, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } })
const polled = (position: number, correlationId: string, workerid: string, taskId: string, data: unknown = working(taskId)) =>
  event(position, 'a2a.task', correlationId, data, { workerid, operation: 'GetTask', taskid: taskId })

describe('a run of events', () => {
  test('queues every task it is about, once, with the positions that say so', () => {
    const change = changeOf([polled(1, 'k1', 'w', 't1'), polled(2, 'k2', 'w', 't2'), polled(3, 'k1', 'w', 't1')], ledger, testCodec)
    expect([...change.rechecks]).toEqual([['k1', { first: 1, last: 3 }], ['k2', { first: 2, last: 2 }]])
    expect(change).toMatchObject({ firstPosition: 1, lastPosition: 3, ledger })
  })

  test('names every worker with the first position that does', () => {
    const change = changeOf([polled(1, 'k', 'w1', 't'), polled(2, 'k', 'w2', 't'), polled(3, 'k', 'w1', 't')], ledger, testCodec)
    expect([...change.workers]).toEqual([['w1', 1], ['w2', 2]])
  })

  test('queues a worker for what happened to it once, as of the earliest of it', () => {
    const restart = (position: number, time: string) =>
      event(position, 'a2a.worker-restarted', '~w', {}, { workerid: 'w', time })
    const change = changeOf([restart(1, '1970-01-01T00:00:00.900Z'), restart(2, '1970-01-01T00:00:00.100Z')], ledger, testCodec)
    expect(change.workerRechecks).toEqual([{ workerId: 'w', reason: 'changed', position: 2, sinceMs: 100 }])
    expect(change.rechecks.size).toBe(0)
  })

  test('an answer to GetTask queues its worker apart from changes', () => {
    expect(changeOf([polled(1, 'k', 'w', 't')], ledger, testCodec).workerRechecks).toMatchObject([{ reason: 'answered' }])
  })

  test('a link queues both streams', () => {
    const link = event(5, 'ledger.correlation-linked', 'k', { from: '~w/t', to: 'k' }, { workerid: 'w' })
    const change = changeOf([link], ledger, testCodec)
    expect(change.links).toEqual([{ from: '~w/t', to: 'k', position: 5, isLinked: true }])
    expect([...change.rechecks.keys()].toSorted()).toEqual(['k', '~w/t'])
  })

  test('an enrolment is noted with its event', () => {
    const change = changeOf([event(7, 'reconciler.worker-enrolled', '~w', { mesh: 'm' }, { workerid: 'w' })], ledger, testCodec)
    expect(change.enrolments).toEqual([{ workerId: 'w', mesh: 'm', trust: undefined, position: 7, eventId: 'e-7' }])
    expect(change.entries).toEqual([])
  })

  test('an event that says nothing about its task is an entry without facts', () => {
    const change = changeOf([event(1, 'a2a.worker-restarted', 'k', {}, { workerid: 'w' })], ledger, testCodec)
    expect(change.entries).toEqual([{ correlationId: 'k', position: 1, facts: [] }])
  })

  test('an event whose fold throws becomes an unreadable fact, and the others are as ever', () => {
    const change = changeOf([polled(1, 'k', 'w', 't', '{"broken'), polled(2, 'k', 'w', 't')], ledger, testCodec)
    expect(change.entries.flatMap(({ facts }) => facts.map(({ kind }) => kind))).toEqual(['unreadable', 'report'])
  })

  test('what a caller told is noted, so that a key stays with its question', () => {
    const told = event(3, 'a2a.no-answer', 'k', { reason: 'timeout' }, { source: questionSource, workerid: 'w', taskid: 't', questiondigest: 'd' })
    expect(changeOf([told], ledger, testCodec).questions).toEqual([
      { eventId: 'e-3', bodyDigest: 'd', position: 3, correlationId: 'k', workerId: 'w', taskId: 't' },
    ])
  })
})

test('an event that cannot be stored changes nothing but its task', () => {
  const change = unreadableChangeOf(polled(4, 'k', 'w', 't'), ledger, 'no')
  expect(change).toMatchObject({ workerFacts: [], links: [], enrolments: [], questions: [], workers: new Map() })
  expect(change.entries).toMatchObject([{ correlationId: 'k', facts: [{ kind: 'unreadable', detail: 'no' }] }])
})

test.each([
  ['order-42', true],
  ['~w/t', true],
  ['~w', false],
  ['~', false],
  ['~w%2Fx', false],
  ['a/b', true],
])('%s is a task: %s', (correlationId, isTask) => {
  expect(isTaskStream(correlationId)).toBe(isTask)
})
