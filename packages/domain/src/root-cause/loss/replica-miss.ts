/**
 * `replica_miss`: found again after a strong not-found under the same scope, not ended and not lost
 * since: the question had reached a replica that does not know the task.
 *
 * A restart in between, unless two instances are named, or a state that began anew (F12), tells of
 * something else.
 */
import { restartsOf } from '../../capability/knowledge.ts'
import { isAfter, type Moment } from '../../fact/moment.ts'
import { isSign } from '../../task/attempt.ts'
import type { CaseFile, ServerTask } from '../case-file.ts'
import { positionsOf, type LossCause } from '../cause.ts'

export const replicaMiss: LossCause = {
  cause: 'replica_miss',
  responsible: 'platform',
  isWithoutLoss: true,
  says: 'task {task} was not found and then found again: replicas of {worker} do not share their tasks and routing is not sticky',
  nextAction: 'Route every call about one task to the replica of {worker} that holds it, or give the replicas one task store.',
  find: (task, file) => {
    const { attempt } = task
    if (attempt === undefined || attempt.life !== 'live' || !attempt.contested) return undefined
    const missed = attempt.notFounds.findLast((miss) => miss.evidence === 'strong' && isAfter(attempt.lastLife, miss))
    if (missed === undefined) return undefined
    const scope = file.factAt(missed.position)?.scope
    const signs = file.factsOf(task).filter(isSign)
    const found = signs.find(
      (sign) => isAfter(sign, missed) && (sign.scope === undefined || scope === undefined || sign.scope === scope),
    )
    if (found === undefined || isBegunAnew(task, file)) return undefined
    const because = positionsOf([missed.position, found.position])
    if (missed.instance !== undefined && found.instance !== undefined) {
      return missed.instance === found.instance ? undefined : { confidence: 'strong', because }
    }
    const before = signs.findLast((sign) => isAfter(missed, sign))
    return before !== undefined && isRestartKnown(task, file, before, found) ? undefined : { confidence: 'likely', because }
  },
}

const isBegunAnew = ({ workerId, taskId }: ServerTask, file: CaseFile): boolean =>
  file.analysis.violations.some(
    (violation) => violation.code === 'task_id_reused' && violation.workerId === workerId && violation.taskId === taskId,
  )

const isRestartKnown = (task: ServerTask, file: CaseFile, from: Moment, to: Moment): boolean =>
  restartsOf(file.workerOf(task)).some((restart) => isAfter(restart, from) && isAfter(to, restart))
