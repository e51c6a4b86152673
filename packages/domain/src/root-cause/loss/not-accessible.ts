/**
 * `not_accessible`: asked for under another scope or binding than it was created under (F7).
 *
 * A not-found under the creation's own scope and binding rules it out; a bare 404 is about the route
 * and rules nothing out.
 */
import { becauseMax, positionsOf, type LossCause } from '../cause.ts'

export const notAccessible: LossCause = {
  cause: 'not_accessible',
  responsible: 'client',
  isWithoutLoss: true,
  explains: ['indeterminate'],
  says: 'task {task} was asked for under another tenant, credential or binding than the one it was created under',
  nextAction: 'Ask {worker} for task {task} again under the tenant, credential and binding that created it.',
  find: ({ attempt }) => {
    const foreign = attempt?.notFounds.filter(({ isForeign }) => isForeign) ?? []
    const own = attempt?.notFounds.filter(({ isForeign, isRoute }) => !isForeign && !isRoute) ?? []
    if (attempt === undefined || foreign.length === 0 || own.length > 0) return undefined
    return {
      confidence: 'likely',
      because: positionsOf([attempt.firstSeenPosition, ...foreign.map(({ position }) => position).slice(1 - becauseMax)]),
    }
  },
}
