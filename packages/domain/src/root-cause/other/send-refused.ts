/**
 * `send_refused`: the worker answered a send with an error of its own; nothing was created (F13).
 *
 * The client is not to blame where the answer is a not-found about the open task that the message
 * named, and that task was seen before: what became of the task tells why. A bare 404 or 405 is not
 * known to be the worker's own.
 */
import { isAfter } from '../../fact/moment.ts'
import type { AttemptAnalysis } from '../../task/analysis.ts'
import { isTerminal } from '../../task/state.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import type { Proof } from '../finding.ts'

export const sendRefused: OtherCause = {
  cause: 'send_refused',
  responsible: 'client',
  explains: ['dispatched'],
  says: 'worker {worker} refused the message, so nothing was created by it',
  nextAction: 'Read the error of {worker}, correct the message or its credentials, and send it again.',
  find: (file) => {
    const { dispatches, attempts } = file.analysis
    const ofTasks = new Set(attempts.flatMap(missedWhileOpen))
    return dispatches.flatMap(({ outcome, workerId, position, answerPosition }): readonly Proof[] => {
      if (outcome !== 'refused') return []
      const answer = file.factAt(answerPosition)
      const isRoute = answer?.kind === 'error' && answer.name === 'RouteNotFound'
      const instead = isRoute ? ofRoute : answer !== undefined && ofTasks.has(answer.position) ? ofTask : undefined
      return [{ confidence: 'stated', because: positionsOf([position, answerPosition]), workerId, ...(instead && { instead }) }]
    })
  },
}

const ofTask = {
  responsible: 'unknown',
  nextAction: 'Follow the verdict of the task: {worker} no longer knows the task that the message named.',
} as const
const ofRoute = {
  responsible: 'unknown',
  nextAction: 'Check the address and the routing between client and {worker}, then send the message again.',
} as const

const missedWhileOpen = ({ notFounds, changes }: AttemptAnalysis): readonly number[] => {
  const end = changes.find(({ state }) => isTerminal(state))
  return notFounds
    .filter((miss) => end === undefined || isAfter({ atMs: end.effectiveMs, position: end.position }, miss))
    .map(({ position }) => position)
}
