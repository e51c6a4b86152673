/** What sets one version's rules apart from the others'. */
export interface VersionProfile {
  readonly version: string
  /** True where a task or update must say its context (else no `context_missing`). */
  readonly requiresContextId: boolean
  /** Members a card of this version must have. */
  readonly cardMembersRequired: readonly string[]
}
