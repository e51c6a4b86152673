import { describe, expect, it } from 'vitest'
import type { VerdictFact } from '../fact/fact.ts'
import {
  answered,
  approved,
  card,
  enrolled,
  found,
  intended,
  intentSettled,
  missed,
  probed,
  sent,
  settled,
  taskAfter,
  unanswered,
  type Line,
} from '../testing/history.ts'
import { decisionIdOf, heir, lost, obeyingMessageId } from '../testing/lost-and-decided.ts'
import { actDefaults, heldReasons, isLeftToLedger, nextAct, passes, stormLossesPerMinute, type HeldReason, type MeshLoad } from './next-act.ts'

const loser = enrolled({ replicas: 1 }, { at: 0 })
const history: readonly Line[] = [...heir, loser, ...lost()]
const as = (actor: VerdictFact['actor'], lines: readonly Line[] = history): readonly Line[] =>
  settled(lines, 100, actor === undefined ? {} : { actor })
const decisionId = decisionIdOf(as('ledger'))
const next = history.length + 2
const obeyed = (told: Parameters<typeof intended>[0] = {}): Line =>
  intended({ at: 101, decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: obeyingMessageId(decisionId), ...told })

const act = (lines: readonly Line[], load: Partial<MeshLoad> = {}, asOf = 120): string => {
  const next = nextAct(taskAfter(lines, { asOf }), { policy: { redispatch: 'auto' }, sentCount: 0, lostCount: 0, ...load })
  return next.act === 'send' ? `send ${next.n} to ${next.workerId} as ${next.actor}` : next.act === 'held' ? `held: ${next.because}` : next.act
}
const approve: Partial<MeshLoad> = { policy: { redispatch: 'approve' } }
const silent: readonly Line[] = [...heir, loser, card({ at: 0 }), sent({ at: 0, skill: 'write' }), unanswered({ at: 5 })]
const silentSafely: readonly Line[] = [...heir, loser, card({ at: 0 }), sent({ at: 0, skill: 'write', redispatchSafety: 'safe' }), unanswered({ at: 5 })]
const replicas = (more: readonly Line[] = []): readonly Line[] => [...heir, card({ at: 0 }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 }), ...more]

describe('V8 what the ledger does about a re-dispatch', () => {
  it.each<[string, readonly Line[], Partial<MeshLoad>, string]>([
    ['V8 nothing while nothing is decided', history, {}, 'nothing'],
    ['V8 nothing about a verdict that names nobody', settled([loser, ...lost()]), {}, 'nothing'],
    ['V8 nothing about what is left to its caller', as(undefined), {}, 'nothing'],
    ['V8 nothing about what is left to its caller, whatever the mesh says by now', as('caller'), {}, 'nothing'],
    ['V8 it sends what was left to it', as('ledger'), {}, 'send 0 to w2 as ledger'],
    ['V8 it waits for a person', as('approver'), approve, 'held: approval'],
    ['V8 it waits for a person also when the mesh is on its own by now', as('approver'), {}, 'held: approval'],
    ['V8 it sends what a person approved', [...as('approver'), approved(decisionId)], approve, 'send 0 to w2 as approver'],
    ['V8 it sends what a person approved although it was left to the caller', [...as('caller'), approved(decisionId)], approve, 'send 0 to w2 as approver'],
    ['V8 it does not send what a person declined', [...as('approver'), approved(decisionId, { answer: 'declined' })], approve, 'nothing'],
    ['V8 it does not send what a person declined, left to it or not', [...as('ledger'), approved(decisionId, { answer: 'declined' })], {}, 'nothing'],
    ['V8 a person who approved another decision approved nothing of this one', [...as('ledger'), approved('another')], approve, 'held: mode'],
    ['V8 a mesh that is back to advice stops what was left to the ledger', as('ledger'), { policy: { redispatch: 'advise' } }, 'held: mode'],
    ['V8 a mesh that wants approval stops what was left to the ledger', as('ledger'), approve, 'held: mode'],
    ['V8 a mesh that is back to advice stops what was approved', [...as('approver'), approved(decisionId)], { policy: undefined }, 'held: mode'],
    ['V8 a dispatch that says so is left to the ledger in any mesh', as('ledger', [...heir, loser, ...lost({ redispatch: 'auto' })]), { policy: undefined }, 'send 0 to w2 as ledger'],
    ['V8 a dispatch that says so is left to its caller in any mesh', as('ledger', [...heir, loser, ...lost({ redispatch: 'advise' })]), {}, 'held: mode'],

    ['V8 nothing while somebody holds it', [...as('ledger'), obeyed({ ttl: 60 })], {}, 'nothing'],
    ['V8 nothing once it was sent', [...as('ledger'), obeyed(), intentSettled(next, 'sent')], {}, 'nothing'],
    ['V8 nothing once the task lives', [...as('ledger'), found('working', { at: 110 })], {}, 'nothing'],
    ['V8 once more when nothing was sent', [...as('ledger'), obeyed(), intentSettled(next, 'not-sent')], {}, 'send 1 to w2 as ledger'],
    ['V8 a little later when its own send reached nobody', [...as('ledger'), obeyed({ actor: 'ledger', at: 119 }), intentSettled(next, 'not-sent', { at: 119.5 })], {}, 'held: backoff'],
    ['V8 once more after that', [...as('ledger'), obeyed({ actor: 'ledger', at: 118 }), intentSettled(next, 'not-sent', { at: 119 })], {}, 'send 1 to w2 as ledger'],
    ['V8 later each time', [...as('ledger'), ...[0, 1].flatMap((n) => [obeyed({ actor: 'ledger', at: 110 }), intentSettled(next + 2 * n, 'not-sent', { at: 117 })])], {}, 'held: backoff'],
    ['V8 and not for ever', [...as('ledger'), ...[0, 1, 2, 3, 4].flatMap((n) => [obeyed({ actor: 'ledger', at: 101 }), intentSettled(next + 2 * n, 'not-sent', { at: 101 })])], {}, 'nothing'],
    ['V8 what others gave up is no try of its own', [...as('ledger'), ...[0, 1, 2, 3, 4].flatMap((n) => [obeyed({ at: 101 }), intentSettled(next + 2 * n, 'not-sent', { at: 119.9 })])], {}, 'send 5 to w2 as ledger'],
    ['V8 never blindly after a send that lapsed', [...as('ledger'), obeyed({ ttl: 5 })], {}, 'held: outcome-unknown'],
    ['V8 never blindly after a send that lapsed, approved or not', [...as('approver'), approved(decisionId), obeyed({ ttl: 5 })], approve, 'held: outcome-unknown'],
    ['V8 once more after a send that lapsed, where the worker knows the message again', [...as('ledger'), card({ at: 100, worker: 'w2', idempotencyKey: 'messageId' }), obeyed({ ttl: 5 })], {}, 'send 1 to w2 as ledger'],
    ['V8 so it is where that send was its own', [...as('ledger'), card({ at: 100, worker: 'w2', idempotencyKey: 'messageId' }), obeyed({ actor: 'ledger', ttl: 5 })], {}, 'send 1 to w2 as ledger'],
    ['V8 its own sends that lapsed are tries as well', [...as('ledger'), card({ at: 100, worker: 'w2', idempotencyKey: 'messageId' }), ...[0, 1, 2, 3, 4].map(() => obeyed({ actor: 'ledger', ttl: 5 }))], { policy: { redispatch: 'auto', attemptsMax: 9 } }, 'held: tries'],
    ['V8 what reached nobody on another decision is no try of this one', [...as('ledger'), ...[0, 1, 2, 3, 4].flatMap((n) => [intended({ at: 101, actor: 'ledger', decisionId: 'former', purpose: 'redispatch', worker: 'w9' }), intentSettled(next + 2 * n, 'not-sent', { at: 101 })])], {}, 'send 0 to w2 as ledger'],

    ['V8 not once the worker may have forgotten the message', [...as('ledger'), card({ at: 100, worker: 'w2', idempotencyKey: 'messageId', idempotencyWindowMs: 18_999 }), obeyed({ ttl: 5 })], {}, 'held: outcome-unknown'],
    ['V8 until then', [...as('ledger'), card({ at: 100, worker: 'w2', idempotencyKey: 'messageId', idempotencyWindowMs: 19_000 }), obeyed({ ttl: 5 })], {}, 'send 1 to w2 as ledger'],
    ['V8 replicas matter where a probe saw that the card is wrong about its work', as('ledger', [card({ at: 1, idempotencyKey: 'correlationId' }), probed({ measured: { idempotentMessageId: false } }, { at: 2 }), ...heir, sent({ at: 3 }), answered('working', { at: 4 }), missed({ at: 10 })]), {}, 'held: replicas-unknown'],
    ['V5 not on evidence that was history when it was recorded', as('ledger', [...heir, loser, card({ at: 0 }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10, recordedAt: 311 })]), {}, 'held: stale-evidence'],
    ['V5 on evidence that was recorded just in time', as('ledger', [...heir, loser, card({ at: 0 }), sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10, recordedAt: 310 })]), {}, 'send 0 to w2 as ledger'],
    ['V8 not when it is likely to run twice', as('ledger', silent), {}, 'held: risk'],
    ['V8 a person may take that risk', [...as('ledger', silent), approved(decisionIdOf(as('ledger', silent)))], {}, 'send 0 to w2 as approver'],
    ['V8 when it is likely to run twice and that does no harm', as('ledger', silentSafely), {}, 'send 0 to w2 as ledger'],
    ['V8 what one dispatch said of it a later one that says nothing does not take back', as('ledger', [card({ at: 1 }), ...heir, sent({ at: 0, redispatchSafety: 'safe' }), answered('working', { at: 1 }), sent({ at: 2, naming: 't-1', sentMessageId: 'm-2' }), answered('working', { at: 3, messageId: 'm-2' }), missed({ at: 10 })]), {}, 'send 0 to w2 as ledger'],
    ['V8 the dispatch that says unsafe counts before a card that knows work by its correlation ID', as('ledger', [card({ at: 1, idempotencyKey: 'correlationId' }), ...heir, sent({ at: 0, redispatchSafety: 'unsafe' }), answered('working', { at: 1 }), missed({ at: 10 })]), {}, 'held: replicas-unknown'],
    ['V8 a worker without a card says nothing of it', as('ledger', [enrolled({ substitutes: ['w2'] }, { at: 0 }), ...heir, sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]), {}, 'held: replicas-unknown'],
    ['V8 not while nobody said how many replicas may have it', as('ledger', replicas()), {}, 'held: replicas-unknown'],
    ['V8 a person may know that', [...as('ledger', replicas()), approved(decisionIdOf(as('ledger', replicas())))], {}, 'send 0 to w2 as approver'],
    ['V8 replicas do not matter where the card says that work may be repeated', as('ledger', [card({ at: 1, redispatchSafety: 'idempotent' }), ...heir, sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]), {}, 'send 0 to w2 as ledger'],
    ['V8 nor where work is known by its correlation ID', as('ledger', [card({ at: 1, idempotencyKey: 'correlationId' }), ...heir, sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]), {}, 'send 0 to w2 as ledger'],
    ['V8 that messages are known again says nothing of another one elsewhere', as('ledger', [card({ at: 1, idempotencyKey: 'messageId' }), ...heir, sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]), {}, 'held: replicas-unknown'],
    ['V8 the dispatch that says unsafe counts before the card', as('ledger', [card({ at: 1, redispatchSafety: 'safe' }), ...heir, sent({ at: 0, redispatchSafety: 'unsafe' }), answered('working', { at: 1 }), missed({ at: 10 })]), {}, 'held: replicas-unknown'],

    ['V8 not more often than the mesh allows for one task', [...as('ledger'), intended({ at: 90, purpose: 'redispatch', decisionId: 'former', worker: 'w9' }), intentSettled(next - 1, 'sent')], { policy: { redispatch: 'auto', attemptsMax: 1 } }, 'held: attempts'],
    ['V8 a send that obeys no decision counts for nothing', [...as('ledger'), intended({ at: 90, worker: 'w9', ttl: 5 })], { policy: { redispatch: 'auto', attemptsMax: 1 } }, 'send 0 to w2 as ledger'],
    ['V8 what was not sent counts for nothing', [...as('ledger'), obeyed(), intentSettled(next, 'not-sent')], { policy: { redispatch: 'auto', attemptsMax: 1 } }, 'send 1 to w2 as ledger'],
    ['V8 nor does what was not sent on an earlier decision', [...as('ledger'), intended({ at: 90, purpose: 'redispatch', decisionId: 'former', worker: 'w9' }), intentSettled(next, 'not-sent')], { policy: { redispatch: 'auto', attemptsMax: 1 } }, 'send 0 to w2 as ledger'],
    ['V8 not into a storm', as('ledger'), { lostCount: stormLossesPerMinute }, 'held: storm'],
    ['V8 just before a storm', as('ledger'), { lostCount: stormLossesPerMinute - 1 }, 'send 0 to w2 as ledger'],
    ['V8 not faster than the mesh allows', as('ledger'), { policy: { redispatch: 'auto', ratePerMinute: 2 }, sentCount: 2 }, 'held: rate'],
    ['V8 as fast as the mesh allows', as('ledger'), { policy: { redispatch: 'auto', ratePerMinute: 2 }, sentCount: 1 }, 'send 0 to w2 as ledger'],
    ['V8 not faster than a mesh allows that nobody decided for', as('ledger'), { sentCount: actDefaults.ratePerMinute }, 'held: rate'],
    ['V8 a storm is told before a rate', as('ledger'), { sentCount: 1_000, lostCount: 1_000 }, 'held: storm'],
    ['V8 bounds hold for what a person approved as well', [...as('approver'), approved(decisionId)], { ...approve, lostCount: 1_000 }, 'held: storm'],
  ])('%s', (_fact, lines, load, expected) => {
    expect(act(lines, load)).toBe(expected)
  })
})

describe('V8 what is left to the ledger', () => {
  it.each<[string, readonly Line[], boolean]>([
    ['V8 nothing that is not decided', history, false],
    ['V8 nothing that sends nobody anything', settled([loser, ...lost()], 100, { actor: 'ledger' }), false],
    ['V8 nothing that is left to its caller', as('caller'), false],
    ['V8 what was left to it', as('ledger'), true],
    ['V8 what waits for a person', as('approver'), true],
    ['V8 what a person approved although it was left to the caller', [...as('caller'), approved(decisionId)], true],
    ['V8 nothing any more once the task lives', [...as('ledger'), found('working', { at: 110 })], false],
  ])('%s', (_fact, lines, isLeft) => {
    expect(isLeftToLedger(taskAfter(lines, { asOf: 120 }))).toBe(isLeft)
  })
})

it('V8 time alone takes away a storm, a rate and a pause, and no other reason to hold', () => {
  expect((Object.keys(heldReasons) as HeldReason[]).filter(passes)).toEqual(['storm', 'rate', 'backoff'])
})
