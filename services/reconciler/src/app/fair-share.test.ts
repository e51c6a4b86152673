import { describe, expect, test } from 'vitest'
import { fairShare } from './fair-share.ts'
import type { SlotsSeen } from './partition-store.ts'

/** Slots held as `counts` says, by `a`, `b`, …; the rest is free. */
const seen = (slotCount: number, counts: readonly number[], members = counts.map((_, index) => nameOf(index))): SlotsSeen => {
  const owners = counts.flatMap((count, index) => Array.from({ length: count }, () => nameOf(index)))
  return {
    members,
    slots: Array.from({ length: slotCount }, (_, partition) => ({ partition, owner: owners[partition], fencingEpoch: 1, completePosition: 0 })),
  }
}
const nameOf = (index: number): string => 'abcd'.charAt(index)

test.each([
  ['one alone has all', seen(12, [0]), 'a', 12],
  ['one that comes gets half', seen(12, [12, 0]), 'b', 6],
  ['one that is there gives up half', seen(12, [12, 0]), 'a', 6],
  ['of what cannot be shared evenly, who has most keeps one more', seen(7, [3, 4, 0]), 'b', 3],
  ['of equals, the first by name has one more', seen(7, [0, 0]), 'a', 4],
  ['more processes than slots: the last have none', seen(2, [1, 1, 0]), 'c', 0],
  ['one that is not known to live counts as itself', seen(12, [12], ['a']), 'new', 6],
  ['an owner whose sign of life is late counts until its lease is over', seen(12, [6, 6], ['a']), 'a', 6],
  ['what nobody owns is shared by those who live', seen(12, [4, 4], ['a', 'b']), 'a', 6],
])('%s', (_name, view, member, expected) => {
  expect(fairShare(view, member)).toBe(expected)
})

/** Every way to hold at most `slotCount` slots by `memberCount` members. */
function distributions(slotCount: number, memberCount: number): readonly (readonly number[])[] {
  if (memberCount === 0) return [[]]
  return Array.from({ length: slotCount + 1 }, (_, count) => count).flatMap((count) =>
    distributions(slotCount - count, memberCount - 1).map((rest) => [count, ...rest]),
  )
}

describe.each([1, 2, 3, 4])('%i members', (memberCount) => {
  test.each([1, 5, 8])('whatever each of them holds of %i slots, they come to an even share and stay there', (slotCount) => {
    for (const begin of distributions(slotCount, memberCount)) {
      const counts = [...begin]
      /** One after the other gives up what is too much, or takes what is free. */
      const round = (): number => {
        let moved = 0
        for (const index of counts.keys()) {
          const own = counts[index] ?? 0
          const free = slotCount - counts.reduce((sum, count) => sum + count, 0)
          const next = Math.min(fairShare(seen(slotCount, counts), nameOf(index)), own + free)
          moved += Math.abs(next - own)
          counts[index] = next
        }
        return moved
      }
      for (let rounds = 0; round() > 0; rounds += 1) expect(rounds, `from ${begin.join(' ')}`).toBeLessThan(3)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(slotCount)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    }
  })
})
