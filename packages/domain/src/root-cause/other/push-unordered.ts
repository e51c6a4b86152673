/**
 * `push_unordered`: a push older than what the same webhook already had (A2A v1.0 §3.5.2).
 *
 * Older by the worker's own stamp; where a stamp is missing, by a state of a lower rank.
 */
import type { ReportFact } from '../../fact/fact.ts'
import { rankOf } from '../../task/state.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import type { Proof } from '../finding.ts'
import { pushesOf } from './pushes.ts'

export const pushUnordered: OtherCause = {
  cause: 'push_unordered',
  responsible: 'worker',
  says: 'pushes of worker {worker} overtook each other',
  nextAction: 'Have {worker} send the pushes of one task one after the other, and order what arrives by its timestamps.',
  find: (file) =>
    file.analysis.attempts.flatMap((attempt): readonly Proof[] => {
      const newest = new Map<string, ReportFact>()
      const found: Proof[] = []
      for (const push of pushesOf(file, attempt)) {
        const former = newest.get(push.source)
        if (former === undefined || !isOlder(push, former)) {
          newest.set(push.source, push)
          continue
        }
        const isStamped = push.statusAtMs !== undefined && former.statusAtMs !== undefined
        found.push({
          confidence: isStamped ? 'strong' : 'likely',
          because: positionsOf([former.position, push.position]),
          workerId: attempt.workerId,
          taskId: attempt.taskId,
        })
      }
      return found
    }),
}

const isOlder = (push: ReportFact, former: ReportFact): boolean => {
  if (push.statusAtMs !== undefined && former.statusAtMs !== undefined) return push.statusAtMs < former.statusAtMs
  return push.state !== undefined && former.state !== undefined && rankOf(push.state) < rankOf(former.state)
}
