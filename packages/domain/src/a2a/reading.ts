/**
 * What one payload says, whatever A2A version and binding it came in.
 *
 * A reading is complete: everything the correlation ladder, the fold and the root causes need is
 * in it, so nobody behind this type ever looks at wire JSON again. `Canonical` (contract §3) is
 * the part of it that the API shows.
 */
import type { Teaching } from '../correlation/teaching.ts'
import type { RedispatchMode } from '../event/mesh-policy.ts'
import type { TaskState } from '../task/state.ts'

/** Oddities of one payload: the violation codes that one payload can show by itself, plus four. */
export type ReadingNote =
  | 'state_unknown'
  | 'context_missing'
  | 'task_id_missing'
  | 'task_id_changed'
  | 'task_id_mismatch'
  | 'artifact_id_repeated'
  | 'content_ambiguous'
  | 'timestamp_invalid'
  | 'timestamp_in_future'
  | 'error_code_conflict'
  | 'result_missing'
  | 'timestamp_zone_assumed'
  | 'wire_alias_used'
  | 'number_precision'
  | 'credentials_redacted'

/** `metadata["urn:a2a-ledger:task-continuity:v1"]` of any object in the payload (contract §5). */
export interface ContinuityClaim {
  readonly correlationId: string
  readonly skill?: string
  /** Who is to act when the work is lost, as `redispatch` of a mesh. */
  readonly redispatch?: RedispatchMode
  readonly redispatchSafety?: RedispatchSafety
  /** Whether the attempt that loses against another one is to be canceled. */
  readonly cancelLoser?: boolean
}

/** Whether work may be repeated, as its worker or who sends it declares. */
export type RedispatchSafety = 'safe' | 'idempotent' | 'unsafe'

/** The content of one part; `json` is the received text without insignificant white space. */
export type PartContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'raw'; readonly base64: string }
  | { readonly kind: 'data'; readonly json: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'none' }

export interface PartReading {
  readonly content: PartContent
  /** Lower-case type/subtype without parameters. */
  readonly mediaType: string
  /** True when the payload states none and the kind of part implies it (F19). */
  readonly mediaTypeImplied: boolean
}

export interface MessageReading {
  readonly messageId?: string
  readonly role: 'user' | 'agent' | 'unknown'
  readonly taskId?: string
  readonly contextId?: string
  readonly parts: readonly PartReading[]
  readonly referenceTaskIds: readonly string[]
  /** The text parts joined with newlines, at most 2,000 characters. */
  readonly text: string
}

export interface ArtifactReading {
  readonly artifactId?: string
  readonly name?: string
  /** Order in its list (0-based), or the `index` of a version without artifact ids. */
  readonly index: number
  readonly parts: readonly PartReading[]
  /** Names of its metadata, in order; the first 50, none over 256 characters. */
  readonly metadataNames?: readonly string[]
}

export interface StatusReading {
  readonly state?: TaskState
  /** As it stood on the wire; a protobuf number as its digits. */
  readonly stateOnWire?: string
  /** True when the wire value is no known spelling of any version (then `state` is `unknown`). */
  readonly isStateUnknown: boolean
  /** Milliseconds since the epoch; absent when absent or unusable (then a note says so). */
  readonly timestampMs?: number
  readonly message?: MessageReading
}

export type ErrorName =
  | 'TaskNotFound'
  | 'TaskNotCancelable'
  | 'PushNotificationNotSupported'
  | 'UnsupportedOperation'
  | 'ContentTypeNotSupported'
  | 'InvalidAgentResponse'
  | 'ExtendedAgentCardNotConfigured'
  | 'ExtensionSupportRequired'
  | 'VersionNotSupported'
  | 'JSONParse'
  | 'InvalidRequest'
  | 'MethodNotFound'
  | 'InvalidParams'
  | 'Internal'
  | 'TaskAlreadyTerminal'
  | 'Unauthenticated'
  | 'PermissionDenied'
  | 'Unavailable'
  | 'Timeout'
  | 'RouteNotFound'
  | 'Server'

export type CodeSpace = 'jsonrpc' | 'http' | 'grpc'

/** How much a not-found says about the task (F6). */
export type Evidence = 'strong' | 'weak' | 'none'

/** How a not-found is told. */
export type NotFoundShape =
  /** In a shape A2A defines, or one that names the type. */
  | 'named'
  /** A bare 404, or one with only a human text. */
  | 'bare'
  /** The code says not found, the reason or the text another error. */
  | 'contradicted'

export interface ErrorReading {
  readonly name: ErrorName
  readonly codeSpace: CodeSpace
  readonly code?: number
  readonly evidence: Evidence
  /** Absent: whatever was asked, this is no not-found. */
  readonly notFound?: NotFoundShape
  /** The human text, at most 2,000 characters; never used to tell one cause from another alone. */
  readonly text: string
  /** True when the body is a JSON-RPC error object or response (F6: it wins over the HTTP status). */
  readonly isJsonRpc: boolean
  /** True when a proxy answered, not the worker: 502–504, HTML, a wrapped upstream error. */
  readonly isFromGateway: boolean
  /** True when the text or code says that the task has already ended (F8). */
  readonly saysTerminal: boolean
  /** True when the text says a timeout, here or at a tool or peer of the worker (MCP -32001). */
  readonly saysTimeout: boolean
}

export interface SkillReading {
  readonly id: string
  /** Absent: the card's defaults hold. */
  readonly outputModes?: readonly string[]
}

export interface CardReading {
  readonly name?: string
  readonly version?: string
  /** Versions declared by its interfaces (v1.0) or its `protocolVersion` (v0.x), e.g. `1.0`. */
  readonly protocolVersions: readonly string[]
  readonly outputModes: readonly string[]
  readonly skills: readonly SkillReading[]
  /** Required members of the card's own version that are absent. */
  readonly missing: readonly string[]
  /** From our extension (contract §5); absent: undeclared, every state of that version. */
  readonly reachableStates?: readonly TaskState[]
  readonly resumableStates?: readonly TaskState[]
  readonly taskRetentionSeconds?: number
  readonly idempotencyKey?: 'messageId' | 'correlationId' | 'none'
  /** For how long after the first one it is known again; absent: the card states no end. */
  readonly idempotencyWindowSeconds?: number
  readonly redispatchSafety?: 'safe' | 'idempotent' | 'unsafe'
  readonly isSigned: boolean
  readonly offersGrpc?: true
  /** Canonical JSON of the card without interface URLs and signatures: what matters (V3). */
  readonly essence: string
}

/** A push configuration as seen in a dispatch or in an answer to a configuration operation. */
export interface PushConfigReading {
  readonly taskId?: string
  /** Tokens and credentials in clear; only the ledger sees them, before they are overwritten. */
  readonly secrets: readonly string[]
}

interface ReadingBase {
  /** Told by the payload's structure, else taken from the envelope; absent when nothing tells. */
  readonly protocolVersion?: string
  /** The payload's structure told it: neither the envelope nor a default did. */
  readonly isVersionTold?: true
  readonly notes: readonly ReadingNote[]
  /** The first claim found in message, task, update, status message or artifact metadata. */
  readonly claim?: ContinuityClaim
  /** JSON texts of the metadata objects where a claim may stand, in that order; the first few, none very long. */
  readonly metadata?: readonly string[]
  readonly pushConfigs?: readonly PushConfigReading[]
}

/**
 * A2A v1.1: what the worker says of its own past. A claim: no state follows from it, and no sign of life but the
 * snapshot's own.
 */
export interface TimelineReading {
  /** Each where it was entered, oldest first; the newest 50, never `unknown`. */
  readonly states: readonly TaskState[]
  /** It begins with the first generation: nothing was cut off. */
  readonly isWhole?: true
  /** A generation is lower than the one before it. */
  readonly isUnordered?: true
}

export interface TaskReading extends ReadingBase {
  readonly kind: 'task'
  readonly taskId?: string
  readonly contextId?: string
  readonly status: StatusReading
  readonly artifacts: readonly ArtifactReading[]
  readonly history: readonly MessageReading[]
  readonly metadataNames?: readonly string[]
  /** A2A v1.1: total order of one task's updates, where the payload has it. */
  readonly generation?: number
  readonly timeline?: TimelineReading
}

export interface StatusUpdateReading extends ReadingBase {
  readonly kind: 'status-update'
  readonly taskId?: string
  readonly contextId?: string
  readonly status: StatusReading
  readonly metadataNames?: readonly string[]
  readonly generation?: number
}

export interface ArtifactUpdateReading extends ReadingBase {
  readonly kind: 'artifact-update'
  readonly taskId?: string
  readonly contextId?: string
  readonly artifact: ArtifactReading
  readonly append: boolean
  readonly lastChunk: boolean
  readonly generation?: number
}

export interface AgentMessageReading extends ReadingBase {
  readonly kind: 'message'
  readonly message: MessageReading
}

/** One entry of an answer about many tasks: its own reading, and the text it was read from. */
export interface ListItem {
  readonly json: string
  readonly reading: Reading
  /** It could not be read; the reading says nothing then. */
  readonly isUnread?: true
}

export interface TaskListReading extends ReadingBase {
  readonly kind: 'task-list'
  readonly items: readonly ListItem[]
  /** The items are the events of one stream, in order, and not entries about different tasks. */
  readonly isStream?: true
}

export interface ErrorPayloadReading extends ReadingBase {
  readonly kind: 'error'
  readonly error: ErrorReading
  /** Only where the body itself names the task. */
  readonly taskId?: string
}

export interface AgentCardReading extends ReadingBase {
  readonly kind: 'agent-card'
  readonly card: CardReading
}

export interface DispatchReading extends ReadingBase {
  readonly kind: 'dispatch'
  readonly message: MessageReading
  readonly acceptedOutputModes?: readonly string[]
  /** True when the send asks for pushes. */
  readonly hasPushConfig: boolean
}

export interface NoAnswerReading extends ReadingBase {
  readonly kind: 'no-answer'
  readonly reason: 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls'
  readonly afterMs?: number
}

export interface StreamEndedReading extends ReadingBase {
  readonly kind: 'stream-ended'
  readonly reason: 'closed' | 'reset' | 'timeout'
}

export interface RestartReading extends ReadingBase {
  readonly kind: 'restart'
  readonly reason?: string
}

export interface ConclusionReading extends ReadingBase {
  readonly kind: 'conclusion'
  readonly state: string
  readonly because?: string
}

/** An answer that says nothing about a task: `null`, `{}`, a push configuration, an empty list. */
export interface NothingReading extends ReadingBase {
  readonly kind: 'nothing'
  /** In an event of our own: what the correlation ladder learns of it. */
  readonly teaching?: Teaching
}

export type Reading =
  | TaskReading
  | StatusUpdateReading
  | ArtifactUpdateReading
  | AgentMessageReading
  | TaskListReading
  | ErrorPayloadReading
  | AgentCardReading
  | DispatchReading
  | NoAnswerReading
  | StreamEndedReading
  | RestartReading
  | ConclusionReading
  | NothingReading

export type ReadingKind = Reading['kind']
