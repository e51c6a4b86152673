import { describe, expect, it } from 'vitest'
import type { ReportFact } from '../fact/fact.ts'
import { answered, found, ms, pushed, sent, streamed, taskAfter, type Line } from '../testing/history.ts'
import { nextPushLossMs, overtakenAmong, pushesOf, unpushedOf } from './pushes.ts'

const factsOf = (lines: readonly Line[]) => lines.map((line, index) => line(index + 1) as ReportFact)
const task = { workerId: 'w1', taskId: 't-1' }

describe('pushes of one attempt', () => {
  it('are those reports of its server task that came as pushes', () => {
    const lines = [
      pushed('working'),
      streamed('working'),
      pushed('working', { task: 't-2' }),
      pushed('working', { worker: 'w2' }),
      (position) => ({ ...pushed('working')(position), kind: 'no-answer' }) as never,
      pushed('completed'),
    ] satisfies readonly Line[]
    expect(pushesOf(factsOf(lines), task).map(({ position }) => position)).toEqual([1, 6])
  })
})

describe('a push that a newer one overtook', () => {
  const stateless: Line = (position) => {
    const { state: _none, ...push } = pushed('working', { at: 3 })(position) as ReportFact
    return push
  }
  it.each<[string, readonly Line[], readonly (readonly [former: number, push: number])[]]>([
    ['is older by the stamp of the worker', [pushed('input-required', { at: 2, stamped: 2 }), pushed('working', { at: 3, stamped: 1 })], [[1, 2]]],
    ['is not by a later stamp, whatever its state', [pushed('completed', { at: 2, stamped: 1 }), pushed('working', { at: 3, stamped: 2 })], []],
    ['is not by an equal one', [pushed('working', { at: 2, stamped: 1 }), pushed('submitted', { at: 3, stamped: 1 })], []],
    ['is older by a state of a lower rank where a stamp is missing', [pushed('completed', { at: 2 }), pushed('working', { at: 3, stamped: 9 })], [[1, 2]]],
    ['is so where the other one has none', [pushed('completed', { at: 2, stamped: 9 }), pushed('working', { at: 3 })], [[1, 2]]],
    ['is not by a state of the same rank', [pushed('working', { at: 2 }), pushed('input-required', { at: 3 })], []],
    ['is not where it has no state', [pushed('completed', { at: 2 }), stateless], []],
    ['is not where the other one has none', [stateless, pushed('submitted', { at: 4 })], []],
    ['came to the same webhook', [pushed('completed', { at: 2 }), pushed('working', { at: 3, by: 'another webhook' })], []],
    ['is held against the newest that came before it', [pushed('working', { at: 1, stamped: 1 }), pushed('completed', { at: 2, stamped: 5 }), pushed('working', { at: 3, stamped: 2 }), pushed('working', { at: 4, stamped: 3 })], [[2, 3], [2, 4]]],
  ])('%s', (_fact, lines, overtaken) => {
    expect(overtakenAmong(factsOf(lines)).map(({ former, push }) => [former.position, push.position])).toEqual(overtaken)
  })
})

describe('a state that no push told of', () => {
  const begun = [sent({ at: 0 }), answered('submitted', { at: 1 })]
  const unpushed = (lines: readonly Line[]) => {
    const { attempts: [attempt], facts } = taskAfter([...begun, ...lines])
    return attempt === undefined ? [] : unpushedOf(attempt, pushesOf(facts, attempt)).map(({ state }) => state)
  }
  it.each<[string, readonly Line[], readonly string[]]>([
    ['ended the task', [pushed('submitted', { at: 2 }), found('completed', { at: 9 })], ['completed']],
    ['interrupted it', [pushed('submitted', { at: 2 }), found('input-required', { at: 9 })], ['input-required']],
    ['is none that leaves it at work', [pushed('submitted', { at: 2 }), found('working', { at: 9 })], []],
    ['is none that a push brought too', [pushed('submitted', { at: 2 }), found('completed', { at: 9 }), pushed('completed', { at: 10 })], []],
    ['came with the first push or after it', [found('input-required', { at: 2 }), pushed('working', { at: 3 })], []],
    ['is none of a task without pushes', [found('completed', { at: 9 })], []],
  ])('%s', (_fact, lines, states) => {
    expect(unpushed(lines)).toEqual(states)
  })

  const lossAt = (lines: readonly Line[], asOf: number) => nextPushLossMs(taskAfter([...begun, ...lines], { asOf }))
  it('counts as lost when the grace has run, the first one first', () => {
    const lines = [pushed('submitted', { at: 2 }), found('input-required', { at: 10 }), found('auth-required', { at: 20 })]
    expect([39, 40, 49, 50].map((asOf) => lossAt(lines, asOf))).toEqual([ms(40), ms(50), ms(50), undefined])
  })

  it('is not awaited of a task without pushes', () => {
    expect(lossAt([found('completed', { at: 9 })], 10)).toBeUndefined()
  })

  it('is awaited from the earliest push on, in whatever order they were told', () => {
    expect(lossAt([pushed('working', { at: 30 }), found('input-required', { at: 10 }), pushed('working', { at: 2 })], 31)).toBe(ms(40))
  })
})
