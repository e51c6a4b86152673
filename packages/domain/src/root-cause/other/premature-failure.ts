/** `premature_failure`: the orchestrator concluded `failed` while no attempt had reported it. */
import { prematureConclusions } from '../../task/premature-conclusion.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const prematureFailure: OtherCause = {
  cause: 'premature_failure',
  responsible: 'client',
  says: 'the orchestrator concluded that it failed although no worker said so',
  nextAction: 'Have the orchestrator take back its conclusion and follow the state that the reconciler shows.',
  find: (file) =>
    prematureConclusions(file.analysis).map(({ conclusion, concerned }) => ({
      confidence: 'strong',
      because: positionsOf([concerned.at(-1)?.statePosition, conclusion.position]),
      restsOn: { fromMs: -Infinity, toMs: conclusion.atMs },
      ...(conclusion.workerId !== undefined && { workerId: conclusion.workerId }),
    })),
}
