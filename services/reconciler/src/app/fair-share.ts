import type { SlotsSeen } from './partition-store.ts'

/**
 * How many slots `member` should hold: all are shared as evenly as they can be.
 *
 * Where they cannot be shared evenly, those who hold most keep one more, so that nothing moves
 * without need. An owner whose sign of life is late counts until its lease expired.
 */
export function fairShare({ slots, members }: SlotsSeen, member: string): number {
  const held = new Map([...members, member].map((each) => [each, 0]))
  for (const { owner } of slots) if (owner !== undefined) held.set(owner, (held.get(owner) ?? 0) + 1)
  const inOrder = [...held].toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
  const rank = inOrder.findIndex(([each]) => each === member)
  return Math.floor(slots.length / inOrder.length) + (rank < slots.length % inOrder.length ? 1 : 0)
}
