/**
 * What the reconciler's use cases need of the outside.
 *
 * The feed is read by position, the store keeps what was made of it, the ledger takes what we add.
 * How far the feed is applied, and by whom, is in `partition-store.ts`. Contract suites
 * (`test/feed-contract.ts`, `test/tail-contract.ts`) hold all of it to what is written here.
 */
import type {
  EventAttributes,
  Exchange,
  KinMarks,
  LedgerEvent,
  LinkMark,
  LogicalState,
  MeshLoad,
  MeshPolicy,
  MoveFact,
  ProbeEntry,
  ProbePlan,
  ProbeStepFact,
  SharedMark,
  TaskFact,
  TaskState,
  TaskView,
  UnsentAnswer,
  WatchPage,
  WatchQuestion,
  WorkerEvidence,
  WorkerFact,
  WorkerKnowledge,
} from '@a2a-ledger/domain'

/** Which log, and which life of it (L7). Absent while it holds no event. */
export interface LedgerIdentity {
  readonly ledgerId: string
  readonly epoch: number
}

export interface FeedSlice {
  readonly ledger: LedgerIdentity | undefined
  /** The last position of the ledger, read before the events. */
  readonly head: number
  /** Ascending, each once; the first one's position is above what was asked for. */
  readonly events: readonly LedgerEvent[]
  /** Positions of what was passed over, since it belongs to partitions that were not asked for. */
  readonly elsewhere: readonly number[]
}

export interface FeedReader {
  /**
   * Events after `position`, at most `countMax` of them and few enough bytes to hold at once; of
   * those that are not of `share` the positions alone.
   *
   * Errors: throws `store_unavailable`.
   */
  readonly after: (position: number, countMax: number, share?: WorkShare) => Promise<FeedSlice>
  /** The last position of the ledger; 0 when it is empty. */
  readonly head: () => Promise<number>
  /** The events at these positions, ascending; positions that do not exist are left out. */
  readonly at: (positions: readonly number[]) => Promise<readonly LedgerEvent[]>
  /** Resolves when there may be more, after `atMostMs` at the latest. Never rejects. */
  readonly more: (atMostMs: number) => Promise<void>
}

/** Deliveries of pushes that were recorded already, as their receiver counted them. */
export interface PushRepeats {
  /** By worker; one that is absent had none. Errors: throws `store_unavailable`. */
  readonly of: (workerIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
}

export interface Progress {
  readonly appliedPosition: number
  /** The ledger whose events were applied. */
  readonly ledger: LedgerIdentity | undefined
}

export interface QueueState {
  /** Tasks that wait to be looked at again. */
  readonly recheckCount: number
  /** Tasks with an event that could not be folded. */
  readonly incompleteCount: number
  /** Every list row is as of this position or a later one. */
  readonly settledPosition: number
}

/** What one event says about the stream it is in. */
export interface StreamEntry {
  readonly correlationId: string
  readonly position: number
  readonly facts: readonly TaskFact[]
}

export interface WorkerEnrolment {
  readonly workerId: string
  readonly mesh: string | undefined
  readonly trust: 'verify' | 'card' | undefined
  readonly position: number
  readonly eventId: string
  /** Absent: this enrolment says nothing of it. */
  readonly probe: ProbeSchedule | undefined
  /** Whether the worker is asked about its tasks; absent: this enrolment says nothing of it. */
  readonly isObserved: boolean | undefined
}

/** Whether and how often a worker is probed by itself. */
export interface ProbeSchedule {
  readonly isEnabled: boolean
  readonly everyMs: number | undefined
}

/** A probe that is not closed. */
export interface OpenProbe {
  readonly workerId: string
  readonly probeId: string
}

/** A worker that is to be probed by now. */
export interface DueProbe {
  readonly workerId: string
  /** When it was last; absent: never. */
  readonly plannedAtMs: number | undefined
}

/** A worker that is to be asked about its tasks. */
export interface ObservedWorker {
  readonly workerId: string
  /** Of its last enrolment: as long as it stays the same, so does what was enrolled. */
  readonly enrolledPosition: number
}

/** A task with a server task that has not ended. */
export interface OpenTask {
  readonly correlationId: string
  /** Of its last look: as long as it stays the same, so does what the task says. */
  readonly settledPosition: number
}

/** A send that got no answer, and of which no server task is known. */
export interface SilentSend {
  readonly correlationId: string
  /** When it was last heard of. */
  readonly heardMs: number
}

/** What an operator decided for a mesh; members that it leaves out keep their value. */
export interface MeshDecision {
  readonly mesh: string
  readonly policy: MeshPolicy
  readonly position: number
  readonly eventId: string
}

/** A task of a mesh that was lost, or something that the ledger itself sends in it. */
export interface MeshAct {
  readonly mesh: string
  readonly act: 'lost' | 'sent'
  readonly recordedAtMs: number
  readonly position: number
}

/** A send, or an answer to one, of one witness with one worker. */
export interface RecordedExchange extends Exchange {
  readonly workerId: string
  readonly source: string
  /** The server task that answered. */
  readonly taskId?: string
}

/** What a caller told us once, so that the same Idempotency-Key is one observation. */
export interface RecordedQuestion {
  readonly eventId: string
  readonly bodyDigest: string
  readonly position: number
  readonly correlationId: string
  readonly workerId: string | undefined
  readonly taskId: string | undefined
}

export interface LinkChange {
  readonly from: string
  readonly to: string
  readonly position: number
  readonly isLinked: boolean
  /** The person who said so, and why; absent: the ledger found it. */
  readonly by: string | undefined
  readonly because: string | undefined
}

export interface WorkerRecheck {
  readonly workerId: string
  /** `changed`: it restarted, showed a card or was enrolled; `answered`: a route of it works. */
  readonly reason: 'changed' | 'answered'
  readonly position: number
  /** Witness time of the earliest of these changes: tasks that ended before are not concerned. */
  readonly sinceMs: number
}

export interface Candidates {
  readonly workers: readonly WorkerKnowledge[]
  /** How many more workers the mesh has. */
  readonly beyondCount: number
}

export interface PositionRange {
  readonly first: number
  readonly last: number
}

/** What a run of events without a gap changes; applied as a whole or not at all. */
export interface FeedChange {
  readonly ledger: LedgerIdentity
  readonly firstPosition: number
  readonly lastPosition: number
  readonly entries: readonly StreamEntry[]
  readonly workerFacts: readonly WorkerFact[]
  readonly links: readonly LinkChange[]
  /** Sends and their answers that no correlation ID was found for. */
  readonly exchanges: readonly RecordedExchange[]
  /** What goes from one stream to another, by position (K6). */
  readonly moves: readonly MoveFact[]
  readonly enrolments: readonly WorkerEnrolment[]
  readonly meshes: readonly MeshDecision[]
  readonly questions: readonly RecordedQuestion[]
  readonly decisions: readonly { readonly decisionId: string; readonly correlationId: string }[]
  readonly meshActs: readonly MeshAct[]
  /** Every worker that is named, with the first position that does. */
  readonly workers: ReadonlyMap<string, number>
  /** Tasks to look at again, with the positions that say so. */
  readonly rechecks: ReadonlyMap<string, PositionRange>
  readonly workerRechecks: readonly WorkerRecheck[]
}

export interface TaskRecord {
  readonly correlationId: string
  readonly firstPosition: number
  /** The last event of the stream and of every synthetic stream linked to it. */
  readonly lastPosition: number
  /** Facts of those streams in order, without the inside of runs. */
  readonly facts: readonly TaskFact[]
  /** How many facts were left when runs were looked for the last time (F1). */
  readonly compactedCount: number
  /** Every worker that a fact names. */
  readonly workers: ReadonlyMap<string, WorkerKnowledge>
}

export type TaskLookup =
  | { readonly outcome: 'found'; readonly record: TaskRecord }
  /** A synthetic stream that was linked (K6). */
  | { readonly outcome: 'merged'; readonly into: string }
  | { readonly outcome: 'unknown' }

/** What one moment of the store says; everything in it is of the same applied position. */
export interface Snapshot<Content> {
  readonly appliedPosition: number
  /** The database's clock. */
  readonly asOfMs: number
  readonly content: Content
}

export interface WorkerRecord {
  readonly workerId: string
  readonly firstPosition: number
  readonly facts: readonly WorkerFact[]
  readonly evidence: readonly WorkerEvidence[]
  readonly enrolment: { readonly position: number; readonly eventId: string } | undefined
}

export interface MeshRecord {
  readonly policy: MeshPolicy
  /** Of the last decision; absent: none was recorded. */
  readonly decided: { readonly position: number; readonly eventId: string } | undefined
}

export interface TaskListRow {
  readonly correlationId: string
  readonly firstPosition: number
  readonly state: LogicalState
  readonly lastObserved?: TaskState
  readonly isTerminal: boolean
  readonly verdict?: TaskView['verdict']
  readonly updatedPosition: number
}

/** What one look at a task leaves behind. */
export interface SettledTask {
  readonly row: TaskListRow
  readonly settledPosition: number
  readonly dueAtMs: number | undefined
  readonly awaitsCandidate: boolean
  readonly latestMs: number
  readonly isIncomplete: boolean
  /** Intents of which nobody said what became of them: how many, and when the first of them was recorded. */
  readonly openIntentCount: number
  readonly openIntentSinceMs?: number
  /** Since when a re-dispatch is left to the ledger, or to an approver, and not sent. */
  readonly waitingSinceMs?: number
  readonly participants: readonly {
    readonly workerId: string
    /** Absent: it took part without a task of its own. */
    readonly taskId?: string
    readonly isOpen: boolean
    readonly awaitsAnswer: boolean
  }[]
  readonly evidence: readonly WorkerEvidence[]
  /** Workers known to be unreachable so far, which answered: they are candidates again (V7). */
  readonly reachableAgain: readonly string[]
}

/** Counts, and seconds since the oldest of them by the database's clock; 0 where there is none. */
export interface HeldActs {
  /** Claims and permissions to send of which nobody said what became of them. */
  readonly openIntents: number
  readonly oldestIntentSeconds: number
  /** Tasks with a re-dispatch that the ledger, or an approver, has not sent. */
  readonly waiting: number
  readonly oldestWaitingSeconds: number
}

export interface TaskFilter {
  /** The work of probes alone; else none of it. */
  readonly isCanary?: boolean
  readonly state?: string
  readonly workerId?: string
  readonly taskId?: string
}

export type ApplyOutcome =
  | { readonly outcome: 'applied' | 'fenced' | 'moved' }
  | { readonly outcome: 'refused'; readonly detail: string }

/** Which facts of a task are inside runs, found when `lastPosition` was its last event. */
export interface Compaction {
  readonly correlationId: string
  readonly lastPosition: number
  readonly insidePositions: readonly number[]
  /** The newest witness time among what was looked at: an older fact may fall inside a run. */
  readonly untilMs: number
  /** How many facts are left. */
  readonly count: number
}

/** Part of the streams: those in these partitions of the feed. */
export interface WorkShare {
  readonly partitions: readonly number[]
  readonly partitionCount: number
}

export interface FactStore {
  readonly progress: () => Promise<Progress>
  readonly queue: () => Promise<QueueState>

  readonly tasks: (correlationIds: readonly string[]) => Promise<Snapshot<ReadonlyMap<string, TaskLookup>>>
  /** As `tasks`, with the inside of runs. */
  readonly wholeTasks: FactStore['tasks']
  /** As `tasks`, with what other tasks say of their workers: what explanations rest on, and nothing else does. */
  readonly tasksAmongOthers: FactStore['tasks']
  /** Leaves the inside of runs out of `tasks` from now on, unless an event came in between (F1). */
  readonly compact: (compaction: Compaction) => Promise<void>
  /** The stream that the server task belongs to, if it was ever seen. */
  readonly streamOf: (workerId: string, taskId: string) => Promise<string | undefined>
  /**
   * Correlation IDs of tasks that may be parents or children of one: by its own marks, and by the marks
   * of others that name it or one of its server tasks `taskIds`. The newest, at most `limit`.
   */
  readonly kinOf: (
    correlationId: string,
    marks: KinMarks,
    taskIds: readonly string[],
    limit: number,
  ) => Promise<readonly string[]>
  readonly question: (eventId: string) => Promise<RecordedQuestion | undefined>
  /** The task that a verdict, or a permission to send, is about. */
  readonly taskOfDecision: (decisionId: string) => Promise<string | undefined>
  /** Positions of a task's events after `after`, ascending. */
  readonly positionsOf: (correlationId: string, after: number, limit: number) => Promise<readonly number[]>
  /**
   * Workers of a mesh that may take work over, with as many others as a verdict can name, and the
   * named ones. What other tasks say about them is not looked up.
   */
  readonly candidates: (mesh: string, workerIds: readonly string[]) => Promise<Candidates>

  /**
   * Tasks to look at, of `share` or of all: what was queued first, then, where `withDue`, what is due.
   * What was queued by an event behind the applied position waits: nothing that is made of it would
   * count.
   */
  readonly takeWork: (limit: number, withDue: boolean, share?: WorkShare) => Promise<readonly string[]>
  /** When the next task is due, if any is. */
  readonly nextDueMs: (share?: WorkShare) => Promise<{ readonly inMs: number } | undefined>
  /** Queues at most `limit` tasks that a change of their worker concerns; false: none was left. */
  readonly spreadWorkerRechecks: (limit: number) => Promise<boolean>
  /** What these tasks bear that may show that they are one piece of work, and nothing else any more. */
  readonly saveMarks: (marks: ReadonlyMap<string, readonly LinkMark[]>) => Promise<void>
  /** Looks for tasks that share a mark with one of these, among all that is saved. */
  readonly suggest: (correlationIds: readonly string[]) => Promise<void>
  /** The contents that these answers answer, by position, where they are known. */
  readonly answeredContents: (answers: readonly UnsentAnswer[]) => Promise<ReadonlyMap<number, string>>
  /** Suggestions with this task. */
  readonly suggestionsFor: (correlationId: string, limit: number) => Promise<readonly SharedMark[]>
  /** All of them, by the positions of their later and their earlier mark. */
  readonly listSuggestions: (after: readonly [later: number, earlier: number], limit: number) => Promise<readonly SharedMark[]>
  /** Older than what is stored: nothing is written. What was queued up to `settledPosition` is done. */
  readonly saveSettled: (settled: readonly SettledTask[]) => Promise<void>
  /** Tasks that cannot be derived are incomplete, and are not looked at again before their next event. */
  readonly setAside: (correlationIds: readonly string[], settledPosition: number) => Promise<void>
  /** A stream that is no task of its own as of `settledPosition` is in no list. */
  readonly dropTasks: (correlationIds: readonly string[], settledPosition: number) => Promise<void>

  readonly listTasks: (filter: TaskFilter, after: number, limit: number) => Promise<readonly TaskListRow[]>
  readonly worker: (workerId: string) => Promise<Snapshot<WorkerRecord | undefined>>
  readonly listWorkers: (after: number, limit: number) => Promise<Snapshot<readonly WorkerRecord[]>>

  /** The last word on the link of a synthetic stream. */
  readonly link: (from: string) => Promise<LinkChange | undefined>
  /** Links that stand, in the order in which they were made, after position `after`. */
  readonly listLinks: (after: number, limit: number) => Promise<readonly LinkChange[]>

  /** The recorded moments of one probe, in order; none: there is no such probe. */
  readonly probe: (workerId: string, probeId: string) => Promise<readonly ProbeStepFact[]>
  /** Probes that are not closed, the one that moved last first. */
  readonly openProbes: (limit: number) => Promise<readonly OpenProbe[]>
  /** Workers with an address whose schedule says that they are to be probed by now. */
  readonly dueProbes: (limit: number) => Promise<readonly DueProbe[]>

  /** Workers whose enrolment says that they are observed. */
  readonly observedWorkers: (limit: number) => Promise<readonly ObservedWorker[]>
  /** Tasks with an attempt at this worker that has not ended, of which something was heard since `sinceMs`; the newest ones first. */
  readonly openTasks: (workerId: string, sinceMs: number, limit: number) => Promise<readonly OpenTask[]>

  /** Sends to this worker that got no answer, of tasks of which something was heard since `sinceMs`; the newest ones first. */
  readonly silentSends: (workerId: string, sinceMs: number, limit: number) => Promise<readonly SilentSend[]>

  /** The decisions for a mesh, together: the last of each member. Nothing: no policy, and no worker in it. */
  readonly mesh: (mesh: string) => Promise<MeshRecord | undefined>

  /** What a mesh allows, and what it had in the last minute by the database's clock. */
  readonly meshLoad: (mesh: string) => Promise<MeshLoad>
  /**
   * True when this intent is one of the `perMinute` that the mesh may have in a minute of the database's clock, whichever
   * process asks. Idempotent.
   */
  readonly takePermit: (mesh: string, intentId: string, perMinute: number) => Promise<boolean>
  /** What waits to be sent, or to be known, as of the last look at each task. */
  readonly heldActs: () => Promise<HeldActs>
  /** Meshes that lost at least so many tasks in the last minute. */
  readonly storms: (lostCountMin: number) => Promise<readonly string[]>
  /** Headers that the worker wants to see. Their values are nowhere else (L10). */
  readonly secretHeaders: (workerId: string) => Promise<Readonly<Record<string, string>>>
  /** The headers of the enrolment at `position`, unless a later one has others. */
  readonly keepSecretHeaders: (workerId: string, position: number, headers: Readonly<Record<string, string>>) => Promise<void>

  readonly knownContents: (keys: readonly string[]) => Promise<ReadonlyMap<string, ContentDigest>>
  readonly rememberContent: (key: string, content: ContentDigest) => Promise<void>
}

export interface ContentDigest {
  readonly bytes: number
  /** 64 hex digits. */
  readonly digest: string
}

/** What the ledger says to one event. */
export type AppendOutcome =
  | { readonly outcome: 'recorded' | 'duplicate'; readonly position: number; readonly correlationId: string }
  | { readonly outcome: 'conflict'; readonly differsIn: readonly string[] }
  | { readonly outcome: 'quarantined'; readonly reason: string; readonly detail: string }
  /** No usable envelope: nothing was kept. */
  | { readonly outcome: 'rejected'; readonly detail: string }
  | { readonly outcome: 'stale' }

export interface NewEvent {
  readonly attributes: EventAttributes
  /** JSON. */
  readonly data: unknown
}

/** What was seen on the wire. */
export interface WitnessedEvent {
  readonly attributes: EventAttributes
  readonly bytes: Uint8Array
}

export interface WitnessClient {
  /** Records observations together, as they came over the wire. Errors: throws `ledger_unavailable`. */
  readonly observeAll: (events: readonly WitnessedEvent[]) => Promise<readonly AppendOutcome[]>
}

export interface LedgerClient {
  /** Records an observation like any witness. Errors: throws `ledger_unavailable`. */
  readonly observe: (event: NewEvent) => Promise<AppendOutcome>
  /**
   * Records an event of ours; `ifStreamPosition` is the last position it was based on (L14). It is
   * `stale` as well where `isOurs` says no at the moment when it would be sent.
   *
   * Errors: throws `ledger_unavailable`.
   */
  readonly append: (event: NewEvent, ifStreamPosition?: number, isOurs?: () => boolean) => Promise<AppendOutcome>
}

/** One probe, as far as it is recorded. */
export interface ProbeRun {
  readonly workerId: string
  readonly probeId: string
  /** As enrolled. */
  readonly address: { readonly url: string; readonly cardUrl?: string | undefined }
  /** Headers that are secret, as enrolled: they go to the origins of the address alone. */
  readonly headers: Readonly<Record<string, string>>
  readonly plan: ProbePlan
  readonly entries: readonly ProbeEntry[]
  /** Whether the worker was restarted since its second canary was left waiting; `never`: nobody waits any longer. */
  readonly restart: 'unknown' | 'known' | 'never'
}

export interface ProbeRunOutcome {
  /** `taken`: another process has it; `parked`: it waits for a restart. */
  readonly outcome: 'closed' | 'parked' | 'taken' | 'stopped'
}

/** Calls workers, and records each moment before the next one begins. */
export interface Prober {
  readonly newId: () => string
  /** The bounds of every probe, with what is wanted of this one. */
  readonly planFor: (wanted: Pick<ProbePlan, 'message' | 'park' | 'retentionMs'>) => ProbePlan
  /** Goes on with a probe until it is over or cannot go on now. Errors: throws `ledger_unavailable`. */
  readonly run: (run: ProbeRun, stopping: AbortSignal) => Promise<ProbeRunOutcome>
}

/** What came of one question to a worker, not recorded yet. */
export interface Observed {
  /** `unanswered`: nothing, or nothing that is the worker's; `not-called`: the address must not be called. */
  readonly outcome: 'answered' | 'unanswered' | 'not-called'
  /** As any witness tells it; none where it was not called. */
  readonly events: readonly WitnessedEvent[]
  /** Equal where what came is the same in every character. */
  readonly digest: string
  /** Of the task that was asked about, where what came shows it. */
  readonly state?: TaskState
  /** How long the worker wants to be left alone. */
  readonly retryAfterMs?: number
  /** Why it was not called. */
  readonly detail?: string
}

/** What a page of a list shows of one task. */
export interface ListedTask {
  readonly state: TaskState
  /** As any witness tells of it: what else the page shows is not among it. */
  readonly events: readonly WitnessedEvent[]
  readonly digest: string
}

/** What came of the call for one page of a list. */
export interface ObservedPage extends Observed {
  /** By task ID; none where no list came, and then `events` tell what did. */
  readonly listed: ReadonlyMap<string, ListedTask>
  readonly nextPageToken?: string
}

/** The way to one worker, with connections that are kept. */
export interface WorkerLine {
  /** Reads its card: from then on it is called as the card says. Value `undefined`: there is none to be had. Errors: those of `headers`. */
  readonly readCard: (signal: AbortSignal) => Promise<readonly WitnessedEvent[] | undefined>
  /** Bindings over which it can be asked, the preferred one first. */
  readonly bindings: () => readonly string[]
  /** Asks `GetTask`, for a bounded time. Errors: those of `headers`. */
  readonly getTask: (question: WatchQuestion, signal: AbortSignal) => Promise<Observed>
  /** The version that it is called in has `ListTasks`, and it has not answered it with an error since its card was read. */
  readonly canList: () => boolean
  /** Asks `ListTasks` for what changed since then, with the messages by which a send is known. As `getTask`. */
  readonly listTasks: (changedSinceMs: number, signal: AbortSignal) => Promise<Observed>
  /** Asks `ListTasks` for one page of the tasks in a state, without history and artifacts. As `getTask`. */
  readonly listPage: (page: WatchPage, signal: AbortSignal) => Promise<ObservedPage>
  /** What its card says. */
  readonly isStreaming: () => boolean
  /**
   * Subscribes to a task, and gives what comes to `record` as it comes, how the stream ended too; more is read
   * once that was taken. Resolves when the stream is over.
   *
   * Errors: those of `record` and `headers`.
   */
  readonly follow: (
    task: { readonly taskId: string; readonly binding?: string | undefined },
    record: (events: readonly WitnessedEvent[]) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>
  readonly close: () => Promise<void>
}

export interface WorkerLines {
  /** `address` as enrolled; `headers`: with the secret values, asked for before each call; `card`: the last one that is recorded. */
  readonly open: (worker: {
    readonly workerId: string
    readonly address: { readonly url: string; readonly cardUrl?: string | undefined }
    readonly headers: () => Promise<Readonly<Record<string, string>>>
    readonly card: string | undefined
  }) => WorkerLine
}

export interface Timer {
  /** Resolves after `ms`. Never rejects; does not keep the process alive. */
  readonly after: (ms: number) => Promise<void>
  /** Milliseconds of a clock that never goes back, for measuring waits only. */
  readonly elapsedMs: () => number
}

/** Keyed hash that only this deployment can compute: equal content without showing it. */
export type Seal = (content: string) => Promise<string>

/** What is told of somebody who does not answer, where it is tried again and again: not each time. */
export interface Outage {
  /** It did not work: told when it worked before, and now and then while it does not. */
  readonly met: (tell: () => void) => void
  /** It works: told when it did not before. */
  readonly over: (tell: () => void) => void
}

export interface Log {
  readonly info: (details: Readonly<Record<string, unknown>>, message: string) => void
  readonly warn: (details: Readonly<Record<string, unknown>>, message: string) => void
  readonly error: (details: Readonly<Record<string, unknown>>, message: string) => void
}
