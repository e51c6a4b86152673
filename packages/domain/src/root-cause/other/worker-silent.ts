/** `worker_silent`: no sign of life, for as long as the settings allow, of the attempt that the task stands on. */
import { positionsOf, type OtherCause } from '../cause.ts'

export const workerSilent: OtherCause = {
  cause: 'worker_silent',
  responsible: 'unknown',
  isNoBeginning: true,
  explains: ['submitted', 'working', 'unknown'],
  givesWayTo: ['not_accessible', 'replica_miss'],
  says: 'nothing was heard of task {task} at worker {worker} for too long',
  nextAction: 'Ask {worker} for task {task} with GetTask.',
  find: ({ standing, analysis: { asOfMs, settings } }) =>
    standing !== undefined && asOfMs - standing.lastLife.atMs >= settings.silentAfterMs
      ? [
          {
            confidence: 'strong',
            because: positionsOf([standing.lastLife.position]),
            workerId: standing.workerId,
            taskId: standing.taskId,
          },
        ]
      : [],
}
