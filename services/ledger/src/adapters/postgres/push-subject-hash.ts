/** The key of the table `push_secret`. */
import { hashOfParts, type Codec } from '@a2a-ledger/domain'

/** Whose pushes a secret lets in. */
export type StoredPushSubject =
  | { readonly kind: 'worker'; readonly workerId: string }
  | { readonly kind: 'task'; readonly workerId: string; readonly taskId: string }
  | { readonly kind: 'logical-task'; readonly workerId: string; readonly correlationId: string }

/** 32 hex digits, different for different subjects. */
export function pushSubjectHash(codec: Codec, subject: StoredPushSubject): string {
  switch (subject.kind) {
    case 'worker':
      return hashOfParts(codec, 'push-worker', [subject.workerId])
    case 'task':
      return hashOfParts(codec, 'push-task', [subject.workerId, subject.taskId])
    case 'logical-task':
      return hashOfParts(codec, 'push-logical-task', [subject.workerId, subject.correlationId])
  }
}
