/**
 * What one ledger event says about a task or a worker, in compact form (glossary, F1).
 *
 * Facts are plain JSON, immutable, and keyed by position; a set of them is merged by union and by
 * nothing else. Every rule that decides lives in `derive`, never here.
 */
import type { CodeSpace, ErrorName, Evidence, NotFoundShape, ReadingNote, RedispatchSafety, TimelineReading } from '../a2a/reading.ts'
import type { CancelData } from '../event/cancel.ts'
import type { Actor, DispatchIntentData } from '../event/dispatch-intent.ts'
import type { SettledOutcome } from '../event/dispatch-settled.ts'
import type { GapReason } from '../event/gap.ts'
import type { ProbeStepData } from '../event/probe-step.ts'
import type { RedispatchMode } from '../event/mesh-policy.ts'
import type { ApprovalAnswer } from '../event/verdict-approved.ts'
import type { TaskState } from '../task/state.ts'

/** How a payload reached its witness: it decides at which time it is a sign of life (F9). */
export type Channel = 'answer' | 'update'

interface FactBase {
  readonly position: number
  readonly source: string
  /** Witness time: `time`, at most `recordedAt` + 5 s, else the arrival (F3). Milliseconds. */
  readonly atMs: number
  readonly recordedAtMs: number
  readonly workerId?: string
  readonly taskId?: string
  readonly operation?: string
  readonly binding?: string
  readonly scope?: string
  readonly instance?: string
  /** On answers: the client message that is answered. */
  readonly messageId?: string
  readonly streamId?: string
  readonly sequence?: string
  readonly protocolVersion?: string
  /** The payload's own structure told the version; neither the envelope nor a default did. */
  readonly isVersionTold?: true
  /** The envelope states that version, and the payload does not contradict it. */
  readonly isVersionStated?: true
  readonly notes?: readonly FactNote[]
  /** The state the orchestrator itself believed in (attribute `lastobserved`). */
  readonly believed?: TaskState
  /** On whose behalf the work runs; never a correlation. */
  readonly parentCorrelationId?: string
  /** The event was recorded here although it claimed, or was claimed by, another task (K1, K2). */
  readonly refused?: { readonly code: 'correlation_claimed' | 'correlation_conflict'; readonly correlationId: string }
  /** Whose it is only its worker says, or only what was known of its task, message or stream (K2, K6). */
  readonly placed?: 'claim' | 'link'
  /** Taken out of an answer about many tasks, recorded at this position (K5). */
  readonly derivedFrom?: number
  /** This fact ends a run of facts that say the same; those between its ends were left out (F1). */
  readonly run?: { readonly firstPosition: number; readonly firstMs: number; readonly count: number }
}

/** Oddities of one event that the view shows as violations, or that explain its time. */
export type FactNote = ReadingNote

/** One artifact, or one chunk of one, as one event carried it. */
export interface Piece {
  readonly artifactId?: string
  readonly name?: string
  readonly index: number
  /** Which artifact of the payload's reading this is: where to find its content again. */
  readonly at: number
  readonly mediaTypes: readonly string[]
  readonly bytes: number
  /** SHA-256 of the content, 64 hex digits. */
  readonly digest: string
  /** True when some of the content is only linked to. */
  readonly isLinked?: true
  /** Names of its metadata; what stands under them is in the event. */
  readonly metadataNames?: readonly string[]
}

export interface DispatchFact extends FactBase {
  readonly kind: 'dispatch'
  readonly sentMessageId?: string
  /** The server task the message is addressed to; absent: a new one is asked for. */
  readonly namedTaskId?: string
  readonly contextId?: string
  readonly acceptedModes?: readonly string[]
  readonly skill?: string
  /** Who is to act when it is lost, where who sent it says so. */
  readonly redispatch?: RedispatchMode
  /** Whether the work may be repeated, where who sent it says so. */
  readonly redispatchSafety?: RedispatchSafety
  /** Whether the attempt that loses against another one is to be canceled, where who sent it says so. */
  readonly cancelLoser?: boolean
  readonly hasPushConfig: boolean
  readonly referenceTaskIds?: readonly string[]
  /** The trace it was sent in: 32 hex digits. */
  readonly traceId?: string
  /** SHA-256 of the message's content: the same work sent twice. */
  readonly contentDigest: string
}

/** A task snapshot or a status update. */
export interface ReportFact extends FactBase {
  readonly kind: 'report'
  readonly form: 'snapshot' | 'update'
  readonly channel: Channel
  readonly contextId?: string
  readonly state?: TaskState
  readonly stateOnWire?: string
  readonly isStateUnknown?: true
  /** The worker's own clock, when usable. */
  readonly statusAtMs?: number
  readonly generation?: number
  /** What the worker claims of the past of its task, in a snapshot. */
  readonly timeline?: TimelineReading
  /** Text of the status message, at most 500 characters. */
  readonly text?: string
  readonly hasMessage?: true
  /** The status message says something in a part that is no text: data, a file, or a kind that nobody knows yet. */
  readonly saysBeyondText?: true
  readonly pieces?: readonly Piece[]
  /** Names of the metadata of the task or the update. */
  readonly metadataNames?: readonly string[]
  /** K3: the last user message of the history that is of this task. */
  readonly historyMessageId?: string
  /** SHA-256 of that message's content, where it has any. */
  readonly historyContentDigest?: string
}

export interface ArtifactFact extends FactBase {
  readonly kind: 'artifact'
  readonly channel: Channel
  readonly contextId?: string
  readonly piece: Piece
  readonly append: boolean
  readonly lastChunk: boolean
}

/** A message of the worker: a whole answer, or a remark beside a task. */
export interface MessageFact extends FactBase {
  readonly kind: 'message'
  readonly channel: Channel
  readonly contextId?: string
  readonly ownMessageId?: string
  readonly text: string
  readonly piece: Piece
}

export interface ErrorFact extends FactBase {
  readonly kind: 'error'
  readonly name: ErrorName
  readonly codeSpace: CodeSpace
  readonly code?: number
  readonly evidence: Evidence
  /** How a not-found is told, for where only the fold knows which task it is about (F6). */
  readonly notFound?: NotFoundShape
  readonly text: string
  readonly isJsonRpc?: true
  readonly isFromGateway?: true
  readonly saysTerminal?: true
  readonly saysTimeout?: true
  readonly httpStatus?: number
}

export interface NoAnswerFact extends FactBase {
  readonly kind: 'no-answer'
  readonly reason: 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls'
}

export interface StreamEndedFact extends FactBase {
  readonly kind: 'stream-ended'
  readonly reason: 'closed' | 'reset' | 'timeout'
}

export interface ConclusionFact extends FactBase {
  readonly kind: 'conclusion'
  readonly state: string
  readonly because?: string
}

/** Something was recorded that says nothing about a task. */
export interface NothingFact extends FactBase {
  readonly kind: 'nothing'
  readonly channel: Channel
}

/** A link of a synthetic stream to this task, or its end (K6). */
export interface LinkFact extends FactBase {
  readonly kind: 'linked' | 'unlinked'
  readonly from: string
  readonly to: string
  /** The person who said so, and why; absent: the ledger found it. */
  readonly by?: string
  readonly because?: string
}

/** What only a claim or a link had put here about a task, from a position on, is of another stream (K6). */
export interface MoveFact extends FactBase {
  readonly kind: 'moved'
  readonly workerId: string
  readonly taskId: string
  readonly from: string
  readonly to: string
  readonly since: number
}

/** A verdict of ours, as recorded (V4). */
export interface VerdictFact extends FactBase {
  readonly kind: 'verdict'
  readonly decisionId: string
  readonly verdict: 'closed-by-policy' | 'redispatch' | 'unreconcilable'
  /** `(workerId, taskId)` of the question, and the position that opened it. */
  readonly askedWorkerId: string
  readonly askedTaskId?: string
  readonly openedAt: number
  readonly targetWorkerId?: string
  readonly lastObserved?: TaskState
  readonly because: readonly number[]
  readonly considered: readonly ConsideredCandidate[]
  /** Full lengths of those lists, where they were cut. */
  readonly counts?: Readonly<Record<string, number>>
  readonly duplicateRisk?: DuplicateRisk
  /** Who is to act on a `redispatch`; absent: its caller. */
  readonly actor?: Actor
  readonly mesh?: string
  /** The decision that this one takes the place of: nothing of it was sent, since the ledger cannot call its worker. */
  readonly insteadOf?: string
}

/** Somebody is about to send to `workerId`; until then nobody else may (V8). */
export interface IntentFact extends FactBase {
  readonly kind: 'intent'
  readonly workerId: string
  /** The event's id. */
  readonly intentId: string
  readonly decisionId: string
  readonly purpose: DispatchIntentData['purpose']
  readonly by?: string
  readonly actor: Actor
  readonly sentMessageId: string
  readonly contentDigest?: string
  readonly mesh?: string
  /** By the ledger's clock, like `recordedAtMs`. */
  readonly untilMs: number
}

/** What became of an intent, by who held it. */
export interface IntentSettledFact extends FactBase {
  readonly kind: 'intent-settled'
  readonly intentId: string
  readonly outcome: SettledOutcome
  readonly sentTaskId?: string
  /** Our own rules refused the call: why, in words. */
  readonly because?: string
}

/** One moment of canceling an attempt that lost against another one. */
export interface CancelFact extends FactBase {
  readonly kind: 'cancel'
  readonly eventId: string
  readonly moment: CancelData
}

/** What a person said to a recorded `redispatch`. */
export interface ApprovalFact extends FactBase {
  readonly kind: 'approval'
  readonly decisionId: string
  readonly answer: ApprovalAnswer
  readonly by: string
  readonly because?: string
}

export type DuplicateRisk = 'none' | 'possible' | 'likely'

export type CandidateRefusal =
  | 'lost_it'
  | 'refused_it'
  | 'skill_differs'
  | 'state_not_verified'
  | 'mode_not_verified'
  | 'unreachable'
  | Barred

/** Why the ledger itself cannot call a worker; others may. */
export type Barred = 'no_address' | 'not_called'

export interface ConsideredCandidate {
  readonly workerId: string
  readonly eligible: boolean
  readonly because?: CandidateRefusal
}

/** L11: an event whose fold threw; the task is `incomplete` and never decided on. */
export interface UnreadableFact extends FactBase {
  readonly kind: 'unreadable'
  readonly detail: string
}

export type TaskFact =
  | DispatchFact
  | ReportFact
  | ArtifactFact
  | MessageFact
  | ErrorFact
  | NoAnswerFact
  | StreamEndedFact
  | ConclusionFact
  | NothingFact
  | LinkFact
  | MoveFact
  | VerdictFact
  | IntentFact
  | IntentSettledFact
  | CancelFact
  | ApprovalFact
  | UnreadableFact

/** A card as it was fetched, reduced to what decisions and checks need. */
export interface CardFact extends FactBase {
  readonly kind: 'card'
  readonly workerId: string
  readonly isValid: boolean
  readonly missing: readonly string[]
  readonly name?: string
  readonly version?: string
  readonly protocolVersions: readonly string[]
  readonly outputModes: readonly string[]
  readonly skills: readonly { readonly id: string; readonly outputModes?: readonly string[] }[]
  readonly reachableStates?: readonly TaskState[]
  readonly resumableStates?: readonly TaskState[]
  readonly retentionSeconds?: number
  readonly idempotencyKey?: 'messageId' | 'correlationId' | 'none'
  /** For how long after the first one it is known again; absent: no end was stated. */
  readonly idempotencyWindowMs?: number
  readonly redispatchSafety?: RedispatchSafety
  readonly isSigned: boolean
  /** It names an address that is spoken to over gRPC. */
  readonly offersGrpc?: true
  /** SHA-256 of what matters in the card: equal essence, equal promise (V3). */
  readonly essenceDigest: string
  /** Its lifetime, from `cachecontrol`; absent: none was stated. */
  readonly maxAgeMs?: number
}

export interface RestartFact extends FactBase {
  readonly kind: 'restart'
  readonly workerId: string
}

/** The policy of a worker from here on; members that an enrolment leaves out keep their value. */
export interface EnrolledFact extends FactBase {
  readonly kind: 'enrolled'
  readonly workerId: string
  readonly mesh?: string
  readonly trust?: 'verify' | 'card'
  readonly replicas?: number
  readonly owner?: string
  readonly substitutes?: readonly string[]
  readonly hasPushToken?: true
  /** Whether pushes go by way of the proxy. */
  readonly isPushTeed?: boolean
  /** The rest of the enrolment as recorded, for the view: interface, observe, probe. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A positive answer to GetTask: what proves that the route of a bare 404 works (F7). */
export interface AnsweredFact extends FactBase {
  readonly kind: 'answered'
  readonly workerId: string
  readonly taskId: string
}

/** A listing of the worker's tasks named this one, in that state; most often it says nothing new (L13). */
export interface ListedFact extends FactBase {
  readonly kind: 'listed'
  readonly workerId: string
  readonly taskId: string
  readonly state: TaskState
}

/** A time in which a witness saw traffic of the worker and could not report it. Milliseconds. */
export interface GapFact extends FactBase {
  readonly kind: 'gap'
  readonly workerId: string
  /** The `source` that the missing events would have had. */
  readonly witness: string
  readonly reason: GapReason
  readonly fromMs: number
  readonly toMs: number
  /** How many events are missing; at least, unless exact. */
  readonly count: number
  readonly isExact: boolean
}

/** One moment of a probe of the worker, as recorded (V3). */
export interface ProbeStepFact extends FactBase {
  readonly kind: 'probe-step'
  readonly workerId: string
  readonly moment: ProbeStepData
}

export type WorkerFact = CardFact | RestartFact | EnrolledFact | AnsweredFact | ListedFact | GapFact | ProbeStepFact

export type Fact = TaskFact | WorkerFact
