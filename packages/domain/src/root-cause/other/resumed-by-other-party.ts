/**
 * `resumed_by_other_party`: `input-required` went on although no message of ours was sent to it.
 *
 * Only where we saw the attempt being sent, else its messages are not among what we watch. An
 * `auth-required` may go on by itself (A2A v1.0 §7.6).
 */
import type { AttemptAnalysis, DispatchAnalysis, StateChange } from '../../task/analysis.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const resumedByOtherParty: OtherCause = {
  cause: 'resumed_by_other_party',
  responsible: 'unknown',
  says: 'somebody we do not watch answered the question of worker {worker}',
  nextAction: 'Find out who else sends messages to task {task} at {worker}, and have their sends recorded too.',
  find: ({ analysis: { attempts, dispatches } }) =>
    attempts
      .filter(({ dispatchPosition }) => dispatchPosition !== undefined)
      .flatMap((attempt) =>
        attempt.changes.flatMap((change, index) => {
          const asked = attempt.changes[index - 1]
          if (asked?.state !== 'input-required' || !isGoingOn(change)) return []
          const entered = entryOf(attempt, index - 1)
          if (dispatches.some((dispatch) => isAnswer(dispatch, attempt, entered, change))) return []
          const { workerId, taskId } = attempt
          return [{ confidence: 'likely', because: positionsOf([asked.position, change.position]), workerId, taskId }]
        }),
      ),
}

const isGoingOn = ({ state }: StateChange): boolean =>
  state === 'working' || state === 'completed' || state === 'auth-required'

/** When the state that holds at `index` was entered. */
const entryOf = ({ changes }: AttemptAnalysis, index: number): StateChange | undefined =>
  changes[changes.findLastIndex(({ state }, at) => at < index && state !== changes[index]?.state) + 1]

const isAnswer = (
  dispatch: DispatchAnalysis,
  attempt: AttemptAnalysis,
  asked: StateChange | undefined,
  change: StateChange,
): boolean =>
  dispatch.workerId === attempt.workerId &&
  (dispatch.namedTaskId === attempt.taskId ||
    dispatch.taskId === attempt.taskId ||
    (dispatch.contextId !== undefined && dispatch.contextId === attempt.contextId)) &&
  dispatch.atMs >= (asked?.effectiveMs ?? -Infinity) &&
  dispatch.atMs <= change.atMs
