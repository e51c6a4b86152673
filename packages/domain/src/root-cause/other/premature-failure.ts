/**
 * `premature_failure`: the orchestrator concluded `failed` while no attempt had reported it.
 *
 * A report that comes within the clock skew that we grant witnesses counts as seen before.
 */
import { parseTaskState } from '../../a2a/task-state.ts'
import type { ConclusionFact } from '../../fact/fact.ts'
import { clockSkewMsMax } from '../../fact/facts-of.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const prematureFailure: OtherCause = {
  cause: 'premature_failure',
  responsible: 'client',
  says: 'the orchestrator concluded that it failed although no worker said so',
  nextAction: 'Have the orchestrator take back its conclusion and follow the state that the reconciler shows.',
  find: (file) =>
    file.facts.flatMap((fact) => {
      if (fact.kind !== 'conclusion' || parseTaskState(fact.state)?.state !== 'failed') return []
      if (isReported(fact, file)) return []
      const concerned = concernedBy(fact, file)
      const basis = concerned.at(-1)?.statePosition
      return [
        {
          confidence: 'strong',
          because: positionsOf([basis, fact.position]),
          ...(fact.workerId !== undefined && { workerId: fact.workerId }),
        },
      ]
    }),
}

/** The attempt that the conclusion names; all of them when it names none. */
const concernedBy = ({ workerId, taskId }: ConclusionFact, file: CaseFile) =>
  file.analysis.attempts.filter(
    (attempt) =>
      (workerId === undefined || attempt.workerId === workerId) && (taskId === undefined || attempt.taskId === taskId),
  )

const isReported = (conclusion: ConclusionFact, file: CaseFile): boolean =>
  concernedBy(conclusion, file).some(({ changes }) =>
    changes.some(({ state, effectiveMs }) => state === 'failed' && effectiveMs <= conclusion.atMs + clockSkewMsMax),
  )
