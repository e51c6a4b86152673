import { describe, expect, it } from 'vitest'
import { answered, bare404, found, missed, routeProved, sent, taskAfter, type Line } from '../testing/history.ts'
import type { TaskAnalysis } from './analysis.ts'

const lifeOf = ({ attempts: [attempt] }: TaskAnalysis): string => attempt?.life ?? 'no attempt'

describe('F7 lowered: asked under other circumstances than at creation', () => {
  it.each<[string, readonly Line[], string]>([
    ['F7 the scope of the dispatch: strong', [sent({ scope: 'a' }), answered('working'), missed({ scope: 'a' })], 'lost'],
    ['F7 another scope than the dispatch: weak', [sent({ scope: 'a' }), answered('working'), missed({ scope: 'b' })], 'live'],
    ['F7 another binding than the dispatch: weak', [sent({ binding: 'JSONRPC' }), answered('working'), missed({ binding: 'HTTP+JSON' })], 'live'],
    ['F7 a scope missing at creation is no mismatch', [sent(), answered('working'), missed({ scope: 'b' })], 'lost'],
    ['F7 a scope missing on the question is no mismatch', [sent({ scope: 'a' }), answered('working'), missed()], 'lost'],
    ['F7 creation is told by the answer where the dispatch does not say', [sent(), answered('working', { scope: 'a' }), missed({ scope: 'b' })], 'live'],
    ['F7 creation is told by the first answer where nobody saw the dispatch', [found('working', { scope: 'a' }), missed({ scope: 'b' })], 'live'],
    ['F7 a later answer under another scope does not change the creation', [sent({ scope: 'a' }), answered('working'), found('working', { scope: 'b' }), missed({ scope: 'b' })], 'live'],
    ['F7 a message into the task under another scope does not change the creation', [sent({ scope: 'a' }), answered('working'), sent({ scope: 'b', naming: 't-1', sentMessageId: 'm-2' }), answered('working', { messageId: 'm-2' }), missed({ scope: 'b' })], 'live'],
    ['F7 one strong not-found under the right scope is enough', [sent({ scope: 'a' }), answered('working'), missed({ scope: 'b' }), missed({ scope: 'a' })], 'lost'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})

describe('F7 raised: the route of a bare 404 is proved', () => {
  const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
  it.each<[string, readonly Line[], string]>([
    ['F7 a bare 404 to GetTask is weak', [...working, bare404({ at: 5 })], 'live'],
    ['F7 it is strong once GetTask for another task is answered after it', [...working, bare404({ at: 5 }), routeProved({ at: 6 })], 'lost'],
    ['F7 it is strong when that answer came at the same time', [...working, bare404({ at: 5 }), routeProved({ at: 5 })], 'lost'],
    ['F7 an answer from before the 404 proves nothing about the route then', [...working, routeProved({ at: 4 }), bare404({ at: 5 })], 'live'],
    ['F7 an answer for the same task is no proof of the route', [...working, bare404({ at: 5 }), routeProved({ at: 6, task: 't-1' })], 'live'],
    ['F7 an answer of another worker proves nothing', [...working, bare404({ at: 5 }), routeProved({ at: 6, worker: 'w2' })], 'live'],
    ['F7 an answer over another binding proves nothing', [...working, bare404({ at: 5, binding: 'HTTP+JSON' }), routeProved({ at: 6, binding: 'JSONRPC' })], 'live'],
    ['F7 an answer under another scope proves nothing', [...working, bare404({ at: 5, scope: 'a' }), routeProved({ at: 6, scope: 'b' })], 'live'],
    ['F7 a never-issued id answered alike proves nothing', [...working, bare404({ at: 5 }), bare404({ at: 6, task: 'never' })], 'live'],
    ['F7 a bare 404 to another operation stays weak', [...working, bare404({ at: 5, operation: 'SubscribeToTask' }), routeProved({ at: 6 })], 'live'],
    ['F7 a raised 404 under another scope than at creation stays weak', [sent({ at: 0, scope: 'a' }), answered('working', { at: 1 }), bare404({ at: 5, scope: 'b' }), routeProved({ at: 6, scope: 'b' })], 'live'],
    ['F7 a not-found that is weak for another reason is not raised', [...working, missed({ at: 5, evidence: 'weak', saysTimeout: true }), routeProved({ at: 6 })], 'live'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})
