import { describe, expect, it } from 'vitest'
import {
  approved,
  card,
  found,
  intended,
  intentSettled,
  refused,
  sent,
  settled,
  taskAfter,
  unreadable,
  type Line,
} from '../testing/history.ts'
import { decided, decisionIdOf, heir, lost, obeyingMessageId } from '../testing/lost-and-decided.ts'
import type { VerdictFact } from '../fact/fact.ts'
import { claimOf } from './claim.ts'

const decisionId = decisionIdOf(decided)
const messageId = obeyingMessageId(decisionId)

/** Position of the next line after `decided`. */
const next = decided.length + 1
const claimed = (told: Parameters<typeof intended>[0] = {}): Line =>
  intended({ at: 110, holder: 'o1', decisionId, purpose: 'redispatch', worker: 'w2', sentMessageId: messageId, ...told })

/** The same with another risk in the verdict, which comes last; older ones stated none. */
const withRisk = (lines: readonly Line[], risk: VerdictFact['duplicateRisk']): readonly Line[] => [
  ...lines.slice(0, -1),
  ...lines.slice(-1).map((line): Line => (position) => {
    const { duplicateRisk: _risk, ...verdict } = line(position) as VerdictFact
    return { ...verdict, ...(risk !== undefined && { duplicateRisk: risk }) }
  }),
]

const standing = (lines: readonly Line[], asOf = 120, id = decisionId): string => {
  const claim = claimOf(taskAfter(lines, { asOf }), id)
  if (claim.status === 'held' || claim.status === 'sent') return `${claim.status} ${claim.intent.by ?? ''}`
  if (claim.status !== 'free') return claim.status
  return `free ${claim.n} for ${claim.verdict.targetWorkerId}, ${claim.duplicateRisk}${claim.lapsed === undefined ? '' : `, after ${claim.lapsed.by ?? ''}`}`
}

describe('V8 who may send on a decision', () => {
  it.each<[string, readonly Line[], string]>([
    ['V8 whoever comes first, while nobody claimed it', decided, 'free 0 for w2, possible'],
    ['V8 nobody else while a claim holds', [...decided, claimed()], 'held o1'],
    ['V8 a claim holds until its moment and not at it', [...decided, claimed({ ttl: 10 })], 'free 1 for w2, likely, after o1'],
    ['V8 nobody once it is said to be sent', [...decided, claimed(), intentSettled(next, 'sent')], 'sent o1'],
    ['V8 nobody once a witness saw it sent', [...decided, claimed(), sent({ at: 112, worker: 'w2', sentMessageId: messageId })], 'sent o1'],
    ['V8 nobody once it was sent, also when the claim lapsed', [...decided, claimed({ ttl: 1 }), sent({ at: 119, worker: 'w2', sentMessageId: messageId })], 'sent o1'],
    ['V8 nobody when one of two is said to be sent late', [...decided, claimed({ ttl: 1 }), claimed({ at: 115, holder: 'o2' }), intentSettled(next, 'sent')], 'sent o1'],
    ['V8 whoever comes next, once nothing was sent', [...decided, claimed(), intentSettled(next, 'not-sent')], 'free 1 for w2, possible'],
    ['V8 the second claim holds as the first did', [...decided, claimed(), intentSettled(next, 'not-sent'), claimed({ holder: 'o2' })], 'held o2'],
    ['V8 a lapsed claim frees it, and the risk says what a second send means', [...decided, claimed({ ttl: 5 })], 'free 1 for w2, likely, after o1'],
    ['V8 nobody when the task lives again', [...decided, found('working', { at: 115 })], 'withdrawn'],
    ['V8 nobody when the task ended', [...decided, found('completed', { at: 115 })], 'withdrawn'],
    ['V8 nobody when somebody sends it elsewhere', [...decided, sent({ at: 115, worker: 'w3', sentMessageId: 'm-9' })], 'withdrawn'],
    ['V8 nobody when somebody sends it there without asking', [...decided, sent({ at: 115, worker: 'w2', sentMessageId: 'm-9' })], 'withdrawn'],
    ['V8 nobody while the task is incomplete', [...decided, unreadable({ at: 115 })], 'withdrawn'],
    ['V8 what is sent counts before what has changed since', [...decided, claimed(), intentSettled(next, 'sent'), found('completed', { at: 115 })], 'sent o1'],
    ['V8 nobody once a person said no', [...decided, approved(decisionId, { answer: 'declined' })], 'declined'],
    ['V8 a no counts before what is sent', [...decided, claimed(), intentSettled(next, 'sent'), approved(decisionId, { answer: 'declined' })], 'declined'],
    ['V8 the first word of a person stands', [...decided, approved(decisionId), approved(decisionId, { answer: 'declined' })], 'free 0 for w2, possible'],
    ['V8 what a person said to another decision is nothing to this one', [...decided, approved('another', { answer: 'declined' })], 'free 0 for w2, possible'],
    ['V8 the risk is the one that was decided', withRisk(decided, 'likely'), 'free 0 for w2, likely'],
    ['V8 where the verdict states none it is possible', withRisk(decided, undefined), 'free 0 for w2, possible'],
    ['V8 nobody before a person approved what waits for one', settled([...heir, ...lost()], 100, { actor: 'approver' }), 'unapproved'],
    ['V8 once a person approved it, whoever comes first', [...settled([...heir, ...lost()], 100, { actor: 'approver' }), approved(decisionId)], 'free 0 for w2, possible'],
    ['V8 nobody else while a claim holds, also where nobody approved it', [...settled([...heir, ...lost()], 100, { actor: 'approver' }), claimed()], 'held o1'],
    ['V8 whoever comes first, also where it is left to the ledger', settled([...heir, ...lost()], 100, { actor: 'ledger' }), 'free 0 for w2, possible'],
    ['V8 a claim of another decision is none of this one', [...decided, claimed({ decisionId: 'other' })], 'free 0 for w2, possible'],
    ['V8 a refusal by who was to take it is a send', [...decided, claimed(), sent({ at: 112, worker: 'w2', sentMessageId: messageId }), refused({ at: 113, worker: 'w2', messageId })], 'sent o1'],
  ])('%s', (_fact, lines, expected) => {
    expect(standing(lines)).toBe(expected)
  })

  it('V8 a lapsed claim at a worker that knows messages again leaves the risk as it was decided', () => {
    const knowing = settled([card({ at: 0, worker: 'w2', idempotencyKey: 'messageId' }), ...heir.slice(1), ...lost()])
    const id = decisionIdOf(knowing)
    expect(standing([...knowing, claimed({ ttl: 5, decisionId: id })], 120, id)).toBe('free 1 for w2, possible, after o1')
    expect(standing([...withRisk(knowing, undefined), claimed({ ttl: 5, decisionId: id })], 120, id)).toBe('free 1 for w2, possible, after o1')
  })

  it('V8 who holds it is told the risk, and the claim before it that lapsed', () => {
    const claimsOf = (lines: readonly Line[]) => {
      const task = taskAfter(lines, { asOf: 120 })
      return { claim: claimOf(task, decisionId), intents: task.intents }
    }
    const only = claimsOf([...decided, claimed()])
    expect(only.claim).toStrictEqual({ status: 'held', intent: only.intents[0], duplicateRisk: 'possible' })
    const further = claimsOf([...decided, claimed({ ttl: 2 }), claimed({ at: 115, holder: 'o2' })])
    expect(further.claim).toStrictEqual({ status: 'held', intent: further.intents[1], duplicateRisk: 'likely', lapsed: further.intents[0] })
  })

  it('V8 an id that no verdict has is unknown', () => {
    expect(standing(decided, 120, 'nothing')).toBe('unknown')
    expect(claimOf(taskAfter([intended()]), 'send-1')).toEqual({ status: 'unknown' })
  })

  it('V8 a verdict that names nobody has nothing to send', () => {
    const unreconcilable = settled(lost())
    const id = decisionIdOf(unreconcilable)
    expect(standing(unreconcilable, 120, id)).toBe('nothing-to-send')
  })
})
