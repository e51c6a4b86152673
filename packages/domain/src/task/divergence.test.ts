import { describe, expect, it } from 'vitest'
import { answered, card, found, piece, sent, taskAfter, type Line } from '../testing/history.ts'

const first: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const second: readonly Line[] = [sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' })]
const json = { holding: [piece('{}', { mediaTypes: ['application/json'] })] }

/** Every divergence with the positions that show it. */
const divergencesOf = (lines: readonly Line[]): string =>
  taskAfter(lines)
    .divergences.map(({ kind, positions }) => `${kind} at ${positions.join(', ')}`)
    .join('; ')

describe('F15 a divergence stands where it is seen', () => {
  it.each<[string, readonly Line[], string]>([
    ['of two outcomes where each was reported', [...first, ...second, found('completed', { at: 30 }), found('failed', { at: 40, worker: 'w2', task: 't-9' })], 'outcome at 5, 6'],
    ['of two ids at one worker where each was seen first', [...first, found('working', { at: 5 }), found('working', { at: 6, task: 't-2' })], 'task-id at 2, 4'],
    ['of media types that two attempts emit where each did', [...first, ...second, found('working', { at: 30, holding: [piece('x')] }), found('working', { at: 31, worker: 'w2', task: 't-9', ...json })], 'media-type at 5, 6'],
    ['of a media type that the card does not offer where it was emitted', [card({ at: -1 }), found('working', { at: 1, ...json })], 'media-type at 2'],
    ['of a state that the card does not declare where it was reported', [card({ at: -1, reachableStates: ['completed'] }), found('working', { at: 1 })], 'state at 2'],
    ['of a card that both break, in one row each', [card({ at: -1, reachableStates: ['completed'] }), found('working', { at: 1, ...json })], 'media-type at 2; state at 2'],
    ['other violations are none', [found('working', { at: 1, notes: ['timestamp_invalid'] }), found('submitted', { at: 2 })], ''],
    ['two attempts that agree are none', [...first, ...second, found('completed', { at: 30 })], ''],
  ])('F15 %s', (_fact, lines, divergences) => {
    expect(divergencesOf(lines)).toBe(divergences)
  })

  it('F15 of very many attempts the newest 500 are compared', () => {
    const many = Array.from({ length: 502 }, (_, index) => found('submitted', { at: index, task: `t-${index}` }))
    const [divergence] = taskAfter(many).divergences
    expect([divergence?.positions.length, divergence?.positions[0], divergence?.positions.at(-1)]).toEqual([500, 3, 502])
  })
})
