import { describe, expect, it } from 'vitest'
import { readPayload } from '../read.ts'

const member = (value: unknown, rest: object = {}) => ({ id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' }, timeline: value, ...rest })
const readingOf = (task: object, protocolVersion = '1.1') => {
  const result = readPayload({ type: 'a2a.response', operation: 'GetTask', protocolVersion }, JSON.stringify({ jsonrpc: '2.0', id: 1, result: task }))
  if (result.outcome !== 'read' || result.reading.kind !== 'task') throw new Error('no task')
  return result.reading
}
const claimOf = (timeline: unknown) => readingOf(member(timeline)).timeline
const status = (state: unknown, rest: object = {}) => ({ status: { state }, ...rest })
const message = { message: { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'a' }] } }

describe('Task.timeline of A2A 1.1', () => {
  it.each<[string, unknown, object | undefined]>([
    ['states in order, messages between them', [{ ...message, generation: '1' }, status('TASK_STATE_SUBMITTED', { generation: '2' }), status('TASK_STATE_WORKING', { generation: '3' })], { states: ['submitted', 'working'], isWhole: true }],
    ['one that begins later was cut', [status('TASK_STATE_WORKING', { generation: 3 }), status('TASK_STATE_COMPLETED', { generation: 4 })], { states: ['working', 'completed'] }],
    ['one without generations may have been cut', [status('TASK_STATE_WORKING')], { states: ['working'] }],
    ['only the first entry tells where it begins', [status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED', { generation: 1 })], { states: ['working', 'completed'] }],
    ['the generation stands in the status', [{ status: { state: 'TASK_STATE_WORKING', generation: 1 } }], { states: ['working'], isWhole: true }],
    ['the generation stands in the message', [{ message: { ...message.message, generation: 1 } }, status('TASK_STATE_WORKING')], { states: ['working'], isWhole: true }],
    ['entries of an unknown kind are skipped, and their generation counts', [{ elicitation: {}, generation: 1 }, status('TASK_STATE_WORKING', { generation: 2 })], { states: ['working'], isWhole: true }],
    ['a status without its wrapper', [{ state: 'TASK_STATE_WORKING', generation: 1 }], { states: ['working'], isWhole: true }],
    ['a status that is its state', [{ status: 'working' }, { status: 3 }], { states: ['working', 'completed'] }],
    ['a null member is absent', [{ message: null, status: null, state: 'working' }], { states: ['working'] }],
    ['states that we do not know are skipped', [status('TASK_STATE_WORKING'), status('TASK_STATE_PAUSED'), status('TASK_STATE_UNSPECIFIED'), status(true), {}, 7, status('TASK_STATE_COMPLETED')], { states: ['working', 'completed'] }],
    ['the same state again is not entered again', [status('TASK_STATE_WORKING'), status('TASK_STATE_WORKING'), status('TASK_STATE_INPUT_REQUIRED'), status('TASK_STATE_WORKING')], { states: ['working', 'input-required', 'working'] }],
    ['generations that fall', [status('TASK_STATE_WORKING', { generation: 1 }), status('TASK_STATE_INPUT_REQUIRED', { generation: 5 }), status('TASK_STATE_WORKING', { generation: 4 }), status('TASK_STATE_COMPLETED', { generation: 6 })], { states: ['working', 'input-required', 'working', 'completed'], isWhole: true, isUnordered: true }],
    ['generations that stay, or are missing in between', [status('TASK_STATE_WORKING', { generation: 1 }), status('TASK_STATE_INPUT_REQUIRED', { generation: 1 }), status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED', { generation: 2 })], { states: ['working', 'input-required', 'working', 'completed'], isWhole: true }],
    ['no entry', [], undefined],
    ['messages alone', [{ ...message, generation: 1 }], undefined],
    ['no list', { status: { state: 'working' } }, undefined],
  ])('%s', (_fact, timeline, claim) => {
    expect(claimOf(timeline)).toStrictEqual(claim)
  })

  const turns = (count: number) => Array.from({ length: count }, (_, n) => status(n % 2 === 0 ? 'working' : 'input-required', { generation: n + 1 }))

  it('keeps the newest fifty states, and is whole only where these are all', () => {
    expect(claimOf(turns(50))).toMatchObject({ states: { length: 50 }, isWhole: true })
    const claim = claimOf([status('submitted', { generation: 1 }), ...turns(50)])
    expect(claim?.states).toHaveLength(50)
    expect(claim?.states[0]).toBe('working')
    expect(claim).not.toHaveProperty('isWhole')
  })

  it('drives neither the state nor the notes of the payload', () => {
    const plain = readingOf(member(undefined))
    const { timeline, ...rest } = readingOf(member([status('TASK_STATE_PAUSED'), status('TASK_STATE_COMPLETED')]))
    expect(timeline).toEqual({ states: ['completed'] })
    expect(rest).toEqual(plain)
  })

  it.each(['0.2', '0.3'])('is none in A2A %s', (version) => {
    const old = { ...member([status('working')]), kind: 'task', status: { state: 'working' } }
    expect(readingOf(old, version)).not.toHaveProperty('timeline')
  })

  it('is none in A2A 0.1, or where nothing tells the version', () => {
    const bare = { id: 't-1', status: {}, timeline: [status('working')] }
    expect(readingOf({ ...bare, sessionId: 's-1' }, '')).not.toHaveProperty('timeline')
    expect(readingOf(bare, '')).not.toHaveProperty('timeline')
  })
})

describe('generation of A2A 1.1', () => {
  it.each<[string, unknown, number | undefined]>([
    ['a number', 4, 4],
    ['an int64 as ProtoJSON writes it', '4', 4],
    ['the first', 1, 1],
    ['0, which a server without it answers', 0, undefined],
    ['the same as a string', '0', undefined],
    ['a fraction', 1.5, undefined],
    ['one below zero', -1, undefined],
    ['words', 'x4', undefined],
    ['more than fifteen digits', '1234567890123456', undefined],
    ['nothing', undefined, undefined],
  ])('%s', (_fact, generation, expected) => {
    expect(readingOf(member(undefined, { generation })).generation).toBe(expected)
  })
})
