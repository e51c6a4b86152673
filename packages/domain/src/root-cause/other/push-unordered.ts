/** `push_unordered`: a push older than what the same webhook already had (A2A v1.0 §3.5.2). */
import { overtakenAmong, pushesOf } from '../../task/pushes.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const pushUnordered: OtherCause = {
  cause: 'push_unordered',
  responsible: 'worker',
  says: 'pushes of worker {worker} overtook each other',
  nextAction: 'Have {worker} send the pushes of one task one after the other, and order what arrives by its timestamps.',
  find: (file) =>
    file.analysis.attempts.flatMap((attempt) =>
      overtakenAmong(pushesOf(file.factsOf(attempt), attempt)).map(({ former, push }) => ({
        confidence: push.statusAtMs !== undefined && former.statusAtMs !== undefined ? ('strong' as const) : ('likely' as const),
        because: positionsOf([former.position, push.position]),
        workerId: attempt.workerId,
        taskId: attempt.taskId,
      })),
    ),
}
