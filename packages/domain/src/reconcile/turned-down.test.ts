import { describe, expect, it } from 'vitest'
import type { VerdictFact } from '../fact/fact.ts'
import {
  answered,
  approved,
  card,
  chunk,
  enrolled,
  found,
  intended,
  intentSettled,
  missed,
  probed,
  refused,
  sent,
  settled,
  taskAfter,
  unanswered,
  workersOf,
  type Line,
} from '../testing/history.ts'
import { heir, lost, obeyingMessageId } from '../testing/lost-and-decided.ts'
import { answerOf } from './answer.ts'
import { claimOf } from './claim.ts'
import { decide } from './decide.ts'
import { nextAct } from './next-act.ts'
import { decisionsMax } from './question.ts'
import { isTurnedDown, triesMax } from './turned-down.ts'

const third: readonly Line[] = [card({ at: 0, worker: 'w3' }), enrolled({ trust: 'card' }, { at: 0, worker: 'w3' })]
const loser = enrolled({ replicas: 1 }, { at: 0 })
/** Decided at second 100: to w2, and w3 is there as well. */
const decided = settled([...heir, ...third, loser, ...lost()], 100, { actor: 'ledger' })
/** The same where w2 takes the same message once. */
const knowing = settled([card({ at: 0, worker: 'w2', idempotencyKey: 'messageId' }), ...heir.slice(1), ...third, loser, ...lost()], 100, { actor: 'ledger' })

/** The same where w2 forgets a message after half a minute. */
const forgetful = settled([card({ at: 0, worker: 'w2', idempotencyKey: 'messageId', idempotencyWindowMs: 30_000 }), ...heir.slice(1), ...third, loser, ...lost()], 100, { actor: 'ledger' })

const lastIdOf = (lines: readonly Line[]): string => taskAfter(lines).verdicts.at(-1)?.decisionId ?? ''
const messageOf = (lines: readonly Line[]): string => obeyingMessageId(lastIdOf(lines))

/** What the ledger intends and sends on the last verdict, to `worker`; then what came of it. */
const obeyed = (lines: readonly Line[], worker: string, at: number, ...came: readonly Line[]): readonly Line[] => {
  const [decisionId, messageId] = [lastIdOf(lines), messageOf(lines)]
  return [
    ...lines,
    intended({ at, decisionId, purpose: 'redispatch', actor: 'ledger', worker, sentMessageId: messageId }),
    sent({ at: at + 1, worker, sentMessageId: messageId, by: 'ledger' }),
    ...came.map((line): Line => (position) => ({ ...line(position), messageId }) as ReturnType<Line>),
    intentSettled(lines.length + 1, 'sent', { at: at + 2 }),
  ]
}
const no = (worker: string, at: number): Line => refused({ at, worker, by: 'ledger' })
const silence = (worker: string, at: number): Line => unanswered({ at, worker, by: 'ledger' })
const rejection = (worker: string, at: number): Line => answered('rejected', { at, worker, task: `r-${worker}`, by: 'ledger' })

/** What a pass decides, and with what risk; `none` where there is nothing to decide. */
const decisionIn = (lines: readonly Line[], asOf = 200): string => {
  const decision = decide(taskAfter(lines, { asOf }), workersOf(lines, { asOf }))
  if (decision === undefined) return 'none'
  const refusals = decision.considered.filter(({ eligible }) => !eligible).map(({ workerId, because }) => `${workerId} ${because}`)
  return `${decision.kind} ${decision.workerId ?? 'nobody'}, ${decision.duplicateRisk}; ${refusals.join(', ')}`
}
const refusedLines = obeyed(decided, 'w2', 101, no('w2', 102))
const rejectedLines = obeyed(decided, 'w2', 101, rejection('w2', 102))
const silentLines = obeyed(decided, 'w2', 101, silence('w2', 102))
const unreached = (times: number, lines = decided): readonly Line[] => [
  ...lines,
  ...Array.from({ length: times }, (_, n) => [
    intended({ at: 101, decisionId: lastIdOf(lines), purpose: 'redispatch', actor: 'ledger', worker: 'w2', sentMessageId: messageOf(lines) }),
    intentSettled(lines.length + 1 + 2 * n, 'not-sent', { at: 101 }),
  ]).flat(),
]

describe('V6 a re-dispatch that its worker made nothing of', () => {
  it.each<[string, readonly Line[], string]>([
    ['V6 refused: the next candidate is decided on, and who refused is named', refusedLines, 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
    ['V6 refused in a message id of the sender\'s own', [...decided, sent({ at: 101, worker: 'w2', sentMessageId: 'own' }), refused({ at: 102, worker: 'w2', messageId: 'own' })], 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
    ['V6 rejected before it was at work: the same', rejectedLines, 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
    ['V6 a refusal of what was sent there before the verdict is none of it', [...lost(), sent({ at: 20, worker: 'w2', sentMessageId: 'm-0', skill: 'other' }), refused({ at: 21, worker: 'w2', messageId: 'm-0' }), ...heir, ...third], 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
    ['V6 a refused message into another task of it is no refusal', [...decided, sent({ at: 101, worker: 'w2', naming: 't-8', sentMessageId: 'own' }), refused({ at: 102, worker: 'w2', messageId: 'own' })], 'none'],
    ['V6 a refusal by somebody else neither', [...decided, sent({ at: 101, worker: 'w3', sentMessageId: 'own' }), refused({ at: 102, worker: 'w3', messageId: 'own' })], 'none'],
    ['V6 while it is sent nothing is decided', [...decided, sent({ at: 101, worker: 'w2', sentMessageId: messageOf(decided) })], 'none'],
    ['V6 not reached as often as it is tried: the next one', unreached(triesMax), 'redispatch w2, possible; w1 lost_it'],
    ['V6 not reached once less: it is tried again', unreached(triesMax - 1), 'none'],
    ['V6 given up by its caller: it is tried again', [...decided, ...Array.from({ length: triesMax }, (_, n) => [intended({ at: 101, decisionId: lastIdOf(decided), purpose: 'redispatch', worker: 'w2', sentMessageId: messageOf(decided) }), intentSettled(decided.length + 1 + 2 * n, 'not-sent', { at: 101 })]).flat()], 'none'],
    ['V8 refused beside a claim that holds: nobody else is asked', [...refusedLines, intended({ at: 190, ttl: 60, decisionId: lastIdOf(decided), purpose: 'redispatch', worker: 'w2', sentMessageId: messageOf(decided) })], 'none'],
    ['V8 refused after a claim that lapsed, of which nobody knows: nobody else is asked', obeyed([...decided, intended({ at: 100, ttl: 1, decisionId: lastIdOf(decided), purpose: 'redispatch', worker: 'w2', sentMessageId: messageOf(decided) })], 'w2', 102, no('w2', 103)), 'none'],
    ['V8 refused after such a claim by a worker that takes a message once: it had not come', obeyed([...knowing, intended({ at: 100, ttl: 1, decisionId: lastIdOf(knowing), purpose: 'redispatch', worker: 'w2', sentMessageId: messageOf(knowing) })], 'w2', 102, no('w2', 103)), 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
    ['V8 said to be sent, and nobody saw what came of it: nobody else is asked', [...refusedLines, intended({ at: 110, decisionId: lastIdOf(decided), purpose: 'redispatch', worker: 'w2', sentMessageId: messageOf(decided) }), intentSettled(refusedLines.length + 1, 'sent', { at: 111 })], 'none'],
    ['V8 silence before a refusal by a worker that takes a message twice: nobody else as if nothing had been', obeyed(silentLines, 'w2', 110, no('w2', 111)), 'redispatch w3, likely; w1 lost_it, w2 refused_it'],
    ['V8 silence before a refusal by a worker that takes it once: it had not come', obeyed(obeyed(knowing, 'w2', 101, silence('w2', 102)), 'w2', 110, no('w2', 111)), 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
    ['V8 silence before a refusal long after, when the message is forgotten: nobody knows', obeyed(obeyed(forgetful, 'w2', 101, silence('w2', 102)), 'w2', 140, no('w2', 141)), 'redispatch w3, likely; w1 lost_it, w2 refused_it'],
    ['V6 a task that lives again is not decided on', [...refusedLines, found('working', { at: 150 })], 'none'],
  ])('%s', (_fact, lines, expected) => {
    expect(decisionIn(lines)).toBe(expected)
  })

  const waiting = sent({ at: 103, worker: 'w2', sentMessageId: 'm-8' })
  const ownRefused: readonly Line[] = [sent({ at: 110, worker: 'w2', sentMessageId: 'own' }), refused({ at: 111, worker: 'w2', messageId: 'own' })]
  const knownNo = obeyed(knowing, 'w2', 101, no('w2', 102))
  const claimOn = (lines: readonly Line[], ttl: number): Line => intended({ at: 190, ttl, decisionId: lastIdOf(lines), purpose: 'redispatch', worker: 'w2', sentMessageId: messageOf(lines) })
  it.each<[string, readonly Line[], boolean]>([
    ['V6 nobody sent it yet', decided, false],
    ['V6 its worker refused it', refusedLines, true],
    ['V6 its worker took it and did not begin yet', obeyed(decided, 'w2', 101, answered('submitted', { at: 102, worker: 'w2', task: 't-2', by: 'ledger' })), false],
    ['V6 nobody was chosen', settled([loser, ...lost()]), false],
    ['V6 its worker had refused the work before, under another card', settled([...lost(), ...heir, sent({ at: 20, worker: 'w2', sentMessageId: 'm-0' }), refused({ at: 21, worker: 'w2', messageId: 'm-0' }), card({ at: 30, worker: 'w2', essenceDigest: 'essence 2' })]), false],
    ['V8 its worker was silent before it refused', obeyed(silentLines, 'w2', 110, no('w2', 111)), false],
    ['V8 its worker was silent before it refused, and takes a message once', obeyed(obeyed(knowing, 'w2', 101, silence('w2', 102)), 'w2', 110, no('w2', 111)), true],
    ['V8 another message still waits there, whatever its worker takes once', [...knowing, waiting, ...ownRefused], false],
    ['V8 somebody holds it, whatever its worker takes once', [...knownNo, claimOn(knowing, 60)], false],
    ['V8 somebody held it until now', [...knownNo, claimOn(knowing, 10)], true],
  ])('%s', (_fact, lines, isNothing) => {
    const task = taskAfter(lines, { asOf: 200 })
    expect(task.verdicts.map((verdict) => isTurnedDown(verdict, task))).toEqual([isNothing])
  })

  const pass = (lines: readonly Line[], at: number): readonly Line[] => settled(lines, at, { actor: 'ledger' })

  it('V6 one after the other, and when nobody is left it says so', () => {
    const toThird = pass(refusedLines, 200)
    expect(taskAfter(toThird).verdicts.map(({ verdict, targetWorkerId }) => `${verdict} ${targetWorkerId}`)).toEqual(['redispatch w2', 'redispatch w3'])
    const again = obeyed(toThird, 'w3', 201, no('w3', 202))
    expect(decisionIn(again, 300)).toBe('unreconcilable nobody, possible; w1 lost_it, w2 refused_it, w3 refused_it')
    const over = pass(again, 300)
    expect(decisionIn(over, 400)).toBe('none')
    expect(new Set(taskAfter(over).verdicts.map(({ decisionId }) => decisionId)).size).toBe(3)
    expect(taskAfter(over)).toMatchObject({ state: 'indeterminate', lastObserved: 'working', terminal: false })
    expect(decisionIn([...over, card({ at: 350, worker: 'w2', essenceDigest: 'essence 2' }), enrolled({ trust: 'card' }, { at: 351, worker: 'w2' })], 400)).toMatch(/^redispatch w2/)
  })

  it('V6 a loss that is closed by policy by now is closed, whoever refused', () => {
    expect(decisionIn([...refusedLines, card({ at: 0 }), enrolled({ trust: 'card' }, { at: 150 })])).toBe('closed-by-policy nobody, possible; ')
  })

  it('V8 what was turned down is sent by nobody, and what is decided next is', () => {
    const load = { policy: { redispatch: 'auto' as const }, sentCount: 0, lostCount: 0 }
    const before = taskAfter(refusedLines, { asOf: 200 })
    expect([claimOf(before, lastIdOf(refusedLines)).status, nextAct(before, load)]).toEqual(['sent', { act: 'nothing' }])
    expect(answerOf(before, { reason: 'not-found' }).kind).toBe('reobserve')
    const after = pass(refusedLines, 200)
    expect(nextAct(taskAfter(after, { asOf: 201 }), load)).toMatchObject({ act: 'send', workerId: 'w3', n: 0, decisionId: lastIdOf(after) })
    expect(claimOf(taskAfter(pass(unreached(triesMax), 200), { asOf: 201 }), lastIdOf(decided)).status).toBe('withdrawn')
  })

  it('V8 refusals count as attempts of the task: no more than its mesh allows', () => {
    const act = (attemptsMax: number) => nextAct(taskAfter(pass(refusedLines, 200), { asOf: 201 }), { policy: { redispatch: 'auto', attemptsMax }, sentCount: 0, lostCount: 0 })
    expect([act(1), act(2).act]).toEqual([{ act: 'held', because: 'attempts', decisionId: lastIdOf(pass(refusedLines, 200)) }, 'send'])
  })

  it('V8 what a person approved of the first is nothing to the next', () => {
    const waiting = settled([...refusedLines, approved(lastIdOf(decided))], 200, { actor: 'approver' })
    expect(claimOf(taskAfter(waiting, { asOf: 201 }), lastIdOf(waiting)).status).toBe('unapproved')
  })

  it('V6 so often and no more: the last verdict stands then', () => {
    let lines = decided
    for (let n = 1; n < decisionsMax; n += 1) lines = settled(unreached(triesMax, lines), 100 + n, { actor: 'ledger' })
    expect(taskAfter(lines).verdicts).toHaveLength(decisionsMax)
    const over = unreached(triesMax, lines)
    expect(decisionIn(over)).toBe('none')
    expect(nextAct(taskAfter(over, { asOf: 200 }), { policy: { redispatch: 'auto', attemptsMax: 100 }, sentCount: 0, lostCount: 0 })).toMatchObject({ act: 'held', because: 'tries' })
    const [verdict] = taskAfter(settled([...lost()])).verdicts as readonly [VerdictFact]
    const given = Array.from({ length: decisionsMax }, (_, n): Line => (position) => ({ ...verdict, position, decisionId: `d-${n}` }))
    expect(decisionIn([...lost(), ...given, ...heir])).toBe('none')
    expect(decisionIn([...lost(), ...given.slice(1), ...heir])).toMatch(/^redispatch w2/)
  })
})

describe('V8 a re-dispatch that got no answer', () => {
  it.each<[string, readonly Line[], string]>([
    ['V8 is a question of its own: another send is likely the second one', silentLines, 'redispatch w3, likely; w1 lost_it'],
    ['V8 not while its worker takes the same message once', obeyed(knowing, 'w2', 101, silence('w2', 102)), 'none'],
    ['V8 nor is one before the verdict', settled([...heir, ...third, ...lost(), sent({ at: 20, worker: 'w3', sentMessageId: 'm-0' }), unanswered({ at: 21, worker: 'w3', messageId: 'm-0' })], 100), 'none'],
    ['V8 nor a message into a task of somebody', [...decided, sent({ at: 101, worker: 'w2', naming: 't-8', sentMessageId: 'own' }), unanswered({ at: 102, worker: 'w2', messageId: 'own' })], 'none'],
    ['V8 nor where nobody could take it over anyway', [...settled([...lost()], 100), sent({ at: 101, worker: 'w2', sentMessageId: 'own' }), unanswered({ at: 102, worker: 'w2', messageId: 'own' })], 'none'],
    ['V8 a worker that lost the task and was probed since may take it, as the last one', [...silentLines, probed({ states: ['working'], mediaTypes: ['text/plain'] }, { at: 110 })], 'redispatch w3, likely; '],
    ['V8 nor one whose task turned up', [...silentLines, found('working', { at: 110, worker: 'w2', task: 't-2' })], 'none'],
  ])('%s', (_fact, lines, expected) => {
    expect(decisionIn(lines)).toBe(expected)
  })

  const load = { policy: { redispatch: 'auto' as const, attemptsMax: 1 }, sentCount: 0, lostCount: 0 }
  const actOn = (lines: readonly Line[], asOf = 200): string => {
    const act = nextAct(taskAfter(lines, { asOf }), load)
    return act.act === 'send' ? `send ${act.n} to ${act.workerId}` : act.act === 'held' ? `held: ${act.because}` : act.act
  }
  const again = (times: number): readonly Line[] => {
    let lines: readonly Line[] = knowing
    for (let n = 0; n < times; n += 1) lines = obeyed(lines, 'w2', 101 + 3 * n, silence('w2', 102 + 3 * n))
    return lines
  }
  it.each<[string, readonly Line[], number, string]>([
    ['V8 never blindly once more', silentLines, 200, 'nothing'],
    ['V8 what is decided about it is a risk that the ledger does not take', settled(silentLines, 200, { actor: 'ledger' }), 201, 'held: risk'],
    ['V8 the same message once more to a worker that takes it once', again(1), 200, 'send 1 to w2'],
    ['V8 not when it may have forgotten it', obeyed(forgetful, 'w2', 101, silence('w2', 102)), 132, 'nothing'],
    ['V8 but until then', obeyed(forgetful, 'w2', 101, silence('w2', 102)), 131, 'send 1 to w2'],
    ['V8 not where a probe saw it begin a second task', [...again(1), probed({ measured: { idempotentMessageId: false } }, { at: 110, worker: 'w2' })], 200, 'nothing'],
    ['V8 where a probe saw it taken once, whatever the card lacks', [...silentLines, probed({ measured: { idempotentMessageId: true } }, { at: 110, worker: 'w2' })], 200, 'send 1 to w2'],
    ['V8 a little later', again(1), 103.9, 'held: backoff'],
    ['V8 and when that was a while ago', again(1), 104, 'send 1 to w2'],
    ['V8 as often as a worker is tried, and not more', again(triesMax - 1), 400, `send ${triesMax - 1} to w2`],
    ['V8 then it is a question', again(triesMax), 400, 'nothing'],
  ])('%s', (_fact, lines, asOf, expected) => {
    expect(actOn(lines, asOf)).toBe(expected)
  })

  it('V8 refused in the end it had never come', () => {
    expect(decisionIn(obeyed(again(triesMax - 1), 'w2', 120, no('w2', 121)), 400)).toBe('redispatch w3, possible; w1 lost_it, w2 refused_it')
  })

  const own = (worker: string, sentMessageId: string): readonly Line[] => [sent({ at: 110, worker, sentMessageId }), unanswered({ at: 111, worker, messageId: sentMessageId })]
  const givenUp: readonly Line[] = [...knowing, intended({ at: 101, decisionId: lastIdOf(knowing), purpose: 'redispatch', actor: 'ledger', worker: 'w2', sentMessageId: messageOf(knowing) }), intentSettled(knowing.length + 1, 'not-sent', { at: 102 })]
  const alsoKnowing = card({ at: 0, worker: 'w3', idempotencyKey: 'messageId' })
  it.each<[string, readonly Line[], string]>([
    ['V8 in a message that nobody had asked for before it was sent: a question at once', [...knowing, ...own('w2', messageOf(knowing))], 'redispatch w3, likely; w1 lost_it'],
    ['V8 in another message than the one that was asked for', [...givenUp, ...own('w2', 'own')], 'redispatch w3, likely; w1 lost_it'],
    ['V8 at another worker than the one that was asked for', [...givenUp, alsoKnowing, ...own('w3', messageOf(knowing))], 'redispatch w2, likely; w1 lost_it'],
    ['V8 in a message that was asked for to obey nothing', [...knowing, intended({ at: 109, worker: 'w2', sentMessageId: 'own' }), ...own('w2', 'own')], 'redispatch w3, likely; w1 lost_it'],
    ['V8 where another message was refused since', [...knowing, ...own('w2', 'own'), sent({ at: 112, worker: 'w2', sentMessageId: 'm-9' }), refused({ at: 113, worker: 'w2', messageId: 'm-9' })], 'redispatch w3, likely; w1 lost_it, w2 refused_it'],
    ['V8 where that message was refused before', [...knowing, sent({ at: 108, worker: 'w2', sentMessageId: 'own' }), refused({ at: 109, worker: 'w2', messageId: 'own' }), ...own('w2', 'own')], 'redispatch w3, likely; w1 lost_it, w2 refused_it'],
    ['V8 where another worker refused that message since', [...knowing, ...own('w2', 'own'), sent({ at: 112, worker: 'w3', sentMessageId: 'own' }), refused({ at: 113, worker: 'w3', messageId: 'own' })], 'redispatch w2, likely; w1 lost_it, w3 refused_it'],
    ['V8 where the message had no id, and one without an id was refused since', [...knowing, sent({ at: 110, worker: 'w2', isUnnamed: true }), unanswered({ at: 111, worker: 'w2' }), sent({ at: 112, worker: 'w2', isUnnamed: true }), refused({ at: 113, worker: 'w2' })], 'redispatch w3, likely; w1 lost_it, w2 refused_it'],
    ['V8 not where that message was refused since: it had not come', [...knowing, ...own('w2', 'own'), sent({ at: 112, worker: 'w2', sentMessageId: 'own' }), refused({ at: 113, worker: 'w2', messageId: 'own' })], 'redispatch w3, possible; w1 lost_it, w2 refused_it'],
  ])('%s', (_fact, lines, expected) => {
    expect(decisionIn(lines)).toBe(expected)
  })

  it('V8 a loss of which no state was seen leaves none for its silence either', () => {
    const unseen = settled([...heir, ...third, card({ at: 0 }), chunk('x', { at: 1 }), missed({ at: 10 })], 100, { actor: 'ledger' })
    const { question } = taskAfter(obeyed(unseen, 'w2', 101, silence('w2', 102)))
    expect(question?.about).toBe('no-answer')
    expect(question).not.toHaveProperty('lastObserved')
  })

  it('V8 then it is decided, and the risk is told', () => {
    expect(decisionIn(again(triesMax), 400)).toBe('redispatch w3, likely; w1 lost_it')
  })

  it('V8 whoever claims it may send the same message once more', () => {
    expect(claimOf(taskAfter(again(1), { asOf: 200 }), lastIdOf(knowing))).toMatchObject({ status: 'free', n: 1, duplicateRisk: 'possible' })
    expect(claimOf(taskAfter(silentLines, { asOf: 200 }), lastIdOf(decided)).status).toBe('sent')
  })

  it('V8 nobody claims it once it was answered, also where the worker takes it once and was silent before', () => {
    const answeredLines = [obeyed(knowing, 'w2', 101, no('w2', 102)), obeyed(again(1), 'w2', 110, no('w2', 111))]
    expect(answeredLines.map((lines) => claimOf(taskAfter(lines, { asOf: 200 }), lastIdOf(knowing)).status)).toEqual(['sent', 'sent'])
  })
})

describe('V7 who lost the task before', () => {
  const second = [...obeyed(decided, 'w2', 101, answered('working', { at: 102, worker: 'w2', task: 't-2', by: 'ledger' })), missed({ at: 150, worker: 'w2', task: 't-2' })]
  it.each<[string, readonly Line[], string]>([
    ['V7 has lost it, also when another one lost it since', [...second, enrolled({ trust: 'verify' }, { at: 149, worker: 'w2' })], 'redispatch w3, possible; w1 lost_it, w2 lost_it'],
    ['V7 a probe since that loss speaks for it', [...second, probed({ states: ['working'], mediaTypes: ['text/plain'] }, { at: 160 }), enrolled({ trust: 'verify' }, { at: 149, worker: 'w2' })], 'redispatch w3, possible; w2 lost_it'],
    ['V7 and comes last', [...settled([...heir, loser, ...lost()], 100), ...second.slice(decided.length), probed({ states: ['working'], mediaTypes: ['text/plain'] }, { at: 160 }), enrolled({ trust: 'verify' }, { at: 149, worker: 'w2' })], 'redispatch w1, possible; w2 lost_it'],
    ['V8 the state that was lost has to be verified also when a re-dispatch got no answer', [...silentLines, card({ at: 0, worker: 'w3', reachableStates: ['completed'] })], 'redispatch w2, likely; w1 lost_it, w3 state_not_verified'],
  ])('%s', (_fact, lines, expected) => {
    expect(decisionIn(lines, 300)).toBe(expected)
  })
})

describe('F14 a rejected re-dispatch is a refusal and no outcome', () => {
  it.each<[string, readonly Line[], string]>([
    ['F14 the work is as lost as before', rejectedLines, 'indeterminate by w1'],
    ['F14 rejected after it was at work it is the outcome', [...obeyed(decided, 'w2', 101, answered('working', { at: 102, worker: 'w2', task: 't-2', by: 'ledger' })), found('rejected', { at: 103, worker: 'w2', task: 't-2' })], 'rejected by w2'],
    ['F14 submitted is not at work', [...obeyed(decided, 'w2', 101, answered('submitted', { at: 102, worker: 'w2', task: 't-2', by: 'ledger' })), found('rejected', { at: 103, worker: 'w2', task: 't-2' })], 'indeterminate by w1'],
    ['F14 failed at once is the outcome', obeyed(decided, 'w2', 101, answered('failed', { at: 102, worker: 'w2', task: 't-2', by: 'ledger' })), 'failed by w2'],
    ['F14 what its client sent by itself and was rejected is the outcome', [...decided, sent({ at: 101, worker: 'w2', sentMessageId: 'own' }), answered('rejected', { at: 102, worker: 'w2', task: 't-2', messageId: 'own' })], 'rejected by w2'],
    ['F14 so it is beside a re-dispatch that was rejected', [...rejectedLines, sent({ at: 110, worker: 'w2', sentMessageId: 'own' }), answered('rejected', { at: 111, worker: 'w2', task: 't-2', messageId: 'own' })], 'rejected by w2'],
    ['F14 so it is at another worker under the same task id', [...rejectedLines, sent({ at: 110, worker: 'w3', sentMessageId: 'own' }), answered('rejected', { at: 111, worker: 'w3', task: 'r-w2', messageId: 'own' })], 'rejected by w3'],
    ['F14 so is what was rejected without any verdict', [sent({ at: 0 }), answered('rejected', { at: 1 })], 'rejected by w1'],
  ])('%s', (_fact, lines, expected) => {
    const { state, current } = taskAfter(lines)
    expect(`${state} by ${current?.workerId}`).toBe(expected)
  })

  it('F14 it is shown among the attempts all the same', () => {
    expect(taskAfter(rejectedLines).attempts.map(({ workerId, state }) => `${workerId} ${state}`)).toEqual(['w1 working', 'w2 rejected'])
  })
})
