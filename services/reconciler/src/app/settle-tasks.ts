/**
 * Looks at tasks again: renews their list rows, what they say about their workers, and decides what
 * is due (V5).
 *
 * A decision needs a complete prefix: the head of the ledger is read first, and only what was
 * applied up to it is decided on. It is appended against the applied position (L14), so an event
 * that came in between makes it `stale`, and that event queues the task again.
 */
import {
  decide,
  LedgerError,
  policyOf,
  taskView,
  verdictEvent,
  verdictInForce,
  workerEvidenceOf,
  type Decision,
  type TaskAnalysis,
  type WorkerKnowledge,
} from '@a2a-ledger/domain'
import { analysisOf, type Fold } from './analyse.ts'
import { compactionOf } from './compact-task.ts'
import type { FactStore, FeedReader, LedgerClient, Log, SettledTask, Snapshot, TaskRecord, Timer } from './ports.ts'

export interface SettlePorts {
  readonly feed: Pick<FeedReader, 'head'>
  readonly store: FactStore
  readonly ledger: LedgerClient
  readonly log: Log
  readonly fold: Fold
}

/** Tasks looked at in one go; their facts are in memory at once. */
const batchCountMax = 50
/** A question that could not be settled now is looked at again after this. */
const retryMs = 500

/** Looks at the next tasks that wait. False when none did. */
export async function settleNext(ports: SettlePorts): Promise<boolean> {
  const head = await ports.feed.head()
  const waiting = await ports.store.takeWork(batchCountMax, true)
  if (waiting.length === 0) return ports.store.spreadWorkerRechecks(batchCountMax * 10)
  await settle(ports, waiting, head)
  return true
}

/** Looks at everything that is queued, and decides nothing: what a rebuild does (P7). */
export async function settleQueued(ports: SettlePorts): Promise<void> {
  for (;;) {
    const waiting = await ports.store.takeWork(batchCountMax, false)
    if (waiting.length > 0) await settle(ports, waiting, Infinity)
    else if (!(await ports.store.spreadWorkerRechecks(batchCountMax * 10))) return
  }
}

/** What became of one task that was settled for a caller. */
export interface Settled {
  readonly analysis: TaskAnalysis
  readonly appliedPosition: number
  /** Where its verdict was recorded just now. */
  readonly verdictPosition: number | undefined
}

/**
 * Looks at these tasks at once. Decides only what rests on a prefix that is complete up to `head`.
 */
export async function settle(
  ports: SettlePorts,
  correlationIds: readonly string[],
  head: number,
): Promise<ReadonlyMap<string, Settled>> {
  const { store } = ports
  const snapshot = await store.tasks(correlationIds)
  const isComplete = snapshot.appliedPosition >= head
  const found: Looked[] = []
  const merged: string[] = []
  const broken: string[] = []
  for (const [correlationId, lookup] of snapshot.content) {
    if (lookup.outcome === 'merged') merged.push(correlationId)
    if (lookup.outcome !== 'found') continue
    const looked = await lookAt(ports, lookup.record, snapshot, isComplete)
    if (looked === undefined) broken.push(correlationId)
    else found.push(looked)
  }
  await store.dropMerged(merged)
  await store.setAside(broken, snapshot.appliedPosition)
  await store.saveSettled(found.map(({ settled }) => settled))
  for (const { record } of found) {
    const compaction = compactionOf(record)
    if (compaction !== undefined) await store.compact(compaction)
  }
  const settled = await Promise.all(
    found.map(async ({ analysis, decision }) => {
      const verdictPosition = decision && (await appendVerdict(ports, analysis, decision, snapshot.appliedPosition))
      return [analysis.correlationId, { analysis, appliedPosition: snapshot.appliedPosition, verdictPosition }] as const
    }),
  )
  return new Map(settled)
}

interface Looked {
  readonly record: TaskRecord
  readonly analysis: TaskAnalysis
  readonly decision: Decision | undefined
  readonly settled: SettledTask
}

/** `undefined`: our own fault. One such task must not keep the others from being looked at (L6). */
async function lookAt(
  { store, fold, log }: SettlePorts,
  record: TaskRecord,
  snapshot: Snapshot<unknown>,
  isComplete: boolean,
): Promise<Looked | undefined> {
  try {
    const analysis = analysisOf(record, snapshot.asOfMs, fold)
    const decision = isComplete ? await decisionOf(store, analysis) : undefined
    return { record, analysis, decision, settled: settledOf(snapshot, record, analysis, isComplete, decision) }
  } catch (error) {
    if (error instanceof LedgerError && error.kind === 'unavailable') throw error
    log.error({ correlationId: record.correlationId, error: String(error) }, 'a task cannot be derived: it is set aside')
    return undefined
  }
}

/** What is to be decided now; the candidates are looked up only when something may be. */
async function decisionOf(store: FactStore, analysis: TaskAnalysis): Promise<Decision | undefined> {
  const { question } = analysis
  if (question === undefined || question.dueMs > analysis.asOfMs) return undefined
  const verdict = verdictInForce(analysis)
  if (verdict !== undefined && verdict.verdict !== 'unreconcilable') return undefined
  return decide(analysis, await candidatesFor(store, analysis))
}

/** V7: the mesh of the asking worker, and the substitutes it declares. */
export async function candidatesFor(store: FactStore, analysis: TaskAnalysis): Promise<readonly WorkerKnowledge[]> {
  const asking = analysis.question?.workerId ?? analysis.dispatches.at(-1)?.workerId
  if (asking === undefined) return []
  const { mesh, substitutes } = policyOf(analysis.workers.get(asking))
  return store.candidates(mesh, [asking, ...substitutes])
}

async function appendVerdict(
  { ledger, log }: SettlePorts,
  analysis: TaskAnalysis,
  decision: Decision,
  appliedPosition: number,
): Promise<number | undefined> {
  const { correlationId } = analysis
  try {
    const outcome = await ledger.append(verdictEvent(decision, correlationId), appliedPosition)
    if (outcome.outcome === 'recorded' || outcome.outcome === 'duplicate') return outcome.position
    if (outcome.outcome !== 'stale') log.error({ correlationId, outcome }, 'the ledger does not take a verdict')
  } catch (error) {
    log.warn({ correlationId, error: String(error) }, 'a verdict could not be recorded now')
  }
  return undefined
}

function settledOf(
  { asOfMs, appliedPosition }: Snapshot<unknown>,
  record: TaskRecord,
  analysis: TaskAnalysis,
  isComplete: boolean,
  decision: Decision | undefined,
): SettledTask {
  const { question } = analysis
  const verdictKind = verdictInForce(analysis)?.verdict
  const isAsked = question !== undefined && verdictKind === undefined
  const isDue = isAsked && question.dueMs <= asOfMs
  const { verdict } = taskView(analysis, new Map())
  const evidence = workerEvidenceOf(analysis)
  return {
    row: {
      correlationId: analysis.correlationId,
      firstPosition: record.firstPosition,
      state: analysis.state,
      ...(analysis.lastObserved !== undefined && { lastObserved: analysis.lastObserved }),
      isTerminal: analysis.terminal,
      ...(verdict !== undefined && { verdict }),
      updatedPosition: analysis.lastPosition,
    },
    settledPosition: appliedPosition,
    // A verdict that is on its way comes back through the feed; what could not be decided on an
    // incomplete prefix, or not be recorded, is tried again.
    dueAtMs: !isAsked ? undefined : !isDue ? question.dueMs : isComplete && decision === undefined ? undefined : asOfMs + retryMs,
    awaitsCandidate: isAsked || verdictKind === 'unreconcilable',
    latestMs: analysis.facts.reduce((latest, { atMs }) => Math.max(latest, atMs), 0),
    isIncomplete: analysis.incomplete.length > 0,
    participants: participantsOf(analysis),
    evidence,
    reachableAgain: reachableAgainIn(evidence, record),
  }
}

/** A worker whose last sign was a failed connection has answered this task since. */
const reachableAgainIn = (evidence: SettledTask['evidence'], { workers }: TaskRecord): readonly string[] =>
  evidence.flatMap((entry) => {
    if (entry.kind !== 'reach' || entry.reached !== 'answered') return []
    const { lastAnsweredMs = -Infinity, lastUnreachableMs } = workers.get(entry.workerId) ?? {}
    const wasUnreachable = lastUnreachableMs !== undefined && lastUnreachableMs > lastAnsweredMs
    return wasUnreachable && entry.atMs > lastUnreachableMs ? [entry.workerId] : []
  })

function participantsOf(analysis: TaskAnalysis): SettledTask['participants'] {
  const attempts = analysis.attempts.map(({ workerId, taskId, life, notFounds }) => ({
    workerId,
    taskId,
    isOpen: life !== 'ended',
    awaitsAnswer: notFounds.some(({ evidence, isRoute }) => evidence === 'weak' && isRoute),
  }))
  const withTask = new Set(attempts.map(({ workerId }) => workerId))
  const without = new Set(analysis.facts.flatMap(({ workerId }) => (workerId === undefined || withTask.has(workerId) ? [] : [workerId])))
  return [...attempts, ...[...without].map((workerId) => ({ workerId, isOpen: !analysis.terminal, awaitsAnswer: false }))]
}

export interface Settler {
  /** There may be work: something was applied. */
  readonly wake: () => void
  readonly stop: () => Promise<void>
}

/**
 * Looks at what waits or falls due, one go after the other, while `isActive`: where this process
 * applies the feed, and has caught up so far that looking is not in the way of applying.
 */
export function keepSettling(ports: SettlePorts, timer: Timer, isActive: () => boolean): Settler {
  let isStopping = false
  let isWoken = false
  let resolveWake: () => void = () => undefined

  const pause = async (): Promise<void> => {
    if (isWoken || isStopping) return
    const woken = new Promise<void>((resolve) => (resolveWake = resolve))
    const next = isActive() ? await ports.store.nextDueMs() : undefined
    if (isWoken || isStopping) return
    await Promise.race([woken, timer.after(Math.min(1_000, Math.max(10, next?.inMs ?? 1_000)))])
  }

  const run = async (): Promise<void> => {
    while (!isStopping) {
      isWoken = false
      try {
        if (isActive() && (await settleNext(ports))) continue
        await pause()
      } catch (error) {
        ports.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'tasks cannot be settled now')
        await timer.after(retryMs)
      }
    }
  }

  const running = run()
  const wake = (): void => {
    isWoken = true
    resolveWake()
  }
  return {
    wake,
    stop: async () => {
      isStopping = true
      wake()
      await running
    },
  }
}
