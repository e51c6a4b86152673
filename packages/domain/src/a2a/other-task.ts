/** An answer about another task than the one that was asked for (contract §7, `task_id_mismatch`). */
import { operationOf } from './operation.ts'
import type { Reading } from './reading.ts'

const questionsAboutOneTask: ReadonlySet<string> = new Set(['GetTask', 'CancelTask', 'SubscribeToTask'])

/**
 * True when the answer to a question about one task shows another one: it is no answer to the
 * question, and no witness asked about the other task, so it changes no attempt of either (L11).
 * A send may be answered with a new task, whatever task its message named.
 */
export const isAboutAnotherTask = (reading: Reading, operation: string | undefined): boolean =>
  reading.notes.includes('task_id_mismatch') && operation !== undefined && questionsAboutOneTask.has(operationOf(operation))
