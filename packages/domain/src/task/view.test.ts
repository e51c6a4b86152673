import { describe, expect, it } from 'vitest'
import {
  answered,
  approved,
  canceling,
  card,
  chunk,
  enrolled,
  found,
  intended,
  intentSettled,
  linked,
  messaged,
  missed,
  piece,
  sent,
  settled,
  taskAfter,
  unreadable,
  type Line,
} from '../testing/history.ts'
import { canaryCorrelationId } from '../correlation/canary.ts'
import type { ArtifactFact, ErrorFact, VerdictFact } from '../fact/fact.ts'
import { undefinedMembersOf } from '../testing/undefined-members.ts'
import { contentKey, taskView } from './view.ts'

const viewOf = (lines: readonly Line[]) => taskView(taskAfter(lines), new Map())
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('lists of a view hold at most 100 entries and say how many there are', () => {
  const crowd = numbers(130).flatMap((n): Line[] => [found('working', { at: n, task: `t-${n}` }), chunk('x', { at: n + 0.5, task: `t-${n}`, artifact: { artifactId: 'a' } })])

  it('attempts: the newest, and their full number', () => {
    const view = viewOf(crowd)
    expect([view.attempts.length, view.attempts.at(-1)?.taskId, view.counts?.['attempts']]).toEqual([100, 't-129', 130])
  })

  it('the versions of one artifact are counted beside it', () => {
    const [artifact] = viewOf(crowd).artifacts
    expect([artifact?.variants.length, artifact?.counts]).toEqual([100, { variants: 129 }])
  })

  it('the positions of a divergence are counted beside it', () => {
    const [divergence] = viewOf(crowd).divergences
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

  it('dispatches: the newest, and their full number', () => {
    const { dispatches, counts } = viewOf(numbers(130).map((n) => sent({ at: n, sentMessageId: `m-${n}` })))
    expect([dispatches.length, dispatches[0]?.messageId, dispatches.at(-1)?.messageId, counts]).toEqual([100, 'm-30', 'm-129', { dispatches: 130 }])
  })

  it('intents: the newest, and their full number', () => {
    const { intents, counts } = viewOf(numbers(130).map((n) => intended({ at: n, sentMessageId: `m-${n}` })))
    expect([intents?.length, intents?.[0]?.messageId, intents?.at(-1)?.messageId, counts]).toEqual([100, 'm-30', 'm-129', { intents: 130 }])
  })

  it('cancels: the newest, and their full number', () => {
    const { cancels, counts } = viewOf([sent(), ...numbers(130).map((n) => canceling({ at: n, task: `t-${n}` }))])
    expect([cancels?.length, cancels?.[0]?.taskId, cancels?.at(-1)?.taskId, counts]).toEqual([100, 't-30', 't-129', { cancels: 130 }])
  })

  it('children: the newest, and their full number', () => {
    const pool = numbers(130).map((n) => taskAfter([sent({ parentCorrelationId: 'k' })], { correlationId: `child-${n}` }))
    const { children, counts } = taskView(taskAfter([sent()]), new Map(), pool)
    expect([children?.length, children?.[0]?.correlationId, children?.at(-1)?.correlationId, counts]).toEqual([100, 'child-30', 'child-129', { children: 130 }])
  })

  it('the candidates of a verdict, as it was recorded', () => {
    const many = numbers(120).map((n) => card({ at: -20, worker: `w-${n}` }))
    const { verdict } = viewOf(settled([...many, sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]))
    expect([verdict?.considered.length, verdict?.counts]).toEqual([100, { considered: 121 }])
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
    expect(viewOf([sent()])).toStrictEqual({
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

  it('names no task for a version that a message brought', () => {
    const answers = [sent(), messaged('one', { ownMessageId: 'x' }), sent({ worker: 'w2', sentMessageId: 'm-2' }), messaged('two', { worker: 'w2', messageId: 'm-2', ownMessageId: 'x' })]
    const [artifact] = viewOf(answers).artifacts
    expect([artifact?.canonical, ...(artifact?.variants ?? [])].map((version) => Object.keys(version ?? {}).includes('taskId'))).toEqual([false, false])
  })

  it('V3 says of the task of a probe that it is one', () => {
    expect(taskView(taskAfter([sent()], { correlationId: canaryCorrelationId('p-1') }), new Map())).toMatchObject({ canary: true })
  })

  it('K6 shows the synthetic streams that are part of it: of each the last word, and who said it', () => {
    const lines = [
      linked('~w1/t-1'),
      linked('~w1/t-2'),
      linked('~w1/t-3', { person: 'ann', because: 'same order' }),
      linked('~w1/t-2', { kind: 'unlinked', person: 'ann' }),
      linked('~w1/t-4', { to: 'another' }),
      linked('~w1/t-5', { kind: 'unlinked' }),
      linked('~w1/t-5'),
      found('working'),
    ]
    expect(viewOf(lines).links).toStrictEqual([
      { from: '~w1/t-1', to: 'k', position: 1 },
      { from: '~w1/t-3', to: 'k', position: 3, by: 'ann', because: 'same order' },
      { from: '~w1/t-5', to: 'k', position: 7 },
    ])
  })

  it('shows on whose behalf it was sent, and what was sent on its behalf, each with its state', () => {
    const named = (correlationId: string, lines: readonly Line[]) => taskAfter(lines, { correlationId })
    const own = named('k', [sent({ parentCorrelationId: 'above' })])
    const pool = [named('above', [found('working')]), named('below', [sent({ parentCorrelationId: 'k' })]), named('beside', [sent()])]
    const { parents, children } = taskView(own, new Map(), pool)
    expect({ parents, children }).toEqual({
      parents: [{ correlationId: 'above', by: 'stated', position: 1, state: 'working' }],
      children: [{ correlationId: 'below', by: 'stated', position: 1, state: 'dispatched' }],
    })
    expect(taskView(own, new Map())).not.toHaveProperty('parents')
  })

  it('V8 shows intents: held until their time is over, then nobody knows, unless it was told', () => {
    const lines = [
      intended({ at: 0, holder: 'o1' }),
      intended({ at: 1, ttl: 10, sentMessageId: 'm-2', worker: 'w2' }),
      intended({ at: 2, ttl: 18, sentMessageId: 'm-3' }),
      intended({ at: 3, sentMessageId: 'm-4' }),
      intentSettled(4, 'sent', { at: 4, sentTaskId: 't-9' }),
      intended({ at: 6, sentMessageId: 'm-5' }),
      intentSettled(6, 'not-sent', { at: 7 }),
    ]
    const { intents } = taskView(taskAfter(lines, { asOf: 20 }), new Map())
    expect(intents?.map(({ messageId, outcome, taskId, until }) => [messageId, outcome, taskId, until.slice(11, 19)])).toEqual([
      ['m-1', 'held', undefined, '00:01:00'],
      ['m-2', 'lapsed', undefined, '00:00:11'],
      ['m-3', 'lapsed', undefined, '00:00:20'],
      ['m-4', 'sent', 't-9', '00:01:03'],
      ['m-5', 'not-sent', undefined, '00:01:06'],
    ])
    expect(intents?.[0]).toStrictEqual({ decisionId: 'send-1', purpose: 'send', workerId: 'w1', messageId: 'm-1', by: 'o1', actor: 'caller', outcome: 'held', until: '2026-01-01T00:01:00.000Z', position: 1 })
    expect(intents?.[1]).not.toHaveProperty('by')
  })

  it('V8 shows why our own rules refused a send, unless it was made all the same', () => {
    const because = 'our rules'
    const { intents } = viewOf([
      intended({ at: 0, sentMessageId: 'm-1' }),
      intentSettled(1, 'not-sent', { at: 1, because }),
      intended({ at: 2, sentMessageId: 'm-2' }),
      intentSettled(3, 'not-sent', { at: 3 }),
      intended({ at: 4, sentMessageId: 'm-3' }),
      intentSettled(5, 'not-sent', { at: 5, because }),
      sent({ at: 6, sentMessageId: 'm-3' }),
      answered('working', { at: 7, messageId: 'm-3' }),
      intended({ at: 8, sentMessageId: 'm-4' }),
    ])
    const told = intents?.map((intent) => `${intent.messageId} ${intent.outcome}${'because' in intent ? `: ${intent.because}` : ''}`)
    expect(told).toEqual(['m-1 not-sent: our rules', 'm-2 not-sent', 'm-3 sent', 'm-4 lapsed'])
  })

  it('F18 shows which metadata attempt and artifact have, and where each stands', () => {
    const view = viewOf([found('working', { metadataNames: ['cost'] }), chunk('x', { artifact: { metadataNames: ['lang'] } }), found('working', { metadataNames: ['cost', 'tier'] })])
    expect(view.attempts[0]?.metadata).toEqual([{ name: 'cost', position: 3 }, { name: 'tier', position: 3 }])
    expect(view.artifacts[0]?.canonical.metadata).toEqual([{ name: 'lang', position: 2 }])
  })

  it('V1 shows what an artifact was held against', () => {
    const lines = [card({ at: -9, essenceDigest: 'one' }), card({ at: -1, outputModes: ['application/json'], essenceDigest: 'two' }), sent({ at: 0, acceptedModes: ['text/*'] }), answered('working', { at: 1, holding: [piece('x')] })]
    expect(viewOf(lines).artifacts[0]?.canonical.judgedBy).toEqual([
      { by: 'emission', card: { position: 2, digest: 'sha256:two' }, advertised: ['application/json'], isAdvertised: false, isNegotiated: false },
      { by: 'dispatch', card: { position: 2, digest: 'sha256:two' }, advertised: ['application/json'], isAdvertised: false, isNegotiated: false },
    ])
    const unstated = viewOf([card({ at: -1 }), found('working', { at: 1, holding: [piece('x')] })]).artifacts[0]?.canonical.judgedBy
    expect(unstated).toStrictEqual([{ by: 'emission', card: { position: 1, digest: 'sha256:essence 1' }, advertised: ['text/plain'], isAdvertised: true }])
  })

  it('has no member that is undefined for what is not known', () => {
    const nobodys: Line = (position) => ({ position, kind: 'nothing', channel: 'answer', source: 'gateway', atMs: 0, recordedAtMs: 0, notes: ['timestamp_invalid'] })
    const nameless: Line = (position) => {
      const { piece: { artifactId: _id, ...content }, ...fact } = chunk('x', { at: 5 })(position) as ArtifactFact
      return { ...fact, piece: content }
    }
    const bare: Line = (position) => {
      const { operation: _operation, code: _code, ...fact } = missed({ at: 9 })(position) as ErrorFact
      return fact
    }
    const riskless: readonly Line[] = settled([found('working'), missed({ at: 10 })]).slice(-1).map((line): Line => (position) => {
      const { duplicateRisk: _risk, ...fact } = line(position) as VerdictFact
      return fact
    })
    const task = taskAfter([sent({ isUnnamed: true }), nobodys, nameless, bare, ...riskless])
    expect(undefinedMembersOf([task.attempts, task.artifacts, taskView(task, new Map())])).toEqual([])
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

  it('V8 a recorded verdict says what a person said to it, and not to another one', () => {
    const decided = settled([...heir, ...lost])
    const decisionId = taskAfter(decided).question?.decisionId ?? ''
    const approvalAfter = (...lines: readonly Line[]) => taskView(taskAfter([...decided, ...lines]), new Map()).verdict?.approval
    expect(approvalAfter(approved('another'), approved(decisionId, { because: 'urgent' }), approved(decisionId, { answer: 'declined' }))).toStrictEqual({ answer: 'approved', by: 'ann', because: 'urgent', position: 9 })
    expect(approvalAfter(approved(decisionId, { answer: 'declined' }))).toStrictEqual({ answer: 'declined', by: 'ann', position: 8 })
    expect(approvalAfter(approved('another'))).toBeUndefined()
  })

  it('V6 a verdict without a target names none, and what took its basis away is said', () => {
    const decided = settled(lost)
    expect(taskView(taskAfter(decided), new Map()).verdict).not.toHaveProperty('workerId')
    expect(taskView(taskAfter([...decided, found('working', { at: 200 })]), new Map()).verdict?.basis).toBe('withdrawn')
  })
})
