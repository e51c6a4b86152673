/**
 * `answer_without_task_id`: a message into a context whose task waits for input names no task, and
 * the worker makes a new task of it (A2A v1.0 §3.4.3: the context alone starts a new one).
 */
import { becauseMax, positionsOf, type OtherCause } from '../cause.ts'
import { unnamedAnswersOf } from '../unnamed-answers.ts'

export const answerWithoutTaskId: OtherCause = {
  cause: 'answer_without_task_id',
  responsible: 'client',
  says: 'the client answered a question without naming its task, so worker {worker} began a new one',
  nextAction: 'Have the client send the answer with the task id of the question, and cancel the task that still waits.',
  find: (file) =>
    unnamedAnswersOf(file).map(({ dispatch: { workerId, position, answerPosition }, asking }) => {
      const asked = asking.map(({ statePosition }) => statePosition).slice(2 - becauseMax)
      return {
        confidence: 'strong',
        because: positionsOf([...asked, position, answerPosition]),
        workerId,
      }
    }),
}
