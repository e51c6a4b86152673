/**
 * What storage looks ladder entries up by: 16 bytes of SHA-256, as 32 hex digits.
 *
 * Caller text is never a key, since an id of 1,024 characters can exceed an index entry (L3). Parts
 * carry their length, so `('a', 'bc')` and `('ab', 'c')` differ; each kind of key has its own tag.
 */
import type { Codec } from '../codec.ts'

type KeyTag = 'correlation' | 'worker' | 'task' | 'message' | 'claim' | 'early' | 'stream' | 'mesh'

export interface CorrelationKeys {
  readonly correlation: (correlationId: string) => string
  readonly worker: (workerId: string) => string
  readonly task: (workerId: string, taskId: string) => string
  /** A client's message id at one worker (rung 4). */
  readonly message: (workerId: string, messageId: string) => string
  /** A worker's claim to a logical task that it was not sent, as far as is known (K1). */
  readonly claim: (workerId: string, correlationId: string) => string
  /** Claims to a logical task from before any dispatch of it was known (K1). */
  readonly early: (correlationId: string) => string
  /** One stream of one witness with one worker. */
  readonly stream: (workerId: string, source: string, streamId: string) => string
  readonly mesh: (mesh: string) => string
}

/** 16 bytes of SHA-256 over `tag` and `parts`, as 32 hex digits; equal only for equal arguments. */
export const hashOfParts = (codec: Codec, tag: string, parts: readonly string[]): string =>
  codec.sha256Hex([tag, ...parts.map((part) => `${part.length}:${part}`)].join('\n')).slice(0, 32)

/** Keys made with `codec`; the same on every machine and in every version of the code. */
export const createCorrelationKeys = (codec: Codec): CorrelationKeys => {
  const hash = (tag: KeyTag, ...parts: readonly string[]): string => hashOfParts(codec, tag, parts)
  return {
    correlation: (correlationId) => hash('correlation', correlationId),
    worker: (workerId) => hash('worker', workerId),
    task: (workerId, taskId) => hash('task', workerId, taskId),
    message: (workerId, messageId) => hash('message', workerId, messageId),
    claim: (workerId, correlationId) => hash('claim', workerId, correlationId),
    early: (correlationId) => hash('early', correlationId),
    stream: (workerId, source, streamId) => hash('stream', workerId, source, streamId),
    mesh: (mesh) => hash('mesh', mesh),
  }
}
