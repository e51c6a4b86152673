import { describe, expect, it } from 'vitest'
import { answered, card, found, missed, ms, pushed, restarted, sent, type Line, type World } from '../testing/history.ts'
import { causesOf } from '../testing/cause-table.ts'
import { lossCauses, otherCauses } from './precedence.ts'

const losses = new Set<string>(lossCauses.map(({ cause }) => cause))
const lossesOf = (lines: readonly Line[], world?: World) => causesOf(lines, world).filter((cause) => losses.has(cause))

const begun = [card({ at: 0, retentionSeconds: 60 }), sent({ at: 1 }), answered('working', { at: 2, contextId: 'c-1' })]
const gone = missed({ at: 100 })
const otherContent = pushed('working', { at: 101, task: 't-2', contextId: 'c-1' })
const alsoLost: World = {
  known: { w1: { losses: [{ correlationId: 'k-2', taskId: 'other', lastLifeMs: ms(1), firstNotFoundMs: ms(90), position: 99 }] } },
}

describe('the first loss cause with evidence explains a lost task', () => {
  it.each<[string, readonly Line[], World, string]>([
    ['lost_on_restart before store_lost', [...begun, restarted({ at: 50 }), gone], alsoLost, 'lost_on_restart'],
    ['lost_on_restart by a new id before store_lost', [...begun, gone, sent({ at: 110 }), answered('working', { at: 111, task: 't-2' })], alsoLost, 'lost_on_restart'],
    ['lost_on_restart before retention_expired', [...begun, restarted({ at: 50 }), gone], {}, 'lost_on_restart'],
    ['store_lost before retention_expired', [...begun, gone], alsoLost, 'store_lost'],
    ['store_lost before other_id', [...begun, gone, otherContent], alsoLost, 'store_lost'],
    ['retention_expired before other_id', [...begun, gone, otherContent], {}, 'retention_expired'],
    ['other_id before cause_unknown', [...begun.slice(1), gone, otherContent], {}, 'other_id'],
    ['cause_unknown when there is no other', [...begun.slice(1), gone], {}, 'cause_unknown'],
    ['purged_after_terminal where it had ended, whatever restarted', [...begun, found('completed', { at: 40 }), restarted({ at: 50 }), gone], alsoLost, 'purged_after_terminal'],
  ])('%s', (_fact, lines, world, cause) => {
    expect(lossesOf(lines, world)).toEqual([cause])
  })

  it('each lost task has its own', () => {
    const second = [sent({ at: 200, sentMessageId: 'm-2' }), answered('working', { at: 201, task: 't-2' }), restarted({ at: 210 }), missed({ at: 220, task: 't-2' })]
    expect(lossesOf([...begun, gone, ...second])).toEqual(['lost_on_restart', 'retention_expired'])
  })
})

describe('the tables', () => {
  it('the loss causes stand in the order of the contract', () => {
    expect(lossCauses.map(({ cause }) => cause)).toEqual([
      'purged_after_terminal',
      'not_accessible',
      'lost_on_restart',
      'store_lost',
      'replica_miss',
      'retention_expired',
      'other_id',
      'never_existed',
      'cause_unknown',
    ])
  })

  it('four loss causes arise without a loss', () => {
    expect(lossCauses.filter(({ isWithoutLoss }) => isWithoutLoss).map(({ cause }) => cause)).toEqual([
      'purged_after_terminal',
      'not_accessible',
      'replica_miss',
      'never_existed',
    ])
  })

  it('no cause is listed twice', () => {
    const all = [...lossCauses, ...otherCauses].map(({ cause }) => cause)
    expect(new Set(all).size).toBe(all.length)
  })
})
