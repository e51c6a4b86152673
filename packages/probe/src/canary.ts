/** The canary: what is sent, and by what it is known as one wherever it is seen. */
import { canaryCorrelationId, continuityUri, type ProbeRecord } from '@a2a-ledger/domain'
import type { PushReceiver } from './ports.ts'
import type { Sent } from './wire.ts'

const ours = 'This is a capability probe and no real work. Treat it like any request; ask one question before you finish, if you can.'
const answerText = 'This is the answer of a capability probe. Please finish.'

export type CanaryRole = 'canary' | 'parked'

/** The mark, in the metadata of every message of a probe. */
const metadataOf = (probeId: string): object => ({ [continuityUri]: { correlationId: canaryCorrelationId(probeId), canary: true } })

/**
 * The message of one canary. Its ids come from the probe: the same message again is the same in every
 * character.
 */
export const canaryMessage = ({ probeId, plan, learned: { card } }: ProbeRecord, role: CanaryRole, push?: PushReceiver): Sent => ({
  messageId: `${probeId}-${role}`,
  // What the enrolment says, else what the card declares, else a text of ours.
  text: plan.message ?? card?.canaryMessage ?? ours,
  contextId: `${probeId}-${role}`,
  metadata: metadataOf(probeId),
  acceptedModes: acceptedModesOf(card),
  ...(push !== undefined && card?.isPushing === true && { push: { url: push.url, token: push.token } }),
})

/** The answer to its question. */
export const answerMessage = (record: ProbeRecord): Sent => {
  const { taskId, contextId } = record.learned.tasks?.canary ?? { taskId: '', contextId: undefined }
  return { ...canaryMessage(record, 'canary'), messageId: `${record.probeId}-answer`, text: answerText, taskId, ...(contextId !== undefined && { contextId }) }
}

/** What is accepted of it: what the card declares for a canary, else everything that the card offers. */
const acceptedModesOf = (card: ProbeRecord['learned']['card']): readonly string[] => card?.canaryModes ?? card?.mediaTypes ?? []
