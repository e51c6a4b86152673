/** `duplicate_execution`: two attempts did the same work, and the first was not known to be gone (F15). */
import { positionsOf, type OtherCause } from '../cause.ts'

export const duplicateExecution: OtherCause = {
  cause: 'duplicate_execution',
  responsible: 'client',
  says: 'the work was sent a second time before the first try was known to be gone, and both got to work',
  nextAction: 'Cancel the attempt whose result is not needed, and ask `may-send` before the same work is sent again.',
  find: ({ analysis }) =>
    analysis.duplicateExecutions.map(([first, second]) => ({
      confidence: 'strong',
      because: positionsOf([first.firstSeenPosition, second.dispatchPosition, second.firstSeenPosition]),
      workerId: second.workerId,
      taskId: second.taskId,
    })),
}
