/** `purged_after_terminal`: a worker may forget a task that has ended (F5). */
import { isAfter } from '../../fact/moment.ts'
import { isTerminal } from '../../task/state.ts'
import { positionsOf, type LossCause } from '../cause.ts'

export const purgedAfterTerminal: LossCause = {
  cause: 'purged_after_terminal',
  responsible: 'nobody',
  isWithoutLoss: true,
  says: 'worker {worker} no longer has task {task}, which had ended: a normal end',
  nextAction: 'Take the recorded end of task {task} as its outcome and ask {worker} for it no more.',
  find: ({ attempt }) => {
    const end = attempt?.changes.find(({ state }) => isTerminal(state))
    if (attempt === undefined || end === undefined) return undefined
    const ended = { atMs: end.effectiveMs, position: end.position }
    const missed = attempt.notFounds.filter((miss) => miss.evidence === 'strong' && isAfter(miss, ended))
    if (missed.length === 0) return undefined
    return { confidence: 'strong', because: positionsOf([...missed.map(({ position }) => position), end.position]) }
  },
}
