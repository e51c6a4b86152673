/** A2A v0.3 and v0.2: `kind` discriminators on bare objects, file parts with a `file` object. */
import type { VersionProfile } from '../version-profile.ts'

/** v0.3.0 §5.5. */
export const v0_3: VersionProfile = {
  version: '0.3',
  requiresContextId: true,
  hasTimeline: false,
  cardMembersRequired: [
    'protocolVersion',
    'name',
    'description',
    'url',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
}

/** v0.2.x §5.5: as v0.3, before cards stated the version of the protocol. */
export const v0_2: VersionProfile = {
  ...v0_3,
  version: '0.2',
  cardMembersRequired: v0_3.cardMembersRequired.filter((name) => name !== 'protocolVersion'),
}

/** Names of push configurations in `MessageSendConfiguration`: v0.3, and v0.2 before 0.2.4. */
export const pushConfigNames = ['pushNotificationConfig', 'pushNotification'] as const
