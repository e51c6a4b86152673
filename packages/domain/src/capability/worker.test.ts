import { describe, expect, it } from 'vitest'
import {
  answered,
  card,
  chunk,
  concluded,
  enrolled,
  found,
  inputOf,
  messaged,
  missed,
  ms,
  piece,
  pushed,
  restarted,
  sent,
  taskAfter,
  type Line,
} from '../testing/history.ts'
import { workerEvidenceOf, type ConditionName } from './evidence.ts'
import { deriveWorker, type WorkerView } from './worker.ts'

/** What is said of w1 after one task of it. */
const workerAfter = (lines: readonly Line[]): WorkerView =>
  deriveWorker({
    workerId: 'w1',
    facts: inputOf(lines).workers.get('w1')?.facts ?? [],
    evidence: workerEvidenceOf(taskAfter(lines)).filter(({ workerId }) => workerId === 'w1'),
    asOfMs: ms(3_600),
  })
const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]

describe('V1 conditions', () => {
  const says = (name: ConditionName) => (lines: readonly Line[]): string => {
    const { status, because } = workerAfter(lines).conditions[name]
    return because.length === 0 ? status : `${status} by ${because.join()}`
  }
  it.each<[string, ConditionName, readonly Line[], string]>([
    ['V1 C1 unknown: nothing was restarted', 'C1', working, 'unknown'],
    ['V1 C1 holds: a task from before the restart is answered after it', 'C1', [...working, restarted({ at: 5 }), found('working', { at: 9 })], 'holds by 3,4'],
    ['V1 C1 holds: also when a push was the last sign of life', 'C1', [...working, restarted({ at: 5 }), found('working', { at: 9 }), pushed('completed', { at: 12 })], 'holds by 3,4'],
    ['V1 C1 unknown: a push after the restart does not read the store', 'C1', [...working, restarted({ at: 5 }), pushed('working', { at: 9 })], 'unknown'],
    ['V1 C1 unknown: a task made after the restart has survived nothing', 'C1', [restarted({ at: -5 }), ...working, found('working', { at: 9 })], 'unknown'],
    ['V1 C1 refuted: a task was lost over a restart', 'C1', [...working, restarted({ at: 5 }), missed({ at: 9 })], 'refuted by 2,3,4'],
    ['V1 C1 refuted: a lost task whose message got a new id was forgotten in between', 'C1', [...working, missed({ at: 9 }), sent({ at: 12 }), answered('working', { at: 13, task: 't-2', messageId: 'm-1' })], 'refuted by 2,3,5'],
    ['V1 C1 unknown: a loss without a restart proves no restart', 'C1', [...working, missed({ at: 9 })], 'unknown'],
    ['V1 C1 unknown: purged after its end is a normal end', 'C1', [...working, found('completed', { at: 3 }), restarted({ at: 5 }), missed({ at: 9 })], 'unknown'],
    ['V1 C2 unknown: no message was sent twice', 'C2', working, 'unknown'],
    ['V1 C2 holds: the same message got the same id', 'C2', [...working, sent({ at: 5 }), answered('working', { at: 6, messageId: 'm-1' })], 'holds by 2,4'],
    ['V1 C2 refuted: the same message got another id', 'C2', [...working, sent({ at: 5 }), answered('working', { at: 6, task: 't-2', messageId: 'm-1' })], 'refuted by 2,4'],
    ['V1 C2 unknown: another message may have another id', 'C2', [...working, sent({ at: 5, sentMessageId: 'm-2' }), answered('working', { at: 6, task: 't-2', messageId: 'm-2' })], 'unknown'],
    ['V1 C3 holds: every state that was emitted is declared', 'C3', [card({ at: -5, reachableStates: ['working', 'completed'] }), ...working], 'holds by 3'],
    ['V1 C3 refuted: a state that is not', 'C3', [card({ at: -5, reachableStates: ['working', 'completed'] }), ...working, pushed('input-required', { at: 5 })], 'refuted by 4'],
    ['V1 C3 holds: a card that declares no states may reach every state of its version', 'C3', [card({ at: -5 }), ...working, pushed('input-required', { at: 5 })], 'holds by 4'],
    ['V1 C3 unknown: no card was ever seen', 'C3', working, 'unknown'],
    ['V1 C4 holds: the media type is among the modes of the skill', 'C4', [card({ at: -5 }), ...working, chunk('x', { at: 5 })], 'holds by 4'],
    ['V1 C4 refuted: it is not', 'C4', [card({ at: -5, outputModes: ['application/json'] }), ...working, chunk('x', { at: 5 })], 'refuted by 4'],
    ['V1 C4 is checked at emission: a later card with less refutes nothing', 'C4', [card({ at: -5 }), ...working, chunk('x', { at: 5 }), card({ at: 9, outputModes: ['application/json'] })], 'holds by 4'],
    ['V1 C4 refuted: a message as the whole answer is an emission', 'C4', [card({ at: -5, outputModes: ['application/json'] }), sent({ at: 0 }), messaged('x', { at: 1 })], 'refuted by 3'],
    ['V1 C5 unknown: nobody concluded anything', 'C5', [...working, missed({ at: 5 })], 'unknown'],
    ['V1 C5 refuted: the orchestrator concluded failed on a not-found', 'C5', [...working, missed({ at: 5 }), concluded('failed', { at: 6 })], 'refuted by 3,4'],
    ['V1 C5 unknown: it concluded failed before any not-found', 'C5', [...working, concluded('failed', { at: 4 }), missed({ at: 5 })], 'unknown'],
    ['V1 C5 unknown: it concluded something else', 'C5', [...working, missed({ at: 5 }), concluded('unknown', { at: 6 })], 'unknown'],
    ['V1 C5 unknown: the attempt had really failed', 'C5', [...working, pushed('failed', { at: 3 }), missed({ at: 5 }), concluded('failed', { at: 6 })], 'unknown'],
    ['V1 C5 refuted: a wire spelling of failed is failed', 'C5', [...working, missed({ at: 5 }), concluded('TASK_STATE_FAILED', { at: 6 })], 'refuted by 3,4'],
    ['V1 C5 refuted: failed reported long after the conclusion does not excuse it', 'C5', [...working, missed({ at: 5 }), concluded('failed', { at: 6 }), pushed('failed', { at: 60 })], 'refuted by 3,4'],
    ['V1 C5 refuted: another task that failed does not excuse it', 'C5', [...working, found('failed', { at: 3, task: 't-2' }), missed({ at: 5 }), concluded('failed', { at: 6 })], 'refuted by 4,5'],
    ['V1 C5 unknown: it was about another worker', 'C5', [...working, missed({ at: 5 }), concluded('failed', { at: 6, worker: 'w2' })], 'unknown'],
  ])('%s', (_fact, name, lines, status) => {
    expect(says(name)(lines)).toBe(status)
  })

  it.each<[string, readonly Line[], string]>([
    ['V1 evidence counts since the card last changed in what matters', [card({ at: -5 }), ...working, restarted({ at: 5 }), missed({ at: 9 }), card({ at: 20, essenceDigest: 'essence 2' })], 'unknown'],
    ['V1 the same card again voids nothing', [card({ at: -5 }), ...working, restarted({ at: 5 }), missed({ at: 9 }), card({ at: 20 })], 'refuted by 3,4,5'],
    ['V1 a broken card voids nothing', [card({ at: -5 }), ...working, restarted({ at: 5 }), missed({ at: 9 }), card({ at: 20, isValid: false, missing: ['skills'], essenceDigest: 'essence 2' })], 'refuted by 3,4,5'],
    ['V1 a card that goes back to what it was is a change as well', [card({ at: -5 }), ...working, restarted({ at: 5 }), missed({ at: 9 }), card({ at: 20, essenceDigest: 'essence 2' }), card({ at: 30 })], 'unknown'],
  ])('%s', (_fact, lines, status) => {
    expect(says('C1')(lines)).toBe(status)
  })

  it('V1 one refutation outweighs what holds', () => {
    const lines = [...working, restarted({ at: 5 }), found('working', { at: 9 })]
    const refuting = [sent({ at: 0 }), answered('working', { at: 1, task: 't-2' }), restarted({ at: 5 }), missed({ at: 9, task: 't-2' })]
    const evidence = [lines, refuting].flatMap((each, index) => workerEvidenceOf(taskAfter(each, { correlationId: `k${index}` })))
    expect(deriveWorker({ workerId: 'w1', facts: [], evidence, asOfMs: ms(99) }).conditions.C1.status).toBe('refuted')
  })
})

describe('V2 trust', () => {
  const summary = ({ trust, mesh, states, mediaTypes }: WorkerView): string =>
    [trust, mesh, `${states.verified.length} states`, `${mediaTypes.verified.map(({ mediaType, grade }) => `${mediaType} ${grade}`).join() || 'no modes'}`].join(', ')
  it.each<[string, readonly Line[], string]>([
    ['V2 a worker nobody enrolled is in mesh default with trust verify', [card()], 'verify, default, 0 states, no modes'],
    ['V2 trust verify verifies nothing that is only advertised', [card(), enrolled({ trust: 'verify', mesh: 'm' })], 'verify, m, 0 states, no modes'],
    ['V2 trust card: what is advertised is verified, with the grade trusted', [card({ reachableStates: ['working', 'completed'] }), enrolled({ trust: 'card' })], 'card, default, 2 states, text/plain trusted'],
    ['V2 trust card without a card verifies nothing', [enrolled({ trust: 'card' })], 'card, default, 0 states, no modes'],
    ['V2 a later enrolment changes what it states and keeps the rest', [card(), enrolled({ trust: 'card', mesh: 'm' }), enrolled({ mesh: 'n' })], 'card, n, 8 states, text/plain trusted'],
    ['V2 trust can be taken back', [card(), enrolled({ trust: 'card' }), enrolled({ trust: 'verify' })], 'verify, default, 0 states, no modes'],
  ])('%s', (_fact, lines, expected) => {
    expect(summary(workerAfter(lines))).toBe(expected)
  })
})

describe('V3 grades', () => {
  it('V3 advertised, observed and verified are kept apart, and without a probe nothing is verified', () => {
    const { states, mediaTypes } = workerAfter([
      card({ at: -5, reachableStates: ['working', 'completed'] }),
      ...working,
      pushed('input-required', { at: 5 }),
      found('completed', { at: 9, holding: [piece('x', { mediaTypes: ['text/html'] })] }),
    ])
    expect([states, mediaTypes]).toEqual([
      { advertised: ['working', 'completed'], observed: ['working', 'input-required', 'completed'], verified: [] },
      { advertised: ['text/plain'], observed: ['text/html'], verified: [] },
    ])
  })
})

describe('V3 the same of each skill', () => {
  const skills = [{ id: 'write', outputModes: ['text/plain'] }, { id: 'draw' }]
  const shown = (lines: readonly Line[]): string =>
    workerAfter(lines)
      .skills.map(({ id, states, mediaTypes }) => `${id}: ${states.observed.join()}; ${mediaTypes.advertised.join()}; ${mediaTypes.observed.join()}; ${mediaTypes.verified.length}`)
      .join(' | ')
  it.each<[string, readonly Line[], string]>([
    ['V3 a card names its skills, and nothing of them was seen', [card({ at: -5, skills, outputModes: ['image/png'] })], 'write: ; text/plain; ; 0 | draw: ; image/png; ; 0'],
    ['V3 a send names the skill that is at work', [card({ at: -5, skills }), sent({ at: 0, skill: 'draw' }), answered('working', { at: 1 }), chunk('x', { at: 5, artifact: { mediaTypes: ['image/png'] } })], 'write: ; text/plain; ; 0 | draw: working; text/plain; image/png; 0'],
    ['V3 the only skill of a card is at work unless another one is named', [card({ at: -5 }), ...working, chunk('x', { at: 5 })], 'write: working; text/plain; text/plain; 0'],
    ['V3 which of two skills is at work nobody knows', [card({ at: -5, skills }), ...working, chunk('x', { at: 5 })], 'write: ; text/plain; ; 0 | draw: ; text/plain; ; 0'],
    ['V3 a skill that no card has advertises nothing', [sent({ at: 0, skill: 'sing' }), answered('working', { at: 1 })], 'sing: working; ; ; 0'],
    ['V2 trust card verifies what each skill advertises', [card({ at: -5, skills, outputModes: ['image/png', 'image/gif'] }), enrolled({ trust: 'card' })], 'write: ; text/plain; ; 1 | draw: ; image/png,image/gif; ; 2'],
  ])('%s', (_fact, lines, expected) => {
    expect(shown(lines)).toBe(expected)
  })
})

describe('V1 the history of cards', () => {
  const second = { essenceDigest: 'essence 2' }
  const shown = (lines: readonly Line[]): string =>
    workerAfter(lines)
      .cards.map(({ inForce }) => inForce.map(({ from, to }) => `${seconds(from)} to ${to === undefined ? 'now' : seconds(to)}`).join(', ') || 'never')
      .join(' | ')
  const seconds = (time: string): number => (Date.parse(time) - ms(0)) / 1_000
  it.each<[string, readonly Line[], string]>([
    ['V1 the only card is in force from its first fetch', [card({ at: 1 }), card({ at: 5 })], '1 to now'],
    ['V1 another content ends it', [card({ at: 1 }), card({ at: 5, ...second })], '1 to 5 | 5 to now'],
    ['V1 a content that comes back is in force twice', [card({ at: 1 }), card({ at: 5, ...second }), card({ at: 9 })], '1 to 5, 9 to now | 5 to 9'],
    ['V1 the order is that of fetching, not of recording', [card({ at: 5, ...second }), card({ at: 1 })], '1 to 5 | 5 to now'],
    ['V1 a broken card is never in force and ends none', [card({ at: 1 }), card({ at: 5, isValid: false, missing: ['skills'], ...second })], '1 to now | never'],
  ])('%s', (_fact, lines, expected) => {
    expect(shown(lines)).toBe(expected)
  })
})

describe('V1 drift', () => {
  it('V1 is dated by the emission with which it began, once for each change of types', () => {
    const lines = [
      card({ at: -5 }),
      ...working,
      found('working', { at: 5, holding: [piece('x', { mediaTypes: ['application/json'] })] }),
      found('working', { at: 9, holding: [piece('x')] }),
      found('working', { at: 12, holding: [piece('x', { mediaTypes: ['application/json'] })] }),
      found('working', { at: 15, holding: [piece('x')] }),
    ]
    expect(workerAfter(lines).drift).toEqual([
      { skill: 'write', from: ['application/json'], to: ['text/plain'], since: new Date(ms(9)).toISOString(), positions: [4, 5] },
      { skill: 'write', from: ['text/plain'], to: ['application/json'], since: new Date(ms(12)).toISOString(), positions: [5, 6] },
    ])
  })

  it.each<[string, readonly Line[], string]>([
    ['V1 from one task to the next', [card({ at: -5 })], 'text/plain → text/html at 9'],
    ['V1 not over a change of the card', [card({ at: -5 }), card({ at: 7, essenceDigest: 'essence 2' })], ''],
    ['V1 not where no card was known', [], ''],
  ])('%s', (_fact, cards, expected) => {
    const told = (correlationId: string, at: number, mediaType: string) =>
      workerEvidenceOf(
        taskAfter([card({ at: -9, skills: [{ id: 'write' }] }), sent({ at: at - 2 }), answered('working', { at: at - 1 }), chunk('x', { at, artifact: { mediaTypes: [mediaType] } })], { correlationId }),
      )
    const { drift } = deriveWorker({
      workerId: 'w1',
      facts: inputOf(cards).workers.get('w1')?.facts ?? [],
      evidence: [...told('k-2', 9, 'text/html'), ...told('k-1', 5, 'text/plain')],
      asOfMs: ms(99),
    })
    expect(drift.map(({ from, to, since }) => `${from.join()} → ${to.join()} at ${(Date.parse(since) - ms(0)) / 1_000}`).join()).toBe(expected)
  })

  it('V1 what one task says of it does not depend on others (P6)', () => {
    const lines = [card({ at: -5 }), ...working, chunk('x', { at: 5 })]
    const elsewhere = { known: { w1: { facts: inputOf(lines).workers.get('w1')?.facts ?? [], emissions: [{ mediaTypes: ['text/html'], skill: 'write', position: 99, atMs: ms(1) }] } } }
    expect(workerEvidenceOf(taskAfter(lines, elsewhere))).toEqual(workerEvidenceOf(taskAfter(lines)))
  })

  it('V1 without a change of types there is none', () => {
    expect(workerAfter([card({ at: -5 }), ...working, chunk('x', { at: 5 })]).drift).toEqual([])
  })
})

describe('F2 what one task tells the others of the same worker', () => {
  it('the media types it emitted for a skill are known under that skill, the newest ones', () => {
    const lines = [card({ at: -5 }), ...working, chunk('one', { at: 5 }), chunk('two', { at: 9, artifact: { artifactId: 'a-2', mediaTypes: ['text/html'] } })]
    const emissions = workerEvidenceOf(taskAfter(lines)).flatMap((entry) => (entry.kind === 'emission' ? [entry.emission] : []))
    expect(emissions).toMatchObject([{ mediaTypes: ['text/html'], position: 5 }])
  })

  it.each<[string, readonly Line[], number | undefined]>([
    ['its message got no other id', [], undefined],
    ['its message got another id since: where that was answered', [sent({ at: 20 }), answered('working', { at: 21, task: 't-2' })], 5],
    ['its message got another id before it was missed: that tells nothing', [sent({ at: 6 }), answered('working', { at: 7, task: 't-2' })], undefined],
    ['a history names its message under another id', [found('working', { at: 20, task: 't-2', historyMessageId: 'm-1' })], 4],
  ])('when a task of it was lost, and %s', (_fact, since, reissuedAt) => {
    const lines = [sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 9 }), ...since]
    const losses = workerEvidenceOf(taskAfter(lines)).flatMap((entry) => (entry.kind === 'loss' ? [entry.loss] : []))
    expect(losses).toEqual([
      { correlationId: 'k', taskId: 't-1', lastLifeMs: ms(1), firstNotFoundMs: ms(9), position: 3, ...(reissuedAt !== undefined && { reissuedAt }) },
    ])
  })

  it('without a card nobody knows the skill, and nothing is told', () => {
    const kinds = workerEvidenceOf(taskAfter([...working, chunk('one', { at: 5 })])).map(({ kind }) => kind)
    expect(kinds).not.toContain('emission')
  })
})

describe('what the operator of a worker should know', () => {
  const address = enrolled({ settings: { interface: { url: 'http://w1' } } })
  it.each<[string, readonly Line[], readonly string[]]>([
    ['a signed card goes around the proxy', [card({ isSigned: true }), address], ['card_signed']],
    ['an unsigned one does not', [card(), address], []],
    ['nor does one that is signed no more', [card({ at: 1, isSigned: true }), card({ at: 2, essenceDigest: 'essence 2' }), address], []],
    ['calls over gRPC go around it as well', [card({ offersGrpc: true }), address], ['grpc_unrecorded']],
    ['both, where both are so', [card({ isSigned: true, offersGrpc: true }), address], ['card_signed', 'grpc_unrecorded']],
    ['without an address there is no proxy to go around', [card({ isSigned: true, offersGrpc: true }), enrolled({ mesh: 'm' })], []],
  ])('%s', (_fact, lines, codes) => {
    expect((workerAfter(lines).notes ?? []).map(({ code }) => code)).toEqual(codes)
  })
})
