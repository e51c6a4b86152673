import { describe, expect, it } from 'vitest'
import { answered, approved, canceling, found, intended, intentSettled, linked, missed, moved, sent, settled, type Line } from '../testing/history.ts'
import { isEmptied } from './emptied.ts'
import type { TaskFact } from './fact.ts'

describe('K6 a stream that lost all that was in it', () => {
  const factsOf = (lines: readonly Line[]) => lines.map((line, index) => line(index + 1) as TaskFact)
  const undone = linked('~w1/t-1', { kind: 'unlinked' })
  const verdicts = settled([sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]).slice(-1)
  it.each<[string, readonly Line[], boolean]>([
    ['a link that was undone', [linked('~w1/t-1'), undone], true],
    ['events that went elsewhere', [moved('real', 1)], true],
    ['what we said of them meanwhile', [undone, ...verdicts, intended(), intentSettled(3, 'sent'), canceling(), approved('d')], true],
    ['a link that stands', [linked('~w1/t-1')], false],
    ['one event of a witness', [undone, found('working')], false],
    ['nothing at all', [], false],
  ])('K6 %s', (_fact, lines, emptied) => {
    expect(isEmptied(factsOf(lines))).toBe(emptied)
  })
})
