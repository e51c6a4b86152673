/**
 * Looks at tasks again: renews their list rows, what they say about their workers, and decides what
 * is due (V5).
 *
 * A decision needs a complete prefix: the head of the ledger is read first, and only what was
 * applied up to it is decided on. It is appended against the applied position (L14), so an event
 * that came in between makes it `stale`, and that event queues the task again.
 */
import {
  actorIn,
  decide,
  isLeftToLedger,
  LedgerError,
  linkMarksOf,
  loserOf,
  meshOf,
  modeOf,
  nextAct,
  nextCancel,
  nextPushLossMs,
  passes,
  policyOf,
  unsentAnswersOf,
  verdictEvent,
  verdictInForce,
  verdictViewOf,
  wasNotCalled,
  workerEvidenceOf,
  type Barred,
  type Decision,
  type NextAct,
  type TaskAnalysis,
} from '@a2a-ledger/domain'
import { analysisOf, type Fold } from './analyse.ts'
import type { Applied } from './applied.ts'
import { compactionOf } from './compact-task.ts'
import { wayTo, type MessageSender } from './execute-redispatch.ts'
import type { Actor } from './keep-acting.ts'
import { keepGoing, type Going } from './keep-going.ts'
import { isInShare } from './partition-store.ts'
import type { Candidates, FactStore, FeedReader, LedgerClient, Log, SettledTask, Snapshot, TaskRecord, Timer, WorkShare } from './ports.ts'

export interface SettlePorts {
  readonly feed: Pick<FeedReader, 'head' | 'at'>
  readonly store: FactStore
  readonly ledger: LedgerClient
  readonly log: Log
  readonly fold: Fold
  /** Knows whom the ledger may call, where it is the one to send; absent: nobody is asked about. */
  readonly sender?: Pick<MessageSender, 'refusal'>
  /** Takes what the ledger itself is to send; absent: it sends nothing. */
  readonly actor?: Pick<Actor, 'offer'>
  /** Which tasks this process looks at and decides on by itself; absent: all. */
  readonly share?: () => WorkShare
}

/** Tasks looked at in one go; their facts are in memory at once. */
const batchCountMax = 50
/** While events keep coming, the prefix is complete up to a head that was read a moment ago. */
const completeWaitMs = 250
/** A question that could not be settled now is looked at again after this. */
const retryMs = 500
/** So is a re-dispatch that is being made, one that is held for a moment, and one that is held for good. */
const actRetryMs = 5_000
const heldRetryMs = 1_000
const heldForGoodRetryMs = 60_000
/** Where nothing is due sooner or later, tasks are looked for again after this. */
const restMsMin = 10
const restMsMax = 1_000

/** Looks at the next tasks that wait. False when none did. */
export async function settleNext(ports: SettlePorts, applied: Applied): Promise<boolean> {
  const head = await ports.feed.head()
  await applied.reaches(head, completeWaitMs) // else nothing is decided this time
  const waiting = await ports.store.takeWork(batchCountMax, true, ports.share?.())
  if (waiting.length === 0) return ports.store.spreadWorkerRechecks(batchCountMax)
  // A process that was stopped meanwhile may find that these are another one's by now.
  const isOurs = (correlationId: string): boolean => {
    const share = ports.share?.()
    return share === undefined || isInShare(share, correlationId, ports.fold.codec)
  }
  await settle(ports, waiting, head, isOurs)
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
 * Looks at these tasks at once. Decides only what rests on a prefix that is complete up to `head`,
 * and what `isOurs` at the moment when the verdict is sent.
 */
export async function settle(
  ports: SettlePorts,
  correlationIds: readonly string[],
  head: number,
  isOurs: (correlationId: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Settled>> {
  const { store } = ports
  const snapshot = await store.tasks(correlationIds)
  const found: Looked[] = []
  const gone: string[] = []
  const broken: string[] = []
  for (const [correlationId, lookup] of snapshot.content) {
    if (lookup.outcome !== 'found') {
      gone.push(correlationId)
      continue
    }
    const looked = await orSetAside(ports, broken, correlationId, async () => lookAt(ports, lookup.record, snapshot))
    if (looked !== undefined) found.push(looked)
  }
  await store.dropTasks(gone, snapshot.appliedPosition)
  await suggestLinks(ports, found)
  const acts = await actsOf(ports, found)
  const losing = await losingOf(ports, found)
  await store.saveSettled(
    found.map(({ settled, analysis }) => withCancel(withAct(settled, analysis, acts.get(analysis.correlationId)), analysis, losing)),
  )
  for (const { record } of found) {
    // What is behind the applied position may still get a neighbour before it.
    const compaction = record.lastPosition <= snapshot.appliedPosition ? compactionOf(record) : undefined
    if (compaction !== undefined) await store.compact(compaction)
  }
  // Only now: what each of these tasks says about its workers may decide another one (V7).
  const isComplete = snapshot.appliedPosition >= head
  const candidates = onceEach(store.candidates)
  const barOf = barsFor(ports)
  const settled = await Promise.all(
    found.map(async ({ analysis }) => {
      const { correlationId } = analysis
      const decision = isComplete ? await orSetAside(ports, broken, correlationId, () => decisionOf(ports, { candidates, barOf }, analysis)) : undefined
      const verdictPosition = decision && (await appendVerdict(ports, analysis, decision, snapshot.appliedPosition, isOurs))
      return [correlationId, { analysis, appliedPosition: snapshot.appliedPosition, verdictPosition }] as const
    }),
  )
  await store.setAside(broken, snapshot.appliedPosition)
  for (const { analysis } of isComplete ? found : []) {
    const { correlationId } = analysis
    const mesh = acts.get(correlationId)?.act === 'send' ? meshOf(analysis) : losing.get(correlationId)
    if (mesh !== undefined) ports.actor?.offer(correlationId, mesh)
  }
  return new Map(settled)
}

/** What these tasks bear is saved before others are compared with it: so two that meet find each other. */
async function suggestLinks({ store }: SettlePorts, found: readonly Looked[]): Promise<void> {
  const contents = await store.answeredContents(found.flatMap(({ analysis }) => unsentAnswersOf(analysis)))
  const marks = new Map(found.map(({ analysis }) => [analysis.correlationId, linkMarksOf(analysis, contents)]))
  await store.saveMarks(marks)
  await store.suggest([...marks].flatMap(([correlationId, own]) => (own.length === 0 ? [] : [correlationId])))
}

/** What the ledger itself has to do about each of these tasks (V8); most are left to their callers. */
async function actsOf({ store }: SettlePorts, found: readonly Looked[]): Promise<ReadonlyMap<string, NextAct>> {
  const left = found.filter(({ analysis }) => isLeftToLedger(analysis))
  const meshes = [...new Set(left.map(({ analysis }) => meshOf(analysis)))]
  const loads = new Map(await Promise.all(meshes.map(async (mesh) => [mesh, await store.meshLoad(mesh)] as const)))
  return new Map(
    left.flatMap(({ analysis }) => {
      const load = loads.get(meshOf(analysis))
      return load === undefined ? [] : [[analysis.correlationId, nextAct(analysis, load)] as const]
    }),
  )
}

/** Which of these tasks have an attempt that lost and is to be canceled, and the mesh that says so; it is rare. */
async function losingOf({ store }: SettlePorts, found: readonly Looked[]): Promise<ReadonlyMap<string, string>> {
  const losing = await Promise.all(
    found.map(async ({ analysis }) => {
      const mesh = loserOf(analysis)?.mesh
      if (mesh === undefined || nextCancel(analysis, (await store.mesh(mesh))?.policy) === undefined) return []
      return [[analysis.correlationId, mesh] as const]
    }),
  )
  return new Map(losing.flat())
}

/** What could not be canceled now is tried again. */
const withCancel = (settled: SettledTask, { correlationId, asOfMs }: TaskAnalysis, losing: ReadonlyMap<string, string>): SettledTask =>
  losing.has(correlationId) ? { ...settled, dueAtMs: Math.min(settled.dueAtMs ?? Infinity, asOfMs + actRetryMs) } : settled

/** It is due again when there is something to send, when what holds it may have passed, and when an intent lapses. */
function withAct(settled: SettledTask, analysis: TaskAnalysis, act: NextAct | undefined): SettledTask {
  if (act === undefined) return settled
  const { asOfMs, intents } = analysis
  const waitingSinceMs = act.act === 'nothing' ? undefined : verdictInForce(analysis)?.recordedAtMs
  const lapses = intents.flatMap(({ outcome, untilMs }) => (outcome === 'open' && untilMs > asOfMs ? [untilMs] : []))
  const afterMs = act.act === 'send' ? actRetryMs : act.act === 'nothing' ? Infinity : passes(act.because) ? heldRetryMs : heldForGoodRetryMs
  const dueAtMs = Math.min(settled.dueAtMs ?? Infinity, asOfMs + afterMs, ...lapses)
  return { ...settled, dueAtMs: Number.isFinite(dueAtMs) ? dueAtMs : undefined, ...(waitingSinceMs !== undefined && { waitingSinceMs }) }
}

interface Looked {
  readonly record: TaskRecord
  readonly analysis: TaskAnalysis
  readonly settled: SettledTask
}

function lookAt({ fold }: SettlePorts, record: TaskRecord, snapshot: Snapshot<unknown>): Looked {
  const analysis = analysisOf(record, snapshot.asOfMs, fold)
  return { record, analysis, settled: settledOf(snapshot, record, analysis) }
}

/** A task that makes `work` throw is our own fault, and must not keep the others from being looked at (L6). */
async function orSetAside<Result>(
  { log }: SettlePorts,
  broken: string[],
  correlationId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LedgerError && error.kind === 'unavailable') throw error
    log.error({ correlationId, error: String(error) }, 'a task cannot be settled: it is set aside')
    broken.push(correlationId)
    return undefined
  }
}

/** What is to be decided now; the candidates are looked up only when something may be. */
async function decisionOf(
  { store }: SettlePorts,
  { candidates, barOf }: { readonly candidates: FactStore['candidates']; readonly barOf: BarOf | undefined },
  analysis: TaskAnalysis,
): Promise<Decision | undefined> {
  const { question } = analysis
  if (question === undefined || question.dueMs > analysis.asOfMs) return undefined
  const verdict = verdictInForce(analysis)
  const isSentOn = verdict !== undefined && verdict.verdict !== 'unreconcilable'
  if (isSentOn && !isLeftToLedger(analysis)) return undefined
  // Callers have ways of their own.
  const isSending = actorIn(modeOf(analysis, (await store.mesh(meshOf(analysis)))?.policy)) !== 'caller'
  const barred = new Map<string, Barred>()
  /** True when it turns out only now that the ledger cannot call that one. */
  const isFoundBarred = async (workerId: string | undefined): Promise<boolean> => {
    if (!isSending || barOf === undefined || workerId === undefined || barred.has(workerId)) return false
    const bar = wasNotCalled(analysis, workerId) ? 'not_called' : await barOf(workerId)
    if (bar !== undefined) barred.set(workerId, bar)
    return bar !== undefined
  }
  if (isSentOn && !(await isFoundBarred(verdict.targetWorkerId))) return undefined
  const { workers, beyondCount } = await candidatesFor(candidates, analysis)
  for (;;) {
    const decision = decide(analysis, workers, beyondCount, barred)
    if (decision?.kind !== 'redispatch' || !(await isFoundBarred(decision.workerId))) return decision
  }
}

type BarOf = (workerId: string) => Promise<Barred | undefined>

/** Why the ledger cannot call a worker now. Many tasks of one go may be for the same ones; each is looked up once. */
function barsFor({ feed, store, sender }: SettlePorts): BarOf | undefined {
  if (sender === undefined) return undefined
  const lookUp: BarOf = async (workerId) => {
    const way = await wayTo({ feed, store, sender }, workerId)
    return way.outcome === 'ok' ? undefined : way.because === 'no-address' ? 'no_address' : 'not_called'
  }
  const asked = new Map<string, ReturnType<BarOf>>()
  return (workerId) => {
    const known = asked.get(workerId) ?? lookUp(workerId)
    asked.set(workerId, known)
    return known
  }
}

/** V7: the mesh of the asking worker, and the substitutes it declares. */
export async function candidatesFor(
  candidates: FactStore['candidates'],
  analysis: TaskAnalysis,
): Promise<Candidates> {
  const asking = analysis.question?.workerId ?? analysis.dispatches.at(-1)?.workerId
  if (asking === undefined) return { workers: [], beyondCount: 0 }
  const { mesh, substitutes } = policyOf(analysis.workers.get(asking))
  return candidates(mesh, [asking, ...substitutes])
}

/** Many tasks of one go ask for the same workers; they are looked up once. */
function onceEach(candidates: FactStore['candidates']): FactStore['candidates'] {
  const asked = new Map<string, ReturnType<FactStore['candidates']>>()
  return (mesh, workerIds) => {
    const key = JSON.stringify([mesh, ...workerIds])
    const known = asked.get(key) ?? candidates(mesh, workerIds)
    asked.set(key, known)
    return known
  }
}

async function appendVerdict(
  { ledger, store, log }: SettlePorts,
  analysis: TaskAnalysis,
  decision: Decision,
  appliedPosition: number,
  isOurs: (correlationId: string) => boolean,
): Promise<number | undefined> {
  const { correlationId } = analysis
  const mesh = meshOf(analysis)
  try {
    const actor = decision.kind === 'redispatch' ? actorIn(modeOf(analysis, (await store.mesh(mesh))?.policy)) : 'caller'
    const event = verdictEvent(decision, correlationId, { actor, mesh })
    const outcome = await ledger.append(event, appliedPosition, () => isOurs(correlationId))
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
): SettledTask {
  const { question } = analysis
  const verdictKind = verdictInForce(analysis)?.verdict
  const isAsked = question !== undefined && verdictKind === undefined
  const verdict = verdictViewOf(analysis)
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
    dueAtMs: earlierOf(!isAsked ? undefined : question.dueMs > asOfMs ? question.dueMs : asOfMs + retryMs, nextPushLossMs(analysis)),
    awaitsCandidate: isAsked || verdictKind === 'unreconcilable',
    latestMs: analysis.facts.reduce((latest, { atMs }) => Math.max(latest, atMs), 0),
    isIncomplete: analysis.incomplete.length > 0,
    ...openIntentsOf(analysis),
    participants: participantsOf(analysis),
    evidence,
    reachableAgain: reachableAgainIn(evidence, record),
  }
}

const openIntentsOf = ({ intents }: TaskAnalysis): Pick<SettledTask, 'openIntentCount' | 'openIntentSinceMs'> => {
  const open = intents.filter(({ outcome }) => outcome === 'open')
  const [first] = open // in order of recording
  return { openIntentCount: open.length, ...(first !== undefined && { openIntentSinceMs: first.recordedAtMs }) }
}

const earlierOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

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

/**
 * Looks at what waits or falls due, one go after the other, while `isActive`: where this process
 * applies the feed, and has caught up so far that looking is not in the way of applying.
 */
export function keepSettling(ports: SettlePorts, applied: Applied, timer: Timer, isActive: () => boolean): Going {
  const turn = async (): Promise<number> => {
    if (!isActive()) return restMsMax
    if (await settleNext(ports, applied)) return 0
    const next = await ports.store.nextDueMs(ports.share?.())
    return Math.min(restMsMax, Math.max(restMsMin, next?.inMs ?? restMsMax))
  }
  return keepGoing(turn, {
    timer,
    retryMs,
    onFailure: (error) => ports.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'tasks cannot be settled now'),
  })
}
