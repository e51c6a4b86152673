/** `send_refused`: the worker answered a send with an error of its own; nothing was created (F13). */
import { positionsOf, type OtherCause } from '../cause.ts'

export const sendRefused: OtherCause = {
  cause: 'send_refused',
  responsible: 'client',
  explains: ['dispatched'],
  says: 'worker {worker} refused the message, so nothing was created by it',
  nextAction: 'Read the error of {worker}, correct the message or its credentials, and send it again.',
  find: ({ analysis }) =>
    analysis.dispatches
      .filter(({ outcome }) => outcome === 'refused')
      .map(({ workerId, position, answerPosition }) => ({
        confidence: 'stated',
        because: positionsOf([position, answerPosition]),
        workerId,
      })),
}
