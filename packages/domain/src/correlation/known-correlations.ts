/**
 * What the ladder has to know about earlier events, and how it asks for it.
 *
 * `resolveCorrelations` is pure: it reads these tables, and names the entries it missed. Storage
 * fetches them and calls again, until nothing is missing; two rounds are the rule.
 */

import type { TaskState } from '../task/state.ts'
import type { CorrelationRule } from './rule.ts'

/**
 * By what a task was bound, weakest first: its worker's own word, a message id, somebody's statement
 * about it, or that it answered a send (K2).
 */
export const taughtBy = ['claim', 'message', 'statement', 'answer'] as const

export type Taught = (typeof taughtBy)[number]

export interface TaskLink {
  /** Absent: from here on it is nobody's. */
  readonly correlationId?: string
  readonly position: number
  readonly taught: Taught
}

export interface MessageLink {
  readonly correlationId: string
  /** Of the newest dispatch of this message for this correlation ID. */
  readonly position: number
  /** When the first of them was sent, by its witness; milliseconds. */
  readonly firstMs: number
  /** Key of the task that the newest one named. */
  readonly namedTask?: string
}

/** The logical task of the first event on a stream, and the server task that it was about. */
export interface StreamLink {
  readonly correlationId: string
  /** Key of that task. */
  readonly task?: string
}

export interface OpenClaim {
  readonly workerId: string
  readonly taskId: string
  /** Of the event that waits, or was placed by what may turn out differently. */
  readonly position: number
  /** When it was seen. */
  readonly witnessMs: number
  /** It answers a send that named no task. */
  readonly isAnswer: boolean
}

/** What became of a synthetic stream at one position (K6). */
export interface Alias {
  readonly to: string
  readonly position: number
  /** False: it was that of `to` until here. */
  readonly isLinked: boolean
  /** A person said so, which is not undone by what the ladder finds. */
  readonly isByHand: boolean
}

/** A task as an answer of its worker showed it: life at the moment it was seen (F9). */
export interface ShownTask {
  readonly state: TaskState
  readonly contextId?: string
  /** Nothing but that: no message, no artifact, no history, so that it can say nothing new. */
  readonly isBare: boolean
}

/** The newest event about one task, as far as L13 needs it. */
export interface NewestOfTask {
  readonly position: number
  /** `sha256` hex of its data; absent when erased. */
  readonly digest?: string
  readonly isDerived: boolean
  /** What it showed of the task, where it was an answer of the worker. */
  readonly shown?: Omit<ShownTask, 'isBare'>
  /** When the witness saw it, milliseconds since the epoch. */
  readonly witnessMs: number
}

/** One table per question; a missing key is a question not asked yet, an empty value an answer. */
export interface KnownCorrelations {
  /** By task key: its links, newest first; storage may leave out all but the newest twenty. */
  readonly taskLinks: ReadonlyMap<string, readonly TaskLink[]>
  /** By message key: the newest dispatch of it for each correlation ID. */
  readonly messageLinks: ReadonlyMap<string, readonly MessageLink[]>
  /** By correlation key: whether anything was dispatched under it. */
  readonly dispatched: ReadonlyMap<string, boolean>
  /** By correlation key + worker key: position of the newest dispatch there, 0 for none. */
  readonly dispatchedTo: ReadonlyMap<string, number>
  /** By correlation key + worker key + task key: whether a dispatch there named that task. */
  readonly dispatchNamed: ReadonlyMap<string, boolean>
  /** By stream key; `undefined`: nothing came on it yet. */
  readonly streamLinks: ReadonlyMap<string, StreamLink | undefined>
  /** By claim, message or early key: tasks whose place such a dispatch decides. */
  readonly openClaims: ReadonlyMap<string, readonly OpenClaim[]>
  /** By correlation key of a synthetic stream: whether it holds events. */
  readonly syntheticStreams: ReadonlyMap<string, boolean>
  /** By correlation key of a synthetic stream: newest first; storage may leave out all but the newest twenty. */
  readonly aliases: ReadonlyMap<string, readonly Alias[]>
  /** By task key. */
  readonly newestOfTask: ReadonlyMap<string, NewestOfTask | undefined>
  /** By worker key: position of its newest restart, 0 for none. */
  readonly restarts: ReadonlyMap<string, number>
  /** By correlation key: position of the newest event, linked streams included, 0 for none (L14). */
  readonly lastOfStream: ReadonlyMap<string, number>
  /** By worker key: the mesh its newest enrolment that says one put it in, else the default one. */
  readonly meshOfWorker: ReadonlyMap<string, string>
  /** By mesh key: its rules in order, those of its newest policy that says any. */
  readonly rulesOfMesh: ReadonlyMap<string, readonly CorrelationRule[]>
}

export type KnownTable = keyof KnownCorrelations

/** Keys that were asked for and are not in the tables. */
export type MissingCorrelations = Readonly<Record<KnownTable, ReadonlySet<string>>>

type Fetched<T> = T extends ReadonlyMap<string, infer Value> ? Map<string, Value> : never

/** The same tables while storage fills them. */
export type FetchedCorrelations = { readonly [Table in KnownTable]: Fetched<KnownCorrelations[Table]> }

/** Nothing asked yet. */
export const nothingKnown = (): FetchedCorrelations => ({
  taskLinks: new Map(),
  messageLinks: new Map(),
  dispatched: new Map(),
  dispatchedTo: new Map(),
  dispatchNamed: new Map(),
  streamLinks: new Map(),
  openClaims: new Map(),
  syntheticStreams: new Map(),
  aliases: new Map(),
  newestOfTask: new Map(),
  restarts: new Map(),
  lastOfStream: new Map(),
  meshOfWorker: new Map(),
  rulesOfMesh: new Map(),
})
