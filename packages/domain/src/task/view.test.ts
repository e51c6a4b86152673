import { describe, expect, it } from 'vitest'
import { answered, card, chunk, enrolled, found, missed, piece, sent, settled, taskAfter, unreadable, type Line } from '../testing/history.ts'
import { contentKey, taskView } from './view.ts'

const viewOf = (lines: readonly Line[]) => taskView(taskAfter(lines), new Map())
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('lists of a view hold at most 100 entries and say how many there are', () => {
  const crowd = numbers(130).flatMap((n): Line[] => [found('working', { at: n, task: `t-${n}` }), chunk('x', { at: n + 0.5, task: `t-${n}`, artifact: { artifactId: 'a' } })])
  const view = viewOf(crowd)

  it('attempts: the newest, and their full number', () => {
    expect([view.attempts.length, view.attempts.at(-1)?.taskId, view.counts?.['attempts']]).toEqual([100, 't-129', 130])
  })

  it('the versions of one artifact are counted beside it', () => {
    const [artifact] = view.artifacts
    expect([artifact?.variants.length, artifact?.counts]).toEqual([100, { variants: 129 }])
  })

  it('the positions of a divergence are counted beside it', () => {
    const [divergence] = view.divergences
    expect([divergence?.kind, divergence?.positions.length, divergence?.counts]).toEqual(['task-id', 100, { positions: 130 }])
  })

  it('the positions that leave an attempt in doubt are counted beside them', () => {
    const { attempts } = viewOf([found('working'), ...numbers(120).map((n) => missed({ at: 10 + n, evidence: 'weak' }))])
    expect([attempts[0]?.doubt?.because, attempts[0]?.doubt?.positions.length, attempts[0]?.doubt?.counts]).toEqual(['weak-evidence', 100, { positions: 120 }])
  })

  it('the evidence of a derived verdict is counted as well', () => {
    const { verdict } = viewOf([found('working'), ...numbers(120).map((n) => missed({ at: 10 + n, evidence: 'weak' }))])
    expect([verdict?.kind, verdict?.because.length, verdict?.counts]).toEqual(['reobserve', 20, { because: 120 }])
  })

  it('the media types of one version are counted beside them', () => {
    const mediaTypes = numbers(120).map((n) => `application/x-${n}`)
    const [artifact] = viewOf([found('working'), chunk('x', { at: 5, artifact: { mediaTypes } })]).artifacts
    expect([artifact?.canonical.mediaTypes.length, artifact?.canonical.counts]).toEqual([100, { mediaTypes: 120 }])
  })

  it('where nothing is cut nothing is counted', () => {
    expect(JSON.stringify(viewOf([found('working'), chunk('x', { at: 5 })]))).not.toContain('"counts"')
  })
})

describe('the doubt of an attempt', () => {
  it('is absent while nothing is newer than its last life', () => {
    expect(viewOf([found('working')]).attempts[0]).not.toHaveProperty('doubt')
  })

  it('is gone once life returns', () => {
    expect(viewOf([found('working'), missed({ at: 5, evidence: 'weak' }), found('working', { at: 9 })]).attempts[0]).not.toHaveProperty('doubt')
  })
})

describe('the view of a task', () => {
  const twice: readonly Line[] = [
    sent({ at: 0, isUnnamed: true }),
    answered('working', { at: 1, contextId: 'c-1', holding: [piece('four')] }),
    chunk('ty', { at: 2, append: true }),
    missed({ at: 10 }),
    sent({ at: 20, worker: 'w2' }),
    answered('completed', { at: 21, worker: 'w2', notes: ['timestamp_invalid'], holding: [piece('{}', { name: 'n', mediaTypes: ['application/json'] })] }),
    unreadable({ at: 22, worker: 'w2' }),
  ]
  const digest = piece('{}').digest

  it('shows dispatches, attempts, artifacts, disagreements and what was not understood', () => {
    expect(viewOf(twice)).toEqual({
      correlationId: 'k',
      state: 'completed',
      terminal: true,
      dispatches: [
        { workerId: 'w1', position: 1, outcome: 'task', taskId: 't-1' },
        { workerId: 'w2', messageId: 'm-1', position: 5, outcome: 'task', taskId: 't-1' },
      ],
      attempts: [
        { workerId: 'w1', taskId: 't-1', contextId: 'c-1', state: 'working', life: 'lost', contested: false, firstSeenPosition: 2, lastSeenPosition: 3 },
        { workerId: 'w2', taskId: 't-1', state: 'completed', life: 'ended', contested: false, firstSeenPosition: 6, lastSeenPosition: 6 },
      ],
      artifacts: [
        {
          key: 'a-1',
          divergent: true,
          canonical: { workerId: 'w2', taskId: 't-1', artifactId: 'a-1', name: 'n', mediaTypes: ['application/json'], complete: true, bytes: 2, digest: `sha256:${digest}` },
          variants: [{ workerId: 'w1', taskId: 't-1', artifactId: 'a-1', mediaTypes: ['text/plain'], complete: false, bytes: 6, status: 'superseded', because: 'it is incomplete' }],
        },
      ],
      divergences: [{ kind: 'media-type', positions: [2, 6] }],
      violations: [{ code: 'timestamp_invalid', position: 6, detail: expect.any(String), workerId: 'w2', taskId: 't-1' }],
      incomplete: [7],
    })
  })

  it('has no member for what is not there', () => {
    expect(viewOf([sent()])).toEqual({
      correlationId: 'k',
      state: 'dispatched',
      terminal: false,
      dispatches: [{ workerId: 'w1', messageId: 'm-1', position: 1, outcome: 'pending' }],
      attempts: [],
      artifacts: [],
      divergences: [],
      violations: [],
    })
  })

  it('takes length and digest of content in several stretches from what was put together', () => {
    const refs = [{ position: 2, at: 0 }, { position: 3, at: 0 }]
    const [artifact] = taskView(taskAfter(twice), new Map([[contentKey(refs), { bytes: 7, digest: 'd'.repeat(64) }]])).artifacts
    expect(contentKey(refs)).toBe('2.0+3.0')
    expect(artifact?.variants[0]).toMatchObject({ bytes: 7, digest: `sha256:${'d'.repeat(64)}` })
    expect(artifact?.canonical).toMatchObject({ bytes: 2, digest: `sha256:${digest}` })
  })

  it('names the witnesses whose chunks differ', () => {
    const [artifact] = viewOf([found('working'), chunk('one', { at: 3, lastChunk: true }), chunk('uno', { at: 3.1, by: 'gateway', streamId: 's', lastChunk: true })]).artifacts
    expect(artifact?.canonical.disputedBy).toEqual(['gateway'])
  })
})

describe('V6 the verdict as it is shown', () => {
  const lost = [card({ at: -20 }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]
  const heir = [card({ at: -20, worker: 'w3' }), enrolled({ trust: 'card' }, { at: -19, worker: 'w3' })]
  const shownAt = (lines: readonly Line[], asOf: number) => taskView(taskAfter(lines, { asOf }), new Map())

  it('V6 an undecided question says how long grace still runs', () => {
    expect(shownAt(lost, 25).verdict).toEqual({ kind: 'reobserve', because: [3, 4], considered: [], actor: 'caller', retryAfterMs: 15_000 })
  })

  it('V6 once grace has run the answer is a second away', () => {
    expect(shownAt(lost, 1_000).verdict?.retryAfterMs).toBe(1_000)
  })

  it('V6 a doubt without a question is asked about again in a second', () => {
    const doubted = [sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10, evidence: 'weak' })]
    expect(shownAt(doubted, 25).verdict).toEqual({ kind: 'reobserve', because: [3], considered: [], actor: 'caller', retryAfterMs: 1_000 })
  })

  it('V6 a recorded verdict says who, who else, why, with which risk, and where it stands', () => {
    const decided = settled([...heir, ...lost])
    const task = taskAfter(decided)
    expect(taskView(task, new Map())).toMatchObject({ state: 'indeterminate', lastObserved: 'working' })
    expect(taskView(task, new Map()).verdict).toEqual({
      decisionId: task.question?.decisionId,
      kind: 'redispatch',
      workerId: 'w3',
      because: [5, 6],
      considered: [{ workerId: 'w3', eligible: true }, { workerId: 'w1', eligible: false, because: 'lost_it' }],
      duplicateRisk: 'possible',
      actor: 'caller',
      position: 7,
    })
  })

  it('V6 a verdict without a target names none, and what took its basis away is said', () => {
    const decided = settled(lost)
    expect(taskView(taskAfter(decided), new Map()).verdict).not.toHaveProperty('workerId')
    expect(taskView(taskAfter([...decided, found('working', { at: 200 })]), new Map()).verdict?.basis).toBe('withdrawn')
  })
})
