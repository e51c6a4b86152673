import { describe, expect, it } from 'vitest'
import { found, moved, refused, type Line } from '../testing/history.ts'
import type { MoveFact, TaskFact } from './fact.ts'
import { movedFact } from './move.ts'

const factAt = (position: number, line: Line): TaskFact => line(position) as TaskFact
const move = (to = 'real') => factAt(9, moved(to, 4)) as MoveFact

describe('K6 whether a fact goes where its task goes', () => {
  it.each<[string, TaskFact, boolean]>([
    ['what only a claim had put there', factAt(5, found('working', { placed: 'claim' })), true],
    ['what only a link had put there', factAt(5, found('working', { placed: 'link' })), true],
    ['what was stated to belong there stays', factAt(5, found('working')), false],
    ['from the position on', factAt(4, found('working', { placed: 'link' })), true],
    ['what came before it stays', factAt(3, found('working', { placed: 'link' })), false],
    ['up to the move', factAt(8, found('working', { placed: 'link' })), true],
    ['not the move itself', factAt(9, found('working', { placed: 'link' })), false],
    ['what came after it stays', factAt(10, found('working', { placed: 'link' })), false],
    ['what is of another worker stays', factAt(5, found('working', { placed: 'link', worker: 'w2' })), false],
    ['what is of another task stays', factAt(5, found('working', { placed: 'link', task: 't-2' })), false],
    ['what names no task stays', factAt(5, refused({ placed: 'link' })), false],
  ])('K6 %s', (_fact, fact, goes) => {
    expect(movedFact(fact, move())).toEqual(goes ? fact : undefined)
  })

  it('K1 a claim that is taken back is from then on one that was not followed', () => {
    const claim = factAt(5, found('working', { placed: 'claim' }))
    const link = factAt(5, found('working', { placed: 'link' }))
    expect(movedFact(claim, move('~w1/t-1'))).toEqual({ ...claim, refused: { code: 'correlation_claimed', correlationId: 'k' } })
    expect(movedFact(link, move('~w1/t-1'))).toEqual(link)
  })
})
