/** What we understood of one payload, as the API shows it (contract §3). Absent fields are left out. */
import type { CodeSpace, ErrorName, Evidence, ReadingKind, ReadingNote } from './reading.ts'
import type { TaskState } from '../task/state.ts'

export interface Canonical {
  readonly kind: ReadingKind
  readonly protocolVersion?: string
  readonly taskId?: string
  readonly contextId?: string
  readonly messageId?: string
  readonly state?: TaskState
  readonly stateOnWire?: string
  readonly mediaTypes?: readonly string[]
  readonly mediaTypesImplied?: readonly string[]
  readonly tasks?: readonly { readonly taskId?: string; readonly state?: TaskState }[]
  readonly error?: {
    readonly name: ErrorName
    readonly codeSpace: CodeSpace
    readonly code?: number
    readonly evidence: Evidence
  }
  readonly missing?: readonly string[]
  readonly notes?: readonly ReadingNote[]
}
