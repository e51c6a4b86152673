/** What a probe needs of the outside: the worker, a journal, a clock, and somebody who is told of each call. */
import type { ProbeStepData, TaskState } from '@a2a-ledger/domain'

/** Connections to the worker that nobody else uses. */
export interface ProbeClient {
  readonly fetch: typeof globalThis.fetch
  readonly close: () => Promise<void>
}

/** An answer before its body. */
export interface AnswerHead {
  readonly status: number
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** One call as it was made, for the record. */
export interface WitnessedCall {
  readonly operation: string
  readonly binding?: string
  readonly protocolVersion?: string
  /** The SendMessageRequest as it stood in the body, where a message was sent. */
  readonly request?: string
  readonly messageId?: string
  readonly taskId?: string
  /** The state that the caller believed in. */
  readonly believed?: TaskState
  readonly answer:
    | { readonly kind: 'sent' }
    | ({ readonly kind: 'body'; readonly body: string } & AnswerHead)
    /** The data of each event of a stream, as far as it was read. */
    | ({ readonly kind: 'events'; readonly events: readonly string[]; readonly isEnded: boolean } & AnswerHead)
    /** `error`: what the call failed with. */
    | { readonly kind: 'none'; readonly reason: 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls'; readonly error: unknown }
}

export interface PushReceiver {
  readonly url: string
  readonly token: string
  /** True once a push about the task has come; false when none came within `withinMs`. */
  readonly arrived: (taskId: string, withinMs: number) => Promise<boolean>
}

export interface ProbePorts {
  readonly openClient: () => ProbeClient
  /**
   * Records one moment of the probe before the next one begins, and answers where and when.
   *
   * Value `undefined`: another process has recorded this moment; whoever asked stops.
   */
  readonly append: (data: ProbeStepData) => Promise<{ readonly position: number; readonly atMs: number } | undefined>
  /** Told of a send before it is made (`sent`), and of every call once it is over. Resolves when it is recorded. */
  readonly witness: (call: WitnessedCall) => Promise<void>
  readonly nowMs: () => number
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  readonly after: (ms: number, signal: AbortSignal) => Promise<void>
  /** An id that nobody else has. */
  readonly newId: () => string
  /** SHA-256, 64 hex digits. */
  readonly sha256Hex: (text: string) => string
  /** Absent: whether pushes arrive cannot be told. */
  readonly push?: PushReceiver
}
