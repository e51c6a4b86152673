/** `state_not_declared`: an emitted state outside those that the card declares as reachable (C3). */
import { positionsOf, type OtherCause } from '../cause.ts'

export const stateNotDeclared: OtherCause = {
  cause: 'state_not_declared',
  responsible: 'worker',
  says: 'worker {worker} entered a state that its card does not declare as reachable',
  nextAction: 'Have {worker} declare every state it can reach, or stop entering the ones it does not declare.',
  find: ({ analysis }) =>
    analysis.violations
      .filter(({ code }) => code === 'state_not_advertised')
      .map(({ position, workerId }) => ({
        confidence: 'strong',
        because: positionsOf([position]),
        ...(workerId !== undefined && { workerId }),
      })),
}
