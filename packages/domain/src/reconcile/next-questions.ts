/**
 * What an observer asks a worker next (pure): which of its tasks, over what, and when there will be more to
 * ask.
 *
 *   live      asked again a poll interval after somebody last saw it: who watches anyway saves the call. Where
 *             more are due than may be asked about at once, a list confirms what it can (`list-page.ts`), and each is
 *             asked about by itself every five minutes: lists leave artifacts out;
 *   doubtful  asked at once and over connections of its own (V6), with another task of the worker and the
 *             other binding beside it, once a doubt; then a second apart while distinct not-founds are
 *             missing (F10, F11), else at growing distances, at most a poll interval;
 *   settled   at growing distances up to a day, for a week: late truth wins (F14), and is rare.
 *
 * What this process has not asked about yet is due at once, so that a restart of ours, or of the worker,
 * re-observes every open task.
 */
import { firstPageOf, type WatchPage } from './list-page.ts'
import type { WatchedTask } from './watched-tasks.ts'

/** What a process remembers of having asked about one task. */
export interface AskedBefore {
  /** When the answer came, or was given up. */
  readonly atMs: number
  /** When a list showed it last as it was, since then. */
  readonly listedMs?: number
  /** From 0 to 1, drawn anew each time: tasks that are polled alike do not stay in step. */
  readonly spread: number
  /** The `urgentPosition` that the task had then. */
  readonly urgentPosition?: number
  /** The doubt for which another task and the other binding were asked. */
  readonly comparedAt?: number
}

export interface WatchSituation {
  readonly nowMs: number
  readonly pollMs: number
  /** Each task once. */
  readonly tasks: readonly WatchedTask[]
  /** By task ID. */
  readonly asked: ReadonlyMap<string, AskedBefore>
  /** Tasks whose updates come by themselves over a stream that is open. */
  readonly streamed: ReadonlySet<string>
  /** A task that was seen to end not long ago: good to ask about when no other one is open. */
  readonly endedTaskId?: string
  /** Over which bindings the worker can be asked, the preferred one first. */
  readonly bindings: readonly string[]
  /** Tasks that a list did not confirm: asked about by themselves, at once. */
  readonly owed: ReadonlySet<string>
  /** The worker can be asked for lists. */
  readonly isListing: boolean
  /** The page that goes on with a list; absent: there is none. */
  readonly nextPage?: WatchPage
  /** How many questions the budget leaves now. */
  readonly allowance: number
  /** The last questions were about doubts: of an odd number of calls the one that is over is for the others now. */
  readonly isOthersTurn: boolean
}

/** One `GetTask`. */
export interface WatchQuestion {
  readonly taskId: string
  readonly binding: string
  /** Over a connection that nobody used before. */
  readonly isFresh: boolean
  /** `again`: what is in doubt itself; the two others compare it with something. */
  readonly because: 'poll' | 'again' | 'other-task' | 'other-binding'
  /** The doubt is compared by what is asked beside it, and need not be again. */
  readonly isCompared?: true
}

export interface NextQuestions {
  readonly questions: readonly WatchQuestion[]
  /** Asked for beside them, one call more. */
  readonly page?: WatchPage
  /** When there will be something to ask that is not asked now; `Infinity`: not before something happens. */
  readonly nextMs: number
}

/** Not-founds closer to each other are one (F10). */
const distinctMs = 1_000
/** A task whose stream is open is polled this many intervals apart: a stream can fall silent without ending. */
const streamedFactor = 5
/** A task that lists confirm is asked about by itself so often all the same. */
const aloneMs = 300_000
const settledMsMax = 86_400_000
const settledForMsMax = 7 * 86_400_000

export const nextQuestions = (situation: WatchSituation): NextQuestions => {
  const { nowMs, allowance, isOthersTurn } = situation
  const timed = situation.tasks.map((task) => ({ task, dueMs: dueMsOf(task, situation) })).toSorted((left, right) => left.dueMs - right.dueMs)
  const due = timed.filter(({ dueMs }) => dueMs <= nowMs).map(({ task }) => task)
  const doubtful = due.filter(({ standing }) => standing === 'doubtful')
  const others = (['live', 'settled'] as const).flatMap((wanted) => due.filter(({ standing }) => standing === wanted))
  // A worker that has lost many tasks is not asked about them alone: half of the budget is for the others. Where that is used
  // up calls come one by one, and take turns.
  const half = isOthersTurn ? Math.floor(allowance / 2) : Math.ceil(allowance / 2)
  const forDoubts = Math.max(allowance - others.length, half)
  const about = takeGroups(doubtful.map((task) => questionsAbout(task, situation)), forDoubts)
  const room = Math.max(0, allowance - about.length)
  const page = room === 0 ? undefined : pageFor(others[0], room, situation)
  // The first question about a task is one of its own.
  const listed = new Set(page?.taskIds.filter((taskId) => situation.asked.has(taskId)))
  const alone = others.filter(({ taskId }) => !listed.has(taskId)).slice(0, page === undefined ? room : room - 1)
  const questions = once([...about, ...alone.map((task) => ask(task, situation, 'poll'))])
  const chosen = new Set([...questions.map(({ taskId }) => taskId), ...listed])
  return { questions, ...(page !== undefined && { page }), nextMs: timed.find(({ task }) => !chosen.has(task.taskId))?.dueMs ?? Infinity }
}

/** A list that was begun goes on; one is begun where what waits longest is something that a list may answer. */
const pageFor = (longest: WatchedTask | undefined, room: number, situation: WatchSituation): WatchPage | undefined => {
  const { nowMs, pollMs, tasks, asked, isListing, nextPage } = situation
  if (nextPage !== undefined || !isListing || longest === undefined) return nextPage
  const unseenMs = (task: WatchedTask): number => {
    const before = asked.get(task.taskId)
    return before === undefined ? Infinity : unseenMsOf(task, before, situation)
  }
  if (longest.standing !== 'live' || dueMsOf(longest, situation) < unseenMs(longest)) return undefined
  const live = tasks.filter((task) => task.standing === 'live' && !isUrgent(task, asked.get(task.taskId)))
  return firstPageOf({ live, due: live.filter((task) => unseenMs(task) <= nowMs + pollMs / 2), room })
}

const dueMsOf = (task: WatchedTask, situation: WatchSituation): number => {
  const { nowMs, pollMs, asked, owed } = situation
  const before = asked.get(task.taskId)
  if (before === undefined || owed.has(task.taskId)) return -Infinity
  const { atMs } = before
  if (isUrgent(task, before)) return nowMs
  switch (task.standing) {
    case 'live': {
      const unseenMs = unseenMsOf(task, before, situation)
      return before.listedMs === undefined ? unseenMs : Math.min(unseenMs, atMs + Math.max(pollMs, aloneMs) * spreadOf(before))
    }
    case 'doubtful':
      return atMs + (task.missing > 0 ? distinctMs : between(distinctMs, (atMs - task.sinceMs) / 2, Math.max(distinctMs, pollMs)))
    case 'settled':
      return nowMs - task.sinceMs > settledForMsMax ? Infinity : atMs + between(pollMs, (atMs - task.sinceMs) / 2, settledMsMax)
  }
}

/** By its position and not by its time: witnesses' clocks can be ahead of ours. */
const isUrgent = ({ standing, urgentPosition }: WatchedTask, before: AskedBefore | undefined): boolean =>
  standing !== 'settled' && urgentPosition !== undefined && urgentPosition !== before?.urgentPosition

/** When nobody will have seen a live task for its interval, whoever sees it and however. */
const unseenMsOf = ({ taskId, lastLifeMs }: WatchedTask, before: AskedBefore, { nowMs, pollMs, streamed }: WatchSituation): number => {
  const everyMs = streamed.has(taskId) ? pollMs * streamedFactor : pollMs
  return Math.max(before.atMs, before.listedMs ?? -Infinity, Math.min(lastLifeMs, nowMs)) + everyMs * spreadOf(before)
}

/** Give or take a tenth. */
const spreadOf = ({ spread }: AskedBefore): number => 0.9 + 0.2 * spread

const between = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value))

const ask = (task: WatchedTask, { bindings }: WatchSituation, because: 'poll' | 'again'): WatchQuestion => ({
  taskId: task.taskId,
  binding: bindingFor(task, bindings),
  isFresh: because === 'again',
  because,
})

/** That of its creation where the worker offers it: over another one a not-found is weak (F7). */
const bindingFor = ({ binding }: WatchedTask, bindings: readonly string[]): string =>
  bindings.find((offered) => offered === binding) ?? bindings[0] ?? 'JSONRPC'

/** The task itself, and, where its doubt was not compared yet, what it is compared with. */
const questionsAbout = (task: WatchedTask, situation: WatchSituation): readonly WatchQuestion[] => {
  const again = ask(task, situation, 'again')
  if (task.urgentPosition === undefined || situation.asked.get(task.taskId)?.comparedAt === task.urgentPosition) return [again]
  const other = otherTaskOf(task, situation)
  const elsewhere = situation.bindings.find((binding) => binding !== again.binding)
  return [
    { ...again, isCompared: true },
    // Over the same binding: an answer proves the route (F7), a not-found that more than one task is gone.
    ...(other === undefined ? [] : [{ ...again, taskId: other, because: 'other-task' as const }]),
    ...(elsewhere === undefined ? [] : [{ ...again, binding: elsewhere, because: 'other-binding' as const }]),
  ]
}

/** The one that was seen last: it is the likeliest to be there. */
const otherTaskOf = ({ taskId }: WatchedTask, { tasks, endedTaskId }: WatchSituation): string | undefined => {
  const [newest] = tasks.filter((other) => other.taskId !== taskId && other.standing === 'live').toSorted((left, right) => right.lastLifeMs - left.lastLifeMs)
  return newest?.taskId ?? (endedTaskId === taskId ? undefined : endedTaskId)
}

/** Whole groups while there is room; where there is room for none, the doubt alone. */
const takeGroups = (groups: readonly (readonly WatchQuestion[])[], room: number): readonly WatchQuestion[] => {
  const taken: WatchQuestion[] = []
  for (const group of groups) {
    const [first] = group
    if (taken.length + group.length <= room) taken.push(...group)
    else if (taken.length === 0 && first !== undefined && room > 0) taken.push(withoutComparison(first))
  }
  return taken
}

const withoutComparison = ({ isCompared: _isCompared, ...question }: WatchQuestion): WatchQuestion => question

/** Two doubts may be compared with one task; it is asked once. */
const once = (questions: readonly WatchQuestion[]): readonly WatchQuestion[] =>
  questions.filter(({ taskId, binding }, at) => questions.findIndex((other) => other.taskId === taskId && other.binding === binding) === at)
