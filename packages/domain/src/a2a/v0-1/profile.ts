/** A2A v0.1: `type` for `kind`, `sessionId` for `contextId`, artifacts by `index`. */
import type { VersionProfile } from '../version-profile.ts'

/** v0.1 schema: `description` is nullable, the modes default to `["text"]`. */
export const v0_1: VersionProfile = {
  version: '0.1',
  requiresContextId: false,
  hasTimeline: false,
  cardMembersRequired: ['name', 'url', 'version', 'capabilities', 'skills'],
}
