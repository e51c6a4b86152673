import { describe, expect, it } from 'vitest'
import { canaryCorrelationId } from '../correlation/canary.ts'
import {
  answered,
  approved,
  card,
  concluded,
  enrolled,
  found,
  intended,
  intentSettled,
  messaged,
  missed,
  pushed,
  refused,
  sent,
  settled,
  taskAfter,
  unanswered,
  unreadable,
  workersOf,
  type Line,
} from '../testing/history.ts'
import { decided, decisionIdOf, heir, lost, obeyingMessageId } from '../testing/lost-and-decided.ts'
import { testCodec } from '../testing/codec.ts'
import { maySend, type SendAsked } from './may-send.ts'

const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const second: readonly Line[] = [sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }), answered('input-required', { at: 6, worker: 'w2', messageId: 'm-2' })]
const decisionId = decisionIdOf(decided)
const messageId = obeyingMessageId(decisionId)
const next = decided.length + 1
const knowing = card({ at: 0, idempotencyKey: 'messageId' })
const unreconcilable = settled(lost())

const answer = (lines: readonly Line[], asked: Partial<SendAsked>, asOf = 120): string => {
  const about = { workerId: 'w1', messageId: 'm-1', ...asked }
  const target = workersOf(lines).find(({ workerId }) => workerId === about.workerId)
  const standing = maySend(taskAfter(lines, { asOf }), about, target, testCodec)
  switch (standing.answer) {
    case 'go':
      return ['go', standing.intent.purpose, standing.duplicateRisk, standing.held && 'held', standing.lapsed && 'after a lapse', standing.contextId].filter(Boolean).join(' ')
    case 'wait':
      return `wait for ${standing.intent.by ?? 'somebody'}`
    case 'running':
    case 'done':
      return [standing.answer, standing.workerId, standing.taskId ?? standing.messageId, standing.state, standing.because.join(',')].filter(Boolean).join(' ')
    case 'unknown-outcome':
      return ['unknown', standing.workerId, standing.duplicateRisk, standing.verdict?.kind, standing.retryAfterMs && 'later', standing.lapsed && 'lapsed', standing.because.join(',')].filter(Boolean).join(' ')
  }
}

const fresh = { messageId: 'm-9' }
const obeying = { workerId: 'w2', messageId }

describe('V8 whether a message may be sent', () => {
  it.each<[string, readonly Line[], Partial<SendAsked>, string]>([
    ['V8 work that nobody heard of', [], {}, 'go send none'],
    ['V8 work of which only a conclusion is known', [concluded('failed')], {}, 'go send none'],
    ['V8 work that its worker refused', [sent({ at: 0 }), refused({ at: 1 })], {}, 'go send none'],
    ['V8 work that its worker refused, elsewhere', [sent({ at: 0 }), refused({ at: 1 })], { workerId: 'w2' }, 'go send none'],

    ['V8 a send that is on its way', [sent({ at: 0 })], {}, 'running w1 m-1 1'],
    ['V8 a send that is on its way, by another message to another worker', [sent({ at: 0 })], { workerId: 'w2', messageId: 'm-9' }, 'running w1 m-1 1'],
    ['V8 one of two that was refused does not stop the other', [sent({ at: 0 }), refused({ at: 1, messageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' })], fresh, 'running w1 m-2 3'],
    ['V8 a task that lives', working, {}, 'running w1 t-1 working 2'],
    ['V8 a task that lives, by another message', working, fresh, 'running w1 t-1 working 2'],
    ['V8 a task that lives at another worker', working, { workerId: 'w2', messageId: 'm-9' }, 'running w1 t-1 working 2'],
    ['V8 a task in doubt lives', [...working, missed({ at: 10, evidence: 'weak' })], fresh, 'running w1 t-1 working 2'],
    ['V8 an older task that lives while the newer one is lost', [...working, sent({ at: 2, sentMessageId: 'm-2' }), answered('submitted', { at: 3, task: 't-2' }), missed({ at: 9, task: 't-2' })], fresh, 'running w1 t-1 working 2'],
    ['V8 of two that live the one that was sent to last, whichever was seen first', [...working, ...second, sent({ at: 7, naming: 't-1', sentMessageId: 'm-3' }), answered('working', { at: 8, messageId: 'm-3' })], fresh, 'running w1 t-1 working 2'],
    ['V8 of two in one state the one that lives', [...working, sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 6, worker: 'w2', messageId: 'm-2' }), missed({ at: 10, worker: 'w2' })], fresh, 'running w1 t-1 working 2'],
    ['V8 a send that is on its way, beside a task of its worker that was seen since', [sent({ at: 0 }), found('working', { at: 1 })], fresh, 'running w1 m-1 1'],
    ['V8 a message into a task that is on its way, beside a task of another worker that has the same id', [...working, sent({ at: 6, sentMessageId: 'm-3', naming: 't-1' }), found('working', { at: 7, worker: 'w2' })], fresh, 'running w1 m-3 3'],

    ['V8 a task that waits for input, by somebody who does not name it', [...working, found('input-required', { at: 5 })], fresh, 'running w1 t-1 input-required 3'],
    ['V8 a message into a task that waits for input', [...working, found('input-required', { at: 5 })], { ...fresh, taskId: 't-1' }, 'go send none'],
    ['V8 a message into a task that waits for credentials, in its context', [sent({ at: 0 }), answered('auth-required', { at: 1, contextId: 'c-1' })], { ...fresh, taskId: 't-1' }, 'go send none c-1'],
    ['V8 a message into a task that works', working, { ...fresh, taskId: 't-1' }, 'running w1 t-1 working 2'],
    ['V8 a message into a task of another worker', [...working, found('input-required', { at: 5 })], { workerId: 'w2', messageId: 'm-9', taskId: 't-1' }, 'running w1 t-1 input-required 3'],
    ['V8 the message that it was begun with is none that it waits for', [sent({ at: 0 }), answered('input-required', { at: 1 })], { taskId: 't-1' }, 'running w1 t-1 input-required 2'],
    ['V8 one of two messages that it had is none that it waits for', [...working, sent({ at: 6, sentMessageId: 'm-2', naming: 't-1' }), answered('input-required', { at: 7, messageId: 'm-2' })], { taskId: 't-1' }, 'running w1 t-1 input-required 4'],
    ['V8 a message whose id another worker had seen is none that it had', [sent({ at: -9, worker: 'w2', sentMessageId: 'm-9' }), refused({ at: -8, worker: 'w2', messageId: 'm-9' }), ...working, found('input-required', { at: 5 })], { ...fresh, taskId: 't-1' }, 'go send none'],
    ['V8 a message into a task that is getting another one', [...working, found('input-required', { at: 5 }), sent({ at: 6, sentMessageId: 'm-2', naming: 't-1' })], { ...fresh, taskId: 't-1' }, 'running w1 m-2 4'],
    ['V8 a message into a task that waits again', [...working, found('input-required', { at: 5 }), sent({ at: 6, sentMessageId: 'm-2', naming: 't-1' }), found('working', { at: 7 }), found('input-required', { at: 8 })], { ...fresh, taskId: 't-1' }, 'go send none'],

    ['V8 work that is done', [...working, found('completed', { at: 5 })], {}, 'done w1 t-1 completed 3'],
    ['V8 work that is done, by another message to another worker', [...working, found('completed', { at: 5 })], { workerId: 'w2', messageId: 'm-9' }, 'done w1 t-1 completed 3'],
    ['V8 work that a message answered', [sent({ at: 0 }), messaged('the result', { at: 1 })], fresh, 'done w1 completed 2'],
    ['V8 work that is done is proved by what it ended with, whatever was told since', [...working, found('completed', { at: 5 }), concluded('failed', { at: 6 })], fresh, 'done w1 t-1 completed 3'],
    ['V8 so is work that a message answered', [sent({ at: 0 }), messaged('the result', { at: 1 }), concluded('failed', { at: 6 })], fresh, 'done w1 completed 2'],
    ['V8 work that was lost and came back done', [...decided, pushed('completed', { at: 110, stamped: 8 })], obeying, `done w1 t-1 completed ${next}`],
    ['V8 the message whose work failed', [...working, found('failed', { at: 5 })], {}, 'done w1 t-1 failed 3'],
    ['V8 the message whose work failed, of two', [sent({ at: 0 }), refused({ at: 1, messageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), answered('failed', { at: 3, messageId: 'm-2' })], { messageId: 'm-2' }, 'done w1 t-1 failed 4'],
    ['V8 the permission whose work failed', [intended({ at: 0 }), intentSettled(1, 'sent'), found('failed', { at: 5 })], {}, 'done w1 t-1 failed 3'],
    ['V8 another message than that of a permission whose work failed', [intended({ at: 0 }), intentSettled(1, 'sent'), found('failed', { at: 5 })], fresh, 'go send none'],
    ['V8 the same message to another worker', [intended({ at: 0 }), intentSettled(1, 'sent'), found('failed', { at: 5 })], { workerId: 'w2' }, 'go send none'],
    ['V8 a message that was permitted and not sent, when other work failed', [intended({ at: 0 }), intentSettled(1, 'not-sent'), sent({ at: 2, worker: 'w2', sentMessageId: 'm-2' }), answered('failed', { at: 3, worker: 'w2', messageId: 'm-2' })], {}, 'go send none'],
    ['V8 a new try at work that failed', [...working, found('failed', { at: 5 })], fresh, 'go send none'],
    ['V8 a new try at work that was rejected, elsewhere', [...working, found('rejected', { at: 5 })], { workerId: 'w2' }, 'go send none'],
    ['V8 a new try that is on its way', [...working, found('failed', { at: 5 }), sent({ at: 6, sentMessageId: 'm-2' })], fresh, 'running w1 m-2 4'],

    ['V8 somebody else is about to send', [intended({ at: 110, holder: 'o1' })], fresh, 'wait for o1'],
    ['V8 somebody who gave no name is about to send the same message', [intended({ at: 110 })], {}, 'wait for somebody'],
    ['V8 another is about to send the same message', [intended({ at: 110, holder: 'o1' })], { by: 'o2' }, 'wait for o1'],
    ['V8 whoever holds it asks again', [intended({ at: 110, holder: 'o1' })], { by: 'o1' }, 'go send none held'],
    ['V8 whoever holds it asks again, when an earlier try was given up', [intended({ at: 100 }), intentSettled(1, 'not-sent'), intended({ at: 110, holder: 'o1' })], { by: 'o1' }, 'go send none held'],
    ['V8 whoever holds it asks for another message', [intended({ at: 110, holder: 'o1' })], { ...fresh, by: 'o1' }, 'wait for o1'],
    ['V8 whoever holds it asks for another worker', [intended({ at: 110, holder: 'o1' })], { workerId: 'w2', by: 'o1' }, 'wait for o1'],
    ['V8 somebody else is about to write into the task that waits', [...working, found('input-required', { at: 5 }), intended({ at: 110, holder: 'o1', sentMessageId: 'm-2' })], { ...fresh, taskId: 't-1' }, 'wait for o1'],
    ['V8 it is done while somebody was about to send', [...working, intended({ at: 110, holder: 'o1' }), found('completed', { at: 111 })], fresh, 'done w1 t-1 completed 4'],
    ['V8 somebody was about to send and gave up', [intended({ at: 110 }), intentSettled(1, 'not-sent')], {}, 'go send none'],
    ['V8 somebody says that it was sent', [intended({ at: 110 }), intentSettled(1, 'sent')], {}, 'running w1 m-1 1'],
    ['V8 somebody says that it was sent, and which task answered', [intended({ at: 110 }), intentSettled(1, 'sent', { sentTaskId: 't-9' })], fresh, 'running w1 t-9 1'],
    ['V8 somebody says that it was sent, and a task of another worker was seen', [intended({ at: 110 }), intentSettled(1, 'sent'), found('working', { at: 111, worker: 'w2' })], fresh, 'running w1 m-1 1'],
    ['V8 somebody says that it was sent, and a task of its worker had been seen before', [found('working', { at: 1 }), intended({ at: 110 }), intentSettled(2, 'sent')], fresh, 'running w1 m-1 2'],
    ['V8 a witness saw it sent and refused', [intended({ at: 110 }), sent({ at: 111 }), refused({ at: 112, messageId: 'm-1' })], {}, 'go send none'],
    ['V8 a witness saw it sent', [intended({ at: 110 }), sent({ at: 111 })], {}, 'running w1 m-1 2'],
    ['V8 a witness saw its task', [intended({ at: 110 }), found('working', { at: 111 })], {}, 'running w1 t-1 working 2'],

    ['V8 a permission lapsed, and nobody knows', [intended({ at: 0, ttl: 5, holder: 'o1' })], {}, 'unknown w1 likely lapsed 1'],
    ['V8 a permission holds until its moment and not at it', [intended({ at: 110, ttl: 10 })], {}, 'unknown w1 likely lapsed 1'],
    ['V8 a permission lapsed, and nobody knows; its own holder', [intended({ at: 0, ttl: 5, holder: 'o1' })], { by: 'o1' }, 'unknown w1 likely lapsed 1'],
    ['V8 a permission lapsed; another message to another worker', [intended({ at: 0, ttl: 5 })], { workerId: 'w2', messageId: 'm-9' }, 'unknown w1 likely lapsed 1'],
    ['V8 a permission lapsed at a worker that knows the message again', [knowing, intended({ at: 0, ttl: 5 })], {}, 'go send possible after a lapse'],
    ['V8 a permission lapsed at a worker that would know that message again, and not this one', [knowing, intended({ at: 0, ttl: 5 })], fresh, 'unknown w1 likely lapsed 2'],
    ['V8 a permission lapsed, and the same message was permitted again', [knowing, intended({ at: 0, ttl: 5 }), intended({ at: 110, holder: 'o2' })], { by: 'o2' }, 'go send possible held after a lapse'],
    ['V8 a permission lapsed, and its task was seen and lost', [...heir, card({ at: 0 }), intended({ at: 0, ttl: 1 }), found('working', { at: 1 }), missed({ at: 10 })], {}, 'unknown w1 possible later 5,6'],
    ['V8 a permission lapsed while the task lived', [...working, found('input-required', { at: 5 }), intended({ at: 6, ttl: 5, sentMessageId: 'm-2' })], { ...fresh, taskId: 't-1' }, 'unknown w1 likely lapsed 4'],
    ['V8 a permission lapsed while the task lived, and it was seen since', [...working, found('input-required', { at: 5 }), intended({ at: 6, ttl: 5, sentMessageId: 'm-2' }), found('input-required', { at: 20 })], { ...fresh, taskId: 't-1' }, 'go send none'],

    ['V8 a send without an answer', [sent({ at: 0 }), unanswered({ at: 5 })], {}, 'unknown w1 likely later 1,2'],
    ['V8 a send without an answer, decided as unreconcilable', settled([sent({ at: 0 }), unanswered({ at: 5 })]), fresh, 'unknown w1 likely unreconcilable 1,2'],
    ['V8 a lost task in its grace', lost(), fresh, 'unknown w1 possible later 3,4'],
    ['V8 a lost task that nobody can take over', unreconcilable, fresh, 'unknown w1 possible unreconcilable 3,4'],
    ['V8 a lost task that was decided on; something else', decided, fresh, 'unknown w1 possible redispatch 5,6'],
    ['V8 a lost task that was decided on; by another message', decided, { workerId: 'w2', messageId: 'm-9' }, 'unknown w1 possible redispatch 5,6'],
    ['V8 a lost task that was decided on; just that', decided, obeying, 'go redispatch possible'],
    ['V8 a lost task that was decided on; just that, at another worker', decided, { workerId: 'w3', messageId }, 'unknown w1 possible redispatch 5,6'],
    ['V8 a lost task that was decided on, and claimed', [...decided, intended({ at: 110, holder: 'o1', decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId })], obeying, 'wait for o1'],
    ['V8 a lost task that was decided on, and claimed by who asks', [...decided, intended({ at: 110, holder: 'o1', decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId })], { ...obeying, by: 'o1' }, 'go redispatch possible held'],
    ['V8 a lost task that was decided on; the claim lapsed', [...decided, intended({ at: 110, ttl: 5, decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId })], obeying, `unknown w2 likely lapsed ${next}`],
    ['V8 a lost task that was decided on; the claim lapsed at a worker that knows the message again', [...decided, card({ at: 101, worker: 'w2', idempotencyKey: 'messageId' }), intended({ at: 110, ttl: 5, decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId })], obeying, 'go redispatch possible after a lapse'],
    ['V8 a lost task that was decided on; the claim lapsed at a worker that has forgotten the message by now', [...decided, card({ at: 101, worker: 'w2', idempotencyKey: 'messageId', idempotencyWindowMs: 1_000 }), intended({ at: 110, ttl: 5, decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId })], obeying, 'unknown w2 likely lapsed 9'],
    ['V8 a lost task that was decided on; the claim was given up', [...decided, intended({ at: 110, decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId }), intentSettled(next, 'not-sent')], obeying, 'go redispatch possible'],
    ['V8 a lost task that was decided on, and declined', [...decided, approved(decisionId, { answer: 'declined' })], obeying, 'unknown w1 possible redispatch 5,6'],
    ['V8 a lost task that was closed by policy', settled([enrolled({ trust: 'card' }, { at: 0 }), ...lost()]), fresh, 'unknown w1 possible closed-by-policy 4,5'],
    ['V8 an incomplete task', [...working, unreadable({ at: 5 })], {}, 'unknown likely 3'],
    ['V8 an incomplete task that completed', [...working, found('completed', { at: 5 }), unreadable({ at: 6 })], {}, 'unknown likely 4'],
  ])('%s', (_fact, lines, asked, expected) => {
    expect(answer(lines, asked)).toBe(expected)
  })

  it('V8 a send that nobody answered for a day is not believed to be on its way', () => {
    expect(answer([sent({ at: 0 })], fresh, 86_400)).toBe('running w1 m-1 1')
    expect(answer([sent({ at: 0 })], fresh, 86_401)).toBe('unknown w1 likely 1')
  })

  it('V8 each send counts from its own recording, and history that is replayed late from then', () => {
    expect(answer([sent({ at: 0, recordedAt: 86_000 })], fresh, 86_401)).toBe('running w1 m-1 1')
    const again = [sent({ at: 0 }), refused({ at: 1 }), sent({ at: 86_000, sentMessageId: 'm-2' })]
    expect(answer(again, fresh, 86_401)).toBe('running w1 m-2 3')
  })

  it('V8 all who are told go at one moment compete for one intent, and later ones for another', () => {
    const idOf = (lines: readonly Line[], asked: Partial<SendAsked>) => {
      const standing = maySend(taskAfter(lines, { asOf: 120 }), { workerId: 'w1', messageId: 'm-1', ...asked }, undefined, testCodec)
      return standing.answer === 'go' ? standing.intent.decisionId : undefined
    }
    const given = [intended({ at: 0 }), intentSettled(1, 'not-sent')]
    expect(idOf([], {})).toBe(idOf([], { workerId: 'w2', messageId: 'm-9', by: 'o2' }))
    expect(idOf(given, {})).not.toBe(idOf([], {}))
  })
})

describe('V8 everything that is said about a send', () => {
  const standing = (lines: readonly Line[], asked: Partial<SendAsked> = {}, asOf = 120) =>
    maySend(taskAfter(lines, { asOf }), { workerId: 'w1', messageId: 'm-1', ...asked }, workersOf(lines)[0], testCodec)
  it.each<[string, readonly Line[], Partial<SendAsked>, number, ReturnType<typeof standing>]>([
    ['V8 running: the send, by its message', [sent({ at: 0 })], fresh, 120, { answer: 'running', workerId: 'w1', messageId: 'm-1', because: [1] }],
    ['V8 running: the send, whose message has no id', [sent({ at: 0, isUnnamed: true })], fresh, 120, { answer: 'running', workerId: 'w1', because: [1] }],
    ['V8 running: the task, without a context where it has none', working, fresh, 120, { answer: 'running', workerId: 'w1', taskId: 't-1', state: 'working', because: [2] }],
    ['V8 running: the task, with its context', [sent({ at: 0 }), answered('working', { at: 1, contextId: 'c-1' })], fresh, 120, { answer: 'running', workerId: 'w1', taskId: 't-1', contextId: 'c-1', state: 'working', because: [2] }],
    ['V8 done: the task', [...working, found('completed', { at: 5 })], fresh, 120, { answer: 'done', workerId: 'w1', taskId: 't-1', state: 'completed', because: [3] }],
    ['V8 done: the worker alone, where its message was the whole answer', [sent({ at: 0 }), messaged('the result', { at: 1 })], fresh, 120, { answer: 'done', workerId: 'w1', state: 'completed', because: [2] }],
    ['V8 unknown: a silence has no task, and the time until it is decided', [sent({ at: 0 }), unanswered({ at: 5 })], fresh, 25, { answer: 'unknown-outcome', workerId: 'w1', because: [1, 2], duplicateRisk: 'likely', retryAfterMs: 10_000 }],
    ['V8 unknown: a loss has a task and its last state', lost(), fresh, 25, { answer: 'unknown-outcome', workerId: 'w1', taskId: 't-1', because: [3, 4], duplicateRisk: 'possible', lastObserved: 'working', retryAfterMs: 15_000 }],
    ['V8 unknown: when grace is over the decision is on its way', lost(), fresh, 90, { answer: 'unknown-outcome', workerId: 'w1', taskId: 't-1', because: [3, 4], duplicateRisk: 'possible', lastObserved: 'working', retryAfterMs: 1_000 }],
    ['V8 unknown: what was decided, and the message that obeys it', decided, fresh, 120, { answer: 'unknown-outcome', workerId: 'w1', taskId: 't-1', because: [5, 6], duplicateRisk: 'possible', lastObserved: 'working', verdict: { decisionId, kind: 'redispatch', workerId: 'w2', messageId } }],
    ['V8 unknown: what was decided, where nobody can take it over', unreconcilable, fresh, 120, { answer: 'unknown-outcome', workerId: 'w1', taskId: 't-1', because: [3, 4], duplicateRisk: 'possible', lastObserved: 'working', verdict: { decisionId: decisionIdOf(unreconcilable), kind: 'unreconcilable' } }],
    ['V8 go: what was decided', decided, obeying, 120, { answer: 'go', intent: { purpose: 'redispatch', decisionId, n: 0 }, duplicateRisk: 'possible' }],
    ['V8 go: a permission that is named for the moment, in no context where the task has none', [...working, found('input-required', { at: 5 })], { ...fresh, taskId: 't-1' }, 120, { answer: 'go', intent: { purpose: 'send', decisionId: testCodec.sha256Hex('["send","k",3]'), n: 0 }, duplicateRisk: 'none' }],
  ])('%s', (_fact, lines, asked, asOf, expected) => {
    expect(standing(lines, asked, asOf)).toStrictEqual(expected)
  })

  it('V3 V8 unknown: a canary that is lost has its last event, since nothing is asked about it', () => {
    const lines = lost()
    const task = taskAfter(lines, { asOf: 120, correlationId: canaryCorrelationId('p-1') })
    expect(maySend(task, { workerId: 'w1', messageId: 'm-9' }, undefined, testCodec)).toStrictEqual({
      answer: 'unknown-outcome',
      workerId: 'w1',
      taskId: 't-1',
      because: [4],
      duplicateRisk: 'likely',
      lastObserved: 'working',
      retryAfterMs: 1_000,
    })
  })

  it('V8 go: the permission that is held already, and no lapse where none was', () => {
    const lines = [intended({ at: 110, holder: 'o1' })]
    expect(standing(lines, { by: 'o1' })).toStrictEqual({
      answer: 'go',
      intent: { purpose: 'send', decisionId: 'send-1', n: 0 },
      duplicateRisk: 'none',
      held: taskAfter(lines).intents[0],
    })
  })
})
