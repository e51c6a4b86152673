import { describe, expect, test } from 'vitest'
import { eventTypes, findEventType } from './index.ts'

const observations = [
  'a2a.dispatch',
  'a2a.response',
  'a2a.task',
  'a2a.status-update',
  'a2a.artifact-update',
  'a2a.message',
  'a2a.stream-response',
  'a2a.error',
  'a2a.agent-card',
  'a2a.no-answer',
  'a2a.stream-ended',
  'a2a.worker-restarted',
  'orchestrator.conclusion',
]
const own = [
  'ledger.correlation-linked',
  'ledger.correlation-unlinked',
  'ledger.correlation-moved',
  'ledger.gap',
  'reconciler.worker-enrolled',
  'reconciler.mesh-policy',
  'reconciler.verdict',
  'reconciler.verdict-approved',
  'reconciler.dispatch-intent',
  'reconciler.dispatch-settled',
  'reconciler.cancel',
  'reconciler.probe-step',
  'reconciler.capability',
]

describe('the table of event types (contract §2)', () => {
  test('has every type of the contract once, in its order', () => {
    expect(eventTypes.map(({ type }) => type)).toEqual([...observations, ...own])
  })

  test('reserves what the services write and nothing else', () => {
    expect(eventTypes.filter(({ isReserved }) => isReserved).map(({ type }) => type)).toEqual(own)
  })

  test('wants a worker for every a2a type, and a correlation for a conclusion', () => {
    expect(eventTypes.filter((each) => each.isWorkerRequired).map(({ type }) => type)).toEqual(
      observations.filter((type) => type.startsWith('a2a.')),
    )
    expect(eventTypes.filter((each) => each.isCorrelationRequired).map(({ type }) => type)).toEqual(
      ['orchestrator.conclusion'],
    )
  })

  test('finds no type that is not in it', () => {
    expect(findEventType('a2a.restart')).toBeUndefined()
    expect(findEventType('constructor')).toBeUndefined()
  })
})
