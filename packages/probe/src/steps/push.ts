import type { Step } from '../step.ts'

/** Pushes are sent when something happens; what has happened by now was pushed by then. */
const arrivalMsMax = 5_000

/** `push`: something about the canary has arrived. */
export const awaitPush: Step = async ({ record, ports }) => {
  const taskId = record.learned.tasks?.canary?.taskId
  if (ports.push === undefined || taskId === undefined) return { outcome: 'failed', detail: 'nobody waits for a push' }
  const hasArrived = await ports.push.arrived(taskId, arrivalMsMax)
  return {
    outcome: hasArrived ? 'ok' : 'failed',
    detail: hasArrived ? 'it has arrived' : `none within ${arrivalMsMax} ms`,
    learned: { measured: { pushArrives: hasArrived } },
  }
}
