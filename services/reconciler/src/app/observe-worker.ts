/**
 * Observes one worker: asks it about its open tasks, and records what it answers (what is asked when is in
 * the domain, `next-questions.ts`).
 *
 *   answering: a few calls at once, and so many a minute. Leaves to silent when none of those that were made
 *              together was answered;
 *   silent:    a few questions after each pause; pauses grow. Leaves to answering with an answer, and then
 *              every open task is asked about again, since the worker may have started anew.
 *
 * What it knows is gone with its process, and whoever observes the worker next asks about every open task.
 * While the ledger does not take what was answered nothing more is asked.
 */
import { enrolledSettingsOf, isTerminal, nextQuestions, readPage, type AskedBefore, type WatchedTask, type WatchPage, type WatchQuestion } from '@a2a-ledger/domain'
import { callsAtOnceMax, createCallBudget } from './call-budget.ts'
import { createTaskStreams } from './follow-streams.ts'
import { createOpenTasks, type OpenTaskPorts } from './open-tasks.ts'
import type { FactStore, FeedReader, Observed, SilentSend, WitnessedEvent, WorkerLine, WorkerLines } from './ports.ts'
import { recordAnswers, type RecordPorts } from './record-answers.ts'
import { createToldBefore } from './told-before.ts'

export interface ObservePorts extends OpenTaskPorts, RecordPorts {
  readonly store: OpenTaskPorts['store'] & Pick<FactStore, 'silentSends' | 'worker' | 'secretHeaders'>
  readonly feed: Pick<FeedReader, 'at'>
  readonly lines: WorkerLines
  /** This machine's clock, which what is seen is stamped with. */
  readonly nowMs: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly callsPerMinuteMax: number
  /** Told of every call. */
  readonly onCall: (outcome: Observed['outcome']) => void
}

export interface WorkerObservation {
  /** The worker does not answer at present. */
  readonly isSilent: () => boolean
  readonly streamCount: () => number
  /**
   * Asks what is due, and answers in how many milliseconds there may be more.
   *
   * `enrolledPosition`: of the enrolment that counts.
   * Errors: throws `store_unavailable`; `ledger_unavailable` when it is stopped meanwhile.
   */
  readonly round: (enrolledPosition: number, stopping: AbortSignal) => Promise<number>
  readonly close: () => Promise<void>
}

const pollMsDefault = 30_000
/** How often its tasks are looked at, in the views and not at the worker. */
const lookMsMax = 1_000
/** Its card is read when it is asked for the first time, after it was silent, and then this often. */
const cardMsMax = 3_600_000
/** How to speak to a worker may stand in a card that is not there yet. */
const missingCardMs = 60_000
/** While it is silent no more than these are asked together. */
const trialMax = 3
/** A worker may ask to be left alone, but not for good. */
const retryAfterMsMax = 600_000
/** An address that must not be called may be another one by then, or be allowed. */
const notCalledMs = 300_000
/** A send that got no answer is asked about for so long. */
const silentForMsMax = 600_000
const silentSendsMax = 100
/** It was sent at most so long before anybody gave it up. */
const sentBeforeMsMax = 900_000
/** No task has these ids. */
const listKey = ''
const pageKey = ' '
/** A worker whose lists do not show the tasks that are there, or do not come, is not asked for them so long. */
const noListsMs = 3_600_000
/** In the first while of a doubt every answer is recorded. */
const youngDoubtMs = 60_000

interface Enrolled {
  readonly position: number
  readonly pollMs: number
  readonly isSubscribing: boolean
  readonly line: WorkerLine
}

export function observeWorker(ports: ObservePorts, workerId: string): WorkerObservation {
  const { store, timer, log, nowMs } = ports
  const budget = createCallBudget(ports.callsPerMinuteMax, timer)
  const openTasks = createOpenTasks(ports, workerId)
  const told = createToldBefore()
  const asked = new Map<string, AskedBefore>()
  let enrolled: Enrolled | undefined
  /** The enrolment that names no address was told of. */
  let addresslessAt: number | undefined
  let cardReadAtMs = -Infinity
  let endedTaskId: string | undefined
  let nextPauseMs: (() => number) | undefined
  let pausedUntilMs = -Infinity
  /** Tasks that a list did not confirm, also where it said that they have ended: it leaves out what came of them. */
  const owed = new Map<string, WatchedTask>()
  let nextPage: WatchPage | undefined
  let isOthersTurn = false
  /** The last list showed hardly any of the tasks that it was for. */
  let isListSuspect = false
  let pagesAgainMs = -Infinity
  let listed: { readonly atMs: number; readonly for: ReadonlySet<string> } = { atMs: -Infinity, for: new Set() }

  /** Nothing that was heard of the worker counts any more. */
  const startAnew = (): void => {
    asked.clear()
    owed.clear()
    nextPage = undefined
    isListSuspect = false
    pagesAgainMs = -Infinity
    listed = { atMs: -Infinity, for: new Set() }
    cardReadAtMs = -Infinity
    nextPauseMs = undefined
    pausedUntilMs = -Infinity
  }

  const askNoLists = (): void => {
    isListSuspect = false
    pagesAgainMs = timer.elapsedMs() + noListsMs
  }

  const hangUp = async (): Promise<void> => {
    await streams.stop()
    await enrolled?.line.close()
    enrolled = undefined
  }

  const enrolledAt = async (position: number): Promise<Enrolled | undefined> => {
    if (enrolled?.position === position) return enrolled
    await hangUp()
    const worker = (await store.worker(workerId)).content
    const settings = worker && enrolledSettingsOf({ workerId, facts: worker.facts, losses: [] })
    if (worker === undefined || settings?.observe?.enabled !== true) return undefined
    if (settings.interface === undefined) {
      if (addresslessAt !== position) log.warn({ workerId }, 'a worker is not observed: no address of it is enrolled')
      addresslessAt = position
      return undefined
    }
    const card = worker.facts.findLast((fact) => fact.kind === 'card' && fact.isValid)
    const [event] = card === undefined ? [] : await ports.feed.at([card.position])
    startAnew()
    const line = ports.lines.open({ workerId, address: settings.interface, headers: () => store.secretHeaders(workerId), card: event?.data })
    const { pollMs = pollMsDefault, subscribe: isSubscribing = false } = settings.observe
    enrolled = { position, pollMs, isSubscribing, line }
    return enrolled
  }

  const record = (events: readonly WitnessedEvent[], stopping: AbortSignal): Promise<void> => recordAnswers(ports, workerId, events, stopping)
  const streams = createTaskStreams({
    timer,
    backOff: ports.backOff,
    record,
    onEnd: (taskId) => {
      asked.delete(taskId)
      told.forget(taskId)
    },
    onFailure: (error) => log.warn({ workerId, error: error instanceof Error ? error.message : String(error) }, 'the stream of a task cannot be followed now'),
  })

  const readCard = async ({ line }: Enrolled, stopping: AbortSignal): Promise<void> => {
    cardReadAtMs = timer.elapsedMs()
    budget.spend(1)
    const events = await line.readCard(stopping)
    if (stopping.aborted) return
    if (events === undefined) cardReadAtMs -= cardMsMax - missingCardMs
    else await record(events, stopping)
  }

  const ask = async (line: WorkerLine, question: WatchQuestion, task: WatchedTask | undefined, stopping: AbortSignal): Promise<Observed | undefined> => {
    const { taskId } = question
    const observed = await line.getTask(question, stopping)
    if (stopping.aborted) return undefined // it was we who ended it
    ports.onCall(observed.outcome)
    const atMs = nowMs()
    if (isListSuspect && observed.state !== undefined && owed.get(taskId)?.state === observed.state) askNoLists()
    owed.delete(taskId)
    const isDoubtful = task !== undefined && task.standing !== 'live'
    const isNews = isDoubtful && (task.missing > 0 || atMs - task.sinceMs < youngDoubtMs)
    await record(told.worthTelling(taskId, observed, isNews, atMs), stopping)
    if (isTerminal(observed.state)) endedTaskId = taskId
    const urgentPosition = task?.urgentPosition
    const comparedAt = question.isCompared === true ? urgentPosition : asked.get(taskId)?.comparedAt
    asked.set(taskId, {
      atMs,
      spread: ports.random(),
      ...(urgentPosition !== undefined && { urgentPosition }),
      ...(comparedAt !== undefined && { comparedAt }),
    })
    return observed
  }

  /** One page in place of many questions: what it says of the tasks that it was asked for is told, each by itself. */
  const askPage = async (line: WorkerLine, page: WatchPage, tasks: ReadonlyMap<string, WatchedTask>, stopping: AbortSignal): Promise<Observed | undefined> => {
    const observed = await line.listPage(page, stopping)
    if (stopping.aborted) return undefined
    ports.onCall(observed.outcome)
    const atMs = nowMs()
    const shown = page.taskIds.flatMap((taskId) => {
      const one = observed.listed.get(taskId)
      return one === undefined ? [] : [{ taskId, ...one }]
    })
    const news = observed.listed.size === 0 ? told.worthTelling(pageKey, observed, false, atMs) : shown.flatMap(({ taskId, ...one }) => told.worthTelling(taskId, one, false, atMs))
    await record(news, stopping)
    const reading = readPage(page, new Map(shown.map(({ taskId, state }) => [taskId, state])), observed.nextPageToken)
    for (const taskId of reading.confirmed) {
      const before = asked.get(taskId)
      if (before !== undefined) asked.set(taskId, { ...before, listedMs: atMs, spread: ports.random() })
    }
    for (const taskId of reading.owed) {
      const task = tasks.get(taskId)
      if (task !== undefined) owed.set(taskId, task)
    }
    nextPage = reading.next
    isListSuspect = reading.isSuspect
    if (observed.outcome === 'unanswered') askNoLists()
    // Whether the worker is there the questions will show that are owed now.
    return observed.outcome === 'unanswered' ? undefined : observed
  }

  /** What became of a send that got no answer a worker may tell that shows the tasks it began since. */
  const list = async (line: WorkerLine, sends: readonly SilentSend[], stopping: AbortSignal): Promise<Observed | undefined> => {
    const observed = await line.listTasks(Math.min(...sends.map(({ heardMs }) => heardMs)) - sentBeforeMsMax, stopping)
    if (stopping.aborted) return undefined
    ports.onCall(observed.outcome)
    const atMs = nowMs()
    listed = { atMs, for: new Set(sends.map(({ correlationId }) => correlationId)) }
    await record(told.worthTelling(listKey, observed, false, atMs), stopping)
    return observed
  }

  /** At once for a send that it was not done for, then at growing distances. */
  const isListingDue = (sends: readonly SilentSend[], pollMs: number): boolean => {
    if (sends.length === 0) return false
    const { atMs, for: done } = listed
    const silentMs = atMs - Math.max(...sends.map(({ heardMs }) => heardMs))
    return sends.some(({ correlationId }) => !done.has(correlationId)) || nowMs() - atMs >= Math.max(pollMs, silentMs / 2)
  }

  /** Who answers nobody is left alone for a while, and who answers again is asked about everything. */
  const judge = (observed: readonly Observed[]): void => {
    const refusal = observed.find(({ outcome }) => outcome === 'not-called')
    if (refusal !== undefined) {
      pausedUntilMs = timer.elapsedMs() + notCalledMs
      log.warn({ workerId, detail: refusal.detail }, 'a worker is not observed: its address must not be called')
      return
    }
    const wishedMs = Math.min(retryAfterMsMax, Math.max(0, ...observed.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])))
    if (observed.some(({ outcome }) => outcome === 'answered')) {
      if (nextPauseMs !== undefined) startAnew()
      if (wishedMs > 0) pausedUntilMs = timer.elapsedMs() + wishedMs
    } else if (observed.length > 0) {
      nextPauseMs ??= ports.backOff()
      pausedUntilMs = timer.elapsedMs() + Math.max(wishedMs, nextPauseMs())
    }
  }

  return {
    isSilent: () => nextPauseMs !== undefined,
    streamCount: () => streams.streamed().size,
    close: hangUp,
    round: async (enrolledPosition, stopping) => {
      const settings = await enrolledAt(enrolledPosition)
      if (settings === undefined) return lookMsMax
      const { line, pollMs } = settings
      const lookMs = Math.min(lookMsMax, pollMs)
      const pauseMs = pausedUntilMs - timer.elapsedMs()
      if (pauseMs > 0) return Math.min(lookMs, pauseMs)
      const open = await openTasks(nowMs())
      const byId = new Map([...owed, ...open.map((task) => [task.taskId, task] as const)])
      const tasks = [...byId.values()]
      const known = new Set([...byId.keys(), ...(endedTaskId === undefined ? [] : [endedTaskId])])
      for (const taskId of asked.keys()) if (!known.has(taskId)) asked.delete(taskId)
      told.keepOnly(known.add(listKey).add(pageKey))
      const sends = await store.silentSends(workerId, nowMs() - silentForMsMax, silentSendsMax)
      const allowance = Math.min(budget.left(), nextPauseMs === undefined ? callsAtOnceMax : trialMax)
      if (allowance === 0) return budget.nextInMs()
      const isListed = line.canList() && nextPauseMs === undefined && timer.elapsedMs() >= pagesAgainMs
      const situation = {
        nowMs: nowMs(), pollMs, tasks, asked, streamed: streams.streamed(), owed: new Set(owed.keys()), isListing: isListed, allowance, isOthersTurn,
        ...(nextPage !== undefined && { nextPage }),
        ...(endedTaskId !== undefined && { endedTaskId }),
      }
      const isCardOld = timer.elapsedMs() - cardReadAtMs > cardMsMax
      if (isCardOld && (isListingDue(sends, pollMs) || nextQuestions({ ...situation, bindings: [] }).questions.length > 0)) {
        await readCard(settings, stopping)
        return 0
      }
      const isListing = line.canList() && isListingDue(sends, pollMs)
      const { questions, page, nextMs } = nextQuestions({ ...situation, allowance: isListing ? allowance - 1 : allowance, bindings: line.bindings() })
      isOthersTurn = questions.some(({ because }) => because !== 'poll')
      budget.spend(questions.length + (page === undefined ? 0 : 1) + (isListing ? 1 : 0))
      const observed = await Promise.all([
        ...questions.map((question) => ask(line, question, byId.get(question.taskId), stopping)),
        ...(page === undefined ? [] : [askPage(line, page, byId, stopping)]),
        ...(isListing ? [list(line, sends, stopping)] : []),
      ])
      judge(observed.flatMap((each) => each ?? []))
      if (settings.isSubscribing && line.isStreaming() && nextPauseMs === undefined) budget.spend(streams.follow(line, open, budget.left()))
      const moreMs = nextPage === undefined && owed.size === 0 ? nextMs - nowMs() : 0
      return Math.min(lookMs, Math.max(0, moreMs, pausedUntilMs - timer.elapsedMs()))
    },
  }
}
