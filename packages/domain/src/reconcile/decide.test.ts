import { describe, expect, it } from 'vitest'
import { answered, card, enrolled, found, missed, ms, probed, pushed, refused, sent, settled, taskAfter, unanswered, workersOf, type Line, type World } from '../testing/history.ts'
import { decide, considerCandidates, shortList } from './decide.ts'

const json = ['application/json']
const lost: readonly Line[] = [
  card({ at: -20 }),
  sent({ at: 0, acceptedModes: ['text/plain'] }),
  answered('working', { at: 1 }),
  pushed('input-required', { at: 5 }),
  missed({ at: 10 }),
]
/** A worker whose card is trusted and shows these things. */
const worker = (name: string, told: Parameters<typeof card>[0] = {}, policy: Parameters<typeof enrolled>[0] = {}): readonly Line[] => [
  card({ at: -20, worker: name, ...told }),
  enrolled({ trust: 'card', ...policy }, { at: -19, worker: name }),
]

const consideredIn = (lines: readonly Line[], world: World = {}): string => {
  const decision = decide(taskAfter(lines, world), workersOf(lines, world))
  return [
    decision?.kind ?? 'nothing',
    ...(decision?.considered.map(({ workerId, eligible, because }) => `${workerId} ${eligible ? 'can' : because}`) ?? []),
  ].join(', ')
}

describe('V7 candidates', () => {
  it.each<[string, readonly Line[], string]>([
    ['V7 a trusted worker of the mesh with the skill, the state and the mode can take over', [...lost, ...worker('w2')], 'redispatch, w2 can, w1 lost_it'],
    ['V7 the worker that lost the task is named and passed over', lost, 'unreconcilable, w1 lost_it'],
    ['V7 even when its card is trusted elsewhere it has lost it', [enrolled({ substitutes: ['w1'] }), ...lost], 'unreconcilable, w1 lost_it'],
    ['V7 a worker without the skill differs', [...lost, ...worker('w2', { skills: [{ id: 'draw' }] })], 'unreconcilable, w1 lost_it, w2 skill_differs'],
    ['V7 the skill is the last one that was asked for, also where a later message names none', [card({ at: -20, skills: [{ id: 'write' }, { id: 'draw' }] }), sent({ at: 0, skill: 'draw' }), answered('working', { at: 1 }), sent({ at: 2, naming: 't-1', sentMessageId: 'm-2' }), answered('working', { at: 3, messageId: 'm-2' }), missed({ at: 10 }), ...worker('w2', { skills: [{ id: 'draw' }] })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 a declared substitute needs no skill in common', [enrolled({ substitutes: ['w2'] }), ...lost, ...worker('w2', { skills: [{ id: 'draw' }] })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 a substitute of somebody else is none', [enrolled({ substitutes: ['w2'] }, { worker: 'w3' }), ...lost, ...worker('w2', { skills: [{ id: 'draw' }] })], 'unreconcilable, w1 lost_it, w2 skill_differs, w3 skill_differs'],
    ['V7 an advertised state that nobody verified does not count', [...lost, card({ at: -20, worker: 'w2' })], 'unreconcilable, w1 lost_it, w2 state_not_verified'],
    ['V7 a card that does not declare the last observed state does not verify it', [...lost, ...worker('w2', { reachableStates: ['working', 'completed'] })], 'unreconcilable, w1 lost_it, w2 state_not_verified'],
    ['V7 a card that declares it does', [...lost, ...worker('w2', { reachableStates: ['working', 'input-required', 'completed'] })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 verified modes have to meet the accepted ones', [...lost, ...worker('w2', { outputModes: json })], 'unreconcilable, w1 lost_it, w2 mode_not_verified'],
    ['V7 modes are those of the skill, not of the card', [...lost, ...worker('w2', { outputModes: json, skills: [{ id: 'write', outputModes: ['text/*'] }] })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 modes are those that were stated last, also where a later message states none', [...lost.slice(0, 3), sent({ at: 2, naming: 't-1', sentMessageId: 'm-2' }), answered('working', { at: 3, messageId: 'm-2' }), missed({ at: 10 }), ...worker('w2', { outputModes: json })], 'unreconcilable, w1 lost_it, w2 mode_not_verified'],
    ['V7 where the client stated no modes any verified mode will do', [card({ at: -20 }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 }), ...worker('w2', { outputModes: json })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 an empty list of accepted modes states none', [card({ at: -20 }), sent({ at: 0, acceptedModes: [] }), answered('working', { at: 1 }), missed({ at: 10 }), ...worker('w2', { outputModes: json })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 a worker of another mesh is no candidate and is not named', [...lost, ...worker('w2', {}, { mesh: 'other' })], 'unreconcilable, w1 lost_it'],
    ['V7 not even as a declared substitute', [enrolled({ substitutes: ['w2'] }), ...lost, ...worker('w2', {}, { mesh: 'other' })], 'unreconcilable, w1 lost_it'],
    ['V7 the worker that gave no answer has the skill it was asked for, card or none', [sent({ at: 0 }), unanswered({ at: 5 })], 'unreconcilable, w1 mode_not_verified'],
    ['V7 a worker without any card has verified nothing', [enrolled({ substitutes: ['w2'] }), ...lost, enrolled({ trust: 'card' }, { worker: 'w2' })], 'unreconcilable, w1 lost_it, w2 state_not_verified'],
    ['V7 where the skill of the lost worker is not known only its substitutes are candidates', [enrolled({ substitutes: ['w3'] }), card({ at: -20, skills: [{ id: 'write' }, { id: 'draw' }] }), ...lost.slice(1), ...worker('w2'), ...worker('w3')], 'redispatch, w3 can, w1 lost_it, w2 skill_differs'],
    ['V7 the skill that the client named decides where the card has several', [card({ at: -20, skills: [{ id: 'write' }, { id: 'draw' }] }), sent({ at: 0, skill: 'draw' }), answered('working', { at: 1 }), missed({ at: 10 }), ...worker('w2'), ...worker('w3', { skills: [{ id: 'draw' }] })], 'redispatch, w3 can, w1 lost_it, w2 skill_differs'],
    ['V7 substitutes come first, then workers by name', [enrolled({ substitutes: ['w9'] }), ...lost, ...worker('w4'), ...worker('w3'), ...worker('w9')], 'redispatch, w9 can, w3 can, w4 can, w1 lost_it'],
  ])('%s', (_fact, lines, considered) => {
    expect(consideredIn(lines)).toBe(considered)
  })

  const seen = { states: ['working', 'input-required'] as const, mediaTypes: ['text/plain'] }
  const sight = (name: string, at: number, learned: Parameters<typeof probed>[0] = { ...seen, states: [...seen.states] }): Line => probed(learned, { at, worker: name })
  it.each<[string, readonly Line[], string]>([
    ['V7 a worker that a probe saw in that state can take over', [...lost, card({ at: -20, worker: 'w2' }), sight('w2', -10)], 'redispatch, w2 can, w1 lost_it'],
    ['V7 what it advertises and no probe saw is not verified', [...lost, card({ at: -20, worker: 'w2' }), sight('w2', -10, { states: ['completed'], mediaTypes: ['text/plain'] })], 'unreconcilable, w1 lost_it, w2 state_not_verified'],
    ['V7 nor is a media type', [...lost, card({ at: -20, worker: 'w2' }), sight('w2', -10, { states: ['input-required'] })], 'unreconcilable, w1 lost_it, w2 mode_not_verified'],
    ['V7 a probe of another skill does not help', [...lost, card({ at: -20, worker: 'w2', skills: [{ id: 'draw' }] }), sight('w2', -10)], 'unreconcilable, w1 lost_it, w2 skill_differs'],
    ['V7 the worker that lost it was probed before: it lost it all the same', [...lost.slice(0, 1), sight('w1', -10), ...lost.slice(1)], 'unreconcilable, w1 lost_it'],
    ['V7 probed since it can take it over', [...lost, sight('w1', 11)], 'redispatch, w1 can'],
    ['V7 probed since the not-found that was decided on it can, also when an earlier one is told later', [...settled(lost), sight('w1', 110), missed({ at: 8 })], 'redispatch, w1 can'],
    ['V7 but as the last one', [...lost, sight('w1', 11), card({ at: -20, worker: 'w2' }), sight('w2', -10)], 'redispatch, w2 can, w1 can'],
  ])('%s', (_fact, lines, considered) => {
    expect(consideredIn(lines)).toBe(considered)
  })

  it.each<[string, World, string]>([
    ['V7 a worker whose last sign is a failed connection is unreachable', { known: { w2: { lastAnsweredMs: ms(1), lastUnreachableMs: ms(2) } } }, 'w2 unreachable'],
    ['V7 a worker that answered since is reachable', { known: { w2: { lastAnsweredMs: ms(3), lastUnreachableMs: ms(2) } } }, 'w2 can'],
    ['V7 reachable means not known to be unreachable', {}, 'w2 can'],
  ])('%s', (_fact, world, expected) => {
    expect(consideredIn([...lost, ...worker('w2')], world)).toContain(expected)
  })

  it.each<[string, Parameters<typeof card>[0], Parameters<typeof enrolled>[0], string]>([
    ['V7 the first reason that applies: skill_differs before state_not_verified', { skills: [{ id: 'draw' }], reachableStates: ['working'] }, {}, 'w2 skill_differs'],
    ['V7 the first reason that applies: state_not_verified before mode_not_verified', { reachableStates: ['working'], outputModes: json }, {}, 'w2 state_not_verified'],
    ['V7 the first reason that applies: mode_not_verified before unreachable', { outputModes: json }, {}, 'w2 mode_not_verified'],
  ])('%s', (_fact, told, policy, expected) => {
    expect(consideredIn([...lost, ...worker('w2', told, policy)], { known: { w2: { lastUnreachableMs: ms(5) } } })).toContain(expected)
  })

  it('V7 the first reason that applies: lost_it before everything', () => {
    expect(consideredIn(lost, { known: { w1: { lastUnreachableMs: ms(99) } } })).toBe('unreconcilable, w1 lost_it')
  })

  it.each<[string, readonly Line[], string]>([
    ['V7 with nothing observed any worker whose modes and skill fit', [card({ at: -20 }), sent({ at: 0 }), unanswered({ at: 5 }), ...worker('w2', { reachableStates: ['completed'] })], 'redispatch, w2 can, w1 mode_not_verified'],
    ['V7 with nothing observed also the worker that gave no answer', [...worker('w1'), sent({ at: 0 }), unanswered({ at: 5 })], 'redispatch, w1 can'],
    ['V7 with nothing observed the skill still counts', [card({ at: -20 }), sent({ at: 0 }), unanswered({ at: 5 }), ...worker('w2', { skills: [{ id: 'draw' }] })], 'unreconcilable, w1 mode_not_verified, w2 skill_differs'],
  ])('%s', (_fact, lines, considered) => {
    expect(consideredIn(lines)).toBe(considered)
  })

  const refusedBy = (name: string, at: number, told: Parameters<typeof sent>[0] = {}): readonly Line[] => [
    sent({ at, worker: name, sentMessageId: `m-${name}-${at}`, acceptedModes: ['text/plain'], ...told }),
    refused({ at: at + 0.5, worker: name, messageId: `m-${name}-${at}` }),
  ]
  const rejectedBy = (name: string, at: number, task: string): readonly Line[] => [
    sent({ at, worker: name, sentMessageId: `m-${name}-${at}`, acceptedModes: ['text/plain'] }),
    answered('rejected', { at: at + 0.5, worker: name, task, messageId: `m-${name}-${at}` }),
  ]
  const failedAt = (name: string, at: number, task: string): readonly Line[] => [
    sent({ at, worker: name, sentMessageId: `m-${name}-${at}`, acceptedModes: ['text/plain'] }),
    answered('failed', { at: at + 0.5, worker: name, task, messageId: `m-${name}-${at}` }),
  ]
  it.each<[string, readonly Line[], string]>([
    ['V7 a worker that refused this very work is not asked for it again', [...worker('w2'), ...refusedBy('w2', -5), ...lost], 'w2 refused_it'],
    ['V7 the first reason that applies: refused_it before skill_differs', [...worker('w2', { skills: [{ id: 'draw' }] }), ...refusedBy('w2', -5), ...lost], 'w2 refused_it'],
    ['V7 a refused message into a task that it does not have is no refusal of the work', [...worker('w2'), ...refusedBy('w2', -5, { naming: 't-9' }), ...lost], 'w2 can'],
    ['V7 a worker that took the work after it had refused it can take it again', [...worker('w2'), ...refusedBy('w2', -9), sent({ at: -5, worker: 'w2', sentMessageId: 'm-2', acceptedModes: ['text/plain'] }), answered('working', { at: -4, worker: 'w2', task: 't-2', messageId: 'm-2' }), found('failed', { at: -3, worker: 'w2', task: 't-2' }), ...lost], 'w2 can'],
    ['V7 a card that changed in what matters since voids the refusal', [...worker('w2'), ...refusedBy('w2', -5), ...lost, card({ at: 20, worker: 'w2', essenceDigest: 'essence 2' })], 'w2 can'],
    ['V7 the same card again does not', [...worker('w2'), ...refusedBy('w2', -5), ...lost, card({ at: 20, worker: 'w2' })], 'w2 refused_it'],
    ['V7 a worker that rejected this very work has refused it', [...worker('w2'), ...rejectedBy('w2', -9, 't-8'), ...lost], 'w2 refused_it'],
    ['V7 a worker that took the work after it had rejected it can take it again', [...worker('w2'), ...rejectedBy('w2', -9, 't-8'), ...failedAt('w2', -5, 't-9'), ...lost], 'w2 can'],
    ['V7 a worker that took the work can, whoever rejected a task of the same id', [...worker('w2'), ...rejectedBy('w3', -9, 't-8'), ...failedAt('w2', -5, 't-8'), ...lost], 'w2 can'],
    ['V7 who ended an attempt and knows nothing of it any more has not lost the work', [...worker('w2'), ...failedAt('w2', -5, 't-8'), missed({ at: -3, worker: 'w2', task: 't-8' }), ...lost], 'w2 can'],
    ['V7 a send without an answer is no refusal', [...worker('w2'), sent({ at: -5, worker: 'w2', sentMessageId: 'm-2' }), unanswered({ at: -4, worker: 'w2', messageId: 'm-2' }), ...lost], 'w2 can'],
  ])('%s', (_fact, lines, expected) => {
    expect(consideredIn(lines)).toContain(expected)
  })

  it('V7 of just as many workers as a verdict can name nothing is counted', () => {
    const all = Array.from({ length: 100 }, (_, n) => ({ workerId: `w-${n}`, eligible: true }))
    expect([shortList(all, 0, 20), shortList(all, 1, 21).counts]).toStrictEqual([{ considered: all }, { because: 21, considered: 101 }])
  })

  it('V7 of more workers than a verdict can name it names 100, the eligible ones first, and says how many there are', () => {
    const crowd = Array.from({ length: 150 }, (_, index) => card({ at: -20, worker: `x${index}` }))
    const lines = [...lost, ...worker('w2'), ...crowd]
    const decision = decide(taskAfter(lines), workersOf(lines), 4_000)
    expect([decision?.considered.length, decision?.considered[0]?.workerId, decision?.counts]).toEqual([100, 'w2', { considered: 4_152 }])
  })

  it('F16 a task that is closed by policy goes to nobody, and nobody is considered', () => {
    expect(consideredIn([enrolled({ trust: 'card' }), ...lost, ...worker('w2')])).toBe('closed-by-policy')
  })

  it('V7 of few workers it names all and counts nothing', () => {
    expect(decide(taskAfter(lost), workersOf(lost))?.counts).toBeUndefined()
  })

  it('V8 of more evidence than a verdict can give it says how much there is', () => {
    const lines = [...lost, ...Array.from({ length: 30 }, (_, index) => missed({ at: 11 + index * 0.1 }))]
    const decision = decide(taskAfter(lines), workersOf(lines))
    expect([decision?.because.length, decision?.counts]).toEqual([20, { because: 32 }])
  })

  it('V7 a card fetched after the decision does not count for it', () => {
    const lines = [...lost, card({ at: 5_000, worker: 'w2' }), enrolled({ trust: 'card' }, { at: 0, worker: 'w2' })]
    expect(consideredIn(lines)).toBe('unreconcilable, w1 lost_it, w2 skill_differs')
  })

  it('V7 trust in its card is no sight of the state that a worker has lost', () => {
    const lines = [...lost, card({ at: 20 }), enrolled({ trust: 'card' }, { at: 21 })]
    const task = taskAfter(lines)
    if (task.question === undefined) throw new Error('no question')
    expect(considerCandidates(task, task.question, workersOf(lines))).toEqual([{ workerId: 'w1', eligible: false, because: 'lost_it' }])
  })

  it('V7 the order in which candidates are handed in does not matter, and neither do doubles', () => {
    const lines = [...lost, ...worker('w3'), ...worker('w2')]
    const task = taskAfter(lines)
    const workers = workersOf(lines)
    const question = task.question
    if (question === undefined) throw new Error('no question')
    expect(considerCandidates(task, question, [...workers.toReversed(), ...workers])).toEqual(considerCandidates(task, question, workers))
  })
})

describe('V6 which verdict a pass gives', () => {
  it.each<[string, readonly Line[], string]>([
    ['V6 somebody can take over: redispatch', [...lost, ...worker('w2')], 'redispatch'],
    ['V6 nobody can: unreconcilable, which is not failed', lost, 'unreconcilable'],
    ['V6 the lost worker is trusted by its card: closed-by-policy, whoever could take over', [enrolled({ trust: 'card' }, { at: -9 }), ...lost, ...worker('w2')], 'closed-by-policy'],
    ['V6 no answer at a trusted worker is no loss: redispatch', [...worker('w1'), sent({ at: 0 }), unanswered({ at: 5 })], 'redispatch'],
  ])('%s', (_fact, lines, kind) => {
    expect(decide(taskAfter(lines), workersOf(lines))?.kind).toBe(kind)
  })
})

describe('V7 what else decides between candidates', () => {
  const toW2 = (at: number) => sent({ at, worker: 'w2', sentMessageId: `m-${at}` })
  const refusedByW2 = (at: number) => refused({ at, worker: 'w2', messageId: `m-${at - 1}` })
  it.each<[string, readonly Line[], string]>([
    ['V7 whoever has another skill comes last, whatever its name', [...lost, ...worker('w0', { skills: [{ id: 'draw' }] })], 'unreconcilable, w1 lost_it, w0 skill_differs'],
    ['V7 a skill among several is enough', [...lost, ...worker('w2', { skills: [{ id: 'draw' }, { id: 'write' }] })], 'redispatch, w2 can, w1 lost_it'],
    ['V7 the modes that another worker was sent do not matter', [...lost, sent({ at: 20, worker: 'w9', acceptedModes: json, sentMessageId: 'm-9' }), refused({ at: 21, worker: 'w9', messageId: 'm-9' }), ...worker('w2')], 'redispatch, w2 can, w1 lost_it, w9 refused_it'],
    ['V7 who refused and later gave no answer has refused', [...lost, toW2(20), refusedByW2(21), toW2(30), unanswered({ at: 31, worker: 'w2', messageId: 'm-30' }), ...worker('w2')], 'unreconcilable, w1 lost_it, w2 refused_it'],
    ['V7 who gave no answer has not refused', [...lost, toW2(30), unanswered({ at: 31, worker: 'w2', messageId: 'm-30' }), ...worker('w2')], 'redispatch, w2 can, w1 lost_it'],
  ])('%s', (_fact, lines, considered) => {
    expect(consideredIn(lines)).toBe(considered)
  })

  it.each<[string, World, string]>([
    ['V7 a worker that never answered and could not be reached is unreachable', { known: { w2: { lastUnreachableMs: ms(2) } } }, 'w2 unreachable'],
    ['V7 answered at the moment of the failed connection it is reachable', { known: { w2: { lastAnsweredMs: ms(2), lastUnreachableMs: ms(2) } } }, 'w2 can'],
    ['V7 a worker that only ever answered is reachable', { known: { w2: { lastAnsweredMs: ms(2) } } }, 'w2 can'],
  ])('%s', (_fact, world, expected) => {
    expect(consideredIn([...lost, ...worker('w2')], world)).toContain(expected)
  })
})

describe('V6 what is decided is decided', () => {
  it.each<[string, readonly Line[]]>([
    ['V6 a redispatch is not decided again while its candidate is there', settled([...lost, ...worker('w2')])],
    ['V6 unreconcilable is not closed by policy when the card of the worker is trusted later', [...settled(lost), enrolled({ trust: 'card' }, { at: 200 }), ...worker('w2')]],
    ['V6 unreconcilable is not told twice', settled(lost)],
  ])('%s', (_fact, lines) => {
    expect(decide(taskAfter(lines), workersOf(lines))).toBeUndefined()
  })
})
