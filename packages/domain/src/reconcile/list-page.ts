/**
 * One list in place of many questions (pure): where more tasks of a worker are due than may be asked about, a
 * page of `ListTasks` confirms all those of one state that are still in it.
 *
 * A list confirms, and does nothing else. What it does not show says nothing (F6, F7: lists are paged, scoped and
 * filtered), and what it shows otherwise has more to tell than a list does: both are asked about by themselves,
 * next. It leaves artifacts and history out, so that what it confirms is asked about by itself as well, seldom.
 */
import type { TaskState } from '../task/state.ts'
import type { WatchedTask } from './watched-tasks.ts'

/** One page of `ListTasks`. */
export interface WatchPage {
  /** The state that is listed: what left it, an end above all, is not among what is shown. */
  readonly state: TaskState
  /** Tasks that are in it, by what is known. */
  readonly taskIds: readonly string[]
  /** Of the page before; absent: the first one. */
  readonly pageToken?: string
}

/** What a page says of the tasks that it was asked for. */
export interface PageReading {
  /** They are as they were. */
  readonly confirmed: readonly string[]
  /** They are to be asked about by themselves. */
  readonly owed: readonly string[]
  /** Absent: the list is over. */
  readonly next?: WatchPage
  /** It shows hardly any of them: they have moved on, or the list is not theirs. What is owed tells which. */
  readonly isSuspect: boolean
}

/** A page that confirms fewer saves no call. */
const confirmedMin = 2

/** A task can be long in them, or leave them. */
const listedStates: readonly TaskState[] = ['submitted', 'working', 'input-required', 'auth-required']

/**
 * The first page of a list, where one saves calls: of the state in which most of the tasks are that are `due`, which
 * are to be more than `room`, about now. It is for all `live` ones of that state: which page shows whom nobody knows.
 */
export const firstPageOf = ({ live, due, room }: { readonly live: readonly WatchedTask[]; readonly due: readonly WatchedTask[]; readonly room: number }): WatchPage | undefined => {
  const among = (tasks: readonly WatchedTask[], state: TaskState): readonly WatchedTask[] => tasks.filter((task) => task.state === state)
  const [state] = listedStates.toSorted((left, right) => among(due, right).length - among(due, left).length)
  return state === undefined || among(due, state).length < Math.max(confirmedMin, room + 1)
    ? undefined
    : { state, taskIds: among(live, state).map(({ taskId }) => taskId) }
}

/** Reads what came for `page`: the states of the tasks it shows, none where no list came, and the token of the next page. */
export const readPage = ({ state, taskIds, pageToken }: WatchPage, shown: ReadonlyMap<string, TaskState>, nextPageToken: string | undefined): PageReading => {
  const confirmed = taskIds.filter((taskId) => shown.get(taskId) === state)
  const changed = taskIds.filter((taskId) => shown.has(taskId) && shown.get(taskId) !== state)
  const missing = taskIds.filter((taskId) => !shown.has(taskId))
  const isWorth = confirmed.length >= confirmedMin
  const isOver = !isWorth || missing.length < confirmedMin || nextPageToken === undefined || nextPageToken === ''
  return {
    confirmed,
    owed: isOver ? [...changed, ...missing] : changed,
    ...(!isOver && { next: { state, taskIds: missing, pageToken: nextPageToken } }),
    isSuspect: pageToken === undefined && !isWorth,
  }
}
