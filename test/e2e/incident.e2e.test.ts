/**
 * The founding incident, played once on an instance of its own; each test is one line of the two
 * endings that `npm run demo` prints.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type IncidentOutcome, runIncident } from '../demo/incident.ts'
import { type Instance, startInstance } from '../demo/own-instance.ts'

let instance: Instance
let outcome: IncidentOutcome
const said: string[] = []

beforeAll(async () => {
  instance = await startInstance(10_000) // longer than a busy machine takes from a TaskNotFound to the question about it
  outcome = await runIncident({ ...instance, say: (sentence) => said.push(sentence) })
}, 300_000)

afterAll(() => instance?.stop())

test('every worker of the incident takes part', () => {
  expect(outcome.missingWorker).toBeUndefined()
})

describe('the naive orchestrator', () => {
  test('marks the lost task failed and blames the input the client did not give', () => {
    const [first] = Object.values(outcome.naive.tasks)
    expect(first).toMatchObject({
      workerId: outcome.workers.w1,
      state: 'failed',
      because: expect.stringContaining('the client did not provide it'),
    })
  })

  test('does not fall back to W2, whose card does not list the state', () => {
    const [first] = Object.values(outcome.naive.tasks)
    expect(first?.fallback).toContain(`the card of ${outcome.workers.w2} does not list`)
  })

  test('ends with two tasks and two artifacts of different media types', () => {
    const tasks = Object.values(outcome.naive.tasks)
    expect(tasks.map(({ artifacts }) => artifacts)).toEqual([
      [{ mediaType: 'application/json' }],
      [{ mediaType: 'text/plain' }],
    ])
  })
})

describe('with the ledger, when the orchestrator asks', () => {
  test('the first answer is to look again, while grace runs', () => {
    expect(outcome.ledger.firstAnswer).toMatchObject({
      kind: 'reobserve',
      state: 'indeterminate',
      lastObserved: 'input-required',
      retryAfterMs: expect.any(Number),
    })
    expect(said.join('\n')).toContain('look again in')
  })

  test('the task is indeterminate, not failed, and waits where it was last seen', () => {
    expect(outcome.ledger.atVerdict.view).toMatchObject({
      state: 'indeterminate',
      lastObserved: 'input-required',
      terminal: false,
    })
  })

  test('the leading cause is that the worker lost it on restart, with evidence', () => {
    const [leading] = outcome.ledger.atVerdict.rootCause.findings
    expect(leading).toMatchObject({ cause: 'lost_on_restart', responsible: 'worker' })
    expect(leading?.because.length).toBeGreaterThan(0)
    expect(outcome.ledger.atVerdict.rootCause.summary).not.toBe('')
  })

  test('the stale notes of the orchestrator are a finding of their own', () => {
    expect(outcome.ledger.atVerdict.rootCause.findings).toContainEqual(
      expect.objectContaining({ cause: 'orchestrator_stale_view', responsible: 'client' }),
    )
  })

  test('the verdict is to send the work to W3, and says why not to W1 or W2', () => {
    const { verdict } = outcome.ledger
    const { w1, w2, w3 } = outcome.workers
    expect(verdict).toMatchObject({ kind: 'redispatch', workerId: w3, duplicateRisk: 'possible' })
    expect(verdict.because.length).toBeGreaterThan(0)
    const whyNot = new Map(verdict.considered.map((one) => [one.workerId, one]))
    expect(whyNot.get(w1)).toMatchObject({ eligible: false, because: 'lost_it' })
    expect(whyNot.get(w2)).toMatchObject({
      eligible: false,
      because: expect.stringMatching(/^(state|mode)_not_verified$/u),
    })
  })

  test('the verdict the orchestrator heard is the recorded one', () => {
    expect(outcome.ledger.atVerdict.view.verdict).toMatchObject({
      kind: 'redispatch',
      workerId: outcome.workers.w3,
      position: expect.any(Number),
    })
  })
})

describe('with the ledger, of the one logical task', () => {
  test('both task ids at W1 are lost attempts of it, and the difference is shown', () => {
    const { view } = outcome.ledger.atVerdict
    const atW1 = view.attempts.filter(({ workerId }) => workerId === outcome.workers.w1)
    expect(new Set(atW1.map(({ taskId }) => taskId)).size).toBe(2)
    expect(atW1.map(({ life }) => life)).toEqual(['lost', 'lost'])
    expect(view.divergences.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['task-id', 'media-type']),
    )
  })

  test('one artifact is canonical, in the media type that was negotiated', () => {
    const { artifacts } = outcome.ledger.atVerdict.view
    expect(artifacts).toHaveLength(1)
    expect(artifacts[0]).toMatchObject({
      divergent: true,
      canonical: { workerId: outcome.workers.w1, mediaTypes: ['application/json'] },
    })
  })

  test('the text draft is superseded, with the reason, and is a violation', () => {
    const { artifacts, violations } = outcome.ledger.atVerdict.view
    expect(artifacts[0]?.variants).toContainEqual(
      expect.objectContaining({
        workerId: outcome.workers.w1,
        mediaTypes: ['text/plain'],
        status: 'superseded',
        because: expect.stringMatching(/\S/u),
      }),
    )
    const codes = violations.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['media_type_not_advertised']))
  })

  test('W3 completes it under the same correlation ID', () => {
    const { view } = outcome.ledger.atEnd
    expect(view).toMatchObject({
      correlationId: outcome.ledger.correlationId,
      state: 'completed',
      terminal: true,
    })
    expect(view.attempts).toHaveLength(3)
    expect(view.attempts).toContainEqual(
      expect.objectContaining({ workerId: outcome.workers.w3, state: 'completed', life: 'ended' }),
    )
  })

  test('the finished report of W3 is the canonical artifact, both drafts are superseded', () => {
    const { artifacts } = outcome.ledger.atEnd.view
    expect(artifacts).toHaveLength(1)
    expect(artifacts[0]?.canonical).toMatchObject({
      workerId: outcome.workers.w3,
      mediaTypes: ['application/json'],
    })
    const others = artifacts[0]?.variants.filter(({ status }) => status === 'superseded')
    expect(others?.map(({ workerId }) => workerId)).toEqual([
      outcome.workers.w1,
      outcome.workers.w1,
    ])
  })

  test('the work was not done twice, and nobody is told that it was', () => {
    const causes = outcome.ledger.atEnd.rootCause.findings.map(({ cause }) => cause)
    expect(causes).not.toContain('duplicate_execution')
    expect(causes).not.toContain('premature_failure')
  })

  test('the timeline tells it in order, from the dispatch to the end', () => {
    const { entries } = outcome.ledger.atEnd.timeline
    const positions = entries.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(entries[0]).toMatchObject({ type: 'a2a.dispatch', workerId: outcome.workers.w1 })
    expect(entries.map(({ type }) => type)).toContain('reconciler.verdict')
    expect(entries.at(-1)?.canonical.state).toBe('completed')
  })
})
