import { describe, expect, it } from 'vitest'
import { testCodec } from '../testing/codec.ts'
import {
  answered,
  canceling,
  cancelSettled,
  card,
  enrolled,
  found,
  listed,
  messaged,
  missed,
  pushed,
  sent,
  settled,
  taskAfter,
  unanswered,
  unreadable,
  type Line,
} from '../testing/history.ts'
import { decided, decisionIdOf, heir, lost, obeyingMessageId } from '../testing/lost-and-decided.ts'
import { taskView } from '../task/view.ts'
import { cancelEvent, cancelIdOf, loserOf, nextCancel } from './cancel.ts'

const messageId = obeyingMessageId(decisionIdOf(decided))
const resent = (at: number, lines: readonly Line[] = decided): Line =>
  sent({ at, worker: 'w2', sentMessageId: obeyingMessageId(decisionIdOf(lines)) })
/** What was decided is sent to w2, which works on it from second 102 on. */
const takenOf = (lines: readonly Line[]): readonly Line[] => [
  resent(101, lines),
  answered('working', { at: 102, worker: 'w2', task: 't-2', messageId: obeyingMessageId(decisionIdOf(lines)) }),
]
const taken: readonly Line[] = [...decided, ...takenOf(decided)]
/** And w1 is back. */
const back: readonly Line[] = [...taken, found('working', { at: 110 })]
const silent = settled([...heir, card({ at: 0 }), sent({ at: 0, skill: 'write' }), unanswered({ at: 5, messageId: 'm-1' })], 100)
const silentTwice = settled([...heir, card({ at: 0 }), sent({ at: -5, worker: 'w3', sentMessageId: 'm-0' }), unanswered({ at: -4, worker: 'w3', messageId: 'm-0' }), sent({ at: 0, skill: 'write' }), unanswered({ at: 5, messageId: 'm-1' })], 100)
/** What its client sends by itself. */
const own = (worker: string, at = 120): readonly Line[] => [sent({ at, worker, sentMessageId: 'own' })]
const lostTwice = settled([...heir, ...own('w1', -5), answered('working', { at: -4, task: 't-9', messageId: 'own' }), missed({ at: 9, task: 't-9' }), ...lost()])

const loserIn = (lines: readonly Line[]): string => {
  const loser = loserOf(taskAfter(lines, { asOf: 200 }))
  return loser === undefined ? 'nobody' : `${loser.workerId}/${loser.taskId} against ${loser.winner.workerId}/${loser.winner.taskId ?? 'a message'}`
}

describe('V8 which attempt lost against another one', () => {
  it.each<[string, readonly Line[], string]>([
    ['V8 nobody where there is one attempt', lost(), 'nobody'],
    ['V8 nobody while the old one is lost', taken, 'nobody'],
    ['V8 the old one that is back, since the new one gives the task its state', back, 'w1/t-1 against w2/t-2'],
    ['V8 so while the new one waits for input', [...back, found('input-required', { at: 111, worker: 'w2', task: 't-2' })], 'w1/t-1 against w2/t-2'],
    ['V8 the old one that is back after the new one completed', [...taken, found('completed', { at: 105, worker: 'w2', task: 't-2' }), found('working', { at: 110 })], 'w1/t-1 against w2/t-2'],
    ['V8 the new one, where the old one completed after all', [...taken, pushed('completed', { at: 110, stamped: 8 })], 'w2/t-2 against w1/t-1'],
    ['V8 nobody where both completed', [...taken, pushed('completed', { at: 110, stamped: 8 }), found('completed', { at: 111, worker: 'w2', task: 't-2' })], 'nobody'],
    ['V8 nobody where the old one ended without a result', [...taken, pushed('failed', { at: 110, stamped: 8 })], 'nobody'],
    ['V8 nobody where the new one failed: the old one may still complete', [...back, found('failed', { at: 111, worker: 'w2', task: 't-2' })], 'nobody'],
    ['V8 nobody where the new one is lost: the old one goes on', [...back, missed({ at: 111, worker: 'w2', task: 't-2' })], 'nobody'],
    ['V8 nobody while the new one is in doubt', [...back, missed({ at: 111, worker: 'w2', task: 't-2', evidence: 'weak' })], 'nobody'],
    ['V8 nobody while the old one is in doubt', [...back, missed({ at: 111, evidence: 'weak' })], 'nobody'],
    ['V8 the old one, where a message was the whole answer of the new one', [...decided, resent(101), messaged('done', { at: 102, worker: 'w2', messageId }), found('working', { at: 110 })], 'w1/t-1 against w2/a message'],
    ['V8 so it is where it was sent twice, and was silent first', [...decided, resent(101), unanswered({ at: 102, worker: 'w2', messageId }), resent(103), messaged('done', { at: 104, worker: 'w2', messageId }), found('working', { at: 110 })], 'w1/t-1 against w2/a message'],
    ['V8 nobody where both live and a message of somebody else was the whole answer', [...back, ...own('w3'), messaged('done', { at: 121, worker: 'w3', messageId: 'own' })], 'nobody'],
    ['V8 nobody where a message answered something else', [...decided, sent({ at: 90, worker: 'w3', sentMessageId: 'own' }), messaged('done', { at: 91, worker: 'w3', messageId: 'own' }), found('working', { at: 110 })], 'nobody'],
    ['V8 nobody before the new one is known', [...decided, resent(101), found('working', { at: 110 })], 'nobody'],
    ['V8 nobody where what was decided was sent otherwise', [...decided, sent({ at: 101, worker: 'w2', sentMessageId: 'own' }), answered('working', { at: 102, worker: 'w2', task: 't-2', messageId: 'own' }), found('working', { at: 110 })], 'nobody'],
    ['V8 nobody where nothing was decided: a client may send twice', [...lost(), sent({ at: 20, worker: 'w2', sentMessageId: 'own' }), answered('working', { at: 21, worker: 'w2', task: 't-2', messageId: 'own' }), found('working', { at: 30 })], 'nobody'],
    ['V8 nobody against a task that its client began by itself', [...back, sent({ at: 120, worker: 'w3', sentMessageId: 'own' }), answered('working', { at: 121, worker: 'w3', task: 't-3', messageId: 'own' })], 'nobody'],
    ['V8 nor where it sent the very message elsewhere', [...decided, sent({ at: 101, worker: 'w3', sentMessageId: messageId }), answered('working', { at: 102, worker: 'w3', task: 't-3', messageId }), found('working', { at: 110 })], 'nobody'],
    ['V8 nor is one at the worker that lost it ever canceled', [...taken, ...own('w1', 90), answered('working', { at: 121, task: 't-9', messageId: 'own' })], 'nobody'],
    ['V8 nor one that is back there, begun before the verdict', [...lostTwice, ...takenOf(lostTwice), found('working', { at: 110, task: 't-9' })], 'nobody'],
    ['V8 nor one at the worker that took it', [...taken, ...own('w2', 90), answered('working', { at: 121, worker: 'w2', task: 't-9', messageId: 'own' })], 'nobody'],
    ['V8 nor one at another worker with the id of the old one', [...taken, ...own('w3', 90), answered('working', { at: 121, worker: 'w3', messageId: 'own' })], 'nobody'],
    ['V8 nor one at another worker with the id of the new one', [...taken, ...own('w3', 90), answered('working', { at: 121, worker: 'w3', task: 't-2', messageId: 'own' })], 'nobody'],
    ['V8 nor is such a task ever canceled', [...taken, sent({ at: 90, worker: 'w3', sentMessageId: 'own' }), answered('working', { at: 121, worker: 'w3', task: 't-3', messageId: 'own' })], 'nobody'],
    ['V8 of a send that got no answer the task that turned up', [...silent, ...takenOf(silent), found('working', { at: 110, historyMessageId: 'm-1' })], 'w1/t-1 against w2/t-2'],
    ['V8 not the task of an earlier silence at another worker', [...silentTwice, ...takenOf(silentTwice), found('working', { at: 110, worker: 'w3', task: 't-3', historyMessageId: 'm-0' })], 'nobody'],
    ['V8 nobody against what its client sent again to the silent worker', [...silent, ...takenOf(silent), ...own('w1'), answered('working', { at: 121, task: 't-9', messageId: 'own' })], 'nobody'],
    ['V8 once: not when it is being done', [...back, canceling({ at: 111 })], 'nobody'],
    ['V8 once: not when nobody knows whether it was done', [...back, canceling({ at: 111, ttl: 1 })], 'nobody'],
    ['V8 once: not when it was refused', [...back, canceling({ at: 111 }), cancelSettled(back.length + 1, 'refused')], 'nobody'],
    ['V8 a cancel at another worker is none of it', [...back, canceling({ at: 111, worker: 'w3' }), canceling({ at: 112, task: 't-8' })], 'w1/t-1 against w2/t-2'],
    ['V5 not on history', [...taken, found('working', { at: 110, recordedAt: 410.001 })], 'nobody'],
    ['V5 but on what was recorded just in time', [...taken, found('working', { at: 110, recordedAt: 410 })], 'w1/t-1 against w2/t-2'],
    ['V5 nor on a listing that was worth no event of the task', [...back, listed('working', { at: 111 })], 'nobody'],
    ['V5 not on an incomplete task', [...back, unreadable({ at: 120 })], 'nobody'],
  ])('%s', (_fact, lines, expected) => {
    expect(loserIn(lines)).toBe(expected)
  })

  it('V8 the mesh is that of the worker whose task was sent on, and the decision the one that made two of them', () => {
    const task = taskAfter([enrolled({ mesh: 'reports' }, { at: 0 }), ...back], { asOf: 200 })
    expect(loserOf(task)).toMatchObject({ mesh: 'reports', decisionId: task.verdicts[0]?.decisionId })
  })
})

describe('V8 whether it is canceled', () => {
  const stating = (cancelLoser: boolean): readonly Line[] => {
    const lines = settled([...heir, ...lost({ cancelLoser })])
    return [...lines, ...takenOf(lines), found('working', { at: 110 })]
  }
  it.each<[string, readonly Line[], boolean | undefined, boolean]>([
    ['V8 not unless somebody wants it', back, undefined, false],
    ['V8 as its mesh says', back, true, true],
    ['V8 not where its mesh says no', back, false, false],
    ['V8 its dispatch counts first', stating(true), false, true],
    ['V8 also where it says no', stating(false), true, false],
    ['V8 nobody lost: nothing is canceled', taken, true, false],
  ])('%s', (_fact, lines, cancelLoser, isCanceled) => {
    const policy = cancelLoser === undefined ? undefined : { cancelLoser }
    expect(nextCancel(taskAfter(lines, { asOf: 200 }), policy) !== undefined).toBe(isCanceled)
  })
})

describe('what is recorded of a cancel', () => {
  const loser = { workerId: 'w1', taskId: 't-1' }
  it('has an id that the task alone gives, before the call and after it', () => {
    const winner = { workerId: 'w2' }
    const intended = cancelEvent({ phase: 'intended', ...loser, decisionId: 'd', winner, ttlMs: 1 }, 'k', loser, testCodec)
    const other = cancelEvent({ phase: 'settled', cancelId: intended.attributes.id, outcome: 'canceled' }, 'k', loser, testCodec)
    const ids = [intended.attributes.id, other.attributes.id, cancelIdOf('k2', loser, testCodec), cancelIdOf('k', { ...loser, taskId: 't-2' }, testCodec), cancelIdOf('k', { ...loser, workerId: 'w2' }, testCodec)]
    expect(new Set(ids).size).toBe(5)
    expect(intended.attributes).toEqual({
      specversion: '1.0', id: cancelIdOf('k', loser, testCodec), source: 'urn:a2a-ledger:reconciler', type: 'reconciler.cancel', correlationid: 'k', workerid: 'w1', taskid: 't-1',
    })
  })

  it('has an id whose form stays: who upgrades cancels nothing twice', () => {
    const id = testCodec.sha256Hex('["cancel","k","w1","t-1"]')
    const settledId = cancelEvent({ phase: 'settled', cancelId: id, outcome: 'canceled' }, 'k', loser, testCodec).attributes.id
    expect([cancelIdOf('k', loser, testCodec), settledId]).toEqual([id, testCodec.sha256Hex(`["cancel settled","${id}"]`)])
  })

  it.each<[string, readonly Line[], number, string]>([
    ['it is being done', [canceling({ at: 120 })], 150, 'held'],
    ['nobody knows whether it was', [canceling({ at: 120, ttl: 30 })], 150, 'lapsed'],
    ['what came of it', [canceling({ at: 120 }), cancelSettled(back.length + 1, 'unanswered')], 150, 'unanswered'],
    ['of two words the first', [canceling({ at: 120 }), cancelSettled(back.length + 1, 'canceled'), cancelSettled(back.length + 1, 'refused')], 150, 'canceled'],
    ['what came of another one is nothing to it', [canceling({ at: 120 }), cancelSettled(1, 'canceled')], 150, 'held'],
  ])('%s', (_fact, more, asOf, outcome) => {
    const { cancels } = taskView(taskAfter([...back, ...more], { asOf }), new Map())
    expect(cancels).toEqual([{ workerId: 'w1', taskId: 't-1', decisionId: 'd-1', outcome, position: back.length + 1 }])
  })

  it('why our own rules refused it, where they did', () => {
    const refusals = [{}, { because: 'our rules' }].map((told) => taskAfter([...back, canceling({ at: 120 }), cancelSettled(back.length + 1, 'refused', told)], { asOf: 150 }))
    const told = refusals.flatMap((analysis) => [...analysis.cancels, ...(taskView(analysis, new Map()).cancels ?? [])])
    expect(told.map((cancel) => ('because' in cancel ? cancel.because : 'nothing said'))).toEqual(['nothing said', 'nothing said', 'our rules', 'our rules'])
  })

  it('no word where nothing was canceled', () => {
    expect(taskView(taskAfter(back), new Map())).not.toHaveProperty('cancels')
  })
})
