/** What sets one version's rules apart from the others'. */
export interface VersionProfile {
  readonly version: string
  /** True where a task or update must say its context (else no `context_missing`). */
  readonly requiresContextId: boolean
  /** True where a task may tell its own past in `timeline`. */
  readonly hasTimeline: boolean
  /** Members a card of this version must have. */
  readonly cardMembersRequired: readonly string[]
}
