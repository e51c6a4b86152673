/** A2A v1.0 (`lf.a2a.v1`): ProtoJSON, no discriminators, wrappers in streams and answers. */
import type { VersionProfile } from '../version-profile.ts'

export const v1_0: VersionProfile = {
  version: '1.0',
  requiresContextId: true,
  hasTimeline: true,
  /** a2a.proto, message AgentCard, `field_behavior = REQUIRED` (§4.4.1). */
  cardMembersRequired: [
    'name',
    'description',
    'supportedInterfaces',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
}

/**
 * Names of the four StreamResponse members (§3.2.3), first the specified one. The others are in the
 * v0.3 proto (`msg`) and in an early migration guide.
 */
export const wrapperNames = {
  task: ['task'],
  message: ['message', 'msg'],
  'status-update': ['statusUpdate', 'taskStatusUpdate'],
  'artifact-update': ['artifactUpdate', 'taskArtifactUpdate'],
} as const
