/** `client_disconnected`: the worker gave the task up because the client went away (case C070). */
import type { OtherCause } from '../cause.ts'
import { saysClientGone } from '../worker-words.ts'
import { statedBy } from './stated-failure.ts'

export const clientDisconnected: OtherCause = {
  cause: 'client_disconnected',
  responsible: 'client',
  explains: ['failed', 'canceled', 'rejected'],
  says: 'worker {worker} gave the task up because the client went away',
  nextAction: 'Look for a later result in the same context before the work is sent again, and use pushes for long work.',
  find: (file) => statedBy(file, ['failed', 'canceled'], saysClientGone),
}
