import { describe, expect, it } from 'vitest'
import type { Actor } from '../event/dispatch-intent.ts'
import type { ApprovalAnswer } from '../event/verdict-approved.ts'
import {
  answered,
  approved,
  card,
  enrolled,
  found,
  missed,
  pushed,
  refused,
  sent,
  settled,
  streamEnded,
  taskAfter,
  unanswered,
  workersOf,
  type Line,
} from '../testing/history.ts'
import { taskView } from '../task/view.ts'
import { answerOf, type AskReason } from './answer.ts'
import { decide } from './decide.ts'

const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const lost: readonly Line[] = [...working, missed({ at: 10 })]
/** A second worker that is trusted with the work of the first. */
const heir: readonly Line[] = [
  card({ at: -20 }),
  card({ at: -20, worker: 'w3' }),
  enrolled({ trust: 'card' }, { at: -19, worker: 'w3' }),
]

/** The first worker is trusted to keep its tasks. */
const trusted: readonly Line[] = [card({ at: -20 }), enrolled({ trust: 'card' }, { at: -19 })]

describe('V6 the answer to: what now?', () => {
  const answerTo = (lines: readonly Line[], reason: AskReason, asOf = 1_000): string => {
    const { kind, workerId, taskId } = answerOf(taskAfter(lines, { asOf }), { reason }, workersOf(lines))
    return [kind, workerId, taskId].filter((part) => part !== undefined).join(' ')
  }
  it.each<[string, readonly Line[], AskReason, string]>([
    ['V6 terminal-ok: it had completed before it was not found', [...working, found('completed', { at: 5 }), missed({ at: 10 })], 'not-found', 'terminal-ok w1 t-1'],
    ['V6 terminal-ok: it had failed, which is an end as well', [...working, found('failed', { at: 5 }), missed({ at: 10 })], 'not-found', 'terminal-ok w1 t-1'],
    ['V6 resume: it is live and nothing is in doubt', working, 'restarted-myself', 'resume w1 t-1'],
    ['V6 resume: a not-found that life has overtaken', [...lost, found('working', { at: 20 })], 'not-found', 'resume w1 t-1'],
    ['V6 resume: the older attempt that lives, when the current one is lost', [...working, sent({ at: 5, sentMessageId: 'm-2' }), answered('submitted', { at: 6, task: 't-2', messageId: 'm-2' }), missed({ at: 10, task: 't-2' })], 'restarted-myself', 'resume w1 t-1'],
    ['V6 reobserve: the evidence is weak', [...working, missed({ at: 10, evidence: 'weak' })], 'not-found', 'reobserve w1 t-1'],
    ['V6 reobserve: not yet enough of a contested task', [...lost, found('working', { at: 20 }), missed({ at: 30 })], 'not-found', 'reobserve w1 t-1'],
    ['V6 reobserve: not yet every replica', [enrolled({ replicas: 2 }), ...working, missed({ at: 10, instance: 'a' })], 'not-found', 'reobserve w1 t-1'],
    ['V6 reobserve: an open task gave no answer', [...working, unanswered({ at: 10, task: 't-1', operation: 'GetTask' })], 'timeout', 'reobserve w1 t-1'],
    ['V6 reobserve: a timeout is enough for doubt where nothing was recorded', working, 'timeout', 'reobserve w1 t-1'],
    ['V6 reobserve: its stream ended', [...working, streamEnded({ at: 10 })], 'stream-ended', 'reobserve w1 t-1'],
    ['V6 reobserve: an end is claimed', [...working, missed({ at: 10, name: 'TaskNotCancelable', code: -32002, evidence: 'none', operation: 'CancelTask' })], 'error', 'reobserve w1 t-1'],
    ['V6 unreconcilable: nobody can take over', settled(lost), 'not-found', 'unreconcilable'],
    ['V6 redispatch: w3 can take over', settled([...heir, ...lost]), 'not-found', 'redispatch w3'],
    ['V6 closed-by-policy: the card of the worker is trusted', settled([...heir, enrolled({ trust: 'card' }, { at: -18 }), ...lost]), 'not-found', 'closed-by-policy'],
  ])('%s', (_fact, lines, reason, answer) => {
    expect(answerTo(lines, reason)).toBe(answer)
  })

  it('V6 reobserve: grace runs, and the answer says how long', () => {
    const { kind, retryAfterMs } = answerOf(taskAfter(lost, { asOf: 25 }), { reason: 'not-found' })
    expect([kind, retryAfterMs]).toEqual(['reobserve', 15_000])
  })

  it('V6 redispatch goes out under the same correlation ID', () => {
    const { send } = answerOf(taskAfter(settled([...heir, ...lost]), { correlationId: 'k' }), { reason: 'not-found' })
    expect([send?.workerId, Object.values(send?.metadata ?? {})]).toEqual(['w3', [{ correlationId: 'k' }]])
  })
})

describe('V8 after a refusal', () => {
  const refusedSend: readonly Line[] = [sent({ at: 0 }), refused({ at: 1 })]
  it.each<[string, readonly Line[], string]>([
    ['V8 a refused send was never executed: sending elsewhere bears no risk', [...heir, ...refusedSend], 'redispatch none'],
    ['V8 nobody else can do it: unreconcilable, and no risk', refusedSend, 'unreconcilable none'],
    ['V7 V8 the worker that refused is not asked again, however trusted', [...trusted, ...refusedSend], 'unreconcilable none'],
    ['V7 V8 it is asked again when its card has changed in what matters', [...trusted, ...refusedSend, card({ at: 5, essenceDigest: 'essence 2' })], 'redispatch none'],
  ])('%s', (_fact, lines, expected) => {
    const { kind, duplicateRisk } = answerOf(taskAfter(lines), { reason: 'error' }, workersOf(lines))
    expect(`${kind} ${duplicateRisk}`).toBe(expected)
  })
})

describe('V6 the verdict of the view', () => {
  const verdictIn = (lines: readonly Line[], asOf = 1_000): string => {
    const { verdict } = taskView(taskAfter(lines, { asOf }), new Map())
    return verdict === undefined ? 'none' : [verdict.kind, verdict.workerId, verdict.basis].filter((part) => part !== undefined).join(' ')
  }
  const taken: readonly Line[] = [
    ...settled([...heir, ...lost]),
    sent({ at: 110, worker: 'w3', sentMessageId: 'm-3' }),
  ]
  const running: readonly Line[] = [...taken, answered('working', { at: 111, worker: 'w3', task: 't-3', messageId: 'm-3' })]
  it.each<[string, readonly Line[], string]>([
    ['V6 a task that was never in doubt shows no verdict', working, 'none'],
    ['V6 an undecided question shows as reobserve', [...lost], 'reobserve'],
    ['V6 a decided question shows its verdict', settled(lost), 'unreconcilable'],
    ['V6 life withdraws the basis of the verdict', [...settled(lost), found('working', { at: 200 })], 'unreconcilable withdrawn'],
    ['V6 late truth withdraws it too', [...settled(lost), pushed('completed', { at: 200, stamped: 5 })], 'unreconcilable withdrawn'],
    ['V6 a verdict that is being obeyed keeps its basis', taken, 'redispatch w3'],
    ['V6 a verdict that was obeyed stays', running, 'redispatch w3'],
    ['V6 it stays when the work is done', [...running, found('completed', { at: 120, worker: 'w3', task: 't-3' })], 'redispatch w3'],
    ['V6 it is withdrawn when the attempt it gave up comes back', [...running, found('working', { at: 130 })], 'redispatch w3 withdrawn'],
    ['V6 a new loss after new life is a new question', [...settled(lost), found('working', { at: 200 }), missed({ at: 210 }), missed({ at: 220 }), missed({ at: 230 })], 'reobserve'],
    ['V6 the loss of the re-dispatched attempt is a new question', [...running, missed({ at: 300, worker: 'w3', task: 't-3' })], 'reobserve'],
    ['V6 a send found to be answered withdraws the verdict on its silence', [...settled([sent({ at: 0 }), unanswered({ at: 5 })]), found('working', { at: 200, historyMessageId: 'm-1' })], 'unreconcilable withdrawn'],
    ['V6 a later doubt does not replace a settled verdict: weak evidence after it was obeyed', [...running, missed({ at: 130, worker: 'w3', task: 't-3', evidence: 'weak' })], 'redispatch w3'],
    ['V6 nor a poll without an answer', [...running, unanswered({ at: 130, worker: 'w3', task: 't-3', operation: 'GetTask' })], 'redispatch w3'],
    ['V6 nor weak evidence after life has withdrawn it', [...settled(lost), found('working', { at: 200 }), missed({ at: 210, evidence: 'weak' })], 'unreconcilable withdrawn'],
    ['F16 V6 closed by policy it stays when life returns and is in doubt again', [...settled([...trusted, ...lost]), found('working', { at: 200 }), missed({ at: 210, evidence: 'weak' })], 'closed-by-policy withdrawn'],
    ['F16 V6 closed by policy it stays when the work was sent elsewhere and that gives no answer', [...settled([...trusted, ...lost]), sent({ at: 200, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 201, worker: 'w2', task: 't-2', messageId: 'm-2' }), unanswered({ at: 210, worker: 'w2', task: 't-2', operation: 'GetTask' })], 'closed-by-policy'],
    ['F16 V6 a later not-found of the same loss changes nothing', [...settled([...trusted, ...lost]), missed({ at: 200 })], 'closed-by-policy'],
    ['F16 V6 late truth shows it withdrawn', [...settled([...trusted, ...lost]), pushed('completed', { at: 200, stamped: 5 })], 'closed-by-policy withdrawn'],
    ['F16 V6 another loss is another question: what was settled before is no answer to it', [...settled([...trusted, ...lost]), found('working', { at: 200 }), missed({ at: 210 }), missed({ at: 220 }), missed({ at: 230 })], 'reobserve'],
    ['V6 a verdict on a silence keeps its basis while it is obeyed', [...settled([...heir, sent({ at: 0 }), unanswered({ at: 5 })]), sent({ at: 110, worker: 'w3', sentMessageId: 'm-3' }), answered('working', { at: 111, worker: 'w3', task: 't-3', messageId: 'm-3' })], 'redispatch w3'],
    ['V6 a verdict is on the attempt that it was asked about: another worker had lost one before', settled([...lost, sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 21, worker: 'w2', messageId: 'm-2' }), missed({ at: 30, worker: 'w2' })]), 'unreconcilable'],
    ['V6 so it is where the same worker had lost one before', settled([...lost, sent({ at: 20, sentMessageId: 'm-2' }), answered('working', { at: 21, task: 't-2', messageId: 'm-2' }), missed({ at: 30, task: 't-2' })]), 'unreconcilable'],
    ['V6 a refusal shows no verdict in the view', [...heir, sent({ at: 0 }), refused({ at: 1 })], 'none'],
  ])('%s', (_fact, lines, verdict) => {
    expect(verdictIn(lines)).toBe(verdict)
  })

  it('V6 after unreconcilable the first eligible candidate is asked for once more', () => {
    const given = settled(lost)
    const later = [...given, ...heir.map((line): Line => (position) => line(position))]
    const again = decide(taskAfter(later), workersOf(later))
    const decidedTwice = settled(later, 400)
    expect([
      decide(taskAfter(given), workersOf(given)),
      again?.kind,
      again?.decisionId === taskAfter(later).question?.againId,
      verdictIn(decidedTwice),
      decide(taskAfter(decidedTwice), workersOf(decidedTwice)),
    ]).toEqual([undefined, 'redispatch', true, 'redispatch w3', undefined])
  })

  it('V6 a redispatch stays the verdict when its target goes away', () => {
    const given = settled([...heir, ...lost])
    expect(decide(taskAfter(given), workersOf(given, { known: { w3: { lastUnreachableMs: 1 } } }))).toBeUndefined()
  })
})

describe('V6 everything that an answer says', () => {
  const answer = (lines: readonly Line[], asked: Parameters<typeof answerOf>[1], asOf = 1_000) =>
    answerOf(taskAfter(lines, { asOf }), asked, workersOf(lines))
  const refusedSend: readonly Line[] = [sent({ at: 0 }), refused({ at: 1 })]
  const second: readonly Line[] = [sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }), answered('input-required', { at: 6, worker: 'w2', messageId: 'm-2' })]
  it.each<[string, readonly Line[], Parameters<typeof answerOf>[1], Record<string, unknown>]>([
    ['V6 resume: with whom, and the report that says so', working, { reason: 'not-found' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 resume: the attempt that was asked about, also when it is not the current one', [...working, ...second], { reason: 'not-found', workerId: 'w1', taskId: 't-1' }, { state: 'input-required', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 resume: the attempt that gives the state, where the one asked about is not known', [...working, ...second], { reason: 'not-found', workerId: 'w2' }, { state: 'input-required', considered: [], actor: 'caller', kind: 'resume', workerId: 'w2', taskId: 't-1', because: [4] }],
    ['V6 resume: an error of the call is no doubt about the task', working, { reason: 'error' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 resume: the older attempt that lives, not the one that ended or is lost', [...working, ...second, missed({ at: 10, worker: 'w2' })], { reason: 'not-found' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 resume: after a refusal of a further message the task that lives goes on', [...working, sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }), refused({ at: 6, worker: 'w2', messageId: 'm-2' })], { reason: 'error' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 terminal-ok: the reports of the end, and none of the attempts that did not end', [...working, ...second, found('completed', { at: 10, worker: 'w2' })], { reason: 'not-found' }, { state: 'completed', considered: [], actor: 'caller', kind: 'terminal-ok', workerId: 'w2', taskId: 't-1', because: [5] }],
    ['V6 terminal-ok: asked about an attempt that nobody knows none is named', [...working, found('completed', { at: 10 })], { reason: 'not-found', workerId: 'w2', taskId: 't-1' }, { state: 'completed', considered: [], actor: 'caller', kind: 'terminal-ok', because: [3] }],
    ['V6 reobserve: the events that leave it in doubt', [...working, missed({ at: 10, evidence: 'weak' })], { reason: 'not-found' }, { state: 'working', considered: [], actor: 'caller', kind: 'reobserve', workerId: 'w1', taskId: 't-1', because: [3], retryAfterMs: 1_000 }],
    ['V6 reobserve: where nothing is recorded against it, its last event', working, { reason: 'timeout' }, { state: 'working', considered: [], actor: 'caller', kind: 'reobserve', workerId: 'w1', taskId: 't-1', because: [2], retryAfterMs: 1_000 }],
    ['V6 reobserve: of a send that still waits, its last event', [sent({ at: 0 })], { reason: 'timeout' }, { state: 'dispatched', considered: [], actor: 'caller', kind: 'reobserve', because: [1], retryAfterMs: 1_000 }],
    ['V6 reobserve: of nothing at all', [], { reason: 'not-found' }, { state: 'indeterminate', considered: [], actor: 'caller', kind: 'reobserve', because: [0], retryAfterMs: 1_000 }],
    ['V6 reobserve: a lost task has the evidence of its question', lost, { reason: 'not-found' }, { state: 'indeterminate', lastObserved: 'working', considered: [], actor: 'caller', kind: 'reobserve', workerId: 'w1', taskId: 't-1', because: [2, 3], retryAfterMs: 1_000 }],
    ['V6 reobserve: a silence has that of its own, and names no attempt', [sent({ at: 0 }), unanswered({ at: 5 })], { reason: 'timeout' }, { state: 'indeterminate', considered: [], actor: 'caller', kind: 'reobserve', because: [1, 2], retryAfterMs: 1_000 }],
    ['V8 refused: the send and its answer, and who else can', [...heir, ...refusedSend], { reason: 'error' }, { state: 'dispatched', considered: [{ workerId: 'w3', eligible: true }, { workerId: 'w1', eligible: false, because: 'refused_it' }], actor: 'caller', kind: 'redispatch', workerId: 'w3', because: [4, 5], duplicateRisk: 'none' }],
    ['V8 refused, and nobody else can', refusedSend, { reason: 'error' }, { state: 'dispatched', considered: [{ workerId: 'w1', eligible: false, because: 'refused_it' }], actor: 'caller', kind: 'unreconcilable', because: [1, 2], duplicateRisk: 'none' }],
    ['V6 resume: the task that was asked about, of two at one worker', [...working, sent({ at: 5, sentMessageId: 'm-2' }), answered('input-required', { at: 6, task: 't-2', messageId: 'm-2' })], { reason: 'not-found', workerId: 'w1', taskId: 't-1' }, { state: 'input-required', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 resume: of two at one worker the second as well', [...working, sent({ at: 5, sentMessageId: 'm-2' }), answered('input-required', { at: 6, task: 't-2', messageId: 'm-2' }), found('working', { at: 8, task: 't-2' })], { reason: 'not-found', workerId: 'w1', taskId: 't-2' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-2', because: [5] }],
    ['V6 resume: the attempt that was sent to last, whichever was seen first', [...working, ...second, sent({ at: 30, naming: 't-1', sentMessageId: 'm-3' }), answered('working', { at: 31, messageId: 'm-3' })], { reason: 'not-found', workerId: 'w9', taskId: 't-9' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 resume: the one that lives, of two in one state', [...working, sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 6, worker: 'w2', messageId: 'm-2' }), missed({ at: 10, worker: 'w2' })], { reason: 'not-found' }, { state: 'working', considered: [], actor: 'caller', kind: 'resume', workerId: 'w1', taskId: 't-1', because: [2] }],
    ['V6 reobserve: who names a worker and no task asks about none that is known', working, { reason: 'timeout', workerId: 'w1' }, { state: 'working', considered: [], actor: 'caller', kind: 'reobserve', because: [2], retryAfterMs: 1_000 }],
    ['V6 reobserve: who names a task and no worker neither', working, { reason: 'timeout', taskId: 't-1' }, { state: 'working', considered: [], actor: 'caller', kind: 'reobserve', because: [2], retryAfterMs: 1_000 }],
    ['V8 refused after a silence: the silence may have been heard', [...heir, sent({ at: 0 }), unanswered({ at: 1, messageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3, messageId: 'm-2' })], { reason: 'error' }, { state: 'indeterminate', considered: [], actor: 'caller', kind: 'reobserve', because: [4, 5], retryAfterMs: 1_000 }],
    ['V8 a later send that still waits is not refused', [...refusedSend, sent({ at: 5, sentMessageId: 'm-2' })], { reason: 'error' }, { state: 'dispatched', considered: [], actor: 'caller', kind: 'reobserve', because: [3], retryAfterMs: 1_000 }],
  ])('%s', (_fact, lines, asked, expected) => {
    expect(answer(lines, asked)).toStrictEqual(expected)
  })

  it('V8 refused, and nobody else is known', () => {
    expect(answerOf(taskAfter(refusedSend), { reason: 'error' })).toMatchObject({ kind: 'unreconcilable', considered: [] })
  })

  it('V6 a recorded redispatch says what to send, in the name of the decision', () => {
    const lines = settled([...heir, ...lost])
    const decisionId = taskAfter(lines).question?.decisionId ?? ''
    expect(answer(lines, { reason: 'not-found' })).toEqual({
      state: 'indeterminate',
      lastObserved: 'working',
      decisionId,
      kind: 'redispatch',
      because: [5, 6],
      considered: [{ workerId: 'w3', eligible: true }, { workerId: 'w1', eligible: false, because: 'lost_it' }],
      duplicateRisk: 'possible',
      actor: 'caller',
      workerId: 'w3',
      send: { workerId: 'w3', messageId: `a2a-ledger-${decisionId.slice(0, 32)}`, metadata: { 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'k' } } },
    })
  })

  it('V6 a recorded verdict without a target says nothing to send', () => {
    const lines = settled(lost)
    expect(answer(lines, { reason: 'not-found' })).toEqual({
      state: 'indeterminate',
      lastObserved: 'working',
      decisionId: taskAfter(lines).question?.decisionId,
      kind: 'unreconcilable',
      because: [2, 3],
      considered: [{ workerId: 'w1', eligible: false, because: 'lost_it' }],
      duplicateRisk: 'possible',
      actor: 'caller',
    })
  })

  it('V6 a recorded verdict that stated no risk is answered without one', () => {
    const lines = settled(lost).map((line): Line => (position) => {
      const fact = line(position)
      if (fact.kind !== 'verdict') return fact
      const { duplicateRisk: _risk, ...verdict } = fact
      return verdict
    })
    expect(answer(lines, { reason: 'not-found' })).not.toHaveProperty('duplicateRisk')
  })

  it.each([[20, undefined], [21, 23]])('V6 of %i not-founds the answer counts the evidence only where it is cut', (count, counted) => {
    const many = Array.from({ length: count }, (_, n) => missed({ at: 10 + n, evidence: 'weak' }))
    const { because, counts } = answer([...working, ...many], { reason: 'not-found' })
    expect([because.length, counts?.['because']]).toEqual([20, counted === undefined ? undefined : count])
    const strong = Array.from({ length: count + 1 }, (_, n) => missed({ at: 10 + n }))
    expect(answer(settled([...working, ...strong]), { reason: 'not-found' }).counts).toEqual({ because: count + 2 })
    expect(answer(settled([...working, ...strong.slice(0, 19)]), { reason: 'not-found' })).not.toHaveProperty('counts')
  })
})

describe('V8 who is to act on a recorded redispatch', () => {
  const given = (actor?: Actor, answer?: ApprovalAnswer, of?: string): string => {
    const lines = settled([...heir, ...lost], 100, actor === undefined ? {} : { actor })
    const decisionId = taskAfter(lines).verdicts[0]?.decisionId ?? ''
    const told = answerOf(taskAfter([...lines, ...(answer === undefined ? [] : [approved(of ?? decisionId, { answer })])]), { reason: 'not-found' })
    return [told.actor, told.workerId, 'send' in told ? 'sends it' : 'must not send'].join(' ')
  }
  it.each<[string, Parameters<typeof given>, string]>([
    ['V8 where nothing was said its caller', [], 'caller w3 sends it'],
    ['V8 its caller, where it was left to it', ['caller'], 'caller w3 sends it'],
    ['V8 the ledger, where it was left to it: the caller must not send as well', ['ledger'], 'ledger w3 must not send'],
    ['V8 whoever approves, also before anybody did', ['approver'], 'approver w3 must not send'],
    ['V8 whoever approved, although it was left to the caller', ['caller', 'approved'], 'approver w3 must not send'],
    ['V8 the caller still, when a person declined', ['caller', 'declined'], 'caller w3 sends it'],
    ['V8 the caller still, when a person approved another decision', ['caller', 'approved', 'another'], 'caller w3 sends it'],
  ])('%s', (_fact, told, expected) => {
    expect(given(...told)).toBe(expected)
  })
})
