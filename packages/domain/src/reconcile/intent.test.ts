import { describe, expect, it } from 'vitest'
import { answered, found, intended, intentSettled, messaged, refused, sent, startMs, taskAfter, unanswered, type Line } from '../testing/history.ts'
import { testCodec } from '../testing/codec.ts'
import { approvalIdOf, firstMeantMs, intentIdOf, redispatchMessageId, settledIdOf } from './intent.ts'

const outcomesOf = (lines: readonly Line[]): string =>
  taskAfter(lines)
    .intents.map(({ outcome, settledPosition, taskId }) => [outcome, settledPosition, taskId].filter(Boolean).join(' '))
    .join(', ')

describe('V8 what became of an intent', () => {
  it.each<[string, readonly Line[], string]>([
    ['V8 nobody said anything: it is open', [intended()], 'open'],
    ['V8 who held it says that it was sent', [intended(), intentSettled(1, 'sent')], 'sent 2'],
    ['V8 who held it names the task that answered', [intended(), intentSettled(1, 'sent', { sentTaskId: 't-9' })], 'sent 2 t-9'],
    ['V8 who held it says that nothing was sent', [intended(), intentSettled(1, 'not-sent')], 'not-sent 2'],
    ['V8 the first word stands', [intended(), intentSettled(1, 'not-sent'), intentSettled(1, 'sent')], 'not-sent 2'],
    ['V8 a witness of the send settles it', [intended(), sent()], 'sent 2'],
    ['V8 a send of another message does not', [intended(), sent({ sentMessageId: 'm-2' })], 'open'],
    ['V8 a send to another worker does not', [intended(), sent({ worker: 'w2' })], 'open'],
    ['V8 a send that was recorded before does not', [sent({ at: 0 }), intended()], 'open'],
    ['V8 a send that was recorded before and told again after does', [sent({ at: 1 }), intended({ at: 1 }), sent({ at: 1, by: 'proxy' })], 'sent 1'],
    ['V8 who says that nothing was sent knows better than who saw it begin', [intended(), sent(), unanswered(), intentSettled(1, 'not-sent')], 'not-sent 4'],
    ['V8 an answer proves that it was sent, whatever who held it says', [intended(), sent(), answered('working'), intentSettled(1, 'not-sent')], 'sent 2 t-1'],
    ['V8 a message proves it as well', [intended(), sent(), messaged('done'), intentSettled(1, 'not-sent')], 'sent 2'],
    ['V8 a refusal proves it as well', [intended(), sent(), refused(), intentSettled(1, 'not-sent')], 'sent 2'],
    ['V8 the task that a witness saw counts before the one that was said', [intended(), sent(), answered('working'), intentSettled(1, 'sent', { sentTaskId: 't-9' })], 'sent 2 t-1'],
    ['V8 a task of its worker that is seen for the first time after it was begun by it', [intended(), found('working')], 'sent 2 t-1'],
    ['V8 one that was seen before was not', [found('working'), intended(), found('working')], 'open'],
    ['V8 one of another worker was not', [intended(), found('working', { worker: 'w2' })], 'open'],
    ['V8 it counts before what who held it says', [intended(), intentSettled(1, 'not-sent'), found('working')], 'sent 3 t-1'],
    ['V8 of two intents for one worker the later one began it', [intended(), intended({ sentMessageId: 'm-2' }), found('working')], 'open, sent 3 t-1'],
    ['V8 a later intent for another worker takes no task of this one', [intended(), intended({ worker: 'w2' }), found('working')], 'sent 3 t-1, open'],
    ['V8 of two intents for one message the later one was obeyed', [intended(), intentSettled(1, 'not-sent'), intended(), sent()], 'not-sent 2, sent 4'],
    ['V8 of two open intents for one message the one before the send was obeyed', [intended(), intended(), sent()], 'open, sent 3'],
    ['V8 an intent for another message in between is of no matter', [intended(), intended({ sentMessageId: 'm-2' }), sent()], 'sent 3, open'],
    ['V8 nor is one at another worker', [intended(), intended({ worker: 'w2' }), sent()], 'sent 3, open'],
    ['V8 a send that waits for its answer proves nothing against who held it', [intended(), sent(), intentSettled(1, 'not-sent')], 'not-sent 3'],
    ['V8 of two intents for one message the earlier one was obeyed', [intended(), sent(), intended()], 'sent 2, open'],
  ])('%s', (_fact, lines, outcomes) => {
    expect(outcomesOf(lines)).toBe(outcomes)
  })
})

describe('V8 everything that is known of an intent', () => {
  it('V8 who holds it, for what, and what who held it said', () => {
    const lines = [intended({ at: 5, holder: 'o1', contentDigest: 'c', purpose: 'redispatch', decisionId: 'd' }), sent({ at: 6 }), answered('working', { at: 7 }), intentSettled(1, 'not-sent', { at: 8 })]
    expect(taskAfter(lines).intents).toStrictEqual([
      { intentId: 'intent-1', decisionId: 'd', purpose: 'redispatch', by: 'o1', actor: 'caller', workerId: 'w1', messageId: 'm-1', contentDigest: 'c', untilMs: startMs + 65_000, recordedAtMs: startMs + 5_000, position: 1, outcome: 'sent', settledPosition: 2, dispatchPosition: 2, said: { outcome: 'not-sent', position: 4, recordedAtMs: startMs + 8_000 }, taskId: 't-1' },
    ])
  })

  it('V8 which task answered, as who held it said', () => {
    expect(taskAfter([intended({ at: 5 }), intentSettled(1, 'sent', { at: 8, sentTaskId: 't-9' })]).intents[0]?.said).toStrictEqual(
      { outcome: 'sent', taskId: 't-9', position: 2, recordedAtMs: startMs + 8_000 },
    )
  })

  it('V8 no member for what nobody said', () => {
    expect(taskAfter([intended({ at: 5 })]).intents).toStrictEqual([
      { intentId: 'intent-1', decisionId: 'send-1', purpose: 'send', actor: 'caller', workerId: 'w1', messageId: 'm-1', untilMs: startMs + 65_000, recordedAtMs: startMs + 5_000, position: 1, outcome: 'open' },
    ])
  })
})

describe('F14 a task of which only intents are known', () => {
  it.each<[string, readonly Line[], string]>([
    ['F14 an intent is as good as a send', [intended()], 'dispatched'],
    ['F14 one that was given up is not', [intended(), intentSettled(1, 'not-sent')], 'indeterminate'],
    ['F14 an intent beside a send without an answer opens nothing', [sent(), unanswered(), intended()], 'indeterminate'],
    ['F14 an intent changes no state', [sent(), answered('working'), intended({ worker: 'w2' })], 'working'],
    ['F14 nor an end', [sent(), answered('working'), found('completed'), intended()], 'completed'],
  ])('%s', (_fact, lines, state) => {
    expect(taskAfter(lines).state).toBe(state)
  })
})

describe('V8 when a message was first meant to go', () => {
  const intents = [
    { workerId: 'w1', messageId: 'm-1', recordedAtMs: 5 },
    { workerId: 'w1', messageId: 'm-1', recordedAtMs: 3 },
    { workerId: 'w2', messageId: 'm-1', recordedAtMs: 1 },
    { workerId: 'w1', messageId: 'm-2', recordedAtMs: 1 },
  ]
  it.each([
    ['V8 by the earliest of its intents', { workerId: 'w1', messageId: 'm-1', atMs: 9 }, 3],
    ['V8 not after it was sent', { workerId: 'w1', messageId: 'm-1', atMs: 2 }, 2],
    ['V8 without an intent when it was sent', { workerId: 'w3', messageId: 'm-1', atMs: 9 }, 9],
    ['V8 so without an id', { workerId: 'w1', messageId: undefined, atMs: 9 }, 9],
  ])('%s', (_fact, message, expected) => {
    expect(firstMeantMs(intents, message)).toBe(expected)
  })
})

describe('ids of intents', () => {
  it('are the same for the same try at the same decision, and for no other', () => {
    const idsOf = (id: string) => [intentIdOf(id, 0, testCodec), intentIdOf(id, 1, testCodec), settledIdOf(id, testCodec), approvalIdOf(id, testCodec)]
    expect(new Set([...idsOf('d'), ...idsOf('e'), ...idsOf('d')]).size).toBe(8)
  })

  it('are hashes of what they are for, in a form that stays: who upgrades finds what was recorded before', () => {
    expect([intentIdOf('d', 2, testCodec), settledIdOf('i', testCodec), approvalIdOf('d', testCodec)]).toEqual(
      ['["intent","d",2]', '["settled","i"]', '["approval","d"]'].map(testCodec.sha256Hex),
    )
  })

  it('the message of a decision is that of the decision, whoever sends it', () => {
    expect(redispatchMessageId('0123456789abcdef0123456789abcdef-and-more')).toBe('a2a-ledger-0123456789abcdef0123456789abcdef')
  })
})
