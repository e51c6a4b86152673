/** How much an error says about the task (F6): a table, and nothing of it ever means failed. */
import type { Evidence, NotFoundShape } from '../reading.ts'

/** What was asked, as far as F6 tells questions apart. */
export type Question = 'get' | 'message-to-task' | 'subscribe-or-cancel' | 'about-a-task' | 'other'

/**
 * | asked | named | bare | contradicted |
 * | --- | --- | --- | --- |
 * | GetTask | strong | weak | weak |
 * | a message naming the task | strong | weak | weak |
 * | SubscribeToTask, CancelTask | weak | weak | weak |
 * | unknown, but about a task | weak | weak | weak |
 * | anything else | none | none | none |
 */
const table = {
  get: { named: 'strong', bare: 'weak', contradicted: 'weak' },
  'message-to-task': { named: 'strong', bare: 'weak', contradicted: 'weak' },
  'subscribe-or-cancel': { named: 'weak', bare: 'weak', contradicted: 'weak' },
  'about-a-task': { named: 'weak', bare: 'weak', contradicted: 'weak' },
  other: { named: 'none', bare: 'none', contradicted: 'none' },
} as const satisfies Record<Question, Record<NotFoundShape, Evidence>>

/** The evidence of one not-found. */
export const evidenceOf = (question: Question, shape: NotFoundShape): Evidence =>
  table[question][shape]

/**
 * What was asked. Without an operation the answer may be Subscribe's or Cancel's, so it is taken as
 * no more than that, and without a task it is about none.
 *
 * Shape: `taskId` is the task the call or the body names; absent for a send that named none.
 */
export const questionOf = (operation: string | undefined, taskId: string | undefined): Question => {
  switch (operation) {
    case 'GetTask':
      return 'get'
    case 'SendMessage':
    case 'SendStreamingMessage':
      return taskId === undefined ? 'other' : 'message-to-task'
    case 'SubscribeToTask':
    case 'CancelTask':
      return 'subscribe-or-cancel'
    case undefined:
      return taskId === undefined ? 'other' : 'about-a-task'
    default:
      return 'other'
  }
}
