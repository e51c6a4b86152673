/**
 * What `deriveTask` concludes of one logical task: every conclusion with the positions behind it.
 *
 * The view, the open question, the root causes and the worker's conditions are all read off an
 * analysis; none of them looks at facts again except to quote one.
 */
import type { RedispatchSafety } from '../a2a/reading.ts'
import type { Codec } from '../codec.ts'
import type { CancelOutcome } from '../event/cancel.ts'
import type { RedispatchMode } from '../event/mesh-policy.ts'
import type { ApprovalFact, ConsideredCandidate, DuplicateRisk, IntentFact, TaskFact, VerdictFact, WorkerFact } from '../fact/fact.ts'
import type { MetadataEntry } from './metadata.ts'
import type { LogicalState, TaskState } from './state.ts'
import type { ViolationCode } from '../invariant/violation.ts'

export interface TaskSettings {
  /** How long a first not-found waits for life before anything is decided. Milliseconds. */
  readonly graceMs: number
  /** How long an open task may be without a sign of life. Milliseconds. */
  readonly silentAfterMs: number
}

/** The interval in which a lost task went: after its last life, at or before its first not-found. */
export interface LossInterval {
  readonly correlationId: string
  readonly taskId: string
  readonly lastLifeMs: number
  readonly firstNotFoundMs: number
  /** Position of that first not-found. */
  readonly position: number
  /** Where its message got another task id at this worker since: the worker had started anew. */
  readonly reissuedAt?: number
}

/** The media types of one artifact, as a worker emitted it. */
export interface Emission {
  /** The task it was emitted for; absent within one task. */
  readonly correlationId?: string
  readonly mediaTypes: readonly string[]
  /** The skill at work, where it is known. */
  readonly skill?: string
  readonly position: number
  readonly atMs: number
}

/** What was counted, of one task or of all tasks of a worker. */
export interface CoverageCounts {
  /** Server tasks seen, and those of them whose creating send was seen. */
  readonly tasks: number
  readonly sentTasks: number
  /** Sends seen, and those of them whose answer was. */
  readonly sends: number
  readonly answeredSends: number
  /** Streams of tasks that are no longer open, and those of them whose end was seen. */
  readonly streams: number
  readonly endedStreams: number
}

/** What was counted of the pushes of one task, or of all tasks of a worker: what the counts mean is said in `push-delivery.ts`. */
export interface PushCounts {
  readonly delivered: number
  readonly reordered: number
  readonly lost: number
  /** Milliseconds; of each task the newest ones. */
  readonly delaysMs: readonly number[]
  readonly delayMsMax: number
}

/** What is known about one worker when a task of it is looked at (F2). */
export interface WorkerKnowledge {
  readonly workerId: string
  /** Cards, restarts, enrolments, answers to GetTask; any order, duplicates harmless. */
  readonly facts: readonly WorkerFact[]
  /** Other tasks of this worker that were lost. */
  readonly losses: readonly LossInterval[]
  /** What it emitted in other tasks, where the skill was known; the newest ones. */
  readonly emissions?: readonly Emission[]
  /** How much of its traffic in other tasks was witnessed; of the newest ones. */
  readonly coverage?: CoverageCounts
  /** Witness time of its last answer and of the last failed connection, over all tasks. */
  readonly lastAnsweredMs?: number
  readonly lastUnreachableMs?: number
}

export interface TaskInput {
  readonly correlationId: string
  /** Facts of the stream and of every synthetic stream linked to it; any order, duplicates harmless. */
  readonly facts: readonly TaskFact[]
  readonly workers: ReadonlyMap<string, WorkerKnowledge>
  /** The database's clock. */
  readonly asOfMs: number
  readonly settings: TaskSettings
  readonly codec: Codec
}

export type DispatchOutcome = 'pending' | 'task' | 'message' | 'refused' | 'no-answer'

export interface DispatchAnalysis {
  readonly workerId: string
  readonly messageId?: string
  readonly position: number
  /** Where every witness of this one send told of it; `position` is among them. */
  readonly positions: readonly number[]
  /** Who told of it. */
  readonly sources: readonly string[]
  readonly atMs: number
  readonly outcome: DispatchOutcome
  /** Which server task answered it. */
  readonly taskId?: string
  /** The task the message named; a v0.1 client that chose the id of a task that is yet to be made named none. */
  readonly namedTaskId?: string
  /** It is the first that was heard of the task it names, and was answered with it: that task begins here. */
  readonly isOpening?: true
  readonly contextId?: string
  readonly answerPosition?: number
  readonly contentDigest: string
  readonly acceptedModes?: readonly string[]
  readonly skill?: string
  readonly redispatch?: RedispatchMode
  readonly redispatchSafety?: RedispatchSafety
  readonly cancelLoser?: boolean
}

export type Life = 'live' | 'lost' | 'ended'

/** One not-found about an attempt, judged by the fold (F6 lowered or raised by F7). */
export interface NotFound {
  readonly position: number
  readonly atMs: number
  readonly evidence: 'strong' | 'weak'
  /** Lowered because it was asked under another scope or binding than at creation. */
  readonly isForeign: boolean
  readonly instance?: string
  readonly operation?: string
  /** The name and space of the error, for the explanation. */
  readonly codeSpace: string
  readonly code?: number
  /** A bare 404 whose route was not proved: it may be about the route and not about the task. */
  readonly isRoute: boolean
}

export interface StateChange {
  readonly position: number
  readonly atMs: number
  readonly effectiveMs: number
  readonly state: TaskState
  readonly source: string
  readonly text?: string
  readonly hasMessage: boolean
}

/** What the worker says of the past of its task, held against what witnesses saw; a claim. */
export interface ClaimedStates {
  /** Of the snapshot that says so: the newest one that does. */
  readonly position: number
  /** Each where it was entered, oldest first. */
  readonly states: readonly TaskState[]
  /** It begins with the beginning of the task. */
  readonly isWhole: boolean
  /** Its generations do not ascend. */
  readonly isUnordered: boolean
  /** Witnessed states that a whole one does not have. */
  readonly lacks: readonly TaskState[]
}

export interface AttemptAnalysis {
  readonly workerId: string
  readonly taskId: string
  readonly contextId?: string
  readonly state: TaskState
  /** Position of the report that gave it its state. */
  readonly statePosition: number
  readonly life: Life
  readonly contested: boolean
  readonly firstSeenPosition: number
  /** Witness time of the first sight. */
  readonly firstSeenMs: number
  readonly lastSeenPosition: number
  /** Every accepted state in order, each once where it was entered. */
  readonly changes: readonly StateChange[]
  /** Position and time of the last sign of life. */
  readonly lastLife: { readonly position: number; readonly atMs: number; readonly instance?: string }
  /** In order of time. */
  readonly notFounds: readonly NotFound[]
  /** Since the last life. */
  readonly firstStrongNotFound?: NotFound
  readonly firstNotFound?: NotFound
  /** A restart of the worker between last life and first not-found, if one is known. */
  readonly restartPosition?: number
  /** How often life followed a strong not-found (F10). */
  readonly contradictions: number
  /** Anything newer than the last life that leaves the attempt in doubt: why and where (V6). */
  readonly doubt?: { readonly because: 'weak-evidence' | 'not-enough' | 'no-answer' | 'terminal-claimed'; readonly positions: readonly number[] }
  /** The dispatch it answers last; absent: nobody saw it dispatched. */
  readonly dispatchPosition?: number
  /** When that dispatch was sent. */
  readonly dispatchMs?: number
  /** When the dispatch that created it was sent; absent: nobody saw it. */
  readonly createdMs?: number
  /** Over which binding it was created, where somebody says so: a not-found over another one is weak (F7). */
  readonly binding?: string
  /** Of its snapshots and updates together (F18). */
  readonly metadata: readonly MetadataEntry[]
  /** A2A v1.1: what the worker claims of its past; it decides nothing. */
  readonly claimed?: ClaimedStates
  /** Whether every emission so far was inside the negotiated contract (F15). */
  readonly conforms: boolean
}

/** Media types held against one card. */
export interface Judgement {
  /** `emission`: the card in force then; `dispatch`: the card that who sent the work had when sending it. */
  readonly by: 'emission' | 'dispatch'
  /** Where the card was fetched, and what it promises: 64 hex digits. */
  readonly cardPosition: number
  readonly digest: string
  readonly advertised: readonly string[]
  readonly isAdvertised: boolean
  /** Inside what the client accepts as well; absent where the client stated nothing. */
  readonly isNegotiated?: boolean
}

/** Where the content of one stretch of an artifact stands: an artifact of an event's payload. */
export interface ContentRef {
  readonly position: number
  /** Which artifact of that payload. */
  readonly at: number
}

export interface VariantAnalysis {
  readonly workerId: string
  /** Absent: the artifact is a message that was the whole answer (F13). */
  readonly taskId?: string
  readonly artifactId?: string
  readonly name?: string
  readonly mediaTypes: readonly string[]
  readonly complete: boolean
  /** In order; the digest of more than one is that of their contents one after the other. */
  readonly content: readonly ContentRef[]
  readonly bytes: number
  /** Known at once when there is one stretch only; 64 hex digits. */
  readonly digest?: string
  readonly isLinked: boolean
  /** Of its chunks and snapshots together (F18). */
  readonly metadata: readonly MetadataEntry[]
  /** Its media types held against the card in force when it was emitted, and the one its sender had. */
  readonly judgedBy: readonly Judgement[]
  readonly firstPosition: number
  readonly positions: readonly number[]
  /** Why it is not the canonical one. */
  readonly because?: string
  /** Witnesses of one attempt whose chunks differ from these. */
  readonly disputedBy?: readonly string[]
}

export interface ArtifactAnalysis {
  /** The canonical variant's artifactId, else its name, else `#<ordinal>`. */
  readonly key: string
  readonly divergent: boolean
  readonly canonical: VariantAnalysis
  readonly variants: readonly VariantAnalysis[]
}

export type DivergenceKind = 'task-id' | 'media-type' | 'outcome' | 'state'

export interface Divergence {
  readonly kind: DivergenceKind
  readonly positions: readonly number[]
}

export interface Violation {
  readonly code: ViolationCode
  readonly position: number
  readonly detail: string
  readonly workerId?: string
  readonly taskId?: string
}

/** What waits for a reconciliation pass (V4). */
export interface OpenQuestion {
  /** Hash of what is asked; the decision's id. */
  readonly decisionId: string
  readonly about: 'loss' | 'no-answer' | 'refusal'
  readonly workerId: string
  readonly taskId?: string
  /** Position of the event that opened it. */
  readonly openedAt: number
  /** When grace ends. */
  readonly dueMs: number
  /** At most 20 positions; `becauseCount`: how many there are. */
  readonly because: readonly number[]
  readonly becauseCount: number
  readonly duplicateRisk: DuplicateRisk
  readonly lastObserved?: TaskState
  /** Verdicts recorded on it, in order. */
  readonly covering: readonly VerdictFact[]
  /** Decisions of them that their workers made nothing of, so that the question is to be decided again. */
  readonly turnedDown: readonly string[]
  /** The same question once more: asked when a candidate turns up after `unreconcilable`, or is needed after a refusal (V6). */
  readonly againId: string
}

/** One intent to send, and what became of it. */
export interface IntentAnalysis extends Pick<IntentFact, 'intentId' | 'decisionId' | 'purpose' | 'by' | 'actor' | 'workerId' | 'contentDigest' | 'untilMs' | 'recordedAtMs' | 'position'> {
  readonly messageId: string
  /** `open`: nobody said what became of it. */
  readonly outcome: 'open' | 'sent' | 'not-sent'
  /** Where that is told: by who held it, or by a witness of the send. */
  readonly settledPosition?: number
  /** The send that a witness told of. */
  readonly dispatchPosition?: number
  /** What who held it said, if anything, and where. */
  readonly said?: { readonly outcome: 'sent' | 'not-sent'; readonly taskId?: string; readonly because?: string; readonly position: number; readonly recordedAtMs: number }
  /** The server task that answered, where anybody told. */
  readonly taskId?: string
}

/** One attempt that was canceled because it lost against another one, and what came of it. */
export interface CancelAnalysis {
  readonly cancelId: string
  readonly workerId: string
  readonly taskId: string
  /** The re-dispatch that made two of them. */
  readonly decisionId: string
  /** `open`: nothing is recorded yet; from `untilMs` on nobody knows whether the call was made. */
  readonly outcome: CancelOutcome | 'open'
  /** Of one that our own rules refused: why, in words. */
  readonly because?: string
  readonly untilMs: number
  readonly position: number
}

export interface TaskAnalysis {
  readonly correlationId: string
  readonly asOfMs: number
  readonly state: LogicalState
  readonly lastObserved?: TaskState
  readonly terminal: boolean
  readonly dispatches: readonly DispatchAnalysis[]
  /** In order of first sight. */
  readonly attempts: readonly AttemptAnalysis[]
  readonly current?: AttemptAnalysis
  /** The attempt that gives the task its state (F14, F15). */
  readonly canonical?: AttemptAnalysis
  readonly artifacts: readonly ArtifactAnalysis[]
  readonly divergences: readonly Divergence[]
  readonly violations: readonly Violation[]
  readonly incomplete: readonly number[]
  /** Pairs of attempts that did the same work twice (F15). */
  readonly duplicateExecutions: readonly (readonly [AttemptAnalysis, AttemptAnalysis])[]
  readonly question?: OpenQuestion
  /** Recorded verdicts, oldest first. */
  readonly verdicts: readonly VerdictFact[]
  /** What a person said to them, of each the first word. */
  readonly approvals: readonly ApprovalFact[]
  /** Intents to send, oldest first. */
  readonly intents: readonly IntentAnalysis[]
  /** Attempts that were canceled because they lost, oldest first. */
  readonly cancels: readonly CancelAnalysis[]
  readonly lastPosition: number
  /** Facts in order of position, for quoting. */
  readonly facts: readonly TaskFact[]
  readonly workers: ReadonlyMap<string, WorkerKnowledge>
  readonly settings: TaskSettings
}

/** What a reconciliation pass concludes (V6, V7). */
export interface Decision {
  readonly decisionId: string
  readonly kind: 'closed-by-policy' | 'redispatch' | 'unreconcilable'
  readonly workerId?: string
  readonly considered: readonly ConsideredCandidate[]
  /** Full lengths of `considered` and `because`, where they are cut. */
  readonly counts?: Readonly<Record<string, number>>
  readonly duplicateRisk: DuplicateRisk
  readonly because: readonly number[]
  readonly lastObserved?: TaskState
  /** The decision whose place it takes, since the ledger cannot call the worker of that one. */
  readonly insteadOf?: string
  readonly question: OpenQuestion
}
