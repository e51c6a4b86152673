/**
 * `child_failed`: a task sent on behalf of this one ended without success, and nothing recorded tells
 * why: its worker reports it and no more.
 *
 * Where something does tell why, the child's own cause is found here instead, under its correlation.
 */
import { positionsOf, type OtherCause } from '../cause.ts'

export const childFailed: OtherCause = {
  cause: 'child_failed',
  responsible: 'downstream',
  explains: ['failed', 'canceled', 'rejected', 'indeterminate'],
  says: 'worker {worker} reports that its task {task} ended without success',
  nextAction: 'Ask the owner of {worker} why task {task} ended, and settle it before the work above it is sent again.',
  find: ({ children }) =>
    children
      .filter(({ lead, analysis: { state } }) => lead === undefined && (state === 'failed' || state === 'canceled' || state === 'rejected'))
      .flatMap(({ analysis: { correlationId, canonical }, kin }) =>
        canonical === undefined
          ? []
          : [
              {
                confidence: kin.by === 'stated' ? 'likely' : 'possible',
                because: positionsOf([kin.position, canonical.statePosition]),
                workerId: canonical.workerId,
                taskId: canonical.taskId,
                child: { correlationId, via: [] },
              },
            ],
      ),
}
