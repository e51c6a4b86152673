import { describe, expect, it } from 'vitest'
import { createToldBefore } from './told-before.ts'

const minute = 60_000

/** What came, as it would be recorded: its name is its only attribute. */
const came = (name: string, digest = name.charAt(0), bytes = 10) => ({
  digest,
  events: [{ attributes: { specversion: '1.0' as const, id: name, source: 'urn:test', type: 'a2a.response' }, bytes: new Uint8Array(bytes) }],
})

type Step = readonly [name: string, atMs: number, isNews?: boolean, bytes?: number]

/** Which of them are recorded, each with those that come before it. */
const toldOf = (steps: readonly Step[]): readonly string[] => {
  const told = createToldBefore()
  return steps.map(([name, atMs, isNews = false, bytes]) => told.worthTelling('t', came(name, name.charAt(0), bytes), isNews, atMs).map(({ attributes }) => attributes.id).join(' '))
}

describe('what of the answers of a worker is recorded', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    ['the first', [['a1', 0]], ['a1']],
    ['the same again is not', [['a1', 0], ['a2', 1_000], ['a3', 2_000]], ['a1', '', '']],
    ['the same after a minute is', [['a1', 0], ['a2', minute - 1], ['a3', minute], ['a4', minute + 1]], ['a1', '', 'a3', '']],
    ['another one is, after the last that was held', [['a1', 0], ['a2', 1_000], ['a3', 2_000], ['b1', 3_000]], ['a1', '', '', 'a3 b1']],
    ['what was held is told once', [['a1', 0], ['a2', 1_000], ['b1', 2_000], ['a3', 3_000]], ['a1', '', 'a2 b1', 'a3']],
    ['what counts is told although it is the same', [['a1', 0], ['a2', 1_000, true], ['a3', 2_000]], ['a1', 'a2', '']],
    ['what counts makes what was held superfluous', [['a1', 0], ['a2', 1_000], ['a3', 2_000, true]], ['a1', '', 'a3']],
    ['a large one is not held', [['a1', 0], ['a2', 1_000, false, 16_385], ['b1', 2_000]], ['a1', '', 'b1']],
    ['a large one takes the place of the one that was held', [['a1', 0], ['a2', 1_000, false, 16_384], ['a3', 2_000, false, 16_385], ['b1', 3_000]], ['a1', '', '', 'b1']],
  ])('%s', (_fact, steps, expected) => {
    expect(toldOf(steps)).toEqual(expected)
  })

  it('each task has its own, until it is of no concern any more', () => {
    const told = createToldBefore()
    const isTold = (taskId: string): boolean => told.worthTelling(taskId, came('a'), false, 0).length > 0
    expect([isTold('t'), isTold('u'), isTold('t')]).toEqual([true, true, false])
    told.keepOnly(new Set(['u']))
    expect([isTold('t'), isTold('u')]).toEqual([true, false])
    told.forget('u')
    expect([isTold('t'), isTold('u')]).toEqual([false, true])
  })
})
