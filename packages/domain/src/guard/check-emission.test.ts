import { describe, expect, it } from 'vitest'
import { CapabilityContractError } from './capability-contract-error.ts'
import { advertisedBy, checkEmission } from './check-emission.ts'
import type { Capabilities } from './guards.ts'

const card = (change: object = {}): string =>
  JSON.stringify({
    name: 'w1',
    supportedInterfaces: [{ url: 'https://w1.example.com', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { extensions: [{ uri: 'urn:a2a-ledger:task-continuity:v1', params: { reachableStates: ['working', 'TASK_STATE_COMPLETED'] } }] },
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'a', outputModes: ['application/json'] }, { id: 'b' }],
    ...change,
  })

describe('what a card advertises', () => {
  it('is its declared states, and the modes of defaults and skills', () => {
    expect(advertisedBy(card())).toEqual({ states: ['working', 'completed'], mediaTypes: ['text/plain', 'application/json'] })
  })

  it('is every state where it declares none', () => {
    expect(advertisedBy(card({ capabilities: {} }))?.states).toContain('auth-required')
  })

  it('is the modes of its only skill (F19)', () => {
    expect(advertisedBy(card({ skills: [{ id: 'a', outputModes: ['application/json'] }] }))?.mediaTypes).toEqual(['application/json'])
  })

  it.each(['', '[]', '{'])('is nothing where %j is no card', (text) => {
    expect(advertisedBy(text)).toBeUndefined()
  })
})

describe('V9 a task before it is emitted', () => {
  const advertised: Capabilities = { states: ['working', 'completed'], mediaTypes: ['application/json', 'image/*'] }
  const all = ['working', 'input-required', 'completed', 'unknown'] as const
  const task = (state: string, ...mediaTypes: readonly (string | undefined)[]): object => ({
    id: 't-1', contextId: 'c-1', status: { state }, artifacts: mediaTypes.map((mediaType, at) => ({ artifactId: `a-${at}`, parts: [{ text: 'x', mediaType }] })),
  })
  const breachOf = (emitted: object | string, verified: Capabilities): string => {
    try {
      checkEmission(typeof emitted === 'string' ? emitted : JSON.stringify(emitted), { advertised, verified })
    } catch (error) {
      if (error instanceof CapabilityContractError) return error.breach
      throw error
    }
    return 'none'
  }

  it.each([
    ['what the card says is emitted', task('TASK_STATE_COMPLETED', 'application/json; charset=utf-8', 'image/png'), 'none'],
    ['a task without artifacts is judged by its state alone', task('TASK_STATE_WORKING'), 'none'],
    ['a state outside the card is refused, in the spelling of any version', task('input-required'), 'state_not_advertised'],
    ['a state that nobody knows is refused', task('TASK_STATE_DREAMING'), 'state_not_advertised'],
    ['a media type outside the card is refused, in any artifact', task('TASK_STATE_WORKING', 'application/json', 'text/html'), 'media_type_not_advertised'],
    ['text without a media type is text/plain', task('TASK_STATE_WORKING', undefined), 'media_type_not_advertised'],
    ['a task without a status is in a state that nobody knows', { id: 't-1', contextId: 'c-1', artifacts: [] }, 'state_not_advertised'],
    ['what is no task is not judged', { role: 'ROLE_AGENT', messageId: 'm-1', parts: [{ text: 'x' }] }, 'none'],
    ['what is no JSON is not judged', '{', 'none'],
  ])('%s', (_title, emitted, breach) => {
    expect(breachOf(emitted, { states: all, mediaTypes: ['*/*'] })).toBe(breach)
  })

  it.each([
    ['a state that is not verified is refused', task('TASK_STATE_COMPLETED', 'application/json'), { states: ['working'], mediaTypes: ['*/*'] }, 'state_not_verified'],
    ['a media type that is not verified is refused', task('TASK_STATE_COMPLETED', 'application/json'), { states: all, mediaTypes: ['image/*'] }, 'media_type_not_verified'],
  ] as const)('%s', (_title, emitted, verified, breach) => {
    expect(breachOf(emitted, verified)).toBe(breach)
  })
})
