/** `worker_interrupted`: the worker itself gave the task up because it restarted or shut down. */
import type { OtherCause } from '../cause.ts'
import { saysInterrupted } from '../worker-words.ts'
import { statedBy } from './stated-failure.ts'

export const workerInterrupted: OtherCause = {
  cause: 'worker_interrupted',
  responsible: 'worker',
  explains: ['failed', 'canceled', 'rejected'],
  says: 'worker {worker} gave the task up because it restarted or shut down',
  nextAction: 'Send the work again if it is safe to repeat, and have {worker} take up open tasks after a restart.',
  find: (file) => statedBy(file, ['failed', 'canceled'], saysInterrupted),
}
