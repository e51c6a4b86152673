import { describe, expect, it } from 'vitest'
import type { Barred } from '../fact/fact.ts'
import { approved, card, enrolled, intended, intentSettled, recorded, sent, settled, taskAfter, workersOf, type Line } from '../testing/history.ts'
import { heir, lost, obeyingMessageId } from '../testing/lost-and-decided.ts'
import { claimOf } from './claim.ts'
import { decide } from './decide.ts'
import { nextAct } from './next-act.ts'
import { verdictOn } from './question.ts'
import { isTurnedDown, triesMax, wasNotCalled } from './turned-down.ts'

const third: readonly Line[] = [card({ at: 0, worker: 'w3' }), enrolled({ trust: 'card' }, { at: 0, worker: 'w3' })]
const loser = enrolled({ replicas: 1 }, { at: 0 })
const both: readonly Line[] = [...heir, ...third, loser, ...lost()]
/** Decided at second 100: to w2, and w3 is there as well. */
const decided = settled(both, 100, { actor: 'ledger' })
const firstId = taskAfter(decided).verdicts.at(-1)?.decisionId ?? ''

type Bars = readonly (readonly [workerId: string, because: Barred])[]

const decisionIn = (lines: readonly Line[], bars: Bars) => decide(taskAfter(lines, { asOf: 200 }), workersOf(lines, { asOf: 200 }), 0, new Map(bars))

const told = (lines: readonly Line[], bars: Bars): string => {
  const decision = decisionIn(lines, bars)
  if (decision === undefined) return 'none'
  const considered = decision.considered.map(({ workerId, eligible, because }) => `${workerId} ${eligible ? 'can' : because}`)
  return [`${decision.kind} ${decision.workerId ?? 'nobody'}`, ...(decision.insteadOf === firstId ? ['instead'] : []), ...considered].join(', ')
}

const intent = (told: Parameters<typeof intended>[0] = {}): Line =>
  intended({ at: 101, decisionId: firstId, purpose: 'redispatch', actor: 'ledger', worker: 'w2', sentMessageId: obeyingMessageId(firstId), ...told })
/** Tries of the ledger that its own rules refused; `because` absent: that reached nobody. */
const tried = (becauses: readonly (string | undefined)[], lines = decided): readonly Line[] =>
  becauses.reduce<readonly Line[]>(
    (all, because) => [...all, intent(), intentSettled(all.length + 1, 'not-sent', { at: 101, ...(because !== undefined && { because }) })],
    lines,
  )
const rules = (count: number): readonly string[] => Array.from({ length: count }, () => 'our rules')

/** To w3, since w2 cannot be called. */
const insteadOf = (decisionId: string): Line => {
  const decision = decisionIn(decided, [['w2', 'not_called']])
  if (decision === undefined) throw new Error('There is nothing to decide.')
  return recorded(decision, { at: 150, actor: 'approver', insteadOf: decisionId })
}

describe('whom the ledger cannot call (ADR 98)', () => {
  it.each<[string, readonly Line[], Bars, string]>([
    ['V7 is passed over with the reason, and the next one is taken', both, [['w2', 'no_address']], 'redispatch w3, w3 can, w2 no_address, w1 lost_it'],
    ['V7 what it could not do anyway is told before', both, [['w2', 'no_address'], ['w1', 'not_called']], 'redispatch w3, w3 can, w2 no_address, w1 lost_it'],
    ['V7 is taken where nobody else can take over: whoever has a way may send', both, [['w2', 'no_address'], ['w3', 'not_called']], 'redispatch w2, w2 can, w3 can, w1 lost_it'],
    ['V6 gives its place to the next one also when it was decided on', decided, [['w2', 'not_called']], 'redispatch w3, instead, w3 can, w2 not_called, w1 lost_it'],
    ['V6 not to one that cannot be called either', decided, [['w2', 'not_called'], ['w3', 'no_address']], 'none'],
    ['V6 not for the sake of another one that cannot be called', decided, [['w3', 'no_address']], 'none'],
    ['V6 approved or not', [...decided, approved(firstId)], [['w2', 'not_called']], 'redispatch w3, instead, w3 can, w2 not_called, w1 lost_it'],
    ['V6 not where a person declined: that is an answer', [...decided, approved(firstId, { answer: 'declined' })], [['w2', 'not_called']], 'none'],
    ['V6 also where a person declined another decision', [...decided, approved('another', { answer: 'declined' })], [['w2', 'not_called']], 'redispatch w3, instead, w3 can, w2 not_called, w1 lost_it'],
    ['V8 also where another decision is held', [...decided, intent({ at: 199, decisionId: 'another', worker: 'w1' })], [['w2', 'not_called']], 'redispatch w3, instead, w3 can, w2 not_called, w1 lost_it'],
    ['V8 not while somebody holds it', [...decided, intent({ at: 199 })], [['w2', 'not_called']], 'none'],
    ['V8 not where a send on it lapsed, of which nobody knows', [...decided, intent({ ttl: 1 })], [['w2', 'not_called']], 'none'],
    ['V8 not where it is said to be sent', [...decided, intent(), intentSettled(decided.length + 1, 'sent', { at: 102 })], [['w2', 'not_called']], 'none'],
    ['V8 not where somebody sent to it without a claim, by whatever clock', [...decided, sent({ at: -5, worker: 'w2', sentMessageId: 'own' })], [['w2', 'not_called']], 'none'],
    ['V8 where every send on it was not made', tried(rules(1)), [['w2', 'not_called']], 'redispatch w3, instead, w3 can, w2 not_called, w1 lost_it'],
    ['V6 after unreconcilable it is better than nobody', [...settled([loser, ...lost()], 100), ...heir], [['w2', 'no_address']], 'redispatch w2, w2 can, w1 lost_it'],
  ])('%s', (_fact, lines, bars, expected) => {
    expect(told(lines, bars)).toBe(expected)
  })

  it('V6 the one that was decided instead is in force, and the former is withdrawn', () => {
    const lines = [...decided, approved(firstId), insteadOf(firstId)]
    const analysis = taskAfter(lines, { asOf: 200 })
    expect(analysis.question && verdictOn(analysis.question)?.targetWorkerId).toBe('w3')
    expect(claimOf(analysis, firstId).status).toBe('withdrawn')
    expect(claimOf(analysis, analysis.verdicts.at(-1)?.decisionId ?? '').status, 'an approval of the former is none of it').toBe('unapproved')
    expect(told(lines, [['w2', 'not_called']]), 'it stands').toBe('none')
  })

  it('V6 a second verdict that is not instead of the first does not take its place', () => {
    const { question } = taskAfter([...decided, insteadOf('another')], { asOf: 200 })
    expect(question?.covering).toHaveLength(2)
    expect(question && verdictOn(question)?.targetWorkerId).toBe('w2')
  })
})

describe('a call that our own rules refuse (ADR 98)', () => {
  it.each<[string, readonly (string | undefined)[], boolean]>([
    ['V6 however often, it turns nothing down: the worker was never asked', rules(triesMax), false],
    ['V6 with one that reached nobody among them, it was tried', [...rules(triesMax - 1), undefined], true],
    ['V6 fewer of them are not enough', [...rules(triesMax - 2), undefined], false],
  ])('%s', (_fact, becauses, expected) => {
    const analysis = taskAfter(tried(becauses), { asOf: 400 })
    const [verdict] = analysis.verdicts
    expect(verdict && isTurnedDown(verdict, analysis)).toBe(expected)
  })

  it('V8 is tried no more often than any other', () => {
    expect(nextAct(taskAfter(tried(rules(triesMax)), { asOf: 400 }), { policy: { redispatch: 'auto' }, sentCount: 0, lostCount: 0 })).toMatchObject({ act: 'held', because: 'tries' })
  })

  it.each<[string, readonly Line[], string, boolean]>([
    ['the last one counts', tried(['our rules']), 'w2', true],
    ['one that reached it since does not', tried(['our rules', undefined]), 'w2', false],
    ['nor one that is held since, of which nothing is known', [...tried(['our rules']), intent({ at: 102 })], 'w2', false],
    ['nor that of another worker', tried(['our rules']), 'w3', false],
    ['nor what a caller held', [...tried(['our rules']), intent({ actor: 'caller', at: 102 })], 'w2', true],
    ['none at all', decided, 'w2', false],
  ])('V7 of several, %s', (_fact, lines, workerId, expected) => {
    expect(wasNotCalled(taskAfter(lines), workerId)).toBe(expected)
  })

  it('says why in the intent', () => {
    expect(taskAfter(tried(['our rules'])).intents).toMatchObject([{ outcome: 'not-sent', said: { because: 'our rules' } }])
  })
})
