/**
 * `never_existed`: a not-found for a task that nobody ever saw at this worker, in this logical task
 * or in any other.
 *
 * Where events of the task cannot be read (any more), one of them may have shown it: nobody is blamed.
 * A bare 404 says nothing about a task. A named one to Subscribe or Cancel says less than to GetTask.
 */
import type { ErrorFact } from '../../fact/fact.ts'
import { becauseMax, positionsOf, type LossCause } from '../cause.ts'

export const neverExisted: LossCause = {
  cause: 'never_existed',
  responsible: 'client',
  isWithoutLoss: true,
  isByAbsence: true,
  explains: ['dispatched', 'indeterminate'],
  says: 'task {task} was never seen at worker {worker}',
  nextAction: 'Check where the client has the task id {task} from, and send the work to {worker} as a new task.',
  find: ({ attempt, workerId, taskId }, file) => {
    if (attempt !== undefined || file.isKnownElsewhere({ workerId, taskId })) return undefined
    if (file.analysis.incomplete.length > 0) return undefined
    const missed = file
      .factsOf({ workerId, taskId })
      .filter((fact): fact is ErrorFact => fact.kind === 'error' && fact.name === 'TaskNotFound' && fact.evidence !== 'none')
    if (missed.length === 0) return undefined
    const isStrong = missed.some(({ evidence }) => evidence === 'strong')
    return {
      confidence: isStrong ? 'likely' : 'possible',
      because: positionsOf(missed.map(({ position }) => position)),
      restsOn: { fromMs: -Infinity, toMs: Math.max(...missed.slice(-becauseMax).map(({ atMs }) => atMs)) },
    }
  },
}
