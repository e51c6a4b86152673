import { describe, expect, it } from 'vitest'
import { CapabilityContractError } from './capability-contract-error.ts'
import { emitArtifact, handleTaskNotFound, transition, type Capabilities, type Contract, type TaskRecord } from './guards.ts'

const record = (change: Partial<TaskRecord> = {}): TaskRecord => ({
  correlationId: 'k',
  lastObserved: 'working',
  artifacts: [],
  ...change,
})
const capable = (states: Capabilities['states'], mediaTypes: readonly string[] = []): Capabilities => ({ states, mediaTypes })
const contract = (advertised: Capabilities, verified: Capabilities): Contract => ({ advertised, verified })
const breachOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CapabilityContractError) return error.breach
    throw error
  }
  return 'none'
}

describe('V9 transition', () => {
  it.each([
    ['an advertised and verified state is entered', ['completed'], ['completed'], 'none'],
    ['a state outside the card is refused', [], ['completed'], 'state_not_advertised'],
    ['an advertised state that no probe confirmed is refused', ['completed'], [], 'state_not_verified'],
    ['a state outside both breaks the advertised set first', [], [], 'state_not_advertised'],
  ] as const)('%s', (_title, advertised, verified, breach) => {
    const held = contract(capable(advertised), capable(verified))
    expect(breachOf(() => transition(record(), 'completed', held))).toBe(breach)
  })

  it('the record before the transition is left as it was', () => {
    const before = record()
    const after = transition(before, 'completed', contract(capable(['completed']), capable(['completed'])))
    expect([before.lastObserved, after.lastObserved]).toEqual(['working', 'completed'])
  })
})

describe('V9 emitArtifact', () => {
  it.each([
    ['case and parameters do not make a type foreign', 'Text/Markdown; charset=utf-8', ['text/*'], ['text/markdown'], 'none'],
    ['a type outside the card is refused', 'text/plain', ['application/json'], ['text/plain'], 'media_type_not_advertised'],
    ['a type no probe confirmed is refused', 'text/plain', ['text/plain'], [], 'media_type_not_verified'],
  ] as const)('%s', (_title, mediaType, advertised, verified, breach) => {
    const held = contract(capable([], advertised), capable([], verified))
    expect(breachOf(() => emitArtifact(record(), mediaType, held))).toBe(breach)
  })

  it('an artifact is kept under the correlation ID, not under the task id', () => {
    const held = contract(capable([], ['text/plain']), capable([], ['text/plain']))
    expect(emitArtifact(record({ taskId: 't-1' }), 'text/plain', held).artifacts).toEqual([
      { correlationId: 'k', mediaType: 'text/plain' },
    ])
  })
})

describe('V9 handleTaskNotFound', () => {
  const workers = new Map([
    ['w2', capable(['completed'])],
    ['w3', capable(['working', 'input-required'])],
    ['w4', capable(['working', 'input-required'])],
  ])

  it.each([
    ['a task that had completed is a normal end', 'completed', { kind: 'terminal-ok', state: 'completed' }],
    ['a rejected task is a normal end', 'rejected', { kind: 'terminal-ok', state: 'rejected' }],
    ['an open task goes to the first worker that verifies its state', 'input-required', { kind: 'redispatch', workerId: 'w3', correlationId: 'k' }],
  ] as const)('%s', (_title, lastObserved, consequence) => {
    expect(handleTaskNotFound(record({ lastObserved }), workers)).toEqual(consequence)
  })

  it('without a capable worker it raises, and does not say failed', () => {
    expect(breachOf(() => handleTaskNotFound(record({ lastObserved: 'auth-required' }), workers))).toBe('unreconcilable')
  })
})
